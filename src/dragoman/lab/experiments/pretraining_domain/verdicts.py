"""What became of the statement about the text of pretraining, with the tables and the picture."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from dragoman.lab.experiment import Claim, ClaimVerdict, Result, ResultTable, Row, Verdict
from dragoman.lab.experiments.adaptation.verdicts import BAG
from dragoman.lab.experiments.pretraining_domain.data import ARTICLES, FILMS
from dragoman.lab.rows import figures, named
from dragoman.lab.spread import Spread, difference, spread
from dragoman.plots.lab import Bars, draw_panels

RANDOM = "random start"
ARMS = (FILMS, ARTICLES, RANDOM)

STATEMENT = Claim(
    ("A41",),
    "the text of pretraining decides: 71.9 % after tweets, over 92 % after mathematics.",
)

HOW_CHOSEN = {
    True: "Every arm's rate was chosen among four by validation accuracy, on a split of its own, "
    "after half the steps.",
    False: "All arms have one rate, untried.",
}


def judge(rows: Sequence[Row]) -> ClaimVerdict:
    """Say whether text nearer to the task helps more, or only that there was some."""
    nearer = _against(rows, FILMS, ARTICLES)
    gained = {arm: _against(rows, arm, RANDOM) for arm in (FILMS, ARTICLES)}
    verdict: Verdict = "undecided"
    if not any(_over_majority(rows, arm).side_of(0.0) == "above" for arm in (FILMS, ARTICLES)):
        pass  # nothing was learned
    elif nearer.side_of(0.0) == "above":
        verdict = "confirmed"
    elif nearer.side_of(0.0) == "below":
        verdict = "refuted"
    elif any(one.side_of(0.0) == "above" for one in gained.values()):
        verdict = "corrected"
    shares = ", ".join(f"{arm} {_hundred(rows, arm, 'test_accuracy')} %" for arm in ARMS)
    first, last = named(rows, FILMS)[0], named(rows, RANDOM)[0]
    weights = f"{100 * first['share_pretrained']:.0f} % of its weights"
    return ClaimVerdict(
        STATEMENT,
        verdict,
        f"Right on Rotten Tomatoes: {shares}, the commonest class "
        f"{100 * fmean(figures(rows, FILMS, 'test_majority')):.1f} %. Film reviews minus articles "
        f"{_points(nearer)}, film reviews minus random {_points(gained[FILMS])}, articles minus "
        f"random {_points(gained[ARTICLES])}. Before the first step {first['tensors_pretrained']} "
        f"of the encoder's {first['encoder_tensors']} tensors ({weights}) were those of "
        f"pretraining, bit by bit; of the random start's {last['tensors_pretrained']}. In the "
        "notes' own comparison the tensors of the worse network probably never came over.",
    )


def tables(
    rows: Sequence[Row], pretrained: Sequence[Row], tried: Sequence[Row]
) -> list[ResultTable]:
    """Return the third task, what came before it, and the rates that were tried."""
    bag = named(rows, BAG)
    made = [
        ResultTable(
            "Rotten Tomatoes: per cent right",
            (
                "start", "rate", "tensors of pretraining", "training", "validation", "test",
                "macro-F1, test", "parameters", "seconds",
            ),
            [
                *(_line(rows, arm) for arm in ARMS),
                (
                    BAG, "–", "–", *(_hundred(rows, BAG, key) for key in SCORES),
                    f"{bag[0]['trained']:,}", "–",
                ),
                (
                    "commonest class", "–", "–", "–", "–", _hundred(rows, BAG, "test_majority"),
                    _hundred(rows, BAG, "test_majority_macro_f1"), "0", "–",
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
            [_before(row) for row in pretrained],
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
                        row["name"],
                        f"{row['rate']:g}",
                        f"{row['valid_loss']:.3f}",
                        f"{100 * row['valid_accuracy']:.1f}",
                    )
                    for row in tried
                ],
            )
        )
    return made


SCORES = ("train_accuracy", "valid_accuracy", "test_accuracy", "test_macro_f1")


def draw(result: Result, path: Path) -> None:
    """Draw what each start leads to, and how well each network guesses words of that text."""
    rows = result.rows
    names = (*ARMS, BAG)
    before = result.summary["pretraining"]
    panels = [
        Bars(
            "Rotten Tomatoes: right answers, %",
            names,
            [[100 * one for one in figures(rows, arm, "test_accuracy")] for arm in names],
            baseline=100 * fmean(figures(rows, BAG, "test_majority")),
            baseline_label="always the commonest class",
        ),
        Bars(
            "hidden words of Rotten Tomatoes: nats each",
            [row["name"] for row in before],
            [[row["third_loss"]] for row in before],
        ),
    ]
    draw_panels(panels, path, "What a network was pretrained on")


def _line(rows: Sequence[Row], arm: str) -> tuple[str, ...]:
    own = named(rows, arm)
    return (
        arm,
        "/".join(dict.fromkeys(f"{row['rate']:g}" for row in own)),
        f"{own[0]['tensors_pretrained']} of {own[0]['encoder_tensors']}",
        *(_hundred(rows, arm, key) for key in SCORES),
        f"{own[0]['parameters']:,}",
        spread(figures(rows, arm, "training_seconds")).written(0),
    )


def _before(row: Row) -> tuple[str, ...]:
    return (
        row["name"],
        f"{row['tokens_read']:,}",
        f"{row['own_loss']:.2f}",
        f"{100 * row['own_accuracy']:.1f}",
        f"{row['third_loss']:.2f}",
        f"{100 * row['third_accuracy']:.1f}",
        f"{row['seconds']:.0f}",
    )


def _against(rows: Sequence[Row], first: str, second: str) -> Spread:
    key = "test_accuracy"
    return difference(figures(rows, first, key), figures(rows, second, key))


def _over_majority(rows: Sequence[Row], arm: str) -> Spread:
    return difference(figures(rows, arm, "test_accuracy"), figures(rows, arm, "test_majority"))


def _hundred(rows: Sequence[Row], arm: str, key: str) -> str:
    return spread([100 * one for one in figures(rows, arm, key)]).written(1)


def _points(share: Spread) -> str:
    """Return a difference of shares in points of a hundred."""
    return Spread(100 * share.mean, 100 * share.deviation, share.count).interval(1)
