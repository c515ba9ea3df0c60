"""Verdict: does a decoder predict text better than an n-gram that trained no longer?"""

from statistics import fmean

from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.results import Results, figures, gap_of, select, spread_of
from dragoman.lab.spread import Spread, spread

GPT, LSTM = "GPT", "LSTM"
PIECES, WORDS = "Kneser–Ney over pieces", "Kneser–Ney over words"

EQUAL = 0.05
"""Share by which times may differ and still be called equal."""

CLAIM = ExperimentHypothesis(
    ("D42",),
    "a decoder is a language model: it predicts each word from all the words before it. (Here: "
    "better than an n-gram, which sees only a few of them, after equal training time.)",
)


def decide(results: Results, seconds: float) -> ClaimVerdict:
    """Compare the GPT with the n-gram over the same pieces, in bits per byte."""
    counted = float(select(results, PIECES)[0]["bits_per_byte"])
    ahead = over(results, GPT, counted)
    share = fmean(figures(results, GPT, "trained")) / seconds
    verdict: Verdict = "undecided"
    if ahead.side_of(0.0) == "below" and share <= 1 + EQUAL:  # not by training longer
        verdict = "confirmed"
    elif ahead.side_of(0.0) == "above" and share >= 1 - EQUAL:  # not for want of time
        verdict = "refuted"
    between = gap_of(results, GPT, LSTM, "bits_per_byte")
    took = {name: fmean(figures(results, name, "trained")) for name in (GPT, LSTM, PIECES)}
    return ClaimVerdict(
        CLAIM,
        verdict,
        f"Bits per byte of the test: GPT {spread_of(results, GPT, 'bits_per_byte').written()}, "
        f"LSTM {spread_of(results, LSTM, 'bits_per_byte').written()}, n-gram {counted:.3f}; "
        f"GPT minus n-gram {ahead.interval()}, LSTM minus n-gram "
        f"{over(results, LSTM, counted).interval()}, GPT minus LSTM {between.interval()}. Trained "
        f"for {took[GPT]:.0f} and {took[LSTM]:.0f} of {seconds:.0f} seconds; the n-gram read and "
        f"counted for {took[PIECES]:.0f}.",
    )


def over(results: Results, name: str, counted: float) -> Spread:
    """Return the bits per byte of a network less those of the n-gram, seed by seed."""
    return spread([bits - counted for bits in figures(results, name, "bits_per_byte")])
