"""Verdict: does a decoder predict text better than an n-gram that read as much?"""

from typing import Literal

from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import Measurement, Results, figures, gap_of, select, spread_of
from dragoman.lab.spread import Spread, spread

GPT, LSTM = "GPT", "LSTM"
PIECES, WORDS = "Kneser–Ney over pieces", "Kneser–Ney over words"

Texts = Literal["articles", "sentences"]
TEXTS: tuple[Texts, ...] = ("articles", "sentences")

CLAIM = ExperimentHypothesis(
    ("D42",),
    "a decoder is a language model: it predicts each word from all the words before it. (Here: "
    "better than an n-gram, which sees only a few of them, after reading as many tokens.)",
    power=Power(effect=0.01, deviation=0.003),
)
"""In bits per byte. On articles a GPT had differed by 0.003 over the seeds of an earlier run; on
sentences it was 0.016 better than the n-gram in the pilot, with a deviation below 0.001."""


def decide(results: Results) -> ClaimVerdict:
    """Compare the GPT with the n-gram over the same pieces, in bits per byte, on either text.

    Where it is better on one text and worse on the other, what it predicts from depends on the
    text, and the claim needs correcting.
    """
    parts = {text: of_text(results, text) for text in TEXTS}
    sides = [over(part, GPT).side_of(0.0) for part in parts.values()]
    verdict: Verdict = "undecided"
    if "unclear" not in sides:
        verdict = "corrected"
        if len(set(sides)) == 1:
            verdict = "confirmed" if sides[0] == "below" else "refuted"
    details = " ".join(f"On {text}: {_detail(part)}" for text, part in parts.items())
    return ClaimVerdict(CLAIM, verdict, f"Bits per byte of the test. {details}")


def of_text(results: Results, text: Texts) -> list[Measurement]:
    """Return the results of one of the texts."""
    return [result for result in results if result["text"] == text]


def over(results: Results, name: str) -> Spread:
    """Return the bits per byte of a network less those of the n-gram, seed by seed."""
    counted = float(select(results, PIECES)[0]["bits_per_byte"])
    return spread([bits - counted for bits in figures(results, name, "bits_per_byte")])


def _detail(results: Results) -> str:
    counted = float(select(results, PIECES)[0]["bits_per_byte"])
    between = gap_of(results, GPT, LSTM, "bits_per_byte")
    return (
        f"GPT {spread_of(results, GPT, 'bits_per_byte').written()}, "
        f"LSTM {spread_of(results, LSTM, 'bits_per_byte').written()}, n-gram {counted:.3f}; "
        f"GPT minus n-gram {over(results, GPT).interval()}, LSTM minus n-gram "
        f"{over(results, LSTM).interval()}, GPT minus LSTM {between.interval()}."
    )
