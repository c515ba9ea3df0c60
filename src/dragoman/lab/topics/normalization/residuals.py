"""Claims on residual connections."""

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim, measured
from dragoman.lab.evidence import Evidence, apart, equal, same
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.blocks import EncoderLayer, Residual
from dragoman.neural.layers.feed_forward import FeedForward
from dragoman.plots.lab import Panel, curve


class ResidualSettings(Settings):
    """A stack of tanh layers with random matrices."""

    width: int = Field(default=6, ge=2, le=32)
    """Entries of a hidden state."""
    depth: int = Field(default=20, ge=1, le=60)
    """Number of layers."""
    gain: float = Field(default=0.5, ge=0.0, le=2.0)
    """Scale of the matrices; 1 roughly preserves the size of a signal."""
    seed: int = Field(default=1, ge=0)
    """Seed of the matrices and of the input."""


@claim(
    "D15",
    "A residual connection adds the input of a layer to its output. Its Jacobian is the "
    "identity plus the Jacobian of the layer, so gradients get through even where the layer "
    "itself passes none.",
    r"x^{(i)} = x^{(i-1)} + \mathrm{Layer}(x^{(i-1)}), \qquad "
    r"\frac{\partial x^{(i)}}{\partial x^{(i-1)}} = I + "
    r"\frac{\partial\, \mathrm{Layer}}{\partial x^{(i-1)}}",
)
def residual_connection(settings: ResidualSettings) -> Evidence:
    """Differentiate a residual connection around a layer with a known Jacobian."""
    generator = torch.Generator().manual_seed(settings.seed)
    width = settings.width
    matrices = torch.randn(settings.depth, width, width, generator=generator, dtype=torch.float64)
    matrices = matrices * settings.gain / width**0.5
    x = torch.randn(width, generator=generator, dtype=torch.float64)
    around = Residual(width, "none", dropout=0.0)
    identity = torch.eye(width, dtype=torch.float64)

    def layer(y: Tensor) -> Tensor:
        return torch.tanh(y @ matrices[0].T)

    found = torch.func.jacrev(lambda y: around(y[None, None], layer).flatten())(x)
    own = (1 - torch.tanh(matrices[0] @ x) ** 2)[:, None] * matrices[0]
    silent = torch.func.jacrev(lambda y: around(y[None, None], torch.zeros_like).flatten())(x)
    normed = Residual(width, "pre", dropout=0.0).double()(x[None, None], layer).detach()
    skipped, plain = (_gradient_norms(matrices, x, skip=skip) for skip in (True, False))
    places = [float(number) for number in range(1, settings.depth + 1)]
    return Evidence(
        stated=[
            same("output against x + Layer(x)", around(x[None, None], layer).flatten(),
                 x + torch.tanh(matrices[0] @ x)),
            same("Jacobian against I + diag(1 - tanh²) W", found, identity + own),
            same("Jacobian around a layer that outputs 0, against I", silent, identity),
            same("with a norm in front, against x + Layer(LayerNorm(x))", normed.flatten(),
                 x + layer(F.layer_norm(x, (width,)))),
        ],
        numbers={
            "norm of the gradient at the input, with residual connections": skipped[-1],
            "norm of the gradient at the input, without": plain[-1],
        },
        plot=[
            Panel("Norm of the gradient at the input",
                  [curve("residual", places, skipped), curve("plain", places, plain, 1)],
                  "number of layers", logarithmic=settings.gain > 0)
        ],
    )  # fmt: skip


def _gradient_norms(matrices: Tensor, x: Tensor, *, skip: bool) -> list[float]:
    """Return the norm of the gradient at the input of stacks of 1, 2, … layers."""
    around, norms = Residual(len(x), "none", dropout=0.0), []
    start = x.clone().requires_grad_()
    state = start[None, None]
    for matrix in matrices:
        reads = _tanh_layer(matrix)
        state = around(state, reads) if skip else reads(state)
        (gradient,) = torch.autograd.grad(state.sum(), start, retain_graph=True)
        norms.append(float(gradient.norm()))
    return norms


def _tanh_layer(matrix: Tensor) -> nn.Module:
    layer = nn.Linear(len(matrix), len(matrix), bias=False, dtype=torch.float64)
    layer.weight.data.copy_(matrix)
    return nn.Sequential(layer, nn.Tanh())


faster_with_residuals = measured(
    "D16",
    "With residual connections each layer only has to learn a correction to its input, and "
    "training converges faster: in our runs, the same network without them takes more than twice "
    "as many steps to reach the same loss.",
    r"\mathrm{Layer}(x) = H(x) - x",
    experiment="depth",
)


class PostNormSettings(Settings):
    """A Transformer layer with random weights."""

    head_width: int = Field(default=4, ge=1, le=32)
    """Width of each of the two attention heads."""
    tokens: int = Field(default=5, ge=1, le=50)
    """Tokens in the sentence."""
    seed: int = Field(default=1, ge=0)
    """Seed of the weights and of the states."""


@claim(
    "E139",
    "*Add & Norm* in the original Transformer: the output of a sublayer is added to its input, "
    "and the sum is normalized. Later models normalize the input of the sublayer instead and "
    "leave the residual path untouched.",
    r"y = \mathrm{LayerNorm}(x + \mathrm{Sublayer}(x))",
)
def add_and_norm(settings: PostNormSettings) -> Evidence:
    """Compare an encoder layer with its two sums, each normalized by torch's function."""
    generator = torch.Generator().manual_seed(settings.seed)
    width = 2 * settings.head_width
    layers = {
        place: EncoderLayer(
            Attention(width, 2), FeedForward(width, 2 * width, activation="relu"), place, 0.0
        ).double()
        for place in ("post", "pre")
    }
    for layer in layers.values():
        again = torch.Generator().manual_seed(settings.seed)
        for weight in layer.parameters():
            drawn = torch.randn(weight.shape, generator=again, dtype=torch.float64)
            weight.data.copy_(drawn / weight.shape[-1] ** 0.5)
    x = torch.randn(2, settings.tokens, width, generator=generator, dtype=torch.float64)
    post = layers["post"].eval()

    def normalized(total: Tensor, around: Residual) -> Tensor:
        learned = around.norm.state_dict()
        return F.layer_norm(total, (width,), learned["weight"], learned["bias"], 1e-5)

    with torch.no_grad():
        found = post(x, None)
        attended = normalized(x + post.attention(x, x, None), post.around_attention)
        expected = normalized(attended + post.feed_forward(attended), post.around_feed_forward)
        before = layers["pre"].eval()(x, None)
        plain = nn.LayerNorm(width, dtype=torch.float64)
        bare = Residual(width, "post", 0.0).double()
        centered = bare(x, torch.tanh)
    return Evidence(
        stated=[
            same("encoder layer against LayerNorm(x + Sublayer(x)), twice", found, expected),
            same(
                "one residual connection against torch's layer norm",
                centered,
                plain(x + torch.tanh(x)),
            ),
            equal("largest mean of a token afterwards", centered.mean(-1).abs().max(), 0.0),
            apart("difference from normalizing before the sublayer", found, before, 1e-3),
        ],
    )


identity_is_easy = measured(
    "E141",
    "Residual connections make the identity easy to learn: a layer that has nothing to add only "
    "has to output zero, so additional layers do little harm.",
    r"F(x) = 0 \;\Rightarrow\; x + F(x) = x",
    experiment="depth",
)
