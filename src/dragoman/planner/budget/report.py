"""Budgets for people and for programs: tables, and JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dragoman.core.duration import written
from dragoman.planner.budget.check import PredictionCheck
from dragoman.planner.budget.plan import BudgetPlan
from dragoman.planner.budget.prediction import Prediction
from dragoman.planner.budget.prediction import as_json as prediction_json
from dragoman.planner.budget.proposal import SizedPrediction
from dragoman.planner.count.report import aligned, flops, memory
from dragoman.planner.measure import resident

HEAD = (
    "size", "parameters", "s/step", "FLOP/s", "steps", "tokens", "tokens/parameter", "epochs",
    "time", "memory",
)  # fmt: skip


def table(plan: BudgetPlan) -> str:
    """Write a plan for people: the recipe, what speaks against it, and the sizes."""
    one = plan.prediction
    machine = one.machine
    title = (
        f"{one.recipe.name}: {one.recipe.model.kind}, {one.recipe.task.kind}\n"
        f"{machine.cpu}, {machine.cores} cores, {machine.threads} threads"
    )
    parts = [title, aligned(_rows(plan), left=1)]
    if plan.sizes:
        parts.append(_sizes(plan))
    if plan.warnings:
        parts.append("\n".join(plan.warnings))
    return "\n\n".join(parts)


def _rows(plan: BudgetPlan) -> list[tuple[str, str]]:
    one = plan.prediction
    speed, unit = one.speed, units(one)
    rows = [
        ("parameters", f"{speed.parameters:,}"),
        ("seconds per step", f"{speed.seconds:.4f} ± {speed.error:.0%}"),
        ("FLOPs per step", flops(round(speed.flops))),
        ("FLOP/s reached", f"{flops(round(one.flops_per_second))}/s"),
        (f"{unit} per step", f"{speed.tokens:,.0f}"),
        ("steps" if not plan.budget.limits_steps else "steps that fit", f"{one.steps:,}"),
        (unit, f"{one.tokens:,.0f}"),
        ("epochs", f"{one.epochs:,.1f} of {one.corpus_tokens:,.0f} {unit}"),
        ("FLOPs", flops(round(one.flops))),
        ("time of steps", _time(one.steps * speed.seconds)),
        (f"time of {one.validations:,} validations", _time(one.validations * speed.validation)),
        (f"time of {one.checkpoints:,} checkpoints", _time(one.checkpoints * speed.checkpoint)),
        ("wall clock", _time(one.wall_clock)),
        ("memory of training", memory(speed.memory)),
        ("memory of the process", memory(resident(speed))),
    ]
    if plan.loss is not None:
        rows.append(("validation loss by the law", f"{plan.loss:.3f}"))
    if plan.extrapolates > 0:
        rows.append(("extrapolated by", f"{plan.extrapolates:.1f} orders of magnitude"))
    return rows


def _time(seconds: float) -> str:
    return written(seconds) if seconds >= 10 else f"{seconds:.1f} s"


def units(one: Prediction) -> str:
    """Return what a training's steps are counted in."""
    unit = one.recipe.task.unit
    return "tokens" if unit == "text" else f"{unit}s"


def _sizes(plan: BudgetPlan) -> str:
    law = plan.loss is not None
    rows = [(*HEAD, *(("loss",) if law else ())), *(_size(one, law) for one in plan.sizes)]
    said = ["Measured sizes have no ~; the others are interpolated between them."]
    chosen = plan.proposal
    if chosen is not None and chosen.prediction is not None:
        keys = [*chosen.size.changes, f"training.steps={chosen.prediction.steps}"]
        said.append(f"Proposed: {' '.join(keys)}")
        if law:
            said.append("It has the lowest loss by the law.")
        elif chosen.well_trained:
            said.append(
                f"It is the largest that meets {chosen.tokens_wanted} tokens for each parameter, "
                "a rule of thumb; `dragoman plan scaling` fits a law to your corpus."
            )
        else:
            said.append(
                "It is the smallest; the budget is too small to meet "
                f"{chosen.tokens_wanted} tokens for each of its parameters."
            )
    return aligned(rows, left=1) + "\n\n" + "\n".join(said)


def _size(one: SizedPrediction, law: bool) -> tuple[str, ...]:
    speed, made = one.size.speed, one.prediction
    loss = (f"{one.loss:.3f}" if one.loss is not None else "-",) if law else ()
    held = memory(resident(speed)) + ("" if one.fits_memory else " (too much)")
    seconds = f"{'' if one.size.measured else '~'}{speed.seconds:.4f}"
    reached = f"{flops(round(speed.flops / speed.seconds))}/s"
    fixed = (one.size.name, f"{speed.parameters:,}", seconds, reached)
    if made is None:
        return (*fixed, "0", "-", "-", "-", "-", held, *loss)
    return (
        *fixed,
        f"{made.steps:,}",
        f"{made.tokens:,.0f}",
        f"{one.tokens_per_parameter:.1f}",
        f"{made.epochs:.1f}",
        _time(made.wall_clock),
        held,
        *loss,
    )


def as_json(plan: BudgetPlan) -> dict[str, Any]:
    """Return a plan as plain values: the prediction, and beside it sizes and proposal."""
    return {
        **prediction_json(plan.prediction),
        "budget": asdict(plan.budget),
        "validation_loss": plan.loss,
        "orders_of_extrapolation": plan.extrapolates,
        "warnings": list(plan.warnings),
        "sizes": [_size_json(one) for one in plan.sizes],
        "proposal": _size_json(plan.proposal) if plan.proposal else None,
    }


def _size_json(one: SizedPrediction) -> dict[str, Any]:
    speed, made = one.size.speed, one.prediction
    return {
        "name": one.size.name,
        "changes": list(one.size.changes),
        "measured": one.size.measured,
        "parameters": speed.parameters,
        "seconds_per_step": speed.seconds,
        "flops_per_step": speed.flops,
        "steps": made.steps if made else 0,
        "tokens": made.tokens if made else 0.0,
        "epochs": made.epochs if made else 0.0,
        "wall_clock_seconds": made.wall_clock if made else None,
        "process_memory_bytes": resident(speed),
        "fits_memory": one.fits_memory,
        "validation_loss": one.loss,
    }


def check_table(check: PredictionCheck) -> str:
    """Write predicted beside measured seconds."""
    rows = [("", "predicted", "measured", "measured/predicted"), *map(_checked, check.rows)]
    parts = [aligned(rows, left=1)]
    if check.steps != check.predicted_steps:
        parts.append(
            f"The log has the times of {check.steps:,} steps; the prediction was for "
            f"{check.predicted_steps:,}."
        )
    if check.differences:
        parts.append(f"The run has another recipe: {', '.join(check.differences)} differ.")
    return "\n\n".join(parts)


def _checked(row: tuple[str, float, float]) -> tuple[str, str, str, str]:
    name, predicted, measured = row
    return name, f"{predicted:,.4g}", f"{measured:,.4g}", f"{measured / predicted:.3f}"


def check_json(check: PredictionCheck) -> dict[str, Any]:
    """Return predicted and measured seconds as plain values."""
    keys = ("what", "predicted", "measured", "ratio")
    rows: Sequence[tuple[str, float, float]] = check.rows
    return {
        "steps": check.steps,
        "predicted_steps": check.predicted_steps,
        "differences": list(check.differences),
        "rows": [dict(zip(keys, (*row, row[2] / row[1]), strict=True)) for row in rows],
    }
