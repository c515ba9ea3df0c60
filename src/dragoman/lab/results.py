"""What an experiment leaves behind: result.json, table.md and picture.png in its folder."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from dragoman.config.settings import Settings
from dragoman.core.files import write_atomic
from dragoman.lab.bench import Bench
from dragoman.lab.experiment import ClaimVerdict, Result, ResultTable, Subject

RESULT, TABLE, PICTURE = "result.json", "table.md", "picture.png"


def write_results(bench: Bench, subject: Subject[Any], options: Settings, result: Result) -> None:
    """Write the three files of a result."""
    told = {
        "subject": subject.name,
        "title": subject.title,
        "ledger": subject.ledger,
        "size": bench.size,
        "seeds": bench.seeds,
        "options": options.model_dump(mode="json"),
        "seconds": round(bench.seconds, 1),
        "versions": bench.versions,
        "findings": [_told(finding) for finding in result.findings],
        "summary": result.summary,
        "rows": result.rows,
    }
    write_atomic(bench.folder / RESULT, json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    write_atomic(bench.folder / TABLE, markdown(bench, subject, options, result))
    subject.draw(result, bench.folder / PICTURE)


def markdown(bench: Bench, subject: Subject[Any], options: Settings, result: Result) -> str:
    """Return the tables and the verdicts as Markdown that also reads well as it stands."""
    seeds = ", ".join(map(str, bench.seeds))
    changed = options.model_dump(mode="json", exclude_defaults=True)
    own = "".join(f" --{key.replace('_', '-')} {value}" for key, value in changed.items())
    blocks = [
        f"# {subject.title}",
        f"`dragoman lab run {subject.name} --{bench.size}{own}`; seeds {seeds}; "
        f"{bench.seconds:.0f} s of measuring.",
    ]
    for table in result.tables:
        blocks += [f"## {table.title}", "\n".join(_lines(table))]
        blocks += [table.note] if table.note else []
    if result.findings:
        blocks.append("## What became of the statements")
    blocks += [
        f"**{', '.join(one.statement.ledger)}: {one.verdict}.** "
        f"The notes say that {one.statement.notes} {one.because}"
        for one in result.findings
    ]
    return "\n\n".join(blocks) + "\n"


def _told(finding: ClaimVerdict) -> dict[str, Any]:
    return {**asdict(finding.statement), "verdict": finding.verdict, "because": finding.because}


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
