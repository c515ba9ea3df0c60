"""The files of an experiment's result: result.json, table.md and picture.png in its folder."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from dragoman.config.settings import Settings
from dragoman.core.files import write_atomic
from dragoman.lab.experiment import Experiment, Result, ResultTable
from dragoman.lab.hypotheses import ClaimVerdict
from dragoman.lab.runner import TrialRunner

RESULT, TABLE, PICTURE = "result.json", "table.md", "picture.png"


def write_results(
    runner: TrialRunner, experiment: Experiment[Any], options: Settings, result: Result
) -> None:
    """Write the three files of a result."""
    tree = {
        "subject": experiment.name,
        "title": experiment.title,
        "ledger": experiment.ids,
        "size": runner.size,
        "seeds": runner.seeds,
        "options": options.model_dump(mode="json"),
        "seconds": round(runner.seconds, 1),
        "versions": runner.versions,
        "findings": [_verdict(one) for one in result.verdicts],
        "summary": result.summary,
        "rows": result.measurements,
    }
    write_atomic(runner.folder / RESULT, json.dumps(tree, indent=1, ensure_ascii=False) + "\n")
    write_atomic(runner.folder / TABLE, markdown(runner, experiment, options, result))
    experiment.draw(result, runner.folder / PICTURE)


def markdown(
    runner: TrialRunner, experiment: Experiment[Any], options: Settings, result: Result
) -> str:
    """Return the tables and the verdicts as Markdown that also reads well as it stands."""
    seeds = ", ".join(map(str, runner.seeds))
    changed = options.model_dump(mode="json", exclude_defaults=True)
    own = "".join(f" --{key.replace('_', '-')} {value}" for key, value in changed.items())
    blocks = [
        f"# {experiment.title}",
        f"`dragoman lab run {experiment.name} --{runner.size}{own}`; seeds {seeds}; "
        f"{runner.seconds:.0f} s of measuring.",
    ]
    for table in result.tables:
        blocks += [f"## {table.title}", "\n".join(_lines(table))]
        blocks += [table.note] if table.note else []
    if result.verdicts:
        blocks.append("## Verdicts on the claims")
    blocks += [
        f"**{', '.join(one.hypothesis.ids)}: {one.verdict}.** "
        f"The notes say that {one.hypothesis.notes} {one.because}"
        for one in result.verdicts
    ]
    return "\n\n".join(blocks) + "\n"


def _verdict(one: ClaimVerdict) -> dict[str, Any]:
    claim = {"ledger": one.hypothesis.ids, "notes": one.hypothesis.notes}
    return {**claim, "verdict": one.verdict, "because": one.because}


def _lines(table: ResultTable) -> Iterator[str]:
    """Yield the lines of a table: the first column flush left, the others flush right."""
    rows = [table.header, *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.header))]
    yield _line(table.header, widths)
    rules = ["-" * widths[0], *("-" * max(1, width - 1) + ":" for width in widths[1:])]
    yield "| " + " | ".join(rules) + " |"
    yield from (_line(row, widths) for row in table.rows)


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    padded = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)]
    return "| " + " | ".join(padded) + " |"
