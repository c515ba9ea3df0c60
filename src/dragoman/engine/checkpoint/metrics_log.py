"""metrics.jsonl, read back from a file that a crash may have cut off anywhere."""

import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def read_log(path: Path) -> list[Row]:
    """Return the complete lines of a log."""
    if not path.is_file():
        return []
    rows = []
    for line in path.read_bytes().split(b"\n"):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):  # cut off by a crash
            continue
        if isinstance(row, dict) and isinstance(row.get("step"), int) and "kind" in row:
            rows.append(row)
    return rows
