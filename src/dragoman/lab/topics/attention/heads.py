"""Claims on heads: small attentions side by side, concatenated and projected."""

import math

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, equal, same
from dragoman.lab.sampling import normal, random_layer
from dragoman.lab.topics.attention.scaled_dot import torch_attention
from dragoman.lab.topics.attention.watch import bare_attention, look, rows
from dragoman.neural.layers.attention import Attention, HeadShape
from dragoman.neural.layers.blocks import Residual
from dragoman.plots.lab import HeatMap


class MultiHeadSettings(Settings):
    """Heads that share the width of a layer."""

    words: int = Field(default=3, ge=1, le=20)
    """Positions of the sequence (n)."""
    heads: int = Field(default=2, ge=1, le=8)
    """Number of heads (h)."""
    head_width: int = Field(default=2, ge=1, le=16)
    """Width of each head (d / h)."""
    seed: int = Field(default=1, ge=0)
    """Seed of the input and of the weights."""

    @property
    def width(self) -> int:
        """The width of the model, which the heads share."""
        return self.heads * self.head_width


def _head_by_head(layer: Attention, x: Tensor) -> list[Tensor]:
    """Return each head's output, by torch's kernel, from its own slices of the three matrices."""
    matrices = [part.weight.chunk(layer.heads) for part in (layer.query, layer.key, layer.value)]
    found = []
    for one in zip(*matrices, strict=True):
        q, k, v = (x @ matrix.T for matrix in one)
        found.append(F.scaled_dot_product_attention(q[None], k[None], v[None])[0].detach())
    return found


@claim(
    "D11",
    "Each of the $h$ heads has its own projection matrices from $d$ to $d/h$. A head's output "
    r"is $n \times d/h$, and all heads concatenated are $n \times d$ again, so the number of "
    "parameters does not depend on the number of heads. (An output matrix $W_O$ then mixes the "
    "heads.)",
    r"Q_\ell, K_\ell, V_\ell \in \mathbb{R}^{d \times d/h}, \qquad "
    r"[z_1, \ldots, z_h] \in \mathbb{R}^{n \times d}",
)
def heads_share_the_width(settings: MultiHeadSettings) -> Evidence:
    """Take the layer apart into heads, and count its parameters for every number of heads."""
    width = settings.width
    layer = bare_attention(width, settings.seed, settings.heads)
    x = normal(settings.seed + 1, settings.words, width)
    mixed = look(layer, x)[0]
    each = _head_by_head(layer, x)
    possible = [heads for heads in range(1, width + 1) if width % heads == 0]
    counts = [_parameters(width, heads) for heads in possible]
    matrix = layer.query.weight.chunk(settings.heads)[0].T  # d × d/h, of the first head
    return Evidence(
        stated=[
            equal("rows of a head's matrix", matrix.shape[0], width),
            equal("columns of a head's matrix", matrix.shape[1], width / settings.heads),
            equal("columns of a head's output", each[0].shape[1], settings.head_width),
            same("difference of the concatenated heads", torch.cat(each, dim=1), mixed),
            equal(
                "fewest parameters over all numbers of heads", min(counts), 4 * width * (width + 1)
            ),
            equal(
                "most parameters over all numbers of heads", max(counts), 4 * width * (width + 1)
            ),
        ],
        numbers={
            "a head's matrix": f"{matrix.shape[0]} × {matrix.shape[1]}",
            "a head's output": f"{settings.words} × {settings.head_width}",
            "all heads": f"{settings.words} × {width}",
            "parameters with W_O and biases": counts[0],
        },
    )


def _parameters(width: int, heads: int) -> int:
    layer = random_layer(lambda: Attention(width, heads), 0)
    return sum(weight.numel() for weight in layer.parameters())


@claim(
    "D12",
    r"The scores of all heads form $h$ matrices with a row and a column for each word: $h \times "
    r"n \times n$, here $2 \times 3 \times 3$.",
    r"S_\ell = X Q_\ell K_\ell^\top X^\top, \qquad S \in \mathbb{R}^{h \times n \times n}",
    notes=r"the scores are a stack of three matrices, $3 \times 4 \times n$.",
)
def shape_of_all_scores(settings: MultiHeadSettings) -> Evidence:
    """Look at the weights of a layer, of which there is one for each score."""
    layer = bare_attention(settings.width, settings.seed, settings.heads)
    x = normal(settings.seed + 1, settings.words, settings.width)
    weights = look(layer, x)[1]
    matrices, queries, keys = weights.shape
    query, key = layer.query.weight.detach().T, layer.key.weight.detach().T
    parts = zip(query.chunk(settings.heads, 1), key.chunk(settings.heads, 1), strict=True)
    scores = torch.stack([x @ q @ k.T @ x.T for q, k in parts])
    shares = (scores / math.sqrt(settings.head_width)).softmax(-1)
    return Evidence(
        stated=[
            equal("matrices in the stack", matrices, settings.words),
            equal("rows of each", queries, settings.width),
            equal("columns of each", keys, settings.words),
        ],
        corrected=[
            equal("matrices in the stack", matrices, settings.heads),
            equal("rows of each", queries, settings.words),
            equal("columns of each", keys, settings.words),
            same("difference of the layer's weights from the stack's softmax", weights, shares),
        ],
        numbers={"shape": " × ".join(map(str, weights.shape))},
        plot=[
            HeatMap(f"Weights of head {head + 1}", rows(one), "key", "query")
            for head, one in enumerate(weights[:2])
        ],
    )


@claim(
    "D14",
    "Each head is a complete attention of its own: the softmax of its scores, divided by the "
    "square root of the head's width, times its values.",
    r"\mathrm{output}_\ell = \mathrm{softmax}\left(\frac{X Q_\ell K_\ell^\top X^\top}{\sqrt{d/h}}"
    r"\right) X V_\ell",
)
def each_head_by_itself(settings: MultiHeadSettings) -> Evidence:
    """Compare each slice of the layer's output with the equation, and with torch's kernel."""
    layer = bare_attention(settings.width, settings.seed, settings.heads)
    x = normal(settings.seed + 1, settings.words, settings.width)
    mixed = look(layer, x)[0]
    scale, each = math.sqrt(settings.width / settings.heads), settings.head_width
    written = []
    for head in range(settings.heads):
        part = slice(head * each, (head + 1) * each)
        q, k, v = (
            matrix.weight.detach()[part].T for matrix in (layer.query, layer.key, layer.value)
        )
        scores = (x @ q @ k.T @ x.T / scale).exp()
        written.append(scores / scores.sum(1, keepdim=True) @ x @ v)
    return Evidence(
        stated=[
            same("difference from the equation", mixed, torch.cat(written, 1)),
            same("difference from torch's kernel", mixed, torch.cat(_head_by_head(layer, x), 1)),
        ]
    )


@claim(
    "E138",
    "The outputs of the heads are concatenated and multiplied by $W_O$, which maps them back to "
    "the width of the model.",
    r"z_i = \mathrm{softmax}\left(\frac{Q_i K_i^\top}{\sqrt{d_k}}\right) V_i, \qquad "
    r"Z = [z_1, \ldots, z_n]\, W_O \in \mathbb{R}^{T_x \times d_{\mathrm{model}}}",
)
def heads_are_projected(settings: MultiHeadSettings) -> Evidence:
    """Compare the whole layer, with biases, with torch's multi-head attention."""
    layer = random_layer(lambda: Attention(settings.width, settings.heads), settings.seed)
    x = normal(settings.seed + 1, settings.words, settings.width)
    mixed, weights = look(layer, x)
    with torch.no_grad():
        wanted, shares = torch_attention(layer)(
            x[None], x[None], x[None], average_attn_weights=False
        )
    return Evidence(
        stated=[
            same("difference of the output from torch", mixed, wanted[0]),
            same("difference of the weights from torch", weights, shares[0]),
            equal("columns of the output", mixed.shape[1], settings.width),
        ]
    )


@claim(
    "C24",
    "Concatenating the heads and projecting them is the same as a sum over heads, in which the "
    "value matrix of a head and its block of rows of the output matrix multiply to a single "
    "matrix $W^{(h)}$.",
    r"Y = \sum_h \mathrm{softmax}\left(\frac{Q_h K_h^\top}{\sqrt{D_k}}\right) X W^{(h)}, \qquad "
    r"W^{(h)} = W_v^{(h)} W_o^{(h)}",
)
def heads_as_a_sum(settings: MultiHeadSettings) -> Evidence:
    """Add up the heads, each with the product of its two matrices."""
    shape = HeadShape(biases=False)
    layer = random_layer(lambda: Attention(settings.width, settings.heads, shape), settings.seed)
    x = normal(settings.seed + 1, settings.words, settings.width)
    mixed, weights = look(layer, x)
    values = layer.value.weight.detach().T.chunk(settings.heads, 1)  # d × d/h each
    outputs = layer.get_parameter("output.weight").detach().T.chunk(settings.heads, 0)
    products = [v @ o for v, o in zip(values, outputs, strict=True)]
    wanted = sum((a @ x @ w for a, w in zip(weights, products, strict=True)), torch.zeros_like(x))
    rank = int(torch.linalg.matrix_rank(products[0]))
    return Evidence(
        stated=[same("difference of the layer from the sum", mixed, wanted)],
        numbers={
            "rank of a head's matrix": rank,
            "its size": f"{settings.width} × {settings.width}",
        },
    )


@claim(
    "E134",
    "The heads are concatenated and projected by $W_O$; the residual connection and layer "
    "normalization follow. Adding the heads is the special case in which $W_O$ is a stack of "
    "identity matrices.",
    r"Y = [z_1, \ldots, z_h]\, W_O = \sum_\ell z_\ell W_O^{(\ell)}, \qquad "
    r"\mathrm{LayerNorm}(X + Y)",
    notes="the heads are added up over the whole input and then normalized.",
)
def heads_are_concatenated(settings: MultiHeadSettings) -> Evidence:
    """Compare heads as wide as the layer, added and projected; then the residual and its norm."""
    width, heads = settings.width, settings.heads
    shape = HeadShape(value_width=width, biases=False)  # values as wide as the model: addable
    layer = random_layer(lambda: Attention(width, heads, shape), settings.seed)
    x = normal(settings.seed + 1, settings.words, width)
    each = _head_by_head(layer, x)
    added = torch.stack(each).sum(0)
    output = layer.get_parameter("output.weight")
    projected = torch.cat(each, 1) @ output.detach().T
    mixed = look(layer, x)[0]
    residual = random_layer(lambda: Residual(width, "post", 0.0), settings.seed + 2)
    gain, shift = residual.get_parameter("norm.weight"), residual.get_parameter("norm.bias")
    with torch.no_grad():
        normed, normed_sum = (residual(x[None], lambda _, y=y: y[None])[0] for y in (mixed, added))
        wanted = F.layer_norm(x + projected, (width,), gain, shift)
        output.copy_(torch.eye(width, dtype=torch.float64).repeat(1, heads))
    return Evidence(
        stated=[
            same("difference of the layer from the heads' sum", mixed, added),
            same("difference after residual and norm", normed, normed_sum),
        ],
        corrected=[
            same("difference of the layer from concatenation times W_O", mixed, projected),
            same("difference after residual and norm, from torch", normed, wanted),
            same(
                "difference from the heads' sum, with identities as W_O", look(layer, x)[0], added
            ),
        ],
    )


class ValueWidthSettings(Settings):
    """Heads whose keys and values may differ in width."""

    key_width: int = Field(default=3, ge=1, le=32)
    """Width of a head's queries and keys (d_k)."""
    value_width: int = Field(default=5, ge=1, le=32)
    """Width of a head's values (d_v)."""
    heads: int = Field(default=2, ge=1, le=8)
    """Number of heads (h)."""
    seed: int = Field(default=1, ge=0)
    """Seed of the input and of the weights."""


@claim(
    "E137",
    "Values may have a different width than queries and keys. Queries and keys must share "
    r"$d_k$, because they are multiplied with each other; $W_O$ maps the $h\, d_v$ concatenated "
    "entries back to the width of the model. The paper uses $d_v = d_k$.",
    r"Q, K \in \mathbb{R}^{T \times d_k}, \qquad V \in \mathbb{R}^{T \times d_v}, \qquad "
    r"W_O \in \mathbb{R}^{h d_v \times d_{\mathrm{model}}}",
)
def width_of_values(settings: ValueWidthSettings) -> Evidence:
    """Compare such heads with torch's kernel; and those of one width with the plain layer."""
    width = 8 * settings.heads
    shape = HeadShape(None, settings.key_width, settings.value_width, biases=False)
    layer = random_layer(lambda: Attention(width, settings.heads, shape), settings.seed)
    x = normal(settings.seed + 1, 5, width)
    output = layer.get_parameter("output.weight").detach()
    wanted = torch.cat(_head_by_head(layer, x), 1) @ output.T
    alike = HeadShape(None, width // settings.heads, width // settings.heads, biases=False)
    bare = HeadShape(biases=False)
    plain = random_layer(lambda: Attention(width, settings.heads, bare), settings.seed)
    spelled = random_layer(lambda: Attention(width, settings.heads, alike), settings.seed)
    return Evidence(
        stated=[
            same("difference of the layer from torch's kernel", look(layer, x)[0], wanted),
            equal("rows of W_O", output.T.shape[0], settings.heads * settings.value_width),
            equal("columns of W_O", output.T.shape[1], width),
            same(
                "difference between d_v = d_k and the default layer",
                look(plain, x)[0],
                look(spelled, x)[0],
            ),
        ],
        numbers={"W_O": f"{output.shape[1]} × {output.shape[0]}"},
    )
