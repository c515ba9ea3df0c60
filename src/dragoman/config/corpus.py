"""Where the text comes from."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from dragoman.config.captions import CaptionCorpus, EmojiCorpus
from dragoman.config.files import Files
from dragoman.config.images import ImageArrays, ImageFolders, Shapes
from dragoman.config.settings import Settings
from dragoman.config.tagging import GeneratedTags, TaggedCorpus


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

    tag_extra: bool = False
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

    max_characters: int = Field(2000, ge=1)
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

    phrasebook: float = Field(0.0, ge=0.0, le=0.9)
    """Share of the training pairs that are everyday phrases and idioms, learned by repetition; near
    variants of them are a test set of their own, `everyday`."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which pairs are drawn; without it, the recipe's seed does."""

    source_language: Literal["en"] = "en"
    target_language: Literal["hi"] = "hi"


class TextCorpus(Settings):
    """Plain text in your own files, for language models."""

    kind: Literal["text"] = "text"

    train: Files
    """Text files, read one after the other; relative to the recipe's folder."""

    valid: Files | None = None
    """Text to validate on; without it, some documents of `train` are held out."""

    test: Files | None = None
    """Text to test on; without it, some further documents of `train` are held out."""

    documents: Literal["paragraphs", "lines"] = "paragraphs"
    """What a document is: lines up to an empty one, or each line."""

    held_out: float = Field(0.05, gt=0.0, lt=0.5)
    """Share of the documents that is held out for each set that has no file."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which documents are held out; without it, the recipe's seed does."""

    repair: bool = True
    """Repair what is safe to repair (BOM, CRLF, NUL); False refuses the file instead."""


class GrammarText(Settings):
    """One side of the embedded grammar, each sentence a document."""

    kind: Literal["grammar-text"] = "grammar-text"

    language: Literal["en", "hi"] = "en"

    sentences: int = Field(50_000, ge=1)
    """Sentences to train on."""

    held_out: int = Field(1000, ge=1)
    """Sentences in each of the validation set and the test set."""

    difficulty: int = Field(4, ge=1, le=5)
    """1: short main clauses; 5: long sentences with everything in them."""

    phrasebook: float = Field(0.0, ge=0.0, le=0.9)
    """Share of the training pairs that are everyday phrases and idioms, learned by repetition; near
    variants of them are a test set of their own, `everyday`."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which sentences are drawn; without it, the recipe's seed does."""


class LabeledCorpus(Settings):
    """Texts with a class each, in your own files."""

    kind: Literal["labeled"] = "labeled"

    train: Files
    """Tables (TSV, CSV or JSONL) of a text and its class; relative to the recipe's folder."""

    valid: Files | None = None
    """Rows to validate on; without it, some of `train` are held out."""

    test: Files | None = None
    """Rows to test on; without it, some further ones of `train` are held out."""

    text: str = Field("text", min_length=1)
    """Name of the texts' column or key; a TSV, and a CSV without it, has the text first …"""

    label: str = Field("label", min_length=1)
    """… and the class second."""

    held_out: float = Field(0.1, gt=0.0, lt=0.5)
    """Share of each class that is held out for each set that has no file."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which rows are held out; without it, the recipe's seed does."""

    repair: bool = True
    """Repair what is safe to repair (BOM, CRLF, NUL); False refuses the file instead."""


class GeneratedLabels(Settings):
    """Texts with a class each that a program draws, to try things out without any file."""

    kind: Literal["generated-labels"] = "generated-labels"

    task: Literal["arithmetic", "agreement", "correctness", "lag"] = "arithmetic"
    """What is asked: the sign of a sum in words; the number of a verb, with other nouns before it;
    whether a sentence of the embedded grammar was spoilt; or the one capital among the letters."""

    texts: int = Field(4000, ge=20)
    """Texts to train on. The arithmetic is a grid of 800, always split into 448, 192 and 160."""

    held_out: int = Field(400, ge=20)
    """Texts in each of the validation set and the test set."""

    seed: int | None = Field(None, ge=0, lt=2**32)
    """Decides which texts are drawn; without it, the recipe's seed does."""


class ImportedCorpus(Settings):
    """No text: the weights were made elsewhere, and other runs can start from them."""

    kind: Literal["imported"] = "imported"

    library: Literal["huggingface", "gguf", "peft"]
    """What the weights were written for."""

    family: str
    """What that library calls such a network (`gpt2`)."""

    source: str
    """The folder or file that was imported."""

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    """Checksum of its weights; of several files, that of the list of their checksums."""

    license: str = ""
    """What the source says about its licence, if anything."""


CorpusSettings = Annotated[FilesCorpus | SeveralCorpus | GrammarCorpus, Field(discriminator="kind")]
"""Parallel text, for translation."""

TextSettings = Annotated[TextCorpus | GrammarText, Field(discriminator="kind")]
"""Plain text, for language models."""

LabeledSettings = Annotated[LabeledCorpus | GeneratedLabels, Field(discriminator="kind")]
"""Texts with a class each, for classification."""

AnyCorpus = Annotated[
    FilesCorpus
    | SeveralCorpus
    | GrammarCorpus
    | TextCorpus
    | GrammarText
    | LabeledCorpus
    | GeneratedLabels
    | TaggedCorpus
    | GeneratedTags
    | ImageFolders
    | ImageArrays
    | Shapes
    | CaptionCorpus
    | EmojiCorpus
    | ImportedCorpus,
    Field(discriminator="kind"),
]
