"""Changes made to training text on the way, so that a network has seen what users type."""

from typing import Self

from pydantic import Field, model_validator

from dragoman.config.settings import Settings


class AugmentationSettings(Settings):
    """Shares of the training pairs that are changed, drawn anew in every epoch."""

    upper: float = Field(0.0, ge=0.0, le=1.0)
    """ALL CAPITALS on both sides."""

    title: float = Field(0.0, ge=0.0, le=1.0)
    """Title Case on both sides."""

    typos: float = Field(0.0, ge=0.0, le=1.0)
    """One or two slips of the finger in the source: letters swapped, dropped, doubled."""

    punctuation: float = Field(0.0, ge=0.0, le=1.0)
    """The last punctuation mark taken away or repeated on both sides."""

    placeholders: float = Field(0.0, ge=0.0, le=1.0)
    """A word that both sides share (a name, a number) replaced on both by `%s`, `{name}` …"""

    symbols: float = Field(0.0, ge=0.0, le=1.0)
    """What programs put into a text (`%s`, `{name}`, addresses), else a word that both sides share,
    replaced on both by symbols, as `translate` does it with files."""

    @model_validator(mode="after")
    def _leaves_some_alone(self) -> Self:
        total = sum(self.model_dump().values())
        if total > 1.0:
            raise ValueError(
                f"the shares add up to {total:g}, and a pair is changed in one way only. "
                "Lower them to at most 1 together."
            )
        return self

    @property
    def off(self) -> bool:
        """Nothing is changed."""
        return not any(self.model_dump().values())
