"""Growth of time: ten times as large a file of a hostile pattern takes some ten times as long.

Every document is read, and written with an answer to every text; every corpus is read. Processor
time is measured, the best of several, and what looks suspicious is measured again: another process
may have been in the way, while what grows faster does so every time.
"""

import gc
import time
from collections.abc import Callable
from pathlib import Path

from tests.faults.campaign import Campaign, Tally, spread
from tests.faults.patterns import PATTERNS, Pattern

from dragoman.core.errors import DataError
from dragoman.data.documents.document import Document, SegmentTranslation
from dragoman.data.documents.open import read_document
from dragoman.data.documents.table import TableColumns
from dragoman.data.formats.captioned import read_captioned
from dragoman.data.formats.findings import Findings
from dragoman.data.formats.labeled import LabelColumns, read_labeled
from dragoman.data.formats.languages import LanguagePair
from dragoman.data.formats.lines import read_lines
from dragoman.data.formats.read import read_rows

SMALL = 10_000
"""Bytes, and then ten times as many."""
SMALLER = {"yaml": 3_000, "markdown": 5_000}
"""Formats that take longer for a byte."""
MOST = 14
"""How much longer ten times as much may take; what is quadratic takes a hundred times as long."""
FLOOR = 0.002
"""Seconds below which a time says nothing."""
TRIES = 5
EN_HI = LanguagePair("en", "hi")


def read_and_write(format: str, data: bytes) -> None:
    """Take a document apart and write it with all its texts changed."""
    document: Document = read_document(format, data, "a", EN_HI, TableColumns("1"))
    document.written(
        {
            number: SegmentTranslation(f"{one.text} x", one.inlines, sure=number % 3 > 0)
            for number, one in enumerate(document.segments)
        }
    )


def read_corpus(format: str, path: Path) -> None:
    """Go through a corpus."""
    findings = Findings()
    match format:
        case "labeled":
            rows = read_labeled(path, LabelColumns(), repair=True, findings=findings)
        case "captioned":
            rows = read_captioned(path, repair=True, findings=findings)
        case "lines":
            rows = read_lines(path, repair=True, findings=findings)
        case _:
            rows = read_rows([path], repair=True, findings=findings, format=format, wanted=EN_HI)
    for _ in rows:
        pass


def work_of(pattern: Pattern, size: int, folder: Path) -> Callable[[], None]:
    """Return what is measured: reading, and of a document also writing, a file of some size."""
    data = pattern.make(size)
    group, _, format = pattern.format.rpartition("/")
    if not group:
        return lambda: read_and_write(format, data)
    ending = "jsonl" if format == "labeled" and data.startswith(b"{") else "tsv"
    path = folder / f"{size}.{ending}"
    path.write_bytes(data)
    return lambda: read_corpus(format, path)


def seconds(work: Callable[[], None]) -> tuple[float, bool]:
    """Measure the processor time of some work, and say whether it was refused."""
    gc.disable()  # as timeit does: Python's own housekeeping is not ours to measure
    begin, refused = time.process_time(), False
    try:
        work()
    except DataError:
        refused = True
    finally:
        gc.enable()
    return max(time.process_time() - begin, FLOOR), refused


def growth(pattern: Pattern, folder: Path) -> tuple[float, bool]:
    """Return how much longer ten times as much takes, and whether the file is refused."""
    size = SMALLER.get(pattern.format, SMALL)
    small, large = (work_of(pattern, bytes_, folder) for bytes_ in (size, 10 * size))
    ratio, refused = float("inf"), False
    for _ in range(TRIES):
        before = min(seconds(small)[0] for _ in range(2))
        after, refused = seconds(large)
        ratio = min(ratio, after / before)
        if ratio <= MOST:
            break
    return ratio, refused


def run(trials: int, seed: int, folder: Path) -> Tally:
    """Measure every pattern, or every n-th of them."""
    tally = Tally()
    for place in spread(len(PATTERNS), trials):
        pattern = PATTERNS[place]
        ratio, refused = growth(pattern, folder)
        slow = f"ten times as much takes {ratio:.0f} times as long" if ratio > MOST else None
        tally.count(pattern.name, slow, refused=refused)
    return tally


CAMPAIGN = Campaign(
    "the time that hostile files take, ten times as large",
    run,
    proof=len(PATTERNS),
    sample=len(PATTERNS),
)
