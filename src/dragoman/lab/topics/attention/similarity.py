"""Claims on attention without parameters: words mixed by their likeness."""

import math

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, apart, below, equal, same
from dragoman.lab.sampling import normal
from dragoman.lab.topics.attention.watch import rows, written
from dragoman.neural.layers.alignment import ProductAlignment
from dragoman.neural.layers.attention import (
    attend_written_out,
    attention_weights,
    parameter_free_attention,
)
from dragoman.plots.lab import HeatMap, Panel, curve


class LikenessSettings(Settings):
    """A query and some keys."""

    keys: int = Field(default=6, ge=2, le=200)
    """Number of keys."""
    width: int = Field(default=8, ge=2, le=200)
    """Entries of each vector."""
    stretch: float = Field(default=3.0, ge=1.5, le=100.0)
    """The factor by which one of the keys is made longer."""
    seed: int = Field(default=1, ge=0)
    """Seed of the random entries."""


@claim(
    "B41",
    "The dot product measures the similarity of two vectors: it is the cosine of their angle "
    "times both lengths. Among vectors of equal length it ranks them as the cosine does; unlike "
    "the cosine, it also grows with the lengths.",
    r"a \cdot b = \lVert a \rVert\, \lVert b \rVert \cos \theta",
)
def dot_product_as_similarity(settings: LikenessSettings) -> Evidence:
    """Compare the scores of dot-product attention with torch's cosine."""
    query = normal(settings.seed, 1, settings.width)
    keys = F.normalize(normal(settings.seed + 1, settings.keys, settings.width), dim=1)
    longer = keys.clone()
    longer[0] *= settings.stretch
    score = ProductAlignment(settings.width, settings.width, matrix=False)
    dots, stretched = (score.scores(query[None], one[None])[0, 0] for one in (keys, longer))
    cosine = F.cosine_similarity(query, keys)
    right = query[0] - (query[0] @ keys[0]) * keys[0]
    perpendicular = score.scores(right[None, None], keys[None, :1])[0, 0, 0]
    return Evidence(
        stated=[
            same("difference from the cosine times both lengths", dots, cosine * query.norm()),
            same(
                "difference of the ranking from the cosine's",
                dots.argsort().double(),
                cosine.argsort().double(),
            ),
            equal("score of perpendicular vectors", perpendicular, 0.0),
            equal(
                "factor by which a stretched key's score grows",
                stretched[0] / dots[0],
                settings.stretch,
                1e-9,
            ),
        ],
        numbers={
            "cosine of the stretched key": float(F.cosine_similarity(query, longer)[0]),
            "its cosine before stretching": float(cosine[0]),
        },
    )


class FreeAttentionSettings(Settings):
    """Words that attend to each other without parameters."""

    words: int = Field(default=5, ge=2, le=40)
    """Words of the sentence, and entries of each embedding."""
    seed: int = Field(default=1, ge=0)
    """Seed of the embeddings."""


@claim(
    "B42",
    "Self-attention works without any parameters: the scores are the dot products of the "
    "embeddings, a softmax turns them into weights, and each word becomes the average of all "
    "words with these weights.",
    r"s_{ij} = e_i \cdot e_j, \qquad w_{ij} = \frac{e^{s_{ij}}}{\sum_k e^{s_{ik}}}, \qquad "
    r"y_i = \sum_j w_{ij} e_j",
)
def attention_without_parameters(settings: FreeAttentionSettings) -> Evidence:
    """Compare with a loop over pairs of words, and recover the weights from the result."""
    words = normal(settings.seed, settings.words, settings.words) / math.sqrt(settings.words)
    mixed = parameter_free_attention(words[None])[0]
    wanted = torch.stack([_mixed_by_hand(word, words) for word in words])
    weights = torch.linalg.solve(words, mixed, left=False)  # y = w e, so w = y e^-1
    return Evidence(
        stated=[
            same("difference from a loop over pairs", mixed, wanted),
            same(
                "distance of a row's sum from 1", weights.sum(1), torch.ones(settings.words), 1e-8
            ),
            above("smallest weight", weights.min(), 0.0),
        ],
        plot=[HeatMap("Attention weights without parameters", rows(weights), "word", "word")],
    )


def _mixed_by_hand(word: Tensor, words: Tensor) -> Tensor:
    shares = [math.exp(float(word @ other)) for other in words]
    total = sum(shares)
    parts = [share / total * other for share, other in zip(shares, words, strict=True)]
    return torch.stack(parts).sum(0)


class OrthogonalWordsSettings(Settings):
    """Words that are orthogonal to each other."""

    words: int = Field(default=4, ge=2, le=50)
    """Number of words (N)."""
    length: float = Field(default=1.0, ge=0.0, le=10.0)
    """The length of every embedding."""
    seed: int = Field(default=1, ge=0)
    """Seed of the directions."""


@claim(
    "C22",
    "Orthogonal words do mix: a score of 0 contributes $e^0 = 1$ before normalization. Among "
    "four orthogonal words of length 1, each gives itself a weight of only 0.475; the weight "
    "approaches 1 only as the vectors grow long.",
    r"a_{nn} = \frac{e^{\lVert x_n \rVert^2}}{e^{\lVert x_n \rVert^2} + N - 1}, \qquad "
    r"a_{nm} = \frac{1}{e^{\lVert x_n \rVert^2} + N - 1}",
    notes="orthogonal words have $a_{nm} = 0$ and $a_{nn} = 1$, so that $y_n = x_n$.",
)
def orthogonal_words(settings: OrthogonalWordsSettings) -> Evidence:
    """Mix orthogonal words, and compare with themselves and with the closed form."""
    count, length = settings.words, settings.length
    directions = torch.linalg.qr(normal(settings.seed, count, count)).Q
    words = length * directions
    mixed = parameter_free_attention(words[None])[0]
    others = math.exp(length**2) + count - 1
    kept = math.exp(length**2) / others
    weights = torch.full((count, count), 1 / others, dtype=torch.float64).fill_diagonal_(kept)
    lengths = [step / 10 for step in range(31)]
    shares = [_kept(directions, one) for one in lengths]
    return Evidence(
        stated=[
            same("difference of the outputs from the inputs", mixed, words),
            equal("weight of a word for itself", _kept(directions, length), 1.0),
        ],
        corrected=[
            same("difference of the outputs from the closed form", mixed, weights @ words),
            equal("weight of a word for itself", _kept(directions, length), kept),
        ],
        numbers={
            "weight for itself at length 1": _kept(directions, 1.0),
            "weight for itself at length 3": _kept(directions, 3.0),
        },
        plot=[
            Panel(
                "Weight of an orthogonal word for itself",
                [curve(f"{count} words", lengths, shares), curve("notes", [0, 3], [1, 1], 1)],
                "length of the embeddings",
                lowest=0.0,
            )
        ],
    )


def _kept(directions: Tensor, length: float) -> float:
    """Return the weight of the first of some orthogonal words for itself."""
    x = length * directions[None, None]
    width = math.sqrt(directions.shape[1])  # the layer divides by it
    return float(attention_weights(width * x, x, None, None, causal=False)[0, 0, 0, 0])


WORDS = {
    "money": [1.0, 0.1, 0.3],
    "river": [0.0, 1.2, 0.2],
    "bank": [0.6, 0.6, 0.1],
    "grows": [0.3, 0.2, 0.9],
    "flows": [0.1, 0.5, 0.9],
}
"""Embeddings of the example: money, water and motion."""
CONTEXTS = (("money", "bank", "grows"), ("river", "bank", "flows"))


class ContextSettings(Settings):
    """The sentences of the example."""

    length: float = Field(default=1.0, ge=0.3, le=5.0)
    """The factor by which all embeddings are stretched: longer ones mix less."""


@claim(
    "B40",
    "A word in context is a weighted average of the words around it, with weights that sum to "
    "1: *bank* becomes one vector in *Money bank grows* and a different one in *River bank "
    "flows*.",
    r"\mathrm{money}' = 0.7\, \mathrm{money} + 0.2\, \mathrm{bank} + 0.1\, \mathrm{grows}, \qquad "
    r"\mathrm{bank}' = 0.25\, \mathrm{money} + 0.7\, \mathrm{bank} + 0.05\, \mathrm{grows}",
)
def words_in_context(settings: ContextSettings) -> Evidence:
    """Mix with the weights of the notes, and then with those of two sentences."""
    table = {word: settings.length * torch.tensor(v).double() for word, v in WORDS.items()}
    money, bank, grows = (table[word] for word in CONTEXTS[0])
    shares = torch.tensor([[0.7, 0.2, 0.1], [0.25, 0.7, 0.05]], dtype=torch.float64)
    nothing, values = shares.new_zeros(1, 1, 2, 1), torch.stack((money, bank, grows))[None, None]
    keys = nothing.new_zeros(1, 1, 3, 1)
    given = attend_written_out(
        nothing, keys, values, None, shares.log()[None, None], causal=False, dropout=0.0
    )[0, 0]
    by_hand = torch.stack(
        (0.7 * money + 0.2 * bank + 0.1 * grows, 0.25 * money + 0.7 * bank + 0.05 * grows)
    )
    sentences = [torch.stack([table[word] for word in words]) for words in CONTEXTS]
    mixed = [parameter_free_attention(sentence[None])[0, 1] for sentence in sentences]
    near_money, near_river = (F.cosine_similarity(one, money, dim=0) for one in mixed)
    return Evidence(
        stated=[
            same("distance of the weights' sums from 1", shares.sum(1), torch.ones(2)),
            same("difference from the sums of the notes", given, by_hand),
            apart("difference between the two vectors of bank", mixed[0], mixed[1], 1e-3),
            below("cosine of the river's bank with money", near_river, near_money),
        ],
        numbers={
            "bank, static embedding": written(bank),
            "bank in Money bank grows": written(mixed[0]),
            "bank in River bank flows": written(mixed[1]),
            "money with the weights of the notes": written(given[0]),
            "bank with the weights of the notes": written(given[1]),
        },
        plot=[
            HeatMap(
                f"{' '.join(words).capitalize()}: weights",
                rows((sentence @ sentence.T).softmax(1)),
                "key",
                "query",
                words,
                words,
            )
            for words, sentence in zip(CONTEXTS, sentences, strict=True)
        ],
    )
