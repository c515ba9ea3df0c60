"""RoBERTa (Liu et al. 2019): BERT's network with its own names and positions that begin later.

Its table of positions has rows for the padding's number and all below it, which no token uses: they
are left out. Its words head bends with GELU whatever the layers do.
"""

from typing import ClassVar

from dragoman.config.encoder import EncoderSettings
from dragoman.core.errors import ConfigError
from dragoman.interop.families.bert import POOLER, Bert
from dragoman.interop.tensor_layouts import TensorLayout, WithoutFirst

PADDING = 1


class Roberta(Bert):
    """RoBERTa."""

    kind: ClassVar[str] = "roberta"
    architectures: ClassVar[tuple[str, ...]] = (
        "RobertaModel",
        "RobertaForMaskedLM",
        "RobertaForSequenceClassification",
    )
    prefix: ClassVar[str] = "roberta."
    heads: ClassVar[tuple[str, ...]] = ("lm_head.", "classifier.")
    classes: ClassVar[str] = "classifier.out_proj"
    words_head: ClassVar[tuple[str, str, str]] = ("lm_head.dense", "lm_head.layer_norm", "lm_head")

    def _pooler(self, settings: EncoderSettings) -> str:
        return "classifier.dense" if settings.classes else POOLER

    def _first_place(self, padding: int | None) -> int:
        return (PADDING if padding is None else padding) + 1

    def _places(self, first: int) -> TensorLayout:
        return WithoutFirst(first)

    def _padding(self, padding: int | None) -> dict[str, int]:
        return {"pad_token_id": PADDING if padding is None else padding}

    def _check_head(self, settings: EncoderSettings, where: str) -> None:
        super()._check_head(settings, where)
        if settings.lm_head == "bert" and settings.activation != "gelu":
            raise ConfigError(
                f"{where}: hidden_act is not 'gelu', but RoBERTa's words head always is; here both "
                "are one. Such a network cannot be built here."
            )
