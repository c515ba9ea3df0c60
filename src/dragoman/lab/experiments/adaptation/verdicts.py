"""What became of the statements about adaptation, with the tables and the picture."""

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from dragoman.lab.experiment import Claim, ClaimVerdict, Result, ResultTable, Row, Verdict
from dragoman.lab.rows import figures, named
from dragoman.lab.spread import Sign, Spread, difference, spread
from dragoman.plots.lab import Bars, draw_panels

FROZEN, FULL, LORA, PREFIX, BAG = "frozen", "full", "LoRA", "prefix", "bag of words"
ARMS = (FROZEN, FULL, LORA, PREFIX)
ARITHMETIC, TOMATOES = "verbal arithmetic", "Rotten Tomatoes"
TASKS = (ARITHMETIC, TOMATOES)

FASTER = Claim(("A39",), "freezing the body shortens training.")
ACCURACY = Claim(
    ("A40",), "on verbal arithmetic a frozen body gives 74.5 %, and full fine-tuning over 92 %."
)
ALL_OR_FEW = Claim(
    ("D38", "D40"),
    "full fine-tuning changes all weights; prefix tuning adds some and trains only these.",
)
OVERFITTING = Claim(("D39",), "training few weights overfits less than training all.")
EASIER = Claim(("D41",), "LoRA is easier than a prefix.")
STATEMENTS = (FASTER, ACCURACY, ALL_OR_FEW, OVERFITTING, EASIER)

HOW_CHOSEN = {
    True: "Rates were chosen for each arm and task among three by validation loss, on a split of "
    "its own, after half of the steps",
    False: "Each arm has the middle one of its three rates, untried",
}
BAG_CHOSEN = "a bag's decay was chosen among four by validation accuracy."


def findings(rows: Sequence[Row]) -> list[ClaimVerdict]:
    """Judge every statement."""
    return [
        judge_speed(rows),
        judge_frozen(rows),
        judge_counts(rows),
        judge_overfitting(rows),
        judge_ease(rows),
    ]


def of_task(rows: Sequence[Row], task: str) -> list[Row]:
    """Return the rows of a task."""
    return [row for row in rows if row["task"]["name"] == task]


def judge_speed(rows: Sequence[Row]) -> ClaimVerdict:
    """Say whether an epoch takes less time with a frozen body, and by how much."""
    times = {}
    for task in TASKS:
        frozen = _values(rows, task, FROZEN, "seconds_per_epoch")
        full = _values(rows, task, FULL, "seconds_per_epoch")
        times[task] = spread([slow / fast for fast, slow in zip(frozen, full, strict=True)])
    sides = {one.side_of(1.0) for one in times.values()}
    told = "; ".join(
        f"{task}: {_spread(rows, task, FULL, 'seconds_per_epoch').written(2)} s an epoch in full, "
        f"{_spread(rows, task, FROZEN, 'seconds_per_epoch').written(2)} s frozen, "
        f"{one.written(2)} times as long"
        for task, one in times.items()
    )
    return ClaimVerdict(
        FASTER,
        _agreed(sides),
        f"{told}. The forward pass stays, and the backward pass, which costs about twice that, "
        "goes: at most about three times.",
    )


def judge_frozen(rows: Sequence[Row]) -> ClaimVerdict:
    """Say whether a frozen body is no better than the commonest class, and full far better."""
    better = _against(rows, ARITHMETIC, FULL, FROZEN, "test_accuracy")
    above = _over_majority(rows, ARITHMETIC, FROZEN)
    verdict: Verdict = "undecided"
    if better.side_of(0.0) == "below":
        verdict = "refuted"
    elif better.side_of(0.0) == "above":
        verdict = "corrected" if above.side_of(0.0) == "above" else "confirmed"
    shares = {
        arm: (
            _percent(rows, ARITHMETIC, arm, "valid_accuracy"),
            _percent(rows, ARITHMETIC, arm, "test_accuracy"),
            _percent(rows, ARITHMETIC, arm, "test_macro_f1"),
        )
        for arm in (FROZEN, FULL)
    }
    told = "; ".join(
        f"{arm}: {valid.written(1)} % of the 192 rows of the notes, {test.written(1)} % of 160 "
        f"others, macro-F1 {f1.written(1)} %"
        for arm, (valid, test, f1) in shares.items()
    )
    first = named(of_task(rows, ARITHMETIC), FROZEN)[0]
    return ClaimVerdict(
        ACCURACY,
        verdict,
        f"{told}. Always answering the commonest class: {100 * first['valid_majority']:.1f} % and "
        f"{100 * first['test_majority']:.1f} %. On the 160, frozen minus the commonest class "
        f"{_points(above)}, full minus frozen {_points(better)}.",
    )


def judge_counts(rows: Sequence[Row]) -> ClaimVerdict:
    """Say what was trained, and what stayed to the last bit."""
    full = [row for task in TASKS for row in named(of_task(rows, task), FULL)]
    few = [row for task in TASKS for row in named(of_task(rows, task), PREFIX)]
    whole = all(row["trained"] == row["parameters"] for row in full)
    untouched = all(row["base_unchanged"] == row["base_tensors"] for row in few)
    changed = fmean(1 - row["base_unchanged"] / row["base_tensors"] for row in full)
    return ClaimVerdict(
        ALL_OR_FEW,
        "confirmed" if whole and untouched and changed > 0 else "refuted",
        f"Full: {full[0]['trained']:,} of {full[0]['parameters']:,} trained, and "
        f"{100 * changed:.0f} % of the tensors have other bits afterwards. Prefix: "
        f"{few[0]['trained']:,} trained, the new head among them; of {few[0]['base_tensors']} "
        f"tensors of the network {few[0]['base_unchanged']} keep every bit.",
    )


def judge_overfitting(rows: Sequence[Row]) -> ClaimVerdict:
    """Say whether LoRA and a prefix lose less from the training texts to unseen ones.

    Who fits the training texts less has less to lose: where such an arm also sorts fewer unseen
    texts rightly, the statement holds for another reason than it says.
    """
    learned = [t for t in TASKS if _over_majority(rows, t, FULL).side_of(0.0) == "above"]
    sides: set[Sign] = set()
    worse, told = False, []
    for task in TASKS:
        for arm in (LORA, PREFIX):
            less = difference(gaps(rows, task, FULL), gaps(rows, task, arm))
            accuracy = _against(rows, task, arm, FULL, "test_accuracy")
            told.append(f"{task}, {arm}: {less.interval(2)} and {_points(accuracy)}")
            if task in learned:
                sides.add(less.side_of(0.0))
                worse = worse or accuracy.side_of(0.0) == "below"
    verdict = _agreed(sides)
    if verdict == "confirmed" and worse:
        verdict = "corrected"
    own = ", ".join(
        f"{task} {arm} {spread(gaps(rows, task, arm)).written(2)}" for task in TASKS for arm in ARMS
    )
    return ClaimVerdict(
        OVERFITTING,
        verdict,
        f"Loss on the test minus loss on the training texts, in nats: {own}. That of full minus "
        f"that of the arm, and accuracy of the arm minus that of full: {'; '.join(told)}.",
    )


def judge_ease(rows: Sequence[Row]) -> ClaimVerdict:
    """Say which of two arms with equally many weights gets further with the same effort."""
    ahead = {task: _against(rows, task, LORA, PREFIX, "test_accuracy") for task in TASKS}
    sides = {one.side_of(0.0) for one in ahead.values()}
    verdict: Verdict = "undecided"
    if {"above", "below"} <= sides:
        verdict = "corrected"
    elif "above" in sides:
        verdict = "confirmed"
    elif "below" in sides:
        verdict = "refuted"
    weights = ", ".join(
        f"{arm} {named(of_task(rows, ARITHMETIC), arm)[0]['trained']:,}" for arm in (LORA, PREFIX)
    )
    told = "; ".join(f"{task} {_points(one)}" for task, one in ahead.items())
    return ClaimVerdict(
        EASIER,
        verdict,
        "Easier is taken to mean more right answers after equally many steps and trials, with "
        f"equally many weights ({weights}). Accuracy of LoRA minus that of a prefix: {told}.",
    )


def gaps(rows: Sequence[Row], task: str, arm: str) -> list[float]:
    """Return the loss on the test minus that on the training texts, seed by seed."""
    test, train = (_values(rows, task, arm, f"{name}_loss") for name in ("test", "train"))
    return [one - other for one, other in zip(test, train, strict=True)]


def tables(rows: Sequence[Row], tried: Sequence[Row]) -> list[ResultTable]:
    """Return a table for each task, and one of the rates that were tried."""
    made = [_table(of_task(rows, task), task, tuned=bool(tried)) for task in TASKS]
    if tried:
        made.append(
            ResultTable(
                "Rates tried: validation loss after half of the steps",
                ("task", "arm", "rate", "loss", "accuracy, %"),
                [
                    (
                        row["task"]["name"],
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


def draw(result: Result, path: Path) -> None:
    """Draw accuracy, time and the gap between training texts and unseen ones."""
    rows = result.rows
    panels = []
    for task in TASKS:
        own = of_task(rows, task)
        panels.append(
            Bars(
                f"{task}: right answers, %",
                (*ARMS, BAG),
                [[100 * one for one in figures(own, arm, "test_accuracy")] for arm in (*ARMS, BAG)],
                baseline=100 * fmean(figures(own, BAG, "test_majority")),
                baseline_label="always the commonest class",
            )
        )
    reviews = of_task(rows, TOMATOES)
    panels.append(
        Bars(
            f"{TOMATOES}: seconds an epoch",
            ARMS,
            [figures(reviews, arm, "seconds_per_epoch") for arm in ARMS],
        )
    )
    panels.append(
        Bars(
            f"{TOMATOES}: loss, test minus training",
            ARMS,
            [gaps(rows, TOMATOES, arm) for arm in ARMS],
        )
    )
    draw_panels(panels, path, "Ways to adapt a pretrained network")


def _table(rows: Sequence[Row], task: str, *, tuned: bool) -> ResultTable:
    lines = []
    for arm in ARMS:
        own = named(rows, arm)
        lines.append(
            (
                arm,
                "/".join(dict.fromkeys(f"{row['rate']:g}" for row in own)),
                f"{own[0]['trained']:,}",
                *_scores(rows, arm),
                spread(gaps(rows, task, arm)).written(2),
                spread(figures(rows, arm, "seconds_per_epoch")).written(1),
                f"{own[0]['base_unchanged']} of {own[0]['base_tensors']}",
            )
        )
    bag = named(rows, BAG)
    lines.append((BAG, "–", f"{bag[0]['trained']:,}", *_scores(rows, BAG), "–", "–", "–"))
    lines.append(
        (
            "commonest class", "–", "0",
            *(_hundred(rows, BAG, f"{one}_majority") for one in ("train", "valid", "test")),
            _hundred(rows, BAG, "test_majority_macro_f1"), "–", "–", "–",
        )
    )  # fmt: skip
    epochs = spread(figures(rows, FULL, "epochs")).written(1)
    note = f"{epochs} epochs. {HOW_CHOSEN[tuned]}; {BAG_CHOSEN}"
    if task == ARITHMETIC:
        note += " The validation set is the 192 rows of the notes."
    return ResultTable(
        f"{task}: per cent right, of {named(rows, FULL)[0]['parameters']:,} weights",
        (
            "arm", "rate", "trained", "training", "validation", "test", "macro-F1, test",
            "loss, test − training", "s/epoch", "tensors unchanged",
        ),
        lines,
        note,
    )  # fmt: skip


def _scores(rows: Sequence[Row], arm: str) -> tuple[str, ...]:
    keys = ("train_accuracy", "valid_accuracy", "test_accuracy", "test_macro_f1")
    return tuple(_hundred(rows, arm, key) for key in keys)


def _hundred(rows: Sequence[Row], arm: str, key: str) -> str:
    return spread([100 * one for one in figures(rows, arm, key)]).written(1)


def _values(rows: Sequence[Row], task: str, arm: str, key: str) -> list[float]:
    return figures(of_task(rows, task), arm, key)


def _spread(rows: Sequence[Row], task: str, arm: str, key: str) -> Spread:
    return spread(_values(rows, task, arm, key))


def _percent(rows: Sequence[Row], task: str, arm: str, key: str) -> Spread:
    return spread([100 * one for one in _values(rows, task, arm, key)])


def _against(rows: Sequence[Row], task: str, first: str, second: str, key: str) -> Spread:
    return difference(_values(rows, task, first, key), _values(rows, task, second, key))


def _over_majority(rows: Sequence[Row], task: str, arm: str) -> Spread:
    own = of_task(rows, task)
    return difference(figures(own, arm, "test_accuracy"), figures(own, arm, "test_majority"))


def _points(share: Spread) -> str:
    """Return a difference of shares in points of a hundred."""
    return Spread(100 * share.mean, 100 * share.deviation, share.count).interval(1)


def _agreed(sides: set[Sign]) -> Verdict:
    """Return the verdict where a figure should lie above, from where it lies in each case."""
    if "below" in sides:
        return "refuted"
    return "confirmed" if sides == {"above"} else "undecided"
