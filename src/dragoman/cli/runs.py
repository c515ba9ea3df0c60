"""`dragoman runs`."""

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer


def runs(
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="The folder that contains the runs.")
    ] = Path("runs"),
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """List the runs in a folder with task, state and score, newest first."""
    from dragoman.core.console import say
    from dragoman.core.errors import DataError
    from dragoman.server.studio.runs import RunIndex

    if not folder.is_dir():
        raise DataError(
            f"{folder}: there is no such folder. `dragoman train RECIPE` makes runs/NAME."
        )
    found = RunIndex(folder, list).summaries()
    if as_json:
        told = [{key: one[key] for key in one if key != "served"} for one in found]
        print(json.dumps(told, ensure_ascii=False, indent=1))
        return
    if not found:
        say(f"{folder}: holds no runs yet. `dragoman train RECIPE` makes one.")
        return
    rows = [("name", "task", "state", "steps", "score", "updated"), *map(_row, found)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    for row in rows:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


def _row(run: dict[str, Any]) -> tuple[str, ...]:
    score = run["score"]
    return (
        run["name"],
        run["kind"] or "?",
        run["state"],
        f"{run['step']:,} of {run['steps']:,}",
        f"{score['name']} {score['value']:.2f} ({score['set']})" if score else "–",
        datetime.fromtimestamp(run["updated"]).strftime("%Y-%m-%d %H:%M"),
    )
