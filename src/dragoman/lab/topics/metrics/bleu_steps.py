"""Claims on BLEU, step by step."""

import math
from collections import Counter
from typing import TYPE_CHECKING

from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.lab.claims import NoParameters, claim
from dragoman.lab.evidence import Evidence, at_most, below, equal
from dragoman.metrics.bleu import ORDER, NgramCounts, bleu, brevity_penalty, count, sentence_bleu
from dragoman.plots.lab import Bars, Panel, curve

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEUScore

REFERENCE = "the ball has a blue color"
TWICE = "the ball the ball"
OUTPUT = "the ball is blue"


class BleuTextSettings(Settings):
    """An output and a reference, with words separated by spaces."""

    output: str = Field(default="the cat sat on the red mat today", max_length=400)
    """Output of a system."""
    reference: str = Field(default="the cat sat on the mat all day today", max_length=400)
    """Reference translation."""


class BrevitySettings(Settings):
    """Lengths of an output and of its reference."""

    output: int = Field(default=4, ge=1, le=60)
    """Words in the output (c)."""
    reference: int = Field(default=6, ge=1, le=60)
    """Words in the reference (r)."""


def by_sacrebleu(output: str, *references: str, order: int = ORDER) -> "BLEUScore":
    """Return sacrebleu's score, without smoothing and without tokenization."""
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize="none", smooth_method="none", max_ngram_order=order, force=True)
    return metric.corpus_score([output], [[one] for one in references])


def unclipped(output: str, reference: str) -> tuple[int, int]:
    """Return how many words of the output occur in the reference, and how many words it has."""
    words = output.split()
    return sum(word in reference.split() for word in words), len(words)


@claim(
    "E125",
    "Counting how many words of an output occur in the reference is not enough: all four words "
    "of “the ball the ball” do, and it is not a translation. BLEU counts a word at most as "
    "often as it occurs in the reference, which leaves two of four.",
    r"\frac{4}{4} = 100\,\% \quad \text{overlap, but} \quad p_1 = \frac{2}{4}",
)
def overlap_fails(settings: NoParameters) -> Evidence:
    """Count the words with and without clipping."""
    found, words = unclipped(TWICE, REFERENCE)
    counts = count(TWICE.split(), [REFERENCE.split()])
    theirs = by_sacrebleu(TWICE, REFERENCE)
    return Evidence(
        stated=[
            equal("fraction of words that occur in the reference", found / words, 1.0),
            equal("clipped count of words", counts.matches[0], 2),
            equal("clipped count by sacrebleu", theirs.counts[0], counts.matches[0]),
            below("clipped precision, below the overlap", counts.matches[0] / words, found / words),
        ],
        numbers={
            "output": TWICE,
            "reference": REFERENCE,
            "overlap": f"{found}/{words}",
            "clipped": f"{counts.matches[0]}/{counts.totals[0]}",
        },
    )


@claim(
    "E126",
    "Of the words of “the ball is blue”, three of four occur in “the ball has a blue color”; of "
    "its bigrams, one of three; and no longer n-gram. So BLEU with $N = 2$ is 0.303, and with "
    "$N = 4$ it is 0: a single zero precision makes the geometric mean 0.",
    r"p_1 = \frac{3}{4}, \; p_2 = \frac{1}{3}, \; p_3 = \frac{0}{2}, \; p_4 = \frac{0}{1}, \qquad "
    r"\mathrm{BLEU}_2 = e^{1 - 6/4} \sqrt{p_1 p_2} = 0.303",
)
def precision_of_an_example(settings: NoParameters) -> Evidence:
    """Count the n-grams of the example and compute its score."""
    counts = count(OUTPUT.split(), [REFERENCE.split()])
    pairs, whole = by_sacrebleu(OUTPUT, REFERENCE, order=2), by_sacrebleu(OUTPUT, REFERENCE)
    p = [found / total for found, total in zip(counts.matches, counts.totals, strict=True)]
    penalty = brevity_penalty(counts.output_length, counts.reference_length)
    by_pairs = penalty * math.sqrt(p[0] * p[1])
    none = bleu(counts, smoothing="none").score
    smoothed = bleu(counts, smoothing="exp").score
    return Evidence(
        stated=[
            equal("p1", p[0], 3 / 4),
            equal(
                "n-gram counts that differ from sacrebleu's", _differences(counts.matches, whole), 0
            ),
            equal("BLEU with N = 2, in percent, against sacrebleu", 100 * by_pairs, pairs.score),
            equal("BLEU with N = 4 against sacrebleu", none, whole.score),
            equal("BLEU with N = 4", none, 0),
        ],
        numbers={
            **{
                f"p{n}": f"{found}/{total}"
                for n, (found, total) in enumerate(
                    zip(counts.matches, counts.totals, strict=True), start=1
                )
            },
            "brevity penalty": penalty,
            "BLEU with N = 2": by_pairs,
            "BLEU with N = 4, exponential smoothing": smoothed / 100,
        },
        plot=[Bars("Precision of n-grams", ["1", "2", "3", "4"], [[one] for one in p])],
    )


def _differences(matches: tuple[int, ...], theirs: "BLEUScore") -> int:
    return sum(one != other for one, other in zip(matches, theirs.counts, strict=True))


@claim(
    "E127",
    "Clipping limits the count of a word to its largest count in any single reference, not to "
    "1. In “the cat the mat” both occurrences of “the” count, because “the cat on the mat” has "
    "two.",
    r"\mathrm{count}_{\mathrm{clip}}(w) = \min\left( \mathrm{count}(w), \, "
    r"\max_{\mathrm{ref}} \mathrm{count}_{\mathrm{ref}}(w) \right)",
    notes="a repeated word counts only once, which gives 3/4 where 4/4 is right.",
)
def clipped_counts(settings: NoParameters) -> Evidence:
    """Count an example with one reference, and the BLEU paper's example with two."""
    output, reference = "the cat the mat", "the cat on the mat"
    once = len(set(output.split()) & set(reference.split()))
    counts, theirs = count(output.split(), [reference.split()]), by_sacrebleu(output, reference)
    seven, two = " ".join(["the"] * 7), ("the cat is on the mat", "there is a cat on the mat")
    paper, papers = count(seven.split(), [one.split() for one in two]), by_sacrebleu(seven, *two)
    other = count(seven.split(), [one.split() for one in reversed(two)])
    limit = max(Counter(one.split())["the"] for one in two)
    return Evidence(
        stated=[equal("each word counted once, against sacrebleu", once, theirs.counts[0])],
        corrected=[
            equal(
                "words clipped at their count in the reference, against sacrebleu",
                *_first(counts, theirs),
            ),
            equal(
                "seven times “the” with two references, against sacrebleu", *_first(paper, papers)
            ),
            equal("the same against the largest count in one reference", paper.matches[0], limit),
            equal("the same with the references in the other order", other.matches[0], limit),
        ],
        numbers={
            "counted as in the notes": f"{once}/{counts.totals[0]}",
            "clipped": f"{counts.matches[0]}/{counts.totals[0]}",
            "seven times “the”": f"{paper.matches[0]}/{paper.totals[0]}",
        },
    )


def _first(ours: NgramCounts, theirs: "BLEUScore") -> tuple[int, int]:
    return ours.matches[0], theirs.counts[0]


@claim(
    "E128",
    "The precisions for n-grams of length 1 to $N$ are combined by their geometric mean: the "
    "exponential of the weighted mean of their logarithms, which for equal weights is the "
    "root of order $N$ of their product. If one of them is 0, so is the mean.",
    r"\exp\left( \sum_{n=1}^{N} w_n \log p_n \right) = "
    r"\left( \prod_{n=1}^{N} p_n \right)^{1/N} \quad \text{for} \quad w_n = \frac{1}{N}",
)
def geometric_mean(settings: BleuTextSettings) -> Evidence:
    """Combine the precisions in both forms and compare with the score."""
    output, reference = settings.output, settings.reference
    ours = sentence_bleu(
        output.split(), [reference.split()], smoothing="none", effective_order=False
    )
    pairs = zip(ours.counts.matches, ours.counts.totals, strict=True)
    p = [found / total if total else 0.0 for found, total in pairs]
    logarithms = [math.log(one) if one else -math.inf for one in p]
    by_logarithms = math.exp(sum(logarithms) / ORDER)
    root = math.prod(p) ** (1 / ORDER)
    return Evidence(
        stated=[
            equal(
                "exponential of mean logarithms against the root of the product",
                by_logarithms,
                root,
            ),
            equal(
                "mean times brevity penalty, in percent, against the score",
                100 * root * ours.brevity_penalty,
                ours.score,
            ),
            equal("score against sacrebleu", ours.score, by_sacrebleu(output, reference).score),
            at_most("geometric mean, at most the arithmetic mean", root, sum(p) / ORDER + 1e-12),
        ],
        numbers={
            **{f"p{n}": one for n, one in enumerate(p, start=1)},
            "geometric mean": root,
            "arithmetic mean": sum(p) / ORDER,
        },
    )


@claim(
    "E129",
    "Precision alone would reward short outputs, so an output that is shorter than its "
    "reference is penalized by the factor $e^{1 - r/c}$, which is 0.6065 for four words against "
    "six. BLEU is the geometric mean times this brevity penalty.",
    r"\mathrm{BP} = \begin{cases} 1 & c > r \\ e^{1 - r/c} & c \le r \end{cases}, \qquad "
    r"\mathrm{BLEU} = \mathrm{BP} \cdot \exp\left( \sum_n w_n \log p_n \right)",
)
def penalty_for_brevity(settings: BrevitySettings) -> Evidence:
    """Compare the brevity penalty with the equation and with sacrebleu."""
    c, r = settings.output, settings.reference
    words = [f"w{number}" for number in range(max(c, r, ORDER))]
    theirs = by_sacrebleu(" ".join(words[:c]), " ".join(words[:r]))
    ours = sentence_bleu(words[:c], [words[:r]], smoothing="none", effective_order=False)
    places = range(1, 2 * r + 1)
    penalties = [brevity_penalty(each, r) for each in places]
    equation = [1.0 if each > r else math.exp(1 - r / each) for each in places]
    p = [
        found / max(1, total)
        for found, total in zip(ours.counts.matches, ours.counts.totals, strict=True)
    ]
    return Evidence(
        stated=[
            equal(
                "largest difference from the equation, over all lengths",
                _furthest(penalties, equation),
                0,
            ),
            equal("brevity penalty against sacrebleu", brevity_penalty(c, r), theirs.bp),
            equal(
                "mean times brevity penalty, in percent, against sacrebleu",
                100 * math.prod(p) ** (1 / ORDER) * brevity_penalty(c, r),
                theirs.score,
            ),
            equal("score against sacrebleu", ours.score, theirs.score),
        ],
        numbers={
            "BP": brevity_penalty(c, r),
            "BLEU of the first c words of the reference": ours.score / 100,
        },
        plot=[
            Panel(
                f"Brevity penalty for {r} words in the reference",
                [curve("BP", places, penalties, 0)],
                "words in the output",
                lowest=0.0,
            )
        ],
    )


def _furthest(first: list[float], second: list[float]) -> float:
    return max(abs(one - other) for one, other in zip(first, second, strict=True))
