"""The table of the campaigns in the documentation, read and written."""

import re
from pathlib import Path
from typing import NamedTuple

HEAD = "| what fails | tried | refused in one line | failed | seconds |\n|---|--:|--:|--:|--:|\n"
LINE = re.compile(r"\| (.+?) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|")


class Row(NamedTuple):
    """The figures of one campaign."""

    tried: int
    refused: int
    failed: int
    seconds: int


def read_rows(page: Path) -> dict[str, Row]:
    """Return the rows of the table on a page."""
    found = LINE.finditer(page.read_text(encoding="utf-8"))
    return {
        one[1]: Row(*(int(number.replace(",", "")) for number in one.groups()[1:])) for one in found
    }


def write_rows(page: Path, rows: dict[str, Row]) -> None:
    """Replace the table on a page."""
    before, head, after = page.read_text(encoding="utf-8").partition(HEAD)
    rest = after[sum(len(one[0]) + 1 for one in LINE.finditer(after)) :] if head else ""
    lines = [
        f"| {name} | " + " | ".join(f"{one:,}" for one in row) + " |\n"
        for name, row in rows.items()
    ]
    page.write_text(before + HEAD + "".join(lines) + rest, encoding="utf-8")
