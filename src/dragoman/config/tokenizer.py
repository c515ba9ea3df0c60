"""How text becomes token numbers."""

from typing import Annotated, Literal

from pydantic import Field

from dragoman.config.settings import Settings

WordPieceRank = Literal["ratio", "likelihood", "count"]


class BpeTokenizerSettings(Settings):
    """Byte-pair pieces with byte fallback: any Unicode text goes in and comes back."""

    kind: Literal["bpe"] = "bpe"

    vocab_size: int = Field(8000, ge=300, le=1_000_000)
    """Largest number of entries (per side if not shared); fewer where the corpus holds fewer."""

    shared: bool = True
    """One vocabulary for both languages, so that their embeddings can be tied."""

    dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """Chance that a merge is left out while training (Provilkov et al. 2020)."""


class WordPieceTokenizerSettings(Settings):
    """The longest pieces that fit, as BERT has them, with byte fallback."""

    kind: Literal["wordpiece"] = "wordpiece"

    vocab_size: int = Field(8000, ge=300, le=1_000_000)
    """Largest number of entries (per side if not shared); fewer where the corpus holds fewer."""

    shared: bool = True
    """One vocabulary for both languages, so that their embeddings can be tied."""

    rank: WordPieceRank = "likelihood"
    """What chooses the pieces a and b to join: count(ab) / (count(a) · count(b)), as the books have
    it; the gain in likelihood, as the papers have it; or count(ab) alone, as for byte pairs. The
    ratio alone cares for rare words, and gives the longest rows."""


class WordTokenizerSettings(Settings):
    """Whole words between spaces; the rare ones become unknown."""

    kind: Literal["words"] = "words"
    vocab_size: int = Field(30_000, ge=300, le=1_000_000)
    shared: bool = False


class CharacterTokenizerSettings(Settings):
    """Single characters, with byte fallback for those that training never saw."""

    kind: Literal["characters"] = "characters"
    vocab_size: int = Field(2000, ge=300, le=1_000_000)
    shared: bool = True


TokenizerSettings = Annotated[
    BpeTokenizerSettings
    | WordPieceTokenizerSettings
    | WordTokenizerSettings
    | CharacterTokenizerSettings,
    Field(discriminator="kind"),
]
