"""PEGASUS (Zhang et al. 2020): as Marian, but with norms before its parts and one vocabulary."""

from typing import Any, ClassVar, Literal

from dragoman.config.transformer import TransformerSettings
from dragoman.interop.families.marian import Marian, MarianValues
from dragoman.interop.table import TensorRow, both
from dragoman.interop.tensor_layouts import TensorLayout


class PegasusValues(MarianValues):
    """The keys of a PEGASUS."""

    share_encoder_decoder_embeddings: Literal[True] = True
    decoder_vocab_size: None = None
    normalize_before: Literal[True] = True  # type: ignore[assignment]
    add_final_layer_norm: Literal[True] = True  # type: ignore[assignment]
    pad_token_id: int | None = 0
    eos_token_id: int = 1
    decoder_start_token_id: int = 0


class Pegasus(Marian):
    """PEGASUS."""

    kind: ClassVar[str] = "pegasus"
    architectures: ClassVar[tuple[str, ...]] = ("PegasusForConditionalGeneration",)
    two_vocabularies: ClassVar[bool] = False
    norm: ClassVar[Literal["pre", "post"]] = "pre"
    known: ClassVar[type[MarianValues]] = PegasusValues
    stores_waves: ClassVar[bool] = True

    def _two(self, settings: TransformerSettings) -> dict[str, Any]:
        return {}

    def _last_norms(self, last: TensorLayout) -> tuple[TensorRow, ...]:
        return (
            *both("encoder.layer_norm", "encoder_norm"),
            *both("decoder.layer_norm", "decoder_norm", last),
        )
