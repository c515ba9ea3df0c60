"""BERT (Devlin et al. 2019): a bidirectional encoder with norms after its parts.

Which heads there are is what the class says that it was saved from, so that a lost head is missed.
The two answers about the second text stand in the other order than ours: there, it follows first.
"""

from typing import Any, ClassVar, Literal

from dragoman.config.encoder import EncoderSettings
from dragoman.config.task import ClassificationTaskSettings, MaskedTaskSettings, TaskSettings
from dragoman.core.errors import ConfigError
from dragoman.interop.families.family import ImportPlan, ModelFamily, NetworkSettings
from dragoman.interop.foreign import Foreign, Values, our_settings, parse_settings
from dragoman.interop.table import TensorRow, TensorTable, both, in_layers, row
from dragoman.interop.tensor_layouts import SAME, ReversedRows, TensorLayout
from dragoman.interop.tensor_source import TensorSource

ACTIVATIONS = {
    "gelu": "gelu",
    "gelu_new": "gelu-tanh",
    "gelu_pytorch_tanh": "gelu-tanh",
    "relu": "relu",
}
THEIRS = {"gelu": "gelu", "gelu-tanh": "gelu_new", "relu": "relu"}
LAYER = (
    *both("encoder.layer.{n}.attention.self.query", "layers.{n}.attention.query"),
    *both("encoder.layer.{n}.attention.self.key", "layers.{n}.attention.key"),
    *both("encoder.layer.{n}.attention.self.value", "layers.{n}.attention.value"),
    *both("encoder.layer.{n}.attention.output.dense", "layers.{n}.attention.output"),
    *both("encoder.layer.{n}.attention.output.LayerNorm", "layers.{n}.around_attention.norm"),
    *both("encoder.layer.{n}.intermediate.dense", "layers.{n}.feed_forward.inner"),
    *both("encoder.layer.{n}.output.dense", "layers.{n}.feed_forward.output"),
    *both("encoder.layer.{n}.output.LayerNorm", "layers.{n}.around_feed_forward.norm"),
)
POOLER, WORDS = "pooler.dense", "embeddings.word_embeddings.weight"


class BertValues(Foreign):
    """The keys of a BERT."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    hidden_act: Literal["gelu", "gelu_new", "gelu_pytorch_tanh", "relu"] = "gelu"
    hidden_dropout_prob: float = 0.1
    attention_probs_dropout_prob: float = 0.1
    max_position_embeddings: int = 512
    type_vocab_size: int = 2
    layer_norm_eps: float = 1e-12
    position_embedding_type: Literal["absolute"] = "absolute"
    is_decoder: Literal[False] = False
    add_cross_attention: Literal[False] = False
    tie_word_embeddings: bool = True
    pad_token_id: int | None = None


class Bert(ModelFamily):
    """BERT, and what is built alike: MiniLM."""

    kind: ClassVar[str] = "bert"
    architectures: ClassVar[tuple[str, ...]] = (
        "BertModel",
        "BertForMaskedLM",
        "BertForPreTraining",
        "BertForSequenceClassification",
    )
    prefix: ClassVar[str] = "bert."
    heads: ClassVar[tuple[str, ...]] = ("cls.", "classifier.")
    classes: ClassVar[str] = "classifier"
    words_head: ClassVar[tuple[str, str, str]] = (
        "cls.predictions.transform.dense",
        "cls.predictions.transform.LayerNorm",
        "cls.predictions",
    )
    """The matrix and the norm of the words head, and what its bias belongs to."""

    def plan(
        self, values: Values, stored: TensorSource, ignored: tuple[str, ...] = ()
    ) -> ImportPlan:
        """Say what a settings file and its tensors become here."""
        where = str(stored.where)
        theirs = parse_settings(BertValues, values, where, ignored)
        saved = values["architectures"][0]
        words = saved.endswith(("ForMaskedLM", "ForPreTraining"))
        classes = self._classes(stored) if saved.endswith("Classification") else 0
        follows = saved.endswith("ForPreTraining")
        alone = saved.endswith("Model") and f"{POOLER}.weight" in {
            name.removeprefix(self.prefix) for name in stored.shapes
        }
        settings = our_settings(
            EncoderSettings,
            {
                "width": theirs.hidden_size,
                "layers": theirs.num_hidden_layers,
                "heads": theirs.num_attention_heads,
                "ffn_width": theirs.intermediate_size,
                "activation": ACTIVATIONS[theirs.hidden_act],
                "positions": "learned",
                "max_positions": theirs.max_position_embeddings
                - self._first_place(theirs.pad_token_id),
                "segments": theirs.type_vocab_size,
                "norm_epsilon": theirs.layer_norm_eps,
                "dropout": theirs.hidden_dropout_prob,
                "attention_dropout": theirs.attention_probs_dropout_prob,
                "pooler": alone or follows or bool(classes),
                "lm_head": "bert" if words else "none",
                "tied": theirs.tie_word_embeddings,
                "next_sentence_head": follows,
                "classes": classes,
                "initialization": "normal",
            },
            where,
        )
        self._check_head(settings, where)
        task: TaskSettings = (
            ClassificationTaskSettings() if classes else MaskedTaskSettings(next_sentence=follows)
        )
        table = self._table(settings, self._first_place(theirs.pad_token_id))
        return ImportPlan(settings, theirs.vocab_size, task, table)

    def values(
        self, settings: NetworkSettings, vocab_size: int, padding: int | None = None
    ) -> dict[str, Any] | None:
        """Return the settings file of one of our networks; None where it is of another kind."""
        if not isinstance(settings, EncoderSettings):
            return None
        classes = {str(n): f"LABEL_{n}" for n in range(settings.classes)}
        return {
            "architectures": [self._saved_from(settings)],
            "vocab_size": vocab_size,
            "hidden_size": settings.width,
            "num_hidden_layers": settings.layers,
            "num_attention_heads": settings.heads,
            "intermediate_size": settings.ffn_width,
            "hidden_act": THEIRS.get(settings.activation, settings.activation),
            "hidden_dropout_prob": settings.dropout,
            "attention_probs_dropout_prob": settings.attention_dropout,
            "max_position_embeddings": settings.max_positions + self._first_place(padding),
            "type_vocab_size": settings.segments,
            "layer_norm_eps": settings.norm_epsilon,
            "tie_word_embeddings": settings.tied,
            **self._padding(padding),
            **({"id2label": classes} if classes else {}),
        }

    def table(self, settings: EncoderSettings, padding: int | None = None) -> TensorTable:
        """Return the rows of one of our networks."""
        return self._table(settings, self._first_place(padding))

    def _table(self, settings: EncoderSettings, first_place: int) -> TensorTable:
        positions = "embedding.positions.table.weight"
        rows = [
            row(WORDS, "embedding.table.weight"),
            row("embeddings.position_embeddings.weight", positions, self._places(first_place)),
            row("embeddings.token_type_embeddings.weight", "embedding.segments.weight"),
            *both("embeddings.LayerNorm", "embedding.norm"),
            *in_layers(LAYER, settings.layers),
        ]
        rows += both(self._pooler(settings), "pooler") if settings.pooler else ()
        rows += (
            both("cls.seq_relationship", "follows_head", ReversedRows())
            * settings.next_sentence_head
        )
        rows += both(self.classes, "classes_head") if settings.classes else ()
        copies: dict[str, str] = {}
        if settings.lm_head == "bert":
            more, copies = self._words()
            rows += more
        return TensorTable(
            tuple(rows),
            prefix=self.prefix,
            bare=self.heads,
            renamed=(("LayerNorm.gamma", "LayerNorm.weight"), ("LayerNorm.beta", "LayerNorm.bias")),
            dropped=(r"embeddings\.(position_ids|token_type_ids)",),
            copies=copies,
        )

    def _words(self) -> tuple[list[TensorRow], dict[str, str]]:
        """Return the rows of the words head, and the tensors that only repeat others."""
        matrix, norm, head = self.words_head
        rows = [*both(matrix, "words_head.inner"), *both(norm, "words_head.norm")]
        rows.append(row(f"{head}.bias", "output.bias"))
        return rows, {f"{head}.decoder.bias": f"{head}.bias", f"{head}.decoder.weight": WORDS}

    def _saved_from(self, settings: EncoderSettings) -> str:
        match settings.lm_head, settings.pooler, settings.next_sentence_head, settings.classes > 0:
            case "none", True, False, False:
                return self.architectures[0]
            case "bert", False, False, False:
                return self.architectures[1]
            case "bert", True, True, False:
                return next(one for one in self.architectures if one.endswith("PreTraining"))
            case "none", True, False, True:
                return self.architectures[-1]
            case _:
                raise ConfigError(
                    "no class of transformers has just these heads (words_head, pooler, "
                    "follows_head, classes). Known: a pooler alone, a words head alone, both with "
                    "follows_head, a pooler with classes."
                )

    def _classes(self, stored: TensorSource) -> int:
        """Return how many classes the stored head has; a head that is not there is missed later."""
        shape = stored.shapes.get(f"{self.classes}.weight")
        return shape[0] if shape else 1

    def _pooler(self, settings: EncoderSettings) -> str:
        return POOLER

    def _first_place(self, padding: int | None) -> int:
        """Return the row of the table at which positions begin."""
        return 0

    def _places(self, first: int) -> TensorLayout:
        return SAME

    def _padding(self, padding: int | None) -> dict[str, int]:
        return {}

    def _check_head(self, settings: EncoderSettings, where: str) -> None:
        """Refuse what the words head cannot do; BERT's bends as its layers do."""
        if settings.lm_head == "bert" and not settings.tied:
            raise ConfigError(
                f"{where}: tie_word_embeddings = False is not supported with a words head: which "
                "of its two biases is used depends on the library's version."
            )
