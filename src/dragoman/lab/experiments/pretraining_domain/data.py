"""Two kinds of plain text of equal size, written alike: lower case, a space around every mark.

Rotten Tomatoes is written that way. Were the others not, letters and spaces would tell the kinds
of text apart better than what they speak of.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.lab.experiments.adaptation.data import on_this_machine, read_reviews

FILMS, ARTICLES = "film reviews", "articles"
CATALOGUE = {FILMS: "imdb-reviews", ARTICLES: "wikitext-2"}
SHORTEST = 3
"""Words below which a sentence is left out."""
LONGEST = 45
"""Words after which a sentence is cut, so that its pieces fit into a row."""

JOINED = {" @-@ ": "-", " @,@ ": ",", " @.@ ": ".", " 's": "'s", " n't": "n't"}
"""What WikiText takes apart and the others do not."""

TOKEN = re.compile(r"\w+(?:[-'.,]\w+)*|[^\w\s]")
END = re.compile(r"(?<= [.!?]) ")


def plain(text: str) -> str:
    """Write a text as Rotten Tomatoes is written."""
    for apart, together in JOINED.items():
        text = text.replace(apart, together)
    return " ".join(TOKEN.findall(text.lower()))


def sentences(texts: Iterable[str]) -> Iterator[str]:
    """Yield the sentences of some texts, the longest of them cut."""
    for text in texts:
        for sentence in END.split(plain(text)):
            words = sentence.split()
            for begin in range(0, len(words), LONGEST):
                piece = words[begin : begin + LONGEST]
                if len(piece) >= SHORTEST:
                    yield " ".join(piece)


def some_words(texts: Iterable[str], count: int, seed: int) -> list[str]:
    """Draw different sentences by chance with so many words in all, exactly."""
    known = [*dict.fromkeys(sentences(texts))]
    taken, left = [], count
    for sentence in Random(f"sentences/{seed}").sample(known, len(known)):
        words = sentence.split()[:left]
        taken.append(" ".join(words))
        left -= len(words)
        if not left:
            return taken
    raise DataError(f"there are only {count - left:,} words of the {count:,} that are wanted.")


def read_domain(domain: str) -> list[str]:
    """Read all texts of a kind."""
    path = on_this_machine(CATALOGUE[domain])
    if domain == FILMS:
        return [row.text for row in read_reviews(path)]
    lines = (path / "train.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("=")]


def write_domains(words: int, sample: int, seed: int, folder: Path) -> dict[str, Path]:
    """Write so many words of each kind into files, and a sample of both into a third, once.

    The sample is what the vocabulary is learned from: equally many words of each.
    """
    files = {name: folder / f"{name.replace(' ', '-')}.txt" for name in (*CATALOGUE, "both")}
    if all(path.is_file() for path in files.values()):
        return files
    folder.mkdir(parents=True, exist_ok=True)
    both: list[str] = []
    for name in CATALOGUE:
        drawn = some_words(read_domain(name), words, seed)
        both += some_words(drawn, min(sample, words), seed)
        write_atomic(files[name], "".join(f"{line}\n" for line in drawn))
    write_atomic(files["both"], "".join(f"{line}\n" for line in both))
    return files
