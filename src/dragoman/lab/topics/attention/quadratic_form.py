"""Claims on the scores as a quadratic form: the tensor M, its size and its sparsity."""

import math

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, equal, same
from dragoman.lab.sampling import normal, shuffled
from dragoman.lab.topics.attention.watch import bare_attention, look, rows
from dragoman.neural.layers.attention import Attention
from dragoman.plots.lab import HeatMap


class QuadraticFormSettings(Settings):
    """A sequence whose scores are a quadratic form."""

    words: int = Field(default=3, ge=1, le=5)
    """Words of the sequence (N)."""
    width: int = Field(default=2, ge=1, le=4)
    """Entries of each word (D)."""
    seed: int = Field(default=1, ge=0)
    """Seed of the words and of the matrices."""


class TwoWordsSettings(Settings):
    """Two words of two entries."""

    seed: int = Field(default=1, ge=0)
    """Seed of the words and of the matrices."""


def _form(layer: Attention) -> Tensor:
    """Return A = W_q W_kᵀ / √D."""
    width = layer.query.in_features
    return layer.query.weight.detach().T @ layer.key.weight.detach() / math.sqrt(width)


def _centered(scores: Tensor) -> Tensor:
    """Return scores without what the softmax does not see: a constant in each row."""
    return scores - scores.mean(1, keepdim=True)


@claim(
    "C33",
    r"The scores are a quadratic form of the words, $X A X^\top$ with $A = W_q W_k^\top / "
    r"\sqrt{D_k}$. In each product the *first* factor comes from the word of the query and the "
    "second from the word of the key: $b$ multiplies $x_{11} x_{22}$ in entry (1, 2), and "
    "$x_{21} x_{12}$ in entry (2, 1).",
    r"A = \begin{pmatrix} a & b \\ c & d \end{pmatrix}: \quad "
    r"S_{12} = a x_{11} x_{21} + b x_{11} x_{22} + c x_{12} x_{21} + d x_{12} x_{22}, \quad "
    r"S_{21} = a x_{21} x_{11} + b x_{21} x_{12} + c x_{22} x_{11} + d x_{22} x_{12}",
    notes="off the diagonal, $b$ multiplies the product that belongs to $c$, and the other way "
    "around.",
)
def scores_as_a_quadratic_form(settings: TwoWordsSettings) -> Evidence:
    """Compare the expanded form, with either order of b and c, with the layer's weights."""
    layer = bare_attention(2, settings.seed)
    x = normal(settings.seed + 1, 2, 2)
    (a, b), (c, d) = form = _form(layer)
    (x11, x12), (x21, x22) = x
    diagonal = [
        a * x11 * x11 + b * x11 * x12 + c * x12 * x11 + d * x12 * x12,
        a * x21 * x21 + b * x21 * x22 + c * x22 * x21 + d * x22 * x22,
    ]
    first = a * x11 * x21 + b * x11 * x22 + c * x12 * x21 + d * x12 * x22
    second = a * x21 * x11 + b * x21 * x12 + c * x22 * x11 + d * x22 * x12
    swapped_first = a * x11 * x21 + c * x11 * x22 + b * x12 * x21 + d * x12 * x22
    swapped_second = a * x21 * x11 + c * x21 * x12 + b * x22 * x11 + d * x22 * x12
    right = torch.stack([diagonal[0], first, second, diagonal[1]]).view(2, 2)
    noted = torch.stack([diagonal[0], swapped_first, swapped_second, diagonal[1]]).view(2, 2)
    logits = _centered(look(layer, x)[1][0].log())
    flat = x.flatten()
    contracted = torch.einsum("p,q,pqnm->nm", flat, flat, _tensor(form, 2))
    return Evidence(
        stated=[
            same("difference of the form from X A Xᵀ", noted, x @ form @ x.T),
            same("difference of the form from the layer's scores", _centered(noted), logits),
        ],
        corrected=[
            same("difference of the form from X A Xᵀ", right, x @ form @ x.T),
            same("difference of the form from the layer's scores", _centered(right), logits),
            same("difference of vec(X) vec(X)ᵀ contracted with M", contracted, right),
        ],
    )


def _tensor(form: Tensor, words: int) -> Tensor:
    """Return M: for the score of n and m, the matrix A at block (n, m), else zero."""
    width = len(form)
    tensor = form.new_zeros(words, width, words, width, words, words)
    for n in range(words):
        for m in range(words):
            tensor[n, :, m, :, n, m] = form
    return tensor.view(words * width, words * width, words, words)


@torch.no_grad()
def _tensor_of(layer: Attention, words: int) -> Tensor:
    """Return M as the layer has it: its scores for each pair of unit vectors vec(X)."""
    width = layer.query.in_features
    units = torch.eye(words * width, dtype=torch.float64).view(-1, words, width)
    q, k = layer.query(units), layer.key(units)
    return torch.einsum("pnd,qmd->pqnm", q, k) / math.sqrt(width)


@claim(
    "C34",
    r"Written out in full, the tensor $M$ that maps $\mathrm{vec}(X)$ to the $N \times N$ scores "
    "has $N^4 D^2$ entries. Only $N^2 D^2$ of them are nonzero, and only $D^2$ are free "
    "parameters, because all blocks are the same matrix $A$.",
    r"M \in \mathbb{R}^{ND \times ND \times N \times N}: \quad N^4 D^2 \;\mathrm{entries}, \quad "
    r"N^2 D^2 \neq 0, \quad D^2 \;\mathrm{parameters}",
    notes="$M$ has $O(N^4 D^2)$ parameters.",
)
def size_of_the_tensor(settings: QuadraticFormSettings) -> Evidence:
    """Ask the layer for M; count its entries, and those that differ."""
    words, width = settings.words, settings.width
    layer = bare_attention(width, settings.seed)
    tensor = _tensor_of(layer, words)
    total, present = tensor.numel(), int(tensor.count_nonzero())
    distinct = len(tensor[tensor != 0].round(decimals=12).unique())
    entries = equal("entries", total, words**4 * width**2)
    built = same("difference of M from blocks of A", tensor, _tensor(_form(layer), words))
    return Evidence(
        stated=[entries, equal("parameters", distinct, words**4 * width**2)],
        corrected=[
            entries,
            equal("nonzero entries", present, words**2 * width**2),
            equal("parameters", distinct, width**2),
            built,
        ],
        numbers={"entries": total, "nonzero entries": present, "distinct values": distinct},
    )


@claim(
    "C35",
    "The tensor $M$ is sparse and shares its entries. The score of words $n$ and $m$ uses only "
    "the block in rows $n$ and columns $m$, and every such block is the same matrix $A$. This "
    "is the difference between attention and a dense layer. (The notes leave this question "
    "blank.)",
    r"M_{(k,i),(l,j),n,m} = \delta_{kn}\, \delta_{lm}\, A_{ij}",
)
def sparsity_of_the_tensor(settings: QuadraticFormSettings) -> Evidence:
    """Look at each block of the layer's tensor, and permute the words."""
    words, width = settings.words, settings.width
    layer = bare_attention(width, settings.seed)
    tensor = _tensor_of(layer, words)
    blocks = tensor.view(words, width, words, width, words, words)
    form = _form(layer)
    own = torch.stack([blocks[n, :, m, :, n, m] for n in range(words) for m in range(words)])
    elsewhere = blocks.clone()
    for n in range(words):
        for m in range(words):
            elsewhere[n, :, m, :, n, m] = 0.0
    order = shuffled(settings.seed, words)
    permuted = blocks[order][:, :, order][:, :, :, :, order][..., order]
    picture = blocks.sum((4, 5)).reshape(words * width, words * width)
    one = blocks[..., 0, words - 1].reshape(words * width, words * width)
    names = [f"{word + 1}.{entry + 1}" for word in range(words) for entry in range(width)]
    return Evidence(
        stated=[
            same("difference of each score's own block from A", own, form.expand_as(own)),
            equal("largest entry in any other block", elsewhere.abs().max(), 0.0, 0.0),
            same("change of M when the words are permuted", permuted, blocks),
        ],
        plot=[
            HeatMap(
                f"M of score (1, {words}): one block",
                rows(one),
                "entry of the key's word",
                "entry of the query's word",
                names,
                names,
            ),
            HeatMap(
                "M of all scores: the same A in each block",
                rows(picture),
                "entry of the key's word",
                "entry of the query's word",
                names,
                names,
            ),
        ],
    )


class WordOrderSettings(Settings):
    """Words that are put into another order."""

    words: int = Field(default=6, ge=2, le=30)
    """Words of the sequence."""
    width: int = Field(default=8, ge=2, le=64)
    """Entries of each word."""
    seed: int = Field(default=1, ge=0)
    """Seed of words, matrices and order."""


@claim(
    "C36",
    "Self-attention is *equivariant* to permutations of its input: permuting the words permutes "
    "the outputs in the same way. It is not invariant; only the sum or the mean of the outputs "
    "stays the same.",
    r"Y(P X) = P\, Y(X)",
    notes="permuting the input leaves the final output the same.",
)
def permuted_words(settings: WordOrderSettings) -> Evidence:
    """Turn the words by one place, and shuffle them."""
    layer = bare_attention(settings.width, settings.seed)
    x = normal(settings.seed + 1, settings.words, settings.width)
    y = look(layer, x)[0]
    orders = (torch.arange(settings.words).roll(1), shuffled(settings.seed, settings.words))
    turned, shuffled_y = (look(layer, x[order])[0] for order in orders)
    return Evidence(
        stated=[same("change of the outputs when the words are rotated", turned, y)],
        corrected=[
            same("difference from the rotated outputs", turned, y[orders[0]]),
            same(
                "difference from the shuffled outputs, for shuffled words", shuffled_y, y[orders[1]]
            ),
            same("change of the sum of all outputs", turned.sum(0), y.sum(0)),
        ],
    )
