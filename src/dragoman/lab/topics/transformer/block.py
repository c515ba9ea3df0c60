"""Claims on the parts of a Transformer: the feed-forward, the minimal network, the block."""

import math
from typing import Any, Literal

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, apart, below, equal, same
from dragoman.lab.topics.transformer.networks import drawn, fit, scrambled, weights_watched
from dragoman.neural.layers.attention import Attention, HeadShape
from dragoman.neural.layers.blocks import CausalLayer, EncoderLayer
from dragoman.neural.layers.embedding import TokenEmbedding
from dragoman.neural.layers.feed_forward import FeedForward
from dragoman.neural.layers.positions import SinusoidalPositions
from dragoman.neural.models.stack import Parts, initialize
from dragoman.plots.lab import Panel, curve


class BlockSettings(Settings):
    """Sizes of a layer, and a text."""

    heads: int = Field(default=2, ge=1, le=8)
    """Attention heads, each four wide."""
    length: int = Field(default=6, ge=2, le=64)
    """Tokens of the text."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the weights and the text."""

    @property
    def width(self) -> int:
        """Size of a state."""
        return 4 * self.heads


def _states(settings: BlockSettings, count: int = 1) -> Tensor:
    generator = torch.Generator().manual_seed(settings.seed)
    shape = (count, settings.length, settings.width)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


@claim(
    "D4",
    "After attention, the same small feed-forward network is applied to each position separately. "
    "It provides the nonlinearity: for given attention weights, two layers of attention compose to "
    "a single linear map of the values.",
    r"m_i = W_2\, \mathrm{ReLU}(W_1 o_i + b_1) + b_2, \qquad "
    r"A_2 (A_1 X V_1) V_2 = (A_2 A_1)\, X\, (V_1 V_2)",
)
def feed_forward_per_place(settings: BlockSettings) -> Evidence:
    """Write out the feed-forward position by position, and compose two layers of attention."""
    width = settings.width
    inner = scrambled(drawn(lambda: FeedForward(width, 2 * width), settings.seed), settings.seed)
    first, second = _states(settings, 2).split(1)
    with torch.no_grad():
        found = inner(first)
        w1, b1 = inner.inner.weight, inner.inner.bias
        w2, b2 = inner.output.weight, inner.output.bias
        written = torch.stack([w2 @ (w1 @ o + b1).clamp(min=0) + b2 for o in first[0]])
        both, folded = _two_attentions(settings, first)
        bent = inner(first + second) - b2 - (inner(first) - b2) - (inner(second) - b2)
    return Evidence(
        stated=[
            same("feed-forward minus its equation, position by position", found[0], written),
            same("two layers of attention minus the single linear map", both, folded),
            apart(
                "feed-forward of a sum minus sum of both (biases removed)",
                bent,
                torch.zeros_like(bent),
                1e-3,
            ),
        ],
        numbers={"weights of the feed-forward": sum(one.numel() for one in inner.parameters())},
    )


def _two_attentions(settings: BlockSettings, x: Tensor) -> tuple[Tensor, Tensor]:
    """Return the output of two layers of attention, and of one product of matrices."""
    shape = HeadShape(biases=False)
    one, two = (drawn(lambda: Attention(settings.width, 1, shape), seed) for seed in (1, 2))
    stack = nn.ModuleList((one, two))
    both, (first, second) = weights_watched(stack, lambda: _attend_twice(one, two, x))
    values = _matrix(two.output) @ two.value.weight @ _matrix(one.output) @ one.value.weight
    return both, (second @ first)[:, 0] @ x @ values.T


def _matrix(part: nn.Module) -> Tensor:
    return next(part.parameters())


def _attend_twice(first: Attention, second: Attention, x: Tensor) -> Tensor:
    once = first(x, x)
    return second(once, once)


class MinimalTransformerSettings(Settings):
    """A tiny language model and the text that it learns."""

    period: int = Field(default=4, ge=2, le=8)
    """The text repeats after so many letters: one b, all others a."""
    layers: int = Field(default=2, ge=1, le=3)
    """Layers of attention and feed-forward."""
    steps: int = Field(default=150, ge=1, le=400)
    """Steps of training."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the weights."""


class MinimalTransformer(nn.Module):
    """Embeddings and positions, then masked attention and feed-forward, repeated."""

    def __init__(self, entries: int, width: int, layers: int) -> None:
        super().__init__()
        table, positions = nn.Embedding(entries, width), SinusoidalPositions(width, "interleaved")
        self.embedding = TokenEmbedding(table, positions, dropout=0.0, word_dropout=0.0)
        self.attentions = nn.ModuleList(Attention(width, 1) for _ in range(layers))
        self.feed_forwards = nn.ModuleList(FeedForward(width, 2 * width) for _ in range(layers))
        self.output = nn.Linear(width, entries)
        initialize(self, DecoderOnlySettings(width=width))

    def forward(self, tokens: Tensor) -> Tensor:
        """Return logits of the token that follows each position."""
        return self.output(self.mix(self.embedding(tokens)))

    def mix(self, x: Tensor) -> Tensor:
        """Return the last states."""
        for attention, feed_forward in zip(self.attentions, self.feed_forwards, strict=True):
            x = feed_forward(attention(x, x, causal=True))
        return x


@claim(
    "D7",
    "The minimal Transformer is embeddings plus positions, then masked self-attention and a "
    "feed-forward network, repeated. It is a language model: no position sees later tokens, and it "
    "learns dependencies that reach further back than the last token.",
    r"X_0 = E[w] + P, \qquad X_{l+1} = \mathrm{FFN}(\mathrm{softmax}(\mathrm{mask}(Q_l K_l^{\top}"
    r" / \sqrt{d}))\, V_l)",
)
def minimal_transformer(settings: MinimalTransformerSettings) -> Evidence:
    """Write out its equations, find what each position depends on, and train it."""
    model = drawn(lambda: MinimalTransformer(2, 32, settings.layers), settings.seed)
    text = torch.tensor([[int(place % settings.period == 0) for place in range(1, 25)]])
    x = model.embedding(text).detach()
    jacobian: Any = torch.autograd.functional.jacobian(lambda y: model.mix(y).sum(dim=(0, 2)), x)
    slopes = jacobian[:, 0].abs().sum(dim=2)  # of each position with respect to each
    by_hand = _minimal_by_hand(model, text)
    found = model(text)
    losses = fit(
        model,
        lambda: F.cross_entropy(model(text[:, :-1]).flatten(0, 1), text[:, 1:].flatten()),
        settings.steps,
        1e-3,
    )
    bigrams = _bigram_loss(text[0].tolist())
    return Evidence(
        stated=[
            same("logits minus the equations", found.detach(), by_hand),
            equal("largest derivative with respect to a later position", slopes.triu(1).max(), 0.0),
            above("derivative of the last position with respect to the first", slopes[-1, 0], 1e-9),
            below("loss at the end, against the best bigram model", losses[-1], bigrams),
        ],
        numbers={
            "loss at the start, nats per token": losses[0],
            "loss at the end": losses[-1],
            "loss of the best bigram model": bigrams,
        },
        plot=[
            Panel(
                "training loss, nats per token",
                [
                    curve("minimal Transformer", range(1, len(losses) + 1), losses),
                    curve("best bigram model", [1, len(losses)], [bigrams] * 2, 1, dashed=True),
                ],
                "step",
            )
        ],
    )  # fmt: skip


def _minimal_by_hand(model: MinimalTransformer, text: Tensor) -> Tensor:
    """Return the logits by the equations, one matrix after the other."""
    width, length = model.embedding.table.embedding_dim, text.shape[1]
    place = torch.arange(length, dtype=torch.float64)[:, None]
    wave = place / 10_000 ** (torch.arange(0, width, 2, dtype=torch.float64) / width)
    positions = torch.stack((wave.sin(), wave.cos()), dim=2).flatten(1)
    x = model.embedding.table.weight[text[0]] * math.sqrt(width) + positions
    hidden = torch.full((length, length), -math.inf, dtype=torch.float64).triu(diagonal=1)
    with torch.no_grad():
        for look, think in zip(model.attentions, model.feed_forwards, strict=True):
            q, k, v = (getattr(look, name)(x) for name in ("query", "key", "value"))
            x = ((q @ k.T / math.sqrt(width) + hidden).softmax(dim=1)) @ v
            x = think.output(think.inner(look.output(x)).relu())  # type: ignore[operator]
        return model.output(x)[None]


def _bigram_loss(text: list[int]) -> float:
    """Return the least cross entropy of a model that knows only the previous token."""
    pairs = list(zip(text, text[1:], strict=False))
    nats = 0.0
    for before, after in pairs:
        share = pairs.count((before, after)) / sum(one == before for one, _ in pairs)
        nats -= math.log(share)
    return nats / len(pairs)


class NormPlaceSettings(BlockSettings):
    """A layer with its norms before or after its sublayers."""

    norm: Literal["post", "pre"] = "post"
    """Norms after each sublayer (post), as in the paper of 2017, or before it (pre)."""


@claim(
    "D19",
    "A decoder block is masked multi-head attention followed by a feed-forward network, each with "
    "a residual connection and a layer norm. An encoder block is the same without the mask.",
    r"y = \mathrm{LN}(x + \mathrm{MHA}(x)), \qquad z = \mathrm{LN}(y + \mathrm{FFN}(y))",
)
def block_with_add_and_norm(settings: NormPlaceSettings) -> Evidence:
    """Give torch's own layer the same weights, and compare, with the mask and without."""
    width, heads = settings.width, settings.heads
    chosen = EncoderSettings(
        width=width, heads=heads, ffn_width=2 * width, activation="relu", norm=settings.norm,
        dropout=0.0,
    )  # fmt: skip
    parts = Parts(chosen, heads, 2 * width, causal=False)
    encoder = scrambled(drawn(parts.encoder_layer, settings.seed), settings.seed)
    decoder = drawn(parts.causal_layer, settings.seed)
    decoder.load_state_dict(encoder.state_dict())
    theirs = _torch_layer(encoder, settings)
    x = _states(settings)
    mask = torch.ones(settings.length, settings.length, dtype=torch.bool).triu(diagonal=1)
    with torch.no_grad():
        seen, masked = encoder(x, None), decoder(x)
        unmasked, hidden = theirs(x), theirs(x, src_mask=mask)
    return Evidence(
        stated=[
            same("encoder block minus torch's layer", seen, unmasked),
            same("decoder block minus torch's layer with a causal mask", masked, hidden),
            same("last position, with the mask minus without", seen[:, -1], masked[:, -1]),
            apart("first position, with the mask minus without", seen[:, 0], masked[:, 0], 1e-6),
        ],
        numbers={"weights of a block": sum(one.numel() for one in encoder.parameters())},
    )


def _torch_layer(
    ours: EncoderLayer | CausalLayer, settings: NormPlaceSettings
) -> nn.TransformerEncoderLayer:
    """Return torch's layer with our weights."""
    width = settings.width
    theirs = drawn(
        lambda: nn.TransformerEncoderLayer(
            width, settings.heads, 2 * width, 0.0, batch_first=True,
            norm_first=settings.norm == "pre",
        ),
        0,
    )  # fmt: skip
    look, think = ours.attention, ours.feed_forward
    if not isinstance(think, FeedForward):
        raise TypeError("torch's layer has two matrices in its feed-forward, without a gate.")
    state = {
        "self_attn.in_proj_weight": torch.cat(
            [look.query.weight, look.key.weight, look.value.weight]
        ),
        "self_attn.in_proj_bias": torch.cat([look.query.bias, look.key.bias, look.value.bias]),
    }
    named = {
        "self_attn.out_proj": look.output,
        "linear1": think.inner,
        "linear2": think.output,
        "norm1": ours.around_attention.norm,
        "norm2": ours.around_feed_forward.norm,
    }
    for name, part in named.items():
        for key, weight in part.named_parameters():
            state[f"{name}.{key}"] = weight
    theirs.load_state_dict(state)
    return theirs
