"""What is adapted, and to what: a network of the catalogue, and sets of labelled texts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from random import Random

from dragoman.config.corpus import LabeledCorpus
from dragoman.config.settings import Settings
from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.catalogue.store import present
from dragoman.data.formats.labeled import LabeledText
from dragoman.interop.importing import import_huggingface

NETWORK, REVIEWS = "minilm", "rotten-tomatoes"


class Reviews(Settings):
    """How many short film reviews each set has, half of them of each class."""

    train: int
    valid: int
    test: int
    words: int = 14
    """Longer ones are left out, for the time that they would take."""


def on_this_machine(name: str) -> Path:
    """Return what was fetched of an entry of the catalogue, or say how to fetch it."""
    found = present(find_entry(name))
    if not found:
        raise DataError(f"{name}: is not on this machine. Fetch it: dragoman data get {name}")
    return found[0].path


def import_network(folder: Path) -> Path:
    """Return the network as a run in a folder, imported unless it is there already."""
    run = folder / NETWORK
    if not run.is_dir():
        import_huggingface(on_this_machine(NETWORK), run)
    return run


def read_reviews(path: Path) -> list[LabeledText]:
    """Read labelled texts, of which a line has one: TEXT, a tab, CLASS."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [LabeledText(*line.split("\t")) for line in lines]


def draw_reviews(
    rows: Iterable[LabeledText], wanted: Reviews, seed: int
) -> tuple[list[LabeledText], list[LabeledText], list[LabeledText]]:
    """Draw three sets by chance, no text twice and as many of each class."""
    texts = {row.text: row for row in rows if len(row.text.split()) <= wanted.words}
    order = Random(f"reviews/{seed}").sample([*texts.values()], len(texts))
    by_class = [[row for row in order if row.label == label] for label in sorted(classes(order))]
    sizes = [size // len(by_class) for size in (wanted.train, wanted.valid, wanted.test)]
    for some in by_class:
        if len(some) < sum(sizes):
            raise DataError(
                f"{REVIEWS}: only {len(some)} texts of the class {some[0].label!r} have at most "
                f"{wanted.words} words, and {sum(sizes)} are wanted."
            )
    sets = []
    begin = 0
    for size in sizes:
        sets.append([row for some in by_class for row in some[begin : begin + size]])
        begin += size
    train, valid, test = sets
    return train, valid, test


def review_corpus(
    rows: Iterable[LabeledText], wanted: Reviews, seed: int, folder: Path
) -> LabeledCorpus:
    """Draw the sets of a seed into a folder, as a corpus of files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{name}.tsv" for name in ("train", "valid", "test")]
    for path, part in zip(files, draw_reviews(rows, wanted, seed), strict=True):
        write_atomic(path, "".join(f"{row.text}\t{row.label}\n" for row in part))
    train, valid, test = files
    return LabeledCorpus(train=(train,), valid=(valid,), test=(test,))


def classes(rows: Sequence[LabeledText]) -> Counter[str]:
    """Count the texts of each class."""
    return Counter(row.label for row in rows)
