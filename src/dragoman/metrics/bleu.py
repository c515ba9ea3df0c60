"""BLEU, written out: how many of the output's n-grams stand in a reference (Papineni et al. 2002).

For n = 1 … N (N is 4), over all sentences of a corpus:

    p_n  =  Σ min(count of the n-gram in the output, largest count in any one reference)
            ────────────────────────────────────────────────────────────────────────────
                             Σ count of the n-gram in the output

    BP   =  1                  if c ≥ r        c: tokens of the output
            exp(1 − r / c)     if c < r        r: tokens of the reference closest in length,
                                                  the shorter one of two equally close
    BLEU =  100 · BP · exp( 1/N · Σ log p_n )

One p_n of nought makes the whole nought, which is hard on short texts. The smoothings of Chen &
Cherry 2014, as sacrebleu has them, put something in its place:

    none     nothing
    floor    a small number of matches, 0.1
    add-k    k more matches and k more n-grams for n > 1, with k = 1
    exp      half a match for the first empty n, a quarter for the next, and so on

The effective order leaves out every n for which the output is too short to have an n-gram; it is
meant for single sentences. Everything works on tokens; `dragoman.metrics.scores` cuts text.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dragoman.core.errors import DataError

Tokens = Sequence[str]
Smoothing = Literal["none", "floor", "add-k", "exp"]

ORDER = 4
_USUAL_VALUES: dict[Smoothing, float] = {"none": 0.0, "floor": 0.1, "add-k": 1.0, "exp": 0.0}


@dataclass(frozen=True, slots=True)
class NgramCounts:
    """All that BLEU needs to know; the counts of a corpus are the sum over its sentences."""

    matches: tuple[int, ...]
    """N-grams of the output that stand in a reference, clipped, for n = 1 … N."""

    totals: tuple[int, ...]
    """N-grams of the output."""

    output_length: int
    reference_length: int

    def __add__(self, other: "NgramCounts") -> "NgramCounts":
        return NgramCounts(
            tuple(a + b for a, b in zip(self.matches, other.matches, strict=True)),
            tuple(a + b for a, b in zip(self.totals, other.totals, strict=True)),
            self.output_length + other.output_length,
            self.reference_length + other.reference_length,
        )


@dataclass(frozen=True, slots=True)
class Bleu:
    """The score, 0 to 100, and what it is made of."""

    score: float
    precisions: tuple[float, ...]
    """p_n in percent, smoothed, for n = 1 … N."""

    brevity_penalty: float
    counts: NgramCounts


def corpus_bleu(
    outputs: Sequence[Tokens],
    references: Sequence[Sequence[Tokens]],
    *,
    smoothing: Smoothing = "exp",
    value: float | None = None,
    effective_order: bool = False,
) -> Bleu:
    """Return the BLEU of a corpus; `references` holds one list of sentences per reference set."""
    for stream in references:
        if len(stream) != len(outputs):
            raise DataError(
                f"BLEU: {len(outputs)} outputs but {len(stream)} references; "
                "there must be one for each."
            )
    counts = NgramCounts((0,) * ORDER, (0,) * ORDER, 0, 0)
    for output, *those in zip(outputs, *references, strict=True):
        counts += count(output, those)
    return bleu(counts, smoothing=smoothing, value=value, effective_order=effective_order)


def sentence_bleu(
    output: Tokens,
    references: Sequence[Tokens],
    *,
    smoothing: Smoothing = "exp",
    value: float | None = None,
    effective_order: bool = True,
) -> Bleu:
    """Return the BLEU of one sentence against its references, over the effective order."""
    counts = count(output, references)
    return bleu(counts, smoothing=smoothing, value=value, effective_order=effective_order)


def count(output: Tokens, references: Sequence[Tokens]) -> NgramCounts:
    """Count the n-grams of one sentence, and those of them that a reference has."""
    if not references:
        raise DataError("BLEU: a sentence has no reference to compare with.")
    ceiling: Counter[Tokens] = Counter()
    for reference in references:
        ceiling |= _ngrams(reference)  # the union keeps the larger count
    ours = _ngrams(output)
    matches, totals = [0] * ORDER, [0] * ORDER
    for ngram, times in ours.items():
        totals[len(ngram) - 1] += times
        matches[len(ngram) - 1] += min(times, ceiling[ngram])
    lengths = (len(reference) for reference in references)
    closest = min(lengths, key=lambda length: (abs(length - len(output)), length))
    return NgramCounts(tuple(matches), tuple(totals), len(output), closest)


def bleu(
    counts: NgramCounts,
    *,
    smoothing: Smoothing = "exp",
    value: float | None = None,
    effective_order: bool = False,
) -> Bleu:
    """Return the score that some counts give."""
    penalty = brevity_penalty(counts.output_length, counts.reference_length)
    if not any(counts.matches):  # no smoothing helps a text that has nothing in common
        return Bleu(0.0, (0.0,) * ORDER, penalty, counts)
    precisions = _precisions(
        counts, smoothing, _USUAL_VALUES[smoothing] if value is None else value
    )
    order = len(precisions) if effective_order else ORDER
    precisions += [0.0] * (ORDER - len(precisions))
    if 0.0 in precisions[:order]:
        return Bleu(0.0, tuple(precisions), penalty, counts)
    mean = math.exp(sum(math.log(each) for each in precisions[:order]) / order)
    return Bleu(penalty * mean, tuple(precisions), penalty, counts)


def brevity_penalty(output_length: int, reference_length: int) -> float:
    """Return what an output loses for being shorter than its reference."""
    if output_length >= reference_length:
        return 1.0
    return math.exp(1 - reference_length / output_length) if output_length else 0.0


def _precisions(counts: NgramCounts, smoothing: Smoothing, value: float) -> list[float]:
    """Return p_n in percent for every n that the output is long enough for."""
    precisions = []
    half = 1.0
    for n, (matches, total) in enumerate(zip(counts.matches, counts.totals, strict=True), start=1):
        extra = value if smoothing == "add-k" and n > 1 else 0.0
        right, all_of_them = matches + extra, total + extra
        if not all_of_them:
            break
        if not right and smoothing == "exp":
            half /= 2
            right = half
        elif not right and smoothing == "floor":
            right = value
        precisions.append(100.0 * right / all_of_them)
    return precisions


def _ngrams(tokens: Tokens) -> Counter[Tokens]:
    """Count the n-grams of a sentence for n = 1 … N."""
    words = tuple(tokens)
    return Counter(words[i : i + n] for n in range(1, ORDER + 1) for i in range(len(words) - n + 1))
