"""Claims on the size of an encoder-decoder Transformer, with the notes' sizes as defaults."""

import math

import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.settings import Settings
from dragoman.config.transformer import TransformerSettings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, equal
from dragoman.neural.models.transformer import Transformer
from dragoman.planner.count.families import count_network
from dragoman.planner.count.sizes import Sizes
from dragoman.planner.count.tree import CountNode
from dragoman.plots.lab import Bars


class NotesTransformerSettings(Settings):
    """An encoder-decoder whose embedding is shared by source, target and output."""

    vocabulary: int = Field(default=30_000, ge=2, le=300_000)
    """Size of the shared vocabulary (V)."""
    encoder_layers: int = Field(default=12, ge=1, le=24)
    """Number of encoder layers."""
    decoder_layers: int = Field(default=8, ge=1, le=24)
    """Number of decoder layers."""
    width: int = Field(default=1024, ge=2, le=4096)
    """Width of a hidden state (d)."""
    heads: int = Field(default=4, ge=1, le=32)
    """Attention heads (h)."""
    head_width: int = Field(default=192, ge=1, le=512)
    """Width of the queries, keys and values of one head: d_h / h."""
    ffn_width: int = Field(default=512, ge=1, le=16_384)
    """Width of the hidden layer of the feed-forward networks (d_ff)."""

    @property
    def heads_width(self) -> int:
        """Total width of all heads: d_h."""
        return self.heads * self.head_width

    def model(self, *, untied: bool = False) -> TransformerSettings:
        """Return the settings of the network, with norms after the residual sums."""
        return TransformerSettings(
            width=self.width,
            heads=self.heads,
            key_width=self.head_width,
            value_width=self.head_width,
            ffn_width=self.ffn_width,
            encoder_layers=self.encoder_layers,
            decoder_layers=self.decoder_layers,
            norm="post",
            positions="none",  # sinusoidal positions have no weights either
            tied="none" if untied else "all",
            output_bias=untied,
        )

    def sizes(self, batch: int = 1, length: int = 2) -> Sizes:
        """Return the sizes of a batch."""
        return Sizes(batch, self.vocabulary, self.vocabulary, length, length)

    def build(self, *, untied: bool = False) -> Transformer:
        """Build the network on the meta device."""
        with torch.device("meta"):
            return Transformer(self.model(untied=untied), self.vocabulary, self.vocabulary).eval()


def weights_of(part: nn.Module) -> int:
    """Return the number of parameters of a part of a network."""
    return sum(weight.numel() for weight in part.parameters())


def every_part(node: CountNode) -> list[CountNode]:
    """Return a node and all nodes below it."""
    return [node, *(one for part in node.parts for one in every_part(part))]


def counted(node: CountNode, kind: str) -> int:
    """Return the number of parameters of each part of a kind, or -1 if they differ."""
    found = {one.total.parameters for one in every_part(node) if one.kind == kind}
    return found.pop() if len(found) == 1 else -1


class SignalSettings(NotesTransformerSettings):
    """The same network with a batch of sentences."""

    batch: int = Field(default=32, ge=1, le=512)
    """Sentences in a batch (B)."""
    length: int = Field(default=2048, ge=1, le=8192)
    """Tokens in each sentence (T)."""


@claim(
    "C16",
    "Through the whole Transformer a signal has the same size: batch × tokens × width. Only at "
    "the two ends is it as wide as the vocabulary: the source and target, if written as one-hot "
    "vectors, and the output scores.",
    r"B \times T \times V \;\to\; B \times T \times d \;\to\; \dots \;\to\; B \times T \times d "
    r"\;\to\; B \times T \times V",
)
def signal_sizes(settings: SignalSettings) -> Evidence:
    """Send a batch through the network on the meta device and record each layer's output shape."""
    model, seen = settings.build(), dict[str, tuple[int, ...]]()
    names = {
        "source_embedding": "embedding of the source",
        "target_embedding": "embedding of the target",
        **{f"encoder.{n}": f"encoder layer {n + 1}" for n in range(settings.encoder_layers)},
        **{f"decoder.{n}": f"decoder layer {n + 1}" for n in range(settings.decoder_layers)},
    }

    def note(name: str, found: Tensor) -> None:
        seen[name] = tuple(found.shape)

    for path in names:
        model.get_submodule(path).register_forward_hook(lambda _, __, y, path=path: note(path, y))
    tokens = torch.empty(settings.batch, settings.length, dtype=torch.long, device="meta")
    with torch.no_grad():
        scores = model(tokens, tokens)
    tree = count_network(settings.model(), settings.sizes(settings.batch, settings.length))
    hidden = settings.batch * settings.length * settings.width
    wide = settings.batch * settings.length * settings.vocabulary
    counted_shapes = {path: tree.find(path).shape for path in names}
    return Evidence(
        stated=[
            equal("layers recorded", len(seen),
                  2 + settings.encoder_layers + settings.decoder_layers),
            equal("layers whose output is not B × T × d", sum(math.prod(one) != hidden for one in
                                                   seen.values()), 0),
            equal("layers for which the counter has another shape",
                  sum(counted_shapes[path] != seen[path] for path in names), 0),
            equal("entries of the output scores against B × T × V", scores.numel(), wide),
            equal("rows of the output matrix against V", model.output.weight.shape[0],
                  settings.vocabulary),
        ],
        numbers={
            "B × T × d": hidden,
            "B × T × V, as one-hot vectors or as scores": wide,
            "scores in GB, as float32": wide * 4 / 1e9,
        },
    )  # fmt: skip


def _three_ways(
    settings: NotesTransformerSettings, formula: int, kind: str, part: nn.Module
) -> Evidence:
    """Compare a formula with the counter and with the built part."""
    found = counted(count_network(settings.model(), settings.sizes()), kind)
    return Evidence(
        stated=[
            equal(f"counted parameters of each {kind} against the formula", found, formula),
            equal("parameters of the built one against the formula", weights_of(part), formula),
        ],
        numbers={"parameters": formula},
    )


@claim(
    "C17",
    "An embedding table has one vector of width $d$ for each word of the vocabulary.",
    r"N_{\mathrm{emb}} = V d",
)
def embedding_parameters(settings: NotesTransformerSettings) -> Evidence:
    """Count the embedding table in three ways."""
    formula = settings.vocabulary * settings.width
    table = settings.build().source_embedding.table
    tree = count_network(settings.model(), settings.sizes())
    found = tree.find("source_embedding.table").total.parameters
    return Evidence(
        stated=[
            equal("counted parameters against V d", found, formula),
            equal("parameters of the built table against V d", weights_of(table), formula),
        ],
        numbers={"parameters": formula},
    )


@claim(
    "C18",
    "Multi-head attention has three projection matrices per head, whose widths add up to $d_h$ "
    "over all heads, an output matrix back to width $d$, and biases. The number of heads "
    "cancels.",
    r"N_{\mathrm{MH}} = d \frac{d_h}{h} \cdot 3 h + 3 d_h + d_h d + d",
)
def attention_parameters(settings: NotesTransformerSettings) -> Evidence:
    """Count every attention block of the network, and the built one."""
    d, d_h, h = settings.width, settings.heads_width, settings.heads
    formula = d * settings.head_width * 3 * h + 3 * d_h + d_h * d + d
    attention = settings.build().get_submodule("encoder.0.attention")
    evidence = _three_ways(settings, formula, "self-attention", attention)
    tree = count_network(settings.model(), settings.sizes())
    across = equal("counted parameters of each cross-attention against the formula",
                   counted(tree, "cross-attention"), formula)  # fmt: skip
    return Evidence(stated=[*evidence.stated, across], numbers=evidence.numbers)


@claim(
    "C19",
    "A layer norm has a gain and a bias for each feature.",
    r"N_{\mathrm{norm}} = 2 d",
)
def norm_parameters(settings: NotesTransformerSettings) -> Evidence:
    """Count every norm of the network, and the built one."""
    norm = settings.build().get_submodule("encoder.0.around_attention.norm")
    return _three_ways(settings, 2 * settings.width, "layer norm", norm)


@claim(
    "C20",
    "A feed-forward network has a matrix to its hidden layer, a matrix back, and their biases.",
    r"N_{\mathrm{FFN}} = 2 d\, d_{\mathrm{ff}} + d + d_{\mathrm{ff}}",
)
def feed_forward_parameters(settings: NotesTransformerSettings) -> Evidence:
    """Count every feed-forward network, and the built one."""
    d, f = settings.width, settings.ffn_width
    part = settings.build().get_submodule("encoder.0.feed_forward")
    return _three_ways(settings, 2 * d * f + d + f, "feed-forward", part)


@claim(
    "C21",
    "An encoder layer has one attention block and two norms, a decoder layer two and three, and "
    "both have a feed-forward network. The total assumes that source, target and output share "
    "one embedding, and that there is no output bias and no learned position embedding.",
    r"N = n_{\mathrm{enc}} (N_{\mathrm{MH}} + 2 N_{\mathrm{norm}} + N_{\mathrm{FFN}}) + "
    r"n_{\mathrm{dec}} (2 N_{\mathrm{MH}} + 3 N_{\mathrm{norm}} + N_{\mathrm{FFN}}) + "
    r"N_{\mathrm{emb}}",
)
def transformer_parameters(settings: NotesTransformerSettings) -> Evidence:
    """Add up the parts; compare with the counter and with the built network."""
    d, f, d_h, v = settings.width, settings.ffn_width, settings.heads_width, settings.vocabulary
    attention, norm, middle = 4 * d * d_h + 3 * d_h + d, 2 * d, 2 * d * f + d + f
    encoder = settings.encoder_layers * (attention + 2 * norm + middle)
    decoder = settings.decoder_layers * (2 * attention + 3 * norm + middle)
    total = encoder + decoder + v * d
    tree, sizes = count_network(settings.model(), settings.sizes()), settings.sizes()
    untied = count_network(settings.model(untied=True), sizes).total.parameters
    return Evidence(
        stated=[
            equal("counted parameters of the encoder against the formula",
                  tree.find("encoder").total.parameters,
                  encoder),
            equal("counted parameters of the decoder against the formula",
                  tree.find("decoder").total.parameters,
                  decoder),
            equal("counted parameters in total against the formula", tree.total.parameters, total),
            equal("parameters of the built network against the formula",
                  weights_of(settings.build()), total),
            equal("the same without sharing and with an output bias",
                  weights_of(settings.build(untied=True)), total + 2 * v * d + v),
        ],
        numbers={
            "encoder": encoder,
            "decoder": decoder,
            "embedding": v * d,
            "total": total,
            "total without sharing, with an output bias": untied,
        },
        plot=[
            Bars("Parameters, millions", ["encoder", "decoder", "embedding"],
                 [[one / 1e6] for one in (encoder, decoder, v * d)])
        ],
    )  # fmt: skip
