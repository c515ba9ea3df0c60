"""A topic of the course: sections of explanation, each with the claims that it explains."""

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.lab.claims import Claim


@dataclass(frozen=True)
class Section:
    """A stretch of explanation, and the claims that follow from it."""

    title: str
    text: str
    """Paragraphs parted by blank lines; `$…$` is mathematics, `*…*` emphasis, backquotes code."""
    claims: Sequence[Claim]


@dataclass(frozen=True)
class Topic:
    """One topic: its module has a `TOPIC` of this kind."""

    id: str
    """K1 to K18 for those of the notes."""
    name: str
    """As it is typed and as its page is called: gradient-flow."""
    title: str
    introduction: str
    sections: Sequence[Section]

    @property
    def claims(self) -> list[Claim]:
        """All claims in the order of the sections."""
        return [one for section in self.sections for one in section.claims]
