"""How sentence pairs are gathered into batches."""

from pydantic import Field

from dragoman.config.settings import Settings


class BatchSettings(Settings):
    """Batches of similar length, limited by padded tokens and not by sentences."""

    max_tokens: int = Field(2048, ge=1)
    """Padded tokens per batch on the longer side: sentences times the length of the longest."""

    max_length: int = Field(256, ge=2)
    """Tokens of the longest sentence that is trained on, end mark included; longer pairs are
    left out and counted."""

    window: int = Field(100_000, ge=1)
    """Pairs among which those of similar length are looked for; larger packs tighter, smaller
    mixes better."""
