"""Training curves of a run: loss, quality and learning rate over the steps."""

from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING

from dragoman.core.errors import DataError
from dragoman.plots.canvas import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    ORANGE,
    add_panel,
    frame,
    new_figure,
    save,
)
from dragoman.plots.lettering import letter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = Mapping[str, float | str]
Line = tuple[list[float], list[float]]  # steps and values

WIDTH, HEIGHTS = 7.5, {"loss": 3.0, "quality": 2.3, "rate": 1.2}
ABOVE, BELOW = 8, -15  # where a figure stands, in points from its ring
QUALITY = {
    "bleu": "BLEU",
    "chrf": "chrF",
    "macro_f1": "macro-F1",
    "accuracy": "accuracy",
    "exact_spans": "exact spans",
    "rebuilt": "explained variance",
}
"""Figures of a validation that are drawn; a run has two of them at most."""
SMOOTH_FROM = 60  # points; fewer need no running mean


def draw_curves(rows: Sequence[Row], path: Path, title: str) -> None:
    """Draw the rows of a run's metrics as a PNG: loss, quality, rate, as far as there are."""
    loss = {kind: _line(rows, kind, "loss") for kind in ("train", "validation")}
    quality = {name: _line(rows, "validation", key) for key, name in QUALITY.items()}
    rate = _line(rows, "train", "rate")
    present = {
        "loss": any(steps for steps, _ in loss.values()),
        "quality": any(steps for steps, _ in quality.values()),
        "rate": bool(rate[0]),
    }
    names = [name for name, there in present.items() if there]
    if not names:
        raise DataError(f"{path}: there is nothing to plot yet; no row has a loss or a score.")

    figure = new_figure(WIDTH + 1.2, sum(HEIGHTS[name] + 0.45 for name in names) + 1.2)
    panels, top = {}, 0.8
    for name in names:
        panels[name] = add_panel(figure, 0.9, top, WIDTH, HEIGHTS[name])
        top += HEIGHTS[name] + 0.45
    furthest = max(max(line[0], default=0.0) for line in (*loss.values(), *quality.values(), rate))
    for panel in panels.values():
        _dress_steps(panel, furthest, last=panel is panels[names[-1]])
    if "loss" in panels:
        unit = "example" if quality["macro-F1"][0] else "token"
        name = f"loss (nats per {unit})"
        if quality["explained variance"][0]:
            name = "mean squared error per pixel"
        _draw_loss(panels["loss"], loss["train"], loss["validation"], name)
    if "quality" in panels:
        _draw_quality(panels["quality"], {name: q for name, q in quality.items() if q[0]})
    if "rate" in panels:
        _draw_rate(panels["rate"], rate)

    heading = letter([title])
    high = figure.get_size_inches()[1]
    figure.text(
        0.9 / (WIDTH + 1.2), 1 - 0.45 / high, heading.labels[0], fontsize=13, fontweight="bold",
        color=INK, fontfamily=list(heading.families), parse_math=False,
    )  # fmt: skip
    save(figure, path)


def _line(rows: Sequence[Row], kind: str, name: str) -> Line:
    """Pick one figure out of the rows; what is not finite is left out."""
    points = [
        (float(row["step"]), float(row[name]))
        for row in rows
        if row.get("kind") == kind and name in row and "step" in row
    ]
    good = sorted(point for point in points if isfinite(point[1]))
    return [step for step, _ in good], [value for _, value in good]


def _dress_steps(panel: "Axes", furthest: float, *, last: bool) -> None:
    """Give a panel its frame: two quiet axes and a faint grid."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    frame(panel)
    panel.set_xlim(0, max(furthest, 1.0) * 1.01)
    panel.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    panel.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    if last:
        panel.set_xlabel("step", color=FAINT, fontsize=9)
    else:
        panel.tick_params(labelbottom=False)


def _draw_loss(panel: "Axes", train: Line, validation: Line, name: str) -> None:
    noisy = len(train[0]) >= SMOOTH_FROM
    if train[0]:
        smooth = _running_mean(train[1]) if noisy else train[1]
        dot = "o" if len(smooth) == 1 else ""  # a line of one point would not be seen
        panel.plot(train[0], smooth, color=BLUE, linewidth=1.8, marker=dot, label="training")
    if noisy:
        panel.plot(*train, color=BLUE, linewidth=0.8, alpha=0.3, zorder=1.5)
    if validation[0]:
        panel.plot(*validation, color=ORANGE, linewidth=1.8, marker="o", markersize=4,
                   label="validation")  # fmt: skip
        _mark(panel, validation, ORANGE, min(validation[1]), "{:.3f}")
    _head(panel, name)


def _draw_quality(panel: "Axes", lines: Mapping[str, Line]) -> None:
    highest = max(max(line[1]) for line in lines.values())
    form = "{:.1f}" if highest > 1.0 else "{:.3f}"  # a score of a hundred, or a share
    for number, (name, line) in enumerate(lines.items()):
        color = (GREEN, BLUE)[number % 2]
        panel.plot(*line, color=color, linewidth=1.8, marker="o", markersize=4, label=name)
        beside = BELOW if number == 0 and len(lines) > 1 else ABOVE  # two are often close
        _mark(panel, line, color, max(line[1]), form, beside)
    panel.set_ylim(0, max(highest, 1.0) * 1.2)  # room for the figure above the line
    _head(panel, "quality on the validation set")


def _draw_rate(panel: "Axes", rate: Line) -> None:
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    panel.plot(*rate, color=FAINT, linewidth=1.4)
    panel.set_ylim(bottom=0)
    panel.yaxis.set_major_locator(MaxNLocator(nbins=4, steps=[1, 2, 5, 10]))
    panel.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    _head(panel, "learning rate")


def _head(panel: "Axes", name: str) -> None:
    """Name the panel at its upper left, and its lines at the upper right."""
    panel.set_title(name, loc="left", fontsize=9.5, color=INK, pad=6)
    if panel.get_legend_handles_labels()[0]:
        panel.legend(
            loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False, fontsize=8.5,
            labelcolor=INK, handlelength=1.4, borderaxespad=0.1,
        )  # fmt: skip


def _mark(
    panel: "Axes", line: Line, color: str, best: float, form: str, beside: int = ABOVE
) -> None:
    """Ring the best point and write its value beside it."""
    step = line[0][line[1].index(best)]
    panel.plot([step], [best], marker="o", markersize=8, markerfacecolor="none", color=color)
    panel.annotate(
        form.format(best), (step, best), textcoords="offset points",
        xytext=(0, beside), ha="center", fontsize=8.5, color=color,
    )  # fmt: skip


def _running_mean(values: Sequence[float]) -> list[float]:
    """Average over about a thirtieth of the run, centred, with shorter windows at the ends."""
    reach = max(len(values) // 60, 1)
    sums = [0.0]
    for value in values:
        sums.append(sums[-1] + value)
    spans = ((max(i - reach, 0), min(i + reach + 1, len(values))) for i in range(len(values)))
    return [(sums[end] - sums[begin]) / (end - begin) for begin, end in spans]
