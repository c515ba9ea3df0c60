"""The report of scaling laws: tables for people, a record for programs, plots and a page."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dragoman.core.files import write_atomic
from dragoman.planner.scaling.interval import ConfidenceInterval
from dragoman.planner.scaling.laws import ComputeOptimalLine, ProfileFit, Proposal, ScalingLaws
from dragoman.plots.scaling import ScalingPlot, draw_scaling
from dragoman.plots.scaling_page import PageTable, draw_scaling_page

FORMAT, VERSION = "dragoman-scaling", 1
NAMES = tuple(f"scaling.{end}" for end in ("md", "json", "png", "html"))
NOTE = (
    "Intervals are 95 %, by residual bootstrap over runs. Parabolas are biased even without noise "
    "where the exponents differ or sizes lie off the optimum (arXiv 2603.22339); the parametric "
    "law L(N, D) = E + A/N^alpha + B/D^beta is fitted to the same points by variable projection."
)


def tables(laws: ScalingLaws, proposals: Sequence[Proposal]) -> list[PageTable]:
    """Return the optima of the budgets, the laws, and what they propose."""
    found = [PageTable("Compute-optimal sizes", PROFILE_HEADER, [*map(_row(laws), laws.profiles)])]
    rows = [
        (f"{name}, exponent", f"{line.law.exponent:.3f}", _range(line.exponent, ".3f"))
        for name, line in (("N*(C), parabolas", laws.parameters), ("D*(C), parabolas", laws.tokens))
        if line
    ]
    if laws.parametric:
        law = laws.parametric
        rows += [
            (f"parametric law, {name}", f"{value:.4g}", _range(law.interval(key), ".4g"))
            for name, key, value in (
                ("E", "e", law.law.e), ("A", "a", law.law.a), ("alpha", "alpha", law.law.alpha),
                ("B", "b", law.law.b), ("beta", "beta", law.law.beta),
            )
        ]  # fmt: skip
    if rows:
        found.append(PageTable("Laws", ("", "value", "95 % interval"), rows))
    if proposals:
        proposed = [row for one in proposals for row in _proposal_rows(one)]
        found.append(PageTable("Proposals", PROPOSAL_HEADER, proposed))
    return found


PROFILE_HEADER = (
    "budget (FLOPs)", "sizes", "N*", "95 % interval", "D*", "loss there", "N* by the law", "ratio",
)  # fmt: skip
PROPOSAL_HEADER = (
    "budget (FLOPs)", "by", "parameters", "95 % interval", "tokens", "95 % interval", "",
)  # fmt: skip


def _row(laws: ScalingLaws) -> Any:
    def row(one: ProfileFit) -> tuple[str, ...]:
        sizes = str(len({point.parameters for point in one.points}))
        law = laws.parametric.optimum(one.budget).parameters if laws.parametric else None
        by_law = count_text(law) if law else ""
        if one.parabola is None or one.optimum is None or one.tokens is None:
            return (f"{one.budget:.3g}", sizes, "none", "", "", "", by_law, "")
        return (
            f"{one.budget:.3g}",
            sizes,
            count_text(one.parabola.optimum),
            _range(one.optimum),
            count_text(one.tokens),
            f"{one.parabola.lowest:.3f}",
            by_law,
            f"{one.parabola.optimum / law:.2f}" if law else "",
        )

    return row


def _proposal_rows(one: Proposal) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        (
            f"{one.flops:.3g}",
            "parabolas",
            count_text(one.parameters),
            _range(one.parameters_interval),
            count_text(one.tokens),
            _range(one.tokens_interval),
            one.extrapolates,
        )
    ]
    if one.by_law and one.by_law_intervals:
        sizes, tokens = one.by_law_intervals
        apart = one.parameters / one.by_law.parameters
        rows.append(
            (
                f"{one.flops:.3g}",
                "parametric law",
                count_text(one.by_law.parameters),
                _range(sizes),
                count_text(one.by_law.tokens),
                _range(tokens),
                f"the parabolas' N* is {apart:.2f} times as large",
            )
        )
    return rows


def count_text(value: float) -> str:
    """Return a count as people read it: 48,213 or 1.94e+06."""
    return f"{value:,.0f}" if value < 1e6 else f"{value:.3g}"


def _range(interval: ConfidenceInterval, form: str = "") -> str:
    low, high = (
        f"{one:{form}}" if form else count_text(one) for one in (interval.low, interval.high)
    )
    return f"{low} to {high}"


def markdown(title: str, about: str, shown: Sequence[PageTable], notes: Sequence[str]) -> str:
    """Return the report as Markdown that also reads well as it stands."""
    blocks = [f"# {title}", about]
    for table in shown:
        blocks += [f"## {table.title}", "\n".join(_lines(table))]
    return "\n\n".join([*blocks, *notes]) + "\n"


def _lines(table: PageTable) -> list[str]:
    rows = [table.header, *table.rows]
    widths = [max(len(row[place]) for row in rows) for place in range(len(table.header))]
    rule = tuple("-" * widths[0] if not place else "-" * (max(2, width) - 1) + ":"
                 for place, width in enumerate(widths))  # fmt: skip
    return [
        "| " + " | ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ) + " |"
        for row in (table.header, rule, *table.rows)
    ]  # fmt: skip


def record(laws: ScalingLaws, proposals: Sequence[Proposal]) -> dict[str, Any]:
    """Return the laws for programs, every number in plain units."""
    law = laws.parametric
    return {
        "format": FORMAT,
        "version": VERSION,
        "profiles": [
            {
                "budget": one.budget,
                "optimum": one.parabola.optimum if one.parabola else None,
                "optimum_interval": _pair(one.optimum),
                "tokens": one.tokens,
                "tokens_interval": _pair(one.tokens_interval),
                "lowest_loss": one.parabola.lowest if one.parabola else None,
                "optimum_by_law": law.optimum(one.budget).parameters if law else None,
                "refusal": one.refusal or None,
            }
            for one in laws.profiles
        ],
        "parameters": _line_record(laws.parameters),
        "tokens": _line_record(laws.tokens),
        "parametric": None
        if law is None
        else {
            **{key: getattr(law.law, key) for key in ("e", "a", "alpha", "b", "beta")},
            "alpha_interval": _pair(law.interval("alpha")),
            "beta_interval": _pair(law.interval("beta")),
            "residual_deviation": law.deviation,
        },
        "proposals": [_proposal_record(one) for one in proposals],
        "refusals": [*laws.refusals],
        "points": [
            {
                "parameters": one.parameters, "tokens": one.tokens, "flops": one.flops,
                "budget": one.budget, "loss": one.loss, "seed": one.seed,
            }
            for one in laws.points
        ],
    }  # fmt: skip


def _line_record(line: ComputeOptimalLine | None) -> dict[str, Any] | None:
    if line is None:
        return None
    return {
        "exponent": line.law.exponent,
        "exponent_interval": _pair(line.exponent),
        "reference_flops": line.law.reference,
        "value_at_reference": line.law.value,
    }


def _proposal_record(one: Proposal) -> dict[str, Any]:
    by_law = one.by_law and {
        "parameters": one.by_law.parameters,
        "tokens": one.by_law.tokens,
        "parameters_interval": one.by_law_intervals and _pair(one.by_law_intervals[0]),
        "tokens_interval": one.by_law_intervals and _pair(one.by_law_intervals[1]),
    }
    return {
        "flops": one.flops,
        "orders_of_extrapolation": one.orders,
        "parameters": one.parameters,
        "parameters_interval": _pair(one.parameters_interval),
        "tokens": one.tokens,
        "tokens_interval": _pair(one.tokens_interval),
        "by_law": by_law,
    }


def _pair(interval: ConfidenceInterval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]


def write_report(
    folder: Path, plot: ScalingPlot, laws: ScalingLaws, proposals: Sequence[Proposal],
    notes: Sequence[str],
) -> dict[str, Any]:  # fmt: skip
    """Write the four files of a report; return the record."""
    shown = tables(laws, proposals)
    told = [NOTE, *notes]
    found = record(laws, proposals)
    write_atomic(folder / "scaling.md", markdown(plot.title, plot.subtitle, shown, told))
    write_atomic(folder / "scaling.json", json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    draw_scaling(plot, folder / "scaling.png")
    draw_scaling_page(plot, shown, told, folder / "scaling.html")
    return found
