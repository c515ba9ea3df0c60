"""Verdict on the claim about the text of pretraining, with the tables and the plot."""

from pathlib import Path
from statistics import fmean

from dragoman.lab.experiment import Result, ResultTable
from dragoman.lab.experiments.pretraining_domain.data import FAR, NEAR
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.power import Power
from dragoman.lab.results import (
    Results,
    figures,
    gap_of,
    over_majority,
    percent_of,
    select,
    spread_of,
)
from dragoman.plots.lab import Bars, draw_panels

RANDOM = "random start"
ARMS = (NEAR, FAR, RANDOM)

SLIGHT = 0.05
"""Share of right answers by which two texts may differ and still be called as good."""

CLAIM = ExperimentHypothesis(
    ("A41",),
    "the text of pretraining decides: 71.9 % after tweets, over 92 % after mathematics.",
    power=Power(effect=0.08, deviation=0.06),
)
"""In shares of right answers: with the one seed of the pilot the same kind of text gave 0.12 more
than another, and both more than none. The deviation is that of two starts of `pretraining-pays`."""


def decide(results: Results) -> ClaimVerdict:
    """Say whether text nearer to the task helps more, or only that there was some.

    Where pretraining surely helps, and either text as much, it is not the text that decides.
    """
    item = 1 / int(select(results, NEAR)[0]["tested"])
    nearer = gap_of(results, NEAR, FAR, "test_accuracy", item)
    gained = {arm: gap_of(results, arm, RANDOM, "test_accuracy", item) for arm in (NEAR, FAR)}
    verdict: Verdict = "undecided"
    if over_majority(results, NEAR, "test_accuracy").side_of(0.0) != "above":
        pass  # nothing was learned
    elif nearer.side_of(0.0) == "above":
        verdict = "confirmed"
    elif nearer.side_of(0.0) == "below":
        verdict = "refuted"
    elif nearer.is_within(SLIGHT) and all(one.side_of(0.0) == "above" for one in gained.values()):
        verdict = "corrected"
    shares = ", ".join(f"{arm} {percent_of(results, arm, 'test_accuracy')} %" for arm in ARMS)
    first, last = select(results, NEAR)[0], select(results, RANDOM)[0]
    weights = f"{100 * first['share_pretrained']:.0f} % of its weights"
    return ClaimVerdict(
        CLAIM,
        verdict,
        f"Numbers of subjects known after pretraining on text of: {shares}; the majority "
        f"baseline {100 * fmean(figures(results, NEAR, 'test_majority')):.1f} %. The same kind "
        f"minus another {nearer.points()}, the same kind minus random {gained[NEAR].points()}, "
        f"another minus random {gained[FAR].points()}. Before the first step "
        f"{first['tensors_pretrained']} of the encoder's {first['encoder_tensors']} tensors "
        f"({weights}) were those of pretraining, bit by bit; of the random start's "
        f"{last['tensors_pretrained']}. In the notes' own comparison the tensors of the worse "
        "network probably never came over.",
    )


def tables(results: Results, pretrained: Results) -> list[ResultTable]:
    """Return the third task, and what came before it."""
    often = f"{100 * fmean(figures(results, RANDOM, 'test_majority')):.1f}"
    return [
        ResultTable(
            "The number of the subject: per cent right",
            (
                "text of pretraining", "rate", "tensors of pretraining", "training", "validation",
                "test", "macro-F1, test", "parameters", "seconds",
            ),
            [
                *(_line(results, arm) for arm in ARMS),
                ("majority baseline", "–", "–", "–", "–", often, "–", "0", "–"),
            ],
            "± is the deviation over seeds; each has its own texts, first weights and pretraining. "
            "Rates were set beforehand.",
        ),
        ResultTable(
            "Pretraining: nats for a hidden word, and per cent guessed",
            (
                "text", "tokens read", "own text, nats", "own text, %", "sentences asked, nats",
                "sentences asked, %", "seconds",
            ),
            [_before(pretrained, arm) for arm in ARMS],
            "One vocabulary for all, so that the losses on the sentences that are asked about can "
            "be compared.",
        ),
    ]  # fmt: skip


SCORES = ("train_accuracy", "valid_accuracy", "test_accuracy", "test_macro_f1")


def draw(result: Result, path: Path) -> None:
    """Draw what each start leads to, and how well each network guesses words of that text."""
    results, before = result.measurements, result.summary["pretraining"]
    panels = [
        Bars(
            "numbers of subjects known, %",
            ARMS,
            [[100 * one for one in figures(results, arm, "test_accuracy")] for arm in ARMS],
            baseline=100 * fmean(figures(results, RANDOM, "test_majority")),
            baseline_label="majority baseline",
        ),
        Bars(
            "hidden words of these sentences: nats each",
            ARMS,
            [figures(before, arm, "third_loss") for arm in ARMS],
        ),
    ]
    draw_panels(panels, path, "What a network was pretrained on")


def _line(results: Results, arm: str) -> tuple[str, ...]:
    own = select(results, arm)
    return (
        arm,
        f"{own[0]['rate']:g}",
        f"{own[0]['tensors_pretrained']} of {own[0]['encoder_tensors']}",
        *(percent_of(results, arm, key) for key in SCORES),
        f"{own[0]['parameters']:,}",
        spread_of(results, arm, "training_seconds").written(0),
    )


def _before(results: Results, arm: str) -> tuple[str, ...]:
    return (
        arm,
        f"{fmean(figures(results, arm, 'tokens_read')):,.0f}",
        spread_of(results, arm, "own_loss").written(2),
        percent_of(results, arm, "own_accuracy"),
        spread_of(results, arm, "third_loss").written(2),
        percent_of(results, arm, "third_accuracy"),
        f"{fmean(figures(results, arm, 'seconds')):.0f}",
    )
