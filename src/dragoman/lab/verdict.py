"""The verdicts that a claim of the course notes can get."""

from typing import Literal

Verdict = Literal["confirmed", "corrected", "refuted", "a convention", "undecided"]
"""Right as written; right once mended; wrong; one of several right ways; not known yet."""

VERDICTS: tuple[Verdict, ...] = ("confirmed", "corrected", "refuted", "a convention", "undecided")
"""In the order in which they are counted."""
