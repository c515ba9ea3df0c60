"""Verdict on the claim about the text of pretraining, with the tables and the plot."""

from pathlib import Path
from statistics import fmean

from dragoman.lab.experiment import Result, ResultTable
from dragoman.lab.experiments.adaptation.verdicts import BAG
from dragoman.lab.experiments.pretraining_domain.data import ARTICLES, FILMS
from dragoman.lab.hypotheses import ClaimVerdict, ExperimentHypothesis, Verdict
from dragoman.lab.results import (
    Measurement,
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
ARMS = (FILMS, ARTICLES, RANDOM)

CLAIM = ExperimentHypothesis(
    ("A41",), "the text of pretraining decides: 71.9 % after tweets, over 92 % after mathematics."
)

HOW_CHOSEN = {
    True: "Every arm's rate was chosen among four by validation accuracy, on a split of its own, "
    "after half the steps.",
    False: "All arms have one rate, untried.",
}


def decide(results: Results) -> ClaimVerdict:
    """Say whether text nearer to the task helps more, or only that there was some."""
    nearer = gap_of(results, FILMS, ARTICLES, "test_accuracy")
    gained = {arm: gap_of(results, arm, RANDOM, "test_accuracy") for arm in (FILMS, ARTICLES)}
    verdict: Verdict = "undecided"
    if not any(
        over_majority(results, arm, "test_accuracy").side_of(0.0) == "above"
        for arm in (FILMS, ARTICLES)
    ):
        pass  # nothing was learned
    elif nearer.side_of(0.0) == "above":
        verdict = "confirmed"
    elif nearer.side_of(0.0) == "below":
        verdict = "refuted"
    elif any(one.side_of(0.0) == "above" for one in gained.values()):
        verdict = "corrected"
    shares = ", ".join(f"{arm} {percent_of(results, arm, 'test_accuracy')} %" for arm in ARMS)
    first, last = select(results, FILMS)[0], select(results, RANDOM)[0]
    weights = f"{100 * first['share_pretrained']:.0f} % of its weights"
    return ClaimVerdict(
        CLAIM,
        verdict,
        f"Right on Rotten Tomatoes: {shares}, the majority baseline "
        f"{100 * fmean(figures(results, FILMS, 'test_majority')):.1f} %. Film reviews minus "
        "articles "
        f"{nearer.points()}, film reviews minus random {gained[FILMS].points()}, articles minus "
        f"random {gained[ARTICLES].points()}. Before the first step {first['tensors_pretrained']} "
        f"of the encoder's {first['encoder_tensors']} tensors ({weights}) were those of "
        f"pretraining, bit by bit; of the random start's {last['tensors_pretrained']}. In the "
        "notes' own comparison the tensors of the worse network probably never came over.",
    )


def tables(results: Results, pretrained: Results, tried: Results) -> list[ResultTable]:
    """Return the third task, what came before it, and the rates that were tried."""
    bag = select(results, BAG)
    made = [
        ResultTable(
            "Rotten Tomatoes: per cent right",
            (
                "start", "rate", "tensors of pretraining", "training", "validation", "test",
                "macro-F1, test", "parameters", "seconds",
            ),
            [
                *(_line(results, arm) for arm in ARMS),
                (
                    BAG, "–", "–", *(percent_of(results, BAG, key) for key in SCORES),
                    f"{bag[0]['trained']:,}", "–",
                ),
                (
                    "majority baseline", "–", "–", "–", "–",
                    percent_of(results, BAG, "test_majority"),
                    percent_of(results, BAG, "test_majority_macro_f1"), "0", "–",
                ),
            ],
            f"{HOW_CHOSEN[bool(tried)]} Each network was pretrained once: the deviations are those "
            "of the third task.",
        ),
        ResultTable(
            "Pretraining: nats for a hidden piece, and per cent guessed",
            (
                "text", "tokens read", "own text, nats", "own text, %", "Rotten Tomatoes, nats",
                "Rotten Tomatoes, %", "seconds",
            ),
            [_before(result) for result in pretrained],
            "One vocabulary for all, so that the losses on Rotten Tomatoes can be compared.",
        ),
    ]  # fmt: skip
    if tried:
        made.append(
            ResultTable(
                "Rates tried: validation loss after half the steps",
                ("start", "rate", "loss", "accuracy, %"),
                [
                    (
                        result["name"],
                        f"{result['rate']:g}",
                        f"{result['valid_loss']:.3f}",
                        f"{100 * result['valid_accuracy']:.1f}",
                    )
                    for result in tried
                ],
            )
        )
    return made


SCORES = ("train_accuracy", "valid_accuracy", "test_accuracy", "test_macro_f1")


def draw(result: Result, path: Path) -> None:
    """Draw what each start leads to, and how well each network guesses words of that text."""
    results = result.measurements
    names = (*ARMS, BAG)
    before = result.summary["pretraining"]
    panels = [
        Bars(
            "Rotten Tomatoes: right answers, %",
            names,
            [[100 * one for one in figures(results, arm, "test_accuracy")] for arm in names],
            baseline=100 * fmean(figures(results, BAG, "test_majority")),
            baseline_label="majority baseline",
        ),
        Bars(
            "hidden words of Rotten Tomatoes: nats each",
            [row["name"] for row in before],
            [[row["third_loss"]] for row in before],
        ),
    ]
    draw_panels(panels, path, "What a network was pretrained on")


def _line(results: Results, arm: str) -> tuple[str, ...]:
    own = select(results, arm)
    return (
        arm,
        "/".join(dict.fromkeys(f"{result['rate']:g}" for result in own)),
        f"{own[0]['tensors_pretrained']} of {own[0]['encoder_tensors']}",
        *(percent_of(results, arm, key) for key in SCORES),
        f"{own[0]['parameters']:,}",
        spread_of(results, arm, "training_seconds").written(0),
    )


def _before(result: Measurement) -> tuple[str, ...]:
    return (
        result["name"],
        f"{result['tokens_read']:,}",
        f"{result['own_loss']:.2f}",
        f"{100 * result['own_accuracy']:.1f}",
        f"{result['third_loss']:.2f}",
        f"{100 * result['third_accuracy']:.1f}",
        f"{result['seconds']:.0f}",
    )
