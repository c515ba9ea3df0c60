"""Texts to learn a language from, articles and made sentences, and the same as numbered words."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from dragoman.config.corpus import TextCorpus
from dragoman.config.settings import Settings
from dragoman.core.errors import DataError
from dragoman.core.files import sha256, write_atomic
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.catalogue.store import present
from dragoman.data.corpus.generators.agreement import draw_agreements
from dragoman.data.corpus.text import Document, open_texts, read_documents
from dragoman.data.formats.findings import Findings
from dragoman.data.tokenizer.special_tokens import UNKNOWN
from dragoman.data.tokenizer.tokenizer import Tokenizer

ARTICLES = "wikitext-2"
SETS = ("train", "valid", "test")
NEWLINE, FIRST_WORD = 4, 5


class Slice(Settings):
    """How many articles of each set are used; nothing stands for all."""

    train: int | None = None
    valid: int | None = None
    test: int | None = None


class MadeSentences(Settings):
    """How many sentences of the agreement generator are drawn, each a text of its own."""

    train: int
    valid: int = 200
    test: int = 1000


@dataclass(frozen=True)
class Articles:
    """The files of the three sets."""

    train: Path
    valid: Path
    test: Path

    @property
    def corpus(self) -> TextCorpus:
        """Return the settings that read them."""
        return TextCorpus(train=(self.train,), valid=(self.valid,), test=(self.test,))

    @property
    def checksum(self) -> str:
        """Tell these files from any others."""
        return "-".join(sha256(path)[:8] for path in (self.train, self.valid, self.test))


def find_articles(own: Path | None) -> Path:
    """Return the folder of train.txt, valid.txt and test.txt: the catalogue's, or the user's."""
    if own is None:
        found = present(find_entry(ARTICLES))
        if not found:
            raise DataError(
                f"{ARTICLES}: these articles are not on this machine. Fetch them once with "
                f"`dragoman data get {ARTICLES}`, or give --texts FOLDER."
            )
        own = found[0].path
    missing = [name for name in SETS if not (own / f"{name}.txt").is_file()]
    if missing:
        raise DataError(
            f"{own}: has no {missing[0]}.txt. Give a folder with train.txt, valid.txt and test.txt."
        )
    return own


def cut_articles(source: Path, wanted: Slice, folder: Path) -> Articles:
    """Write the first articles of each set into a folder; an empty line parts two."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, count in wanted.model_dump().items():
        path = source / f"{name}.txt"
        found = read_documents([path], lines=False, repair=True, findings=Findings())
        text = "\n\n".join("\n".join(document) for document in islice(found, count))
        write_atomic(folder / f"{name}.txt", text + "\n")
    return Articles(*(folder / f"{name}.txt" for name in SETS))


def write_sentences(wanted: MadeSentences, folder: Path) -> Articles:
    """Write sentences whose verb agrees with a noun far back; none of the test begins like another.

    They are the same for every seed, as the articles are.
    """
    folder.mkdir(parents=True, exist_ok=True)
    held_out = wanted.valid + wanted.test
    drawn = draw_agreements(2 * (wanted.train + held_out), seed=0)
    begun = list(dict.fromkeys(one.text for one in drawn))[:held_out]
    valid, test = set(begun[: wanted.valid]), set(begun[wanted.valid :])
    parts = {
        "train": [one for one in drawn if one.text not in valid | test][: wanted.train],
        "valid": list({one.text: one for one in drawn if one.text in valid}.values()),
        "test": list({one.text: one for one in drawn if one.text in test}.values()),
    }
    for name, part in parts.items():
        write_atomic(folder / f"{name}.txt", "\n\n".join(one.good for one in part) + "\n")
    return Articles(*(folder / f"{name}.txt" for name in SETS))


@dataclass(frozen=True)
class Numbered:
    """The three sets as token numbers, a list for each article."""

    train: list[list[int]]
    valid: list[list[int]]
    test: list[list[int]]
    entries: int
    """Of the vocabulary."""
    unknown: float
    """Share of the test that is no entry, which makes it easier to guess."""


@dataclass(frozen=True)
class Read:
    """All articles, in memory."""

    train: list[Document]
    valid: list[Document]
    test: list[Document]

    @property
    def test_bytes(self) -> int:
        """Bytes of the test; a newline between two lines is one."""
        return sum(len("\n".join(document).encode("utf-8")) for document in self.test)

    @property
    def test_words(self) -> int:
        """Words of the test, and the end of each line, which is asked for too."""
        return sum(len(line.split()) + 1 for document in self.test for line in document)


def read_articles(articles: Articles) -> Read:
    """Read the three sets as a training would: what is tested is not learned."""
    texts = open_texts(articles.corpus, seed=0)
    return Read(list(texts.train()), texts.valid, texts.test)


def number_pieces(read: Read, vocabulary: Tokenizer) -> Numbered:
    """Number the pieces of a vocabulary, with a newline between two lines."""

    def numbers(document: Document) -> list[int]:
        return _joined(vocabulary.encode_batch(document), vocabulary.newline)

    return _numbered(read, numbers, vocabulary.size)


def number_words(read: Read, least: int) -> Numbered:
    """Number the words between spaces; those seen less often than `least` are unknown."""
    lines = chain.from_iterable(read.train)
    counts = Counter(word for line in lines for word in line.split())
    known = [word for word, count in counts.items() if count >= least]
    places = {word: place for place, word in enumerate(sorted(known), FIRST_WORD)}

    def numbers(document: Document) -> list[int]:
        return _joined(
            ([places.get(word, UNKNOWN) for word in line.split()] for line in document), NEWLINE
        )

    return _numbered(read, numbers, FIRST_WORD + len(places))


def _joined(lines: Iterable[Sequence[int]], newline: int) -> list[int]:
    first, *others = lines
    return [*first, *chain.from_iterable([newline, *line] for line in others)]


def _numbered(read: Read, numbers: Callable[[Document], list[int]], entries: int) -> Numbered:
    test = [numbers(document) for document in read.test]
    asked = sum(map(len, test)) + len(test)
    return Numbered(
        train=[numbers(document) for document in read.train],
        valid=[numbers(document) for document in read.valid],
        test=test,
        entries=entries,
        unknown=sum(row.count(UNKNOWN) for row in test) / max(1, asked),
    )
