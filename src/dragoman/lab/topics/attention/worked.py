"""Worked examples of the notes: every matrix of attention in numbers."""

import math

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import NoParameters, claim
from dragoman.lab.evidence import Evidence, at_most, equal, same
from dragoman.lab.sampling import normal, random_layer
from dragoman.lab.topics.attention.watch import BARE, look, rows, set_weights, written
from dragoman.neural.layers.attention import Attention
from dragoman.plots.lab import HeatMap

CAT = ("The", "cat", "sleeps")
CAT_WORDS = [[1.0, 0.5, 0.0, 0.1], [0.3, 1.2, 0.7, 0.0], [0.8, 0.0, 0.9, 0.4]]
"""The embeddings of the example, a row for each word."""
CAT_SCORES = [[1.25, 0.9, 0.8], [0.9, 1.53, 0.24], [0.8, 0.24, 0.64]]
"""X Q (X K)ᵀ of the first head, multiplied out on paper."""
BOY = ("I", "am", "a", "good", "boy")


def _cat_layer() -> Attention:
    """Return two heads: the first asks and answers by entries 1 and 2, and tells of 3 and 4."""
    layer = random_layer(lambda: Attention(4, 2, BARE), 0)
    identity = torch.eye(4, dtype=torch.float64)
    set_weights(layer, identity, identity, identity[:, [2, 3, 0, 1]])
    return layer


def _attend_by_hand(q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Return weights and outputs of one head, number by number."""
    weights, outputs = q.new_zeros(len(q), len(k)), q.new_zeros(len(q), v.shape[1])
    for i, query in enumerate(q.tolist()):
        scores = [sum(a * b for a, b in zip(query, key, strict=True)) for key in k.tolist()]
        shares = [math.exp(score / math.sqrt(len(query))) for score in scores]
        for j, share in enumerate(shares):
            weights[i, j] = share / sum(shares)
            outputs[i] += weights[i, j] * v[j]
    return weights, outputs


@claim(
    "D9",
    "The example *The cat sleeps* has three words of four entries and matrices from four to "
    "two. With our choice of $Q = K = (e_1, e_2)$ and $V = (e_3, e_4)$, everything can be "
    "worked out on paper.",
    r"X = \begin{pmatrix} 1 & 0.5 & 0 & 0.1 \\ 0.3 & 1.2 & 0.7 & 0 \\ 0.8 & 0 & 0.9 & 0.4 "
    r"\end{pmatrix}, \quad Q, K, V \in \mathbb{R}^{4 \times 2}, \quad X Q (X K)^\top = "
    r"\begin{pmatrix} 1.25 & 0.9 & 0.8 \\ 0.9 & 1.53 & 0.24 \\ 0.8 & 0.24 & 0.64 \end{pmatrix}",
)
def the_cat_sleeps(settings: NoParameters) -> Evidence:
    """Compare the layer with the numbers on paper and with a loop."""
    layer, x = _cat_layer(), torch.tensor(CAT_WORDS, dtype=torch.float64)
    mixed, weights = look(layer, x)
    with torch.no_grad():
        q, k = layer.query(x)[:, :2], layer.key(x)[:, :2]
    by_hand, outputs = _attend_by_hand(x[:, :2], x[:, :2], x[:, 2:])
    second = _attend_by_hand(x[:, 2:], x[:, 2:], x[:, :2])[1]
    paper = torch.tensor(CAT_SCORES, dtype=torch.float64)
    return Evidence(
        stated=[
            same("difference of the scores from those worked out on paper", q @ k.T, paper),
            same("difference of the weights from a loop", weights[0], by_hand),
            same("difference of the first head from a loop", mixed[:, :2], outputs),
            same("difference of the second head from a loop", mixed[:, 2:], second),
        ],
        numbers={
            f"{part} of {word}": written(values)
            for part, matrix in (("scores", paper), ("weights", by_hand), ("output", outputs))
            for word, values in zip(CAT, matrix, strict=True)
        },
        plot=[
            HeatMap("X Q (X K)ᵀ", rows(paper), "key", "query", CAT, CAT),
            HeatMap("Weights of head 1", rows(weights[0]), "key", "query", CAT, CAT),
            HeatMap("Weights of head 2", rows(weights[1]), "key", "query", CAT, CAT),
            HeatMap("Both heads' outputs", rows(mixed), "entry", "word", (), CAT),
        ],
    )


@claim(
    "D10",
    r"$XQ\,(XK)^\top$ is $n \times n$, here $(3 \times 2)(2 \times 3) = 3 \times 3$: one score "
    "for each pair of words. However many words there are, its rank is at most the width of a "
    "head.",
    r"X Q\, (X K)^\top = X (Q K^\top) X^\top \in \mathbb{R}^{n \times n}",
)
def shape_of_the_scores(settings: NoParameters) -> Evidence:
    """Multiply in both orders, and look at shape and rank."""
    layer, x = _cat_layer(), torch.tensor(CAT_WORDS, dtype=torch.float64)
    query, key = layer.query.weight.detach().T[:, :2], layer.key.weight.detach().T[:, :2]
    with torch.no_grad():
        scores = layer.query(x)[:, :2] @ layer.key(x)[:, :2].T
    weights = look(layer, x)[1][0]
    logits = weights.log() * math.sqrt(2)
    centered = scores - scores.mean(1, keepdim=True)
    return Evidence(
        stated=[
            equal("rows", scores.shape[0], len(CAT)),
            equal("columns", scores.shape[1], len(CAT)),
            same(
                "difference between the two orders of multiplication",
                scores,
                x @ (query @ key.T) @ x.T,
            ),
            same(
                "difference of the log weights from the scores, up to a constant per row",
                logits - logits.mean(1, keepdim=True),
                centered,
            ),
            at_most("rank", int(torch.linalg.matrix_rank(scores)), query.shape[1]),
        ],
        plot=[HeatMap("Scores of each pair", rows(scores), "key", "query", CAT, CAT)],
    )


class GoodBoySettings(Settings):
    """The sentence with matrices drawn at random."""

    width: int = Field(default=4, ge=2, le=16)
    """Entries of each embedding (the width of the model)."""
    seed: int = Field(default=4, ge=0)
    """Seed of the embeddings and of the matrices."""


@claim(
    "E131",
    r"For *I am a good boy*, $X$ is $5 \times d_{\mathrm{model}}$ with one row per word, and $Q "
    "= X W_q$. For a single word as a column vector, the same matrix appears transposed: $q_i = "
    r"W_q^\top x_i$.",
    r"X \in \mathbb{R}^{T_x \times d_{\mathrm{model}}}, \qquad Q = X W_q, \quad K = X W_k, \quad "
    r"V = X W_v, \qquad q_i = W_q^\top x_i",
    notes="$q_i = W_q x_i$ and $Q = X W_q$ hold with the same matrix.",
)
def i_am_a_good_boy(settings: GoodBoySettings) -> Evidence:
    """Compare rows of X W with both ways of writing one word; show all matrices."""
    width = settings.width
    layer = random_layer(lambda: Attention(width, 1, BARE), settings.seed)
    x = normal(settings.seed + 1, len(BOY), width)
    query, key, value = (
        part.weight.detach().T.contiguous() for part in (layer.query, layer.key, layer.value)
    )
    with torch.no_grad():
        q, (k, v) = layer.project_qkv(x[None])
    mixed, weights = look(layer, x)
    shares, outputs = _attend_by_hand(x @ query, x @ key, x @ value)
    plain, turned = (torch.stack([one @ word for word in x]) for one in (query, query.T))
    return Evidence(
        stated=[same("difference of W_q x_i from the rows of Q", plain, q[0, 0])],
        corrected=[
            same("difference of W_qᵀ x_i from the rows of Q", turned, q[0, 0]),
            same("difference of Q from X W_q", q[0, 0], x @ query),
            same("difference of the weights from a loop", weights[0], shares),
            same("difference of the outputs from a loop", mixed, outputs),
            equal("columns of X, rows of W_q", x.shape[1], query.shape[0]),
        ],
        numbers={
            f"{part} of {word}": written(values)
            for part, matrix in (("query", q[0, 0]), ("weights", shares), ("output", outputs))
            for word, values in zip(BOY, matrix, strict=True)
        },
        plot=[
            HeatMap("X", rows(x), "entry", "word", (), BOY),
            HeatMap("Q", rows(q[0, 0]), "entry", "word", (), BOY),
            HeatMap("K", rows(k[0, 0]), "entry", "word", (), BOY),
            HeatMap("V", rows(v[0, 0]), "entry", "word", (), BOY),
            HeatMap("Weights", rows(weights[0]), "key", "query", BOY, BOY),
            HeatMap("Output", rows(mixed), "entry", "word", (), BOY),
        ],
    )
