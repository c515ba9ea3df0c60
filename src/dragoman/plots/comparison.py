"""Several recipes side by side: how they learn, how they end, and what length does to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

from dragoman.core.errors import DataError
from dragoman.plots.canvas import FAINT, INK, add_panel, frame, new_figure, save
from dragoman.plots.lettering import letter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#b8860b", "#4d4d4d")
"""Told apart with any eyes (after Okabe & Ito); further recipes begin them again, dashed."""

DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.2, 1.4)), (0, (6, 1.5, 1.2, 1.5)))
LEFT, GAP, TOP, BETWEEN = 0.7, 0.5, 1.05, 0.85
WIDE, HIGH, BARS = 6.0, 3.1, 3.4
ROW = 0.34  # of a bar and the space to the next; all of these in inches
FRAME = "#b6bec7"


@dataclass(frozen=True)
class Contestant:
    """One recipe's figures."""

    name: str
    curves: Sequence[Sequence[Mapping[str, float]]]
    """For each seed a point for each validation: minutes, tokens, bleu, chrf."""

    final: Mapping[str, Sequence[float]]
    """For each test set the BLEU of each seed."""

    by_length: Mapping[str, float]
    """BLEU of the first test set by the words of the source."""


@dataclass(frozen=True)
class _LineStyle:
    """How a recipe is drawn wherever it is drawn."""

    color: str
    dash: Any


def draw_comparison(
    contestants: Sequence[Contestant],
    path: Path,
    subtitle: str,
    *,
    over: Literal["minutes", "tokens"],
) -> None:
    """Draw the recipes as a PNG: validation chrF on the way, BLEU at the end, BLEU by length."""
    if not contestants:
        raise DataError(f"{path}: there is nothing to plot; no recipe is finished.")
    looks = [_look(number) for number in range(len(contestants))]
    tests = [*contestants[0].final]
    labels = letter([each.name for each in contestants])
    names = 0.08 * max(map(len, labels.labels)) + 0.6  # inches that the recipes' names take
    bars = max(ROW * len(contestants), min(HIGH, 2 * ROW * len(contestants)))
    below = max(HIGH, bars) + BETWEEN  # from the top of one row of panels to the next
    wide = LEFT + WIDE + GAP + names + BARS + 0.6
    tall = TOP + max(2, len(tests)) * below
    figure = new_figure(wide, tall)
    _draw_curves(add_panel(figure, LEFT, TOP, WIDE, below - BETWEEN), contestants, looks, over)
    lengths = add_panel(figure, LEFT, TOP + below, WIDE, below - BETWEEN)
    _draw_lengths(lengths, contestants, looks, tests[0])
    most = max(max(values) for each in contestants for values in each.final.values())
    for number, test in enumerate(tests):
        panel = add_panel(figure, LEFT + WIDE + GAP + names, TOP + number * below, BARS, bars)
        _draw_bars(panel, contestants, looks, test)
        panel.set_xlim(0, max(most, 1.0) * 1.16)  # room for the figure
        panel.set_yticklabels(labels.labels, fontfamily=list(labels.families), parse_math=False)
    title = f"Comparison of {len(contestants)} recipes" if len(contestants) > 1 else "One recipe"
    figure.text(LEFT / wide, 1 - 0.35 / tall, title, fontsize=13, fontweight="bold", color=INK)
    figure.text(LEFT / wide, 1 - 0.6 / tall, subtitle, fontsize=9, color=FAINT)
    save(figure, path)


def _look(number: int) -> _LineStyle:
    times, which = divmod(number, len(COLORS))
    return _LineStyle(COLORS[which], DASHES[times % len(DASHES)])


def mean_curve(seeds: Sequence[Sequence[tuple[float, float]]]) -> list[tuple[float, float]]:
    """Average the points of several runs one by one, as far as all of them go."""
    looks = zip(*seeds, strict=False)
    return [(fmean(x for x, _ in look), fmean(y for _, y in look)) for look in looks]


def _draw_curves(
    panel: "Axes", contestants: Sequence[Contestant], looks: Sequence[_LineStyle], over: str
) -> None:
    from matplotlib.ticker import EngFormatter, MaxNLocator

    for each, look in zip(contestants, looks, strict=True):
        seeds = [[(point[over], point["chrf"]) for point in curve] for curve in each.curves]
        for line in seeds if len(seeds) > 1 else ():
            panel.plot(*zip(*line, strict=True), color=look.color, linewidth=0.8, alpha=0.45)
        mean = mean_curve(seeds)
        if mean:
            panel.plot(
                *zip(*mean, strict=True), color=look.color, linestyle=look.dash, linewidth=1.8,
                marker="o", markersize=3.2,
            )  # fmt: skip
    frame(panel, "chrF on the validation set (greedy search)")
    panel.set_xlim(left=0)
    panel.set_ylim(bottom=0)
    panel.xaxis.set_major_locator(MaxNLocator(nbins=7))
    if over == "tokens":
        panel.xaxis.set_major_formatter(EngFormatter(sep=""))
        panel.set_xlabel("target tokens", color=FAINT, fontsize=9)
    else:
        panel.set_xlabel("training time (minutes)", color=FAINT, fontsize=9)


def _draw_lengths(
    panel: "Axes", contestants: Sequence[Contestant], looks: Sequence[_LineStyle], test: str
) -> None:
    buckets = [*contestants[0].by_length]
    for each, look in zip(contestants, looks, strict=True):
        panel.plot(
            range(len(buckets)), [each.by_length[bucket] for bucket in buckets],
            color=look.color, linestyle=look.dash, linewidth=1.8, marker="o", markersize=3.2,
        )  # fmt: skip
    frame(panel, f"BLEU by source length: {test}")
    panel.set_xticks(range(len(buckets)), buckets)
    panel.set_xlim(-0.3, max(len(buckets) - 0.7, 0.3))
    panel.set_ylim(bottom=0)
    panel.set_xlabel("source length (words)", color=FAINT, fontsize=9)


def _draw_bars(
    panel: "Axes", contestants: Sequence[Contestant], looks: Sequence[_LineStyle], test: str
) -> None:
    """Draw a bar for each recipe; its name and a sample of its line stand before it."""
    places = range(len(contestants))
    frame(panel, f"final BLEU: {test}", grid="x")
    for place, each, look in zip(places, contestants, looks, strict=True):
        values = each.final[test]
        mean = fmean(values)
        panel.barh(place, mean, height=0.56, color=look.color, alpha=0.3, linewidth=0)
        panel.plot([mean, mean], [place - 0.28, place + 0.28], color=look.color, linewidth=1.8)
        if len(values) > 1:
            panel.plot(values, [place] * len(values), "o", color=look.color, markersize=3.6)
        panel.annotate(
            f"{mean:.1f}", (max(values), place), textcoords="offset points", xytext=(6, 0),
            va="center", fontsize=8.5, color=INK,
        )  # fmt: skip
        panel.plot(
            [-0.135, -0.03], [place, place], transform=panel.get_yaxis_transform(), clip_on=False,
            color=look.color, linestyle=look.dash, linewidth=1.8,
        )  # fmt: skip
    panel.set_yticks(places)
    panel.tick_params(axis="y", length=0, pad=BARS * 72 * 0.15, labelsize=9, labelcolor=INK)
    panel.set_ylim(len(contestants) - 0.45, -0.55)  # the first one on top
