"""Where the text comes from."""

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from dragoman.config.settings import Settings


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str | Path) else value


Files = Annotated[tuple[Path, ...], BeforeValidator(_as_list)]
"""One file of pairs, or two with one sentence a line; each may end in .gz, .bz2, .xz or .zst."""


class FilesCorpus(Settings):
    """Parallel text in your own files."""

    kind: Literal["files"] = "files"

    train: Files
    """One file of pairs, or two plain files (source, target); relative to the recipe's folder."""

    format: Literal["auto", "tsv", "csv", "jsonl", "po", "mo", "tmx", "xliff"] = "auto"
    """What a single file is; `auto` goes by its name. Two files are always plain text."""

    valid: Files | None = None
    """A validation set of your own; without it, `held_out` pairs are taken from `train`."""

    test: Files | None = None
    """A test set of your own; without it, `held_out` further pairs are taken from `train`."""

    extra: Files | None = None
    """More pairs to train on, none of which are held out: back-translations, word lists."""

    mark_extra: bool = False
    """Put a mark before the sources of `extra`, so that the network can tell them apart."""

    held_out: int = Field(1000, ge=1)
    """Pairs held out for each set that has no file; never more than a tenth of the corpus."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which pairs are held out; without it, the recipe's seed does."""

    source_language: str = "source"
    target_language: str = "target"
    """Names of the languages, for reports and cards (`en`, `hi`)."""

    both_ways: bool = False
    """Train both directions in one model; a tag before each source says what to write."""

    longest: int = Field(2000, ge=1)
    """Characters of the longest line that is kept; longer pairs are dropped and counted."""

    repair: bool = True
    """Repair what is safe to repair (BOM, CRLF, NUL); False refuses the file instead."""

    examine: bool = True
    """Examine the files as `dragoman check` does before training, and refuse what it refuses."""

    @model_validator(mode="after")
    def _one_or_two_files(self) -> Self:
        for key in ("train", "valid", "test", "extra"):
            files = getattr(self, key)
            if files is not None and len(files) not in (1, 2):
                raise ValueError(
                    f"{key} names {len(files)} files. "
                    "Give one TSV file or two plain files (source, target)."
                )
        if self.both_ways and self.source_language == self.target_language:
            raise ValueError(
                f"both_ways needs two languages, and both sides are {self.source_language!r}. "
                "Name them by source_language and target_language."
            )
        return self


class SeveralCorpus(Settings):
    """Several languages in one model; a tag before each source says what to write."""

    kind: Literal["several"] = "several"

    parts: tuple[FilesCorpus, ...] = Field(min_length=1)
    """One corpus for each pair of languages, as a list of tables: `[[corpus.parts]]`."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which pairs are held out; without it, the recipe's seed does."""


class GrammarCorpus(Settings):
    """English–Hindi pairs from the embedded grammar."""

    kind: Literal["grammar"] = "grammar"

    pairs: int = Field(50_000, ge=1)
    """Training pairs to draw."""

    held_out: int = Field(1000, ge=1)
    """Pairs in each of the validation set and the two test sets."""

    difficulty: int = Field(4, ge=1, le=5)
    """1: short main clauses; 5: long sentences with everything in them."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which pairs are drawn; without it, the recipe's seed does."""

    source_language: Literal["en"] = "en"
    target_language: Literal["hi"] = "hi"


CorpusSettings = Annotated[FilesCorpus | SeveralCorpus | GrammarCorpus, Field(discriminator="kind")]
