"""metrics.jsonl, read back from a file that a crash may have cut off anywhere."""

import json
from pathlib import Path
from typing import Any

from dragoman.core.bounded_read import read_bounded
from dragoman.core.checksums import LARGEST

Row = dict[str, Any]


def read_log(path: Path) -> list[Row]:
    """Return the complete lines of a log."""
    if not path.is_file():
        return []
    rows = []
    for line in read_bounded(path, LARGEST).split(b"\n"):
        try:
            row = json.loads(line)
            if b"\\u" in line:
                json.dumps(row, ensure_ascii=False).encode()  # no file holds half a character
        except (ValueError, RecursionError):  # cut off by a crash, or damaged
            continue
        if isinstance(row, dict) and isinstance(row.get("step"), int) and "kind" in row:
            rows.append(row)
    return rows
