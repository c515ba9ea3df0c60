"""English–Hindi strings of software, dealt out for the run of docs/results/files.md.

    dragoman data get software-strings --language hi --output strings.tsv
    python benchmarks/software_strings.py strings.tsv FOLDER
    dragoman train FOLDER/software-strings.toml --output RUN

Each source counts once, with its first translation. 2,000 pairs are set apart whose sources have
something that must survive or an accelerator; of all others 2,000 are to validate, 2,500 to test.
`words.tsv` has what means each other in the training pairs, small and with a capital: strings of
one word are common, and half of their words are known from longer ones only.
"""

import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from dragoman.data.batching.robustness import common_words
from dragoman.data.formats.accelerators import without_accelerator
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.protected_spans import protected_spans

SEED = 1
PLACEHOLDERS, VALID, TEST = 2000, 2000, 2500
RECIPE = Path(__file__).with_name("software-strings.toml")


def read(path: Path) -> list[Pair]:
    """Read pairs, each source once."""
    found: dict[str, Pair] = {}
    for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
        pair = Pair(*line.split("\t")[:2])
        found.setdefault(pair.source, pair)
    return list(found.values())


def deal(pairs: list[Pair]) -> dict[str, list[Pair]]:
    """Return the sets by their names."""
    order = [pairs[place] for place in np.random.default_rng(SEED).permutation(len(pairs))]
    apart = [pair for pair in order if _must_keep(pair.source)][:PLACEHOLDERS]
    taken = {pair.source for pair in apart}
    others = [pair for pair in order if pair.source not in taken]
    train = others[VALID + TEST :]
    return {
        "placeholders": apart,
        "valid": others[:VALID],
        "test": others[VALID : VALID + TEST],
        "train": train,
        "words": list(_words(train)),
    }


def _must_keep(source: str) -> bool:
    bare, accelerator = without_accelerator(source)
    return accelerator is not None or bool(protected_spans(bare))


def _words(pairs: list[Pair]) -> Iterator[Pair]:
    for source, target in common_words(pairs):
        if len(source) > 1:
            yield Pair(source, target)
            yield Pair(source.capitalize(), target)


def write(path: Path, pairs: Iterable[Pair]) -> None:
    """Write pairs, one in a line."""
    path.write_text("".join(f"{one.source}\t{one.target}\n" for one in pairs), encoding="utf-8")


def main(corpus: str, folder: str) -> None:
    """Write all sets and the recipe."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, pairs in deal(read(Path(corpus))).items():
        write(Path(folder) / f"{name}.tsv", pairs)
        print(f"{name}: {len(pairs):,} pairs")
    shutil.copy(RECIPE, folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
