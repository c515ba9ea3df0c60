"""Write a table of random pairs, for people to judge.

    python -m dragoman.data.grammar.table docs/concepts/grammar.md

replaces the table between the two markers of that page.
"""

import sys
from pathlib import Path

from dragoman.data.grammar.sample import DEFAULT_DIFFICULTY, draw_sets

ROWS = 60
SEED = 2024
BEGIN, END = "<!-- pairs: begin -->\n", "<!-- pairs: end -->\n"


def table() -> str:
    """Give random pairs of the default difficulty as a Markdown table."""
    sets = draw_sets(pairs=ROWS, held_out=0, difficulty=DEFAULT_DIFFICULTY, seed=SEED)
    rows = [f"| {e.construction} | {e.source} | {e.target} |\n" for e in sets.train]
    return "".join(["| Construction | English | Hindi |\n", "|---|---|---|\n", *rows])


def refresh(page: str) -> str:
    """Put the current table between the markers of a page."""
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + table() + END + after


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(refresh(path.read_text(encoding="utf-8")), encoding="utf-8")
