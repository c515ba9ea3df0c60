"""Plain text for language models: what is trained on, and what is held out to judge it.

A document is a list of lines, none of which is empty. Which documents are held out depends on the
seed and on their text, not on their order; a document that stands in a file twice is read once, and
one that is held out is never trained on.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

import numpy as np
from numpy.typing import NDArray

from dragoman.config.corpus import GrammarText, TextCorpus, TextSettings
from dragoman.core.errors import DataError
from dragoman.data.corpus.random_order import in_random_order
from dragoman.data.corpus.split import DROPPED, LEAKED, TEST, TRAIN, VALID, Hashes, among, repeats
from dragoman.data.formats.findings import FindingKind, Findings
from dragoman.data.formats.lines import read_lines
from dragoman.data.grammar.sample import draw_sets

Document = list[str]

SMALLEST = 10
"""Different documents below which some cannot be held out."""


@dataclass(frozen=True)
class Texts:
    """Documents to train on, read as they are needed; held-out documents, in memory."""

    train: Callable[[], Iterator[Document]]
    """Begins a new pass over the training documents; every pass has the same order."""

    train_documents: int
    valid: list[Document]
    """In random order, like that of pairs."""

    test: list[Document]
    findings: list[str]
    seed: int
    files: tuple[Path, ...] = ()


def open_texts(settings: TextSettings, seed: int) -> Texts:
    """Clean and split plain text; the same settings and seed give the same sets.

    A seed in the settings comes before the given one, which is the recipe's.
    """
    chosen = seed if settings.seed is None else settings.seed
    match settings:
        case TextCorpus():
            return _open_files(settings, chosen)
        case GrammarText():
            return _open_grammar(settings, chosen)
        case _:
            assert_never(settings)


def read_documents(
    files: Sequence[Path], *, lines: bool, repair: bool, findings: Findings
) -> Iterator[Document]:
    """Yield the documents of some files: each line one, or the lines up to an empty one."""
    for path in files:
        document: Document = []
        for number, line in enumerate(read_lines(path, repair=repair, findings=findings), 1):
            if line is None:
                findings.add(FindingKind.TOO_LONG_LINE, path, number)
            elif line.strip() and not lines:
                document.append(line)
            elif line.strip():
                yield [line]
            elif document:
                yield document
                document = []
        if document:
            yield document


def _open_files(settings: TextCorpus, seed: int) -> Texts:
    findings = Findings()
    own = {
        VALID: _documents(settings, settings.valid, findings),
        TEST: _documents(settings, settings.test, findings),
    }
    sets = _split(settings, seed, own, findings)
    held: dict[int, list[Document]] = {
        which: [] if given is None else given for which, given in own.items()
    }
    for which, document in zip(sets, _read(settings, Findings()), strict=True):
        if own.get(int(which), ()) is None:
            held[int(which)].append(document)
    kept = int(np.count_nonzero(sets == TRAIN))
    given = (settings.train, settings.valid or (), settings.test or ())
    return Texts(
        train=lambda: _chosen(settings, sets),
        train_documents=kept,
        valid=in_random_order(held[VALID], seed, _whole),
        test=held[TEST],
        findings=findings.lines(),
        seed=seed,
        files=tuple(dict.fromkeys(path for files in given for path in files)),
    )


def _split(
    settings: TextCorpus, seed: int, own: dict[int, list[Document] | None], findings: Findings
) -> NDArray[np.uint8]:
    """Decide the set of each document by a hash of its text."""
    hashes = Hashes(seed)
    found = array("Q", (hashes.of(_whole(d)) for d in _read(settings, findings)))
    numbers = np.frombuffer(found, dtype=np.uint64) if found else np.empty(0, np.uint64)
    sets = np.full(len(numbers), TRAIN, dtype=np.uint8)
    sets[repeats(numbers)] = DROPPED
    known = [_whole(document) for given in own.values() for document in given or ()]
    sets[among(numbers, hashes.of_all(known)) & (sets == TRAIN)] = LEAKED
    findings.add_many(FindingKind.REPEATED_DOCUMENT, int(np.count_nonzero(sets == DROPPED)))
    findings.add_many(FindingKind.LEAKED_DOCUMENT, int(np.count_nonzero(sets == LEAKED)))
    wanted = [which for which, given in own.items() if given is None]
    places = np.flatnonzero(sets == TRAIN)
    if not len(places) or (wanted and len(places) < SMALLEST):
        raise DataError(
            f"{settings.train[0]}: only {len(places)} different documents to train on, of which "
            f"some must be held out. Give more text, set corpus.documents = 'lines', or give files "
            "as corpus.valid and corpus.test."
        )
    share = max(1, int(len(places) * settings.held_out))
    in_order = places[np.argsort(numbers[places], kind="stable")]
    for turn, which in enumerate(wanted):
        sets[in_order[turn * share : (turn + 1) * share]] = which
    return sets


def _chosen(settings: TextCorpus, sets: NDArray[np.uint8]) -> Iterator[Document]:
    for which, document in zip(sets, _read(settings, Findings()), strict=True):
        if which == TRAIN:
            yield document


def _read(settings: TextCorpus, findings: Findings) -> Iterator[Document]:
    lines = settings.documents == "lines"
    return read_documents(settings.train, lines=lines, repair=settings.repair, findings=findings)


def _documents(
    settings: TextCorpus, files: Sequence[Path] | None, findings: Findings
) -> list[Document] | None:
    if files is None:
        return None
    lines = settings.documents == "lines"
    found = list(read_documents(files, lines=lines, repair=settings.repair, findings=findings))
    if not found:
        raise DataError(f"{files[0]}: holds no text. Give a file with some, or leave it out.")
    return found


def _whole(document: Document) -> str:
    return "\n".join(document).strip()


def _open_grammar(settings: GrammarText, seed: int) -> Texts:
    drawn = draw_sets(
        pairs=settings.sentences,
        held_out=settings.held_out,
        difficulty=settings.difficulty,
        seed=seed,
    )
    side = 0 if settings.language == "en" else 1
    train, valid, test = (
        [[(one.source, one.target)[side]] for one in part]
        for part in (drawn.train, drawn.valid, drawn.unseen)
    )
    return Texts(lambda: iter(train), len(train), valid, test, [], seed)
