"""Two kinds of plain text with equally many words, and labelled sentences of the first kind.

    near   The man who pulled the carts was very proud.     the kind that is asked about
    far    My sister does not eat the red apples.           English of the embedded grammar

Both are English, and verbs agree in both; but they speak of other things with other words.
"""

from collections.abc import Iterable
from pathlib import Path

from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.data.grammar.sample import Drawer, familiar
from dragoman.lab.experiments.pretraining_pays.data import Gathered, SentencesPlan, gather

NEAR, FAR, BOTH = "the same kind", "another kind", "both"
DIFFICULTY = 3
WORDS_OF_ONE = 5
"""Words of a grammar sentence, at least, on average."""


def write_kinds(plan: SentencesPlan, folder: Path) -> tuple[Gathered, dict[str, Path]]:
    """Write the labelled sentences of a seed, and the plain text of either kind and of both."""
    gathered = gather(plan, folder)
    files = {NEAR: gathered.text, FAR: folder / "far.txt", BOTH: folder / "both.txt"}
    if not files[BOTH].is_file():
        near = gathered.text.read_text(encoding="utf-8").splitlines()
        words = sum(len(line.split()) for line in near)
        drawn = Drawer(DIFFICULTY, plan.seed).draw("far", words // WORDS_OF_ONE, familiar)
        far = some_words((one.source for one in drawn), words)
        write_atomic(files[FAR], "".join(f"{line}\n" for line in far))
        write_atomic(files[BOTH], "".join(f"{line}\n" for line in (*near, *far)))
    return gathered, files


def some_words(lines: Iterable[str], count: int) -> list[str]:
    """Take lines until they have so many words in all, exactly."""
    taken, left = [], count
    for line in lines:
        words = line.split()[:left]
        taken.append(" ".join(words))
        left -= len(words)
        if not left:
            return taken
    raise DataError(f"there are only {count - left:,} words of the {count:,} that are wanted.")
