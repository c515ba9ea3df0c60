"""Claims on vectors of words and of texts."""

import random
from collections import Counter

import numpy as np
import torch
from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.lab.baselines.bag_of_words import bags, one_hot
from dragoman.lab.baselines.static_vectors import Counting, neighbors
from dragoman.lab.claims import NoParameters, claim
from dragoman.lab.evidence import Evidence, above, below, equal, same
from dragoman.neural.layers.recurrent.cells import Lstm
from dragoman.plots.lab import Panel, curve

WORDS = ("mat", "rat", "cat")
TEXTS = ("mat cat mat", "rat cat rat")

APPLE, FRUITS, PHONES = 0, (1, 2), (3, 4)
EATING, CALLING, FILLERS = (5, 6, 7), (8, 9, 10), (11, 12)
VOCABULARY = 13
SHARES = tuple(share / 10 for share in range(11))


@claim(
    "B38",
    "There are three ways to turn words into numbers: a one-hot vector for each word; the *bag "
    "of words*, which counts how often each word occurs in a text and ignores the order; and "
    "learned vectors. Over (mat, rat, cat), two texts have the bags $[2, 0, 1]$ and $[0, 2, "
    "1]$.",
    r"\mathbf{s} = \sum_i \mathbf{w}_i: \qquad s_1 = (2, 0, 1), \quad s_2 = (0, 2, 1)",
)
def bag_of_words(settings: NoParameters) -> Evidence:
    """Count the table of the notes, and compare with one-hot vectors and a plain counter."""
    ids = [[WORDS.index(word) for word in text.split()] for text in TEXTS]
    found = bags(ids, len(WORDS)).to_dense()
    counted = [[Counter(text.split())[word] for word in WORDS] for text in TEXTS]
    summed = torch.stack([one_hot(text, len(WORDS)).sum(0) for text in ids])
    backwards = bags([text[::-1] for text in ids], len(WORDS)).to_dense()
    wanted = torch.tensor([[2, 0, 1], [0, 2, 1]])
    return Evidence(
        stated=[
            same("difference of the bags from the table in the notes", found, wanted),
            same("difference of the bags from plain counts", found, torch.tensor(counted)),
            same("difference of the bags from the sum of one-hot vectors", found, summed),
            same("change of the bags when the texts are reversed", found, backwards),
        ],
        numbers={
            text: str([int(one) for one in row]) for text, row in zip(TEXTS, found, strict=True)
        },
    )


class EmbeddingSizeSettings(Settings):
    """The sizes of an LSTM that reads words."""

    vocabulary: int = Field(default=2000, ge=2, le=20_000)
    """Number of words (V)."""
    embedding: int = Field(default=32, ge=1, le=256)
    """Entries of an embedding (d)."""
    width: int = Field(default=32, ge=1, le=128)
    """Entries of the hidden state (h)."""
    seed: int = Field(default=1, ge=0)
    """Seed of the weights."""


@claim(
    "B28",
    "An embedding layer gives every word a short, dense, learned vector in place of a long "
    "one-hot vector. An LSTM that reads one-hot vectors needs $4hV$ weights for them. With an "
    "embedding it needs $Vd + 4hd$, which is less as long as $d < 4hV / (V + 4h)$, and it "
    "computes the same with a matrix of rank $d$.",
    r"V d + 4 h d < 4 h V",
)
@torch.no_grad()
def embedding_saves_weights(settings: EmbeddingSizeSettings) -> Evidence:
    """Count the weights of our LSTM both ways, and compare the input of its gates."""
    v, d, h = settings.vocabulary, settings.embedding, settings.width
    generator = torch.Generator().manual_seed(settings.seed)
    small, large = Lstm(d, h).double(), Lstm(v, h).double()
    table = torch.randn(v, d, generator=generator, dtype=torch.float64) / d**0.5
    for weight in small.parameters():
        weight.copy_(torch.randn(weight.shape, generator=generator, dtype=torch.float64))
    large.weight_ih.copy_(small.weight_ih @ table.mT)
    large.bias_ih.copy_(small.bias_ih)
    large.bias_hh.copy_(small.bias_hh)
    words = [0, v // 2, v - 1]
    with_table, without = table.numel() + small.weight_ih.numel(), large.weight_ih.numel()
    return Evidence(
        premises=[below("width d of the embedding", d, 4 * h * v / (v + 4 * h))],
        stated=[
            equal("weights with an embedding", with_table, v * d + 4 * h * d),
            equal("weights for one-hot vectors", without, 4 * h * v),
            below("weights with an embedding, and for one-hot vectors", with_table, without),
            same(
                "difference of the gates' pre-activations",
                small.project(table[words]),
                large.project(one_hot(words, v)),
                1e-9,
            ),
        ],
        numbers={
            "weights with an embedding": with_table,
            "weights with one-hot vectors": without,
            "largest width d that saves weights": 4 * h * v / (v + 4 * h),
        },
    )


class HomonymSettings(Settings):
    """A corpus in which *apple* is sometimes a fruit and sometimes a phone."""

    share: float = Field(default=0.9, ge=0.0, le=1.0)
    """Share of the sentences with *apple* that are about phones; 0.9 means 9,000 of 10,000."""
    sentences: int = Field(default=200, ge=20, le=1000)
    """Number of sentences with *apple*."""
    seed: int = Field(default=3, ge=0)
    """Seed of the sentences."""


@claim(
    "B39",
    "A static embedding has one vector per word, whatever the word means in a sentence, and so "
    "represents the *average* of its meanings in the corpus. If 9,000 of 10,000 sentences with "
    "*apple* are about phones, its vector lies close to the phones.",
    r"P(c \mid \mathrm{apple}) = \lambda\, P(c \mid \mathrm{apple}, \mathrm{phone}) + "
    r"(1 - \lambda)\, P(c \mid \mathrm{apple}, \mathrm{fruit})",
)
def average_meaning(settings: HomonymSettings) -> Evidence:
    """Mix two corpora: the neighbors of the word are the mixture, and its vector follows."""
    phone = round(settings.share * settings.sentences)
    mixed, fruits, phones = (
        _neighbors_of_apple(settings, count) for count in (phone, 0, settings.sentences)
    )
    share = phone / settings.sentences
    cosines = [_cosines(settings, round(one * settings.sentences)) for one in SHARES]
    own = _cosines(settings, phone)
    leads = [phones_ - fruits_ for fruits_, phones_ in cosines]
    return Evidence(
        stated=[
            same(
                "difference of apple's neighbors from the mixture",
                mixed,
                share * phones + (1 - share) * fruits,
            ),
            below("fruits only: cosine with phones minus cosine with fruits", leads[0], 0),
            above("the same, half and half, and fruits only", leads[5], leads[0]),
            above("the same, phones only, and half and half", leads[10], leads[5]),
            above("9,000 of 10,000: cosine with phones minus cosine with fruits", leads[9], 0),
        ],
        numbers={"cosine with fruits": own[0], "cosine with phones": own[1]},
        plot=[
            Panel(
                "Cosine of apple's vector",
                [
                    curve("with fruits", SHARES, [one[0] for one in cosines]),
                    curve("with phones", SHARES, [one[1] for one in cosines], 1),
                ],
                "share of phone sentences",
            )
        ],
    )


def _corpus(settings: HomonymSettings, phone: int) -> tuple[list[list[int]], list[list[int]]]:
    """Return sentences with apple, a given number of them on phones, and sentences without it."""
    drawn = random.Random(settings.seed)
    others = []
    for number in range(200):
        who, company = (FRUITS, EATING) if number % 2 else (PHONES, CALLING)
        others.append([drawn.choice(FILLERS), drawn.choice(who), *drawn.sample(company, 2)])
    order = [(0, 1), (1, 2), (2, 0)]
    with_apple = []
    for number in range(settings.sentences):
        company = CALLING if number < phone else EATING
        first, second = order[number % 3]
        with_apple.append([FILLERS[number % 2], APPLE, company[first], company[second]])
    return with_apple, others


def _neighbors_of_apple(settings: HomonymSettings, phone: int) -> torch.Tensor:
    """Return the shares of eating words, calling words and others among apple's neighbors."""
    with_apple, _ = _corpus(settings, phone)
    pairs = neighbors(with_apple, VOCABULARY, 2)
    beside = pairs[pairs[:, 0] == APPLE][:, 1]
    kinds = [np.isin(beside, kind).sum() for kind in (EATING, CALLING, FILLERS)]
    return torch.tensor(kinds, dtype=torch.float64) / len(beside)


def _cosines(settings: HomonymSettings, phone: int) -> tuple[float, float]:
    """Return the mean cosine of apple's vector with those of fruits and of phones."""
    with_apple, others = _corpus(settings, phone)
    vectors = Counting(VOCABULARY, width=4, window=2).vectors([*with_apple, *others])
    own = vectors[APPLE]
    fruits, phones = (
        float(torch.cosine_similarity(own[None], vectors[list(kind)]).mean())
        for kind in (FRUITS, PHONES)
    )
    return fruits, phones
