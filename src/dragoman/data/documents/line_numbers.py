"""Line numbers of many places in one text."""

from bisect import bisect_left


class LineNumbers:
    """The lines of a text, counted by their line feeds."""

    def __init__(self, text: str) -> None:
        self._ends = [place for place, sign in enumerate(text) if sign == "\n"]

    def of(self, place: int) -> int:
        """Return the number of the line a place is in, counted from 1."""
        return bisect_left(self._ends, place) + 1
