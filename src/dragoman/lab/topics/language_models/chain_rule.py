"""Claims on language models as probabilities of whole texts."""

from itertools import product
from math import log10

import numpy as np
import torch
from pydantic import Field

from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.config.settings import Settings
from dragoman.data.tokenizer.special_tokens import END, START
from dragoman.lab.baselines.kneser_ney import KneserNey
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, at_most, equal, same
from dragoman.lab.sampling import seeded
from dragoman.neural.models.recurrent_language_model import RecurrentLanguageModel
from dragoman.plots.lab import Panel, curve

PEOPLE, WORDS_A_DAY, DAYS = 1.2e11, 16_000, 80 * 365
"""People who ever lived, words spoken in a day, days of a long life: generous estimates."""


class ChainRuleSettings(Settings):
    """A toy language."""

    words: int = Field(default=3, ge=1, le=4)
    """Words of the vocabulary, besides the four special tokens."""
    length: int = Field(default=3, ge=1, le=4)
    """Length up to which all texts are enumerated, in tokens."""
    order: int = Field(default=3, ge=1, le=4)
    """Order of the n-gram model: 3 for trigrams."""
    seed: int = Field(default=1, ge=0)
    """Seed of the texts and of the network's weights."""


@claim(
    "E91",
    "A language model assigns a probability to every sequence of words over its vocabulary. By the "
    "chain rule it is a product, each word given the words before it, and the probabilities of all "
    "texts sum to one. A language has some $10^5$ to $10^6$ different words; all words ever "
    "spoken, repetitions included, are fewer than $10^{20}$.",
    r"P(y_1, \ldots, y_k) = \prod_{i=1}^{k} P(y_i \mid y_1, \ldots, y_{i-1}), \qquad "
    r"\sum_{\mathrm{all\ texts}} P = 1",
    notes="the vocabulary may have $10^6$ or even $10^{80}$ words.",
)
def chain_rule(settings: ChainRuleSettings) -> Evidence:
    """Sum the probabilities of all texts over a toy vocabulary, for n-grams and for a network."""
    vocabulary = settings.words + END + 1
    generator = np.random.default_rng(settings.seed)
    texts = [
        generator.integers(END + 1, vocabulary, generator.integers(0, 6)).tolist()
        for _ in range(20)
    ]
    counted = KneserNey.fit(texts, order=settings.order, vocabulary=vocabulary)
    closed, still_open = _all_texts(counted, vocabulary, settings.length)
    by_length = np.cumsum(closed)
    sums = _network_sums(vocabulary, settings)
    one = texts[0]
    factors = [counted.distribution(one[:at])[token] for at, token in enumerate([*one, END])]
    spoken = log10(PEOPLE * WORDS_A_DAY * DAYS)
    chain = [
        equal(
            "n-grams: probability of all finished texts and all unfinished ones",
            by_length[-1] + still_open,
            1,
            1e-9,
        ),
        same(
            "n-grams: product of the factors minus the probability of the text",
            torch.tensor(factors).prod(),
            torch.tensor(counted.probabilities([one])[0]).prod(),
            1e-12,
        ),
        same(
            "network: probabilities of all sequences of each length, minus one",
            sums,
            torch.ones_like(sums),
            1e-9,
        ),
    ]
    return Evidence(
        stated=[
            *chain,
            at_most("log₁₀ of 10⁸⁰ words, against all words ever spoken", 80, spoken),
        ],
        corrected=[*chain, at_most("log₁₀ of 10⁶ words, against all words ever spoken", 6, spoken)],
        numbers={
            "words ever spoken, log₁₀": spoken,
            "longest sequences summed": vocabulary**settings.length,
        },
        plot=[
            Panel(
                "total probability of the texts up to a length",
                [
                    curve("finished texts", range(len(closed)), by_length.tolist()),
                    curve("one", range(len(closed)), [1.0] * len(closed), 1, dashed=True),
                ],
                "words",
                lowest=0,
            )
        ],
    )


def _all_texts(model: KneserNey, vocabulary: int, length: int) -> tuple[list[float], float]:
    """Return the total probability of the texts of each length, and what longer ones have."""
    closed = []
    beginnings: list[tuple[list[int], float]] = [([], 1.0)]
    for _ in range(length):
        longer = []
        ended = 0.0
        for text, probability in beginnings:
            each = model.distribution(text)
            ended += probability * each[END]
            longer += [
                ([*text, token], probability * each[token])
                for token in range(vocabulary)
                if token != END
            ]
        closed.append(ended)
        beginnings = longer
    return closed, sum(probability for _, probability in beginnings)


@torch.no_grad()
def _network_sums(vocabulary: int, settings: ChainRuleSettings) -> torch.Tensor:
    """Return the total probability of all sequences of one token, of two, … under a network."""
    shape = RecurrentLanguageSettings(embedding_width=4, width=4, dropout=0.0)
    with seeded(settings.seed):
        model = RecurrentLanguageModel(shape, vocabulary, padding=-1).double().eval()
    sums = []
    for length in range(1, settings.length + 1):
        rows = torch.tensor([*product(range(vocabulary), repeat=length)])
        read = torch.cat((torch.full((len(rows), 1), START), rows[:, :-1]), dim=1)
        chances = model(read).log_softmax(-1).gather(2, rows.unsqueeze(2)).squeeze(2)
        sums.append(chances.sum(1).exp().sum())
    return torch.stack(sums)
