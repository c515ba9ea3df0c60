"""Right sentences and spoilt ones, and sentences in which one of two like-sounding words is right.

The right ones are sentences of the embedded grammar and some with homophones. Classifiers learn
from them and from what the generator of corruptions makes of them; language models from the right
ones alone. For the ranking of homophones every second frame is kept back: no sentence of those
frames is learned from.
"""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dragoman.config.settings import Settings
from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic
from dragoman.data.corpus.generators.corruptions import CorruptedSentence, correct_and_corrupted
from dragoman.data.corpus.generators.homophones import Homophones, draw_homophones, frames
from dragoman.data.grammar.sample import draw_sets

DIFFICULTY = 2
SLOT = re.compile(r"\\{\w+\\}")
"""A place for anybody or any time, as it stands in a pattern."""


class CorrectnessSampling(Settings):
    """How many sentences are drawn, and from which seed."""

    train: int
    """Sentences of the grammar to learn from; each comes once right and once spoilt."""
    held_out: int
    """Sentences of the grammar in each of the validation set and the test set."""
    homophones: int
    """Sentences with homophones to learn from."""
    pairs: int
    """Pairs to be ranked, of the frames that were learned from and of the others."""
    seed: int


@dataclass(frozen=True)
class CorrectnessCorpus:
    """The files of a corpus, and what is known of its test."""

    folder: Path

    def table(self, name: str) -> Path:
        """Return the file of a set with classes."""
        return self.folder / f"{name}.tsv"

    def text(self, name: str) -> Path:
        """Return the file of the right sentences of a set."""
        return self.folder / f"{name}.txt"

    def read_corruptions(self, name: str) -> list[CorruptedSentence]:
        """Read a set with what was done to each sentence."""
        return [CorruptedSentence(*row) for row in self._read(f"{name}.json")]

    def pairs(self, name: str) -> list[Homophones]:
        """Read the pairs of the `seen` or of the `unseen` frames."""
        return [Homophones(*row) for row in self._read(f"pairs-{name}.json")]

    def _read(self, name: str) -> list[list[Any]]:
        rows: list[list[Any]] = json.loads((self.folder / name).read_bytes())
        return rows


def draw_sentences(sentences: CorrectnessSampling, folder: Path) -> CorrectnessCorpus:
    """Draw the sentences into a folder, unless they are there already."""
    drawn, mark, wanted = (
        CorrectnessCorpus(folder),
        folder / "drawn.json",
        sentences.model_dump_json(),
    )
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return drawn
    folder.mkdir(parents=True, exist_ok=True)
    learned, seen, unseen = split_homophones(sentences)
    grammar = draw_sets(
        pairs=sentences.train,
        held_out=sentences.held_out,
        difficulty=DIFFICULTY,
        seed=sentences.seed,
    )
    sets = {
        "train": [*(one.source for one in grammar.train), *(one.good for one in learned)],
        "valid": [one.source for one in grammar.valid],
        "test": [one.source for one in grammar.unseen],
    }
    for name, corrupted in spoil(sets, sentences.seed).items():
        rows = "".join(f"{one.text}\t{one.label}\n" for one in corrupted)
        right = "".join(f"{one.text}\n" for one in corrupted if one.label == "right")
        write_atomic(drawn.table(name), rows)
        write_atomic(drawn.text(name), right)
        write_atomic(folder / f"{name}.json", json.dumps(corrupted, ensure_ascii=False))
    for name, pairs in (("seen", seen), ("unseen", unseen)):
        write_atomic(folder / f"pairs-{name}.json", json.dumps(pairs, ensure_ascii=False))
    write_atomic(mark, wanted)
    return drawn


def spoil(sets: dict[str, list[str]], seed: int) -> dict[str, list[CorruptedSentence]]:
    """Give each set its sentences and what is made of them; no text stands in two places."""
    home = {text: name for name, texts in sets.items() for text in texts}
    known = set(home)
    corrupted: dict[str, list[CorruptedSentence]] = {name: [] for name in sets}
    name = ""
    for one in correct_and_corrupted([*home], seed=seed):
        if one.label == "right":
            name = home[one.text]
        elif one.text in known:
            corrupted[name].pop()  # both or none, so that half of them are right
            continue
        known.add(one.text)
        corrupted[name].append(one)
    return corrupted


def split_homophones(
    sentences: CorrectnessSampling,
) -> tuple[list[Homophones], list[Homophones], list[Homophones]]:
    """Draw pairs to learn from, others of the same frames, and some of frames that are kept."""
    shapes = [_shape(frame.text.replace("_", frame.word)) for frame in frames()]
    known: list[Homophones] = []
    kept: list[Homophones] = []
    wanted = sentences.homophones + sentences.pairs
    for pair in draw_homophones(3 * wanted + 50, seed=sentences.seed):
        number = next(n for n, shape in enumerate(shapes) if shape.fullmatch(pair.good))
        (kept if number % 2 else known).append(pair)
    if len(known) < wanted or len(kept) < sentences.pairs:
        raise DataError(f"homophones: {wanted} sentences are too many. Ask for fewer.")
    cut = sentences.homophones
    return known[:cut], known[cut:wanted], kept[: sentences.pairs]


def _shape(frame: str) -> re.Pattern[str]:
    """Return a pattern of the sentences that a frame can become."""
    return re.compile(SLOT.sub(r"[\\w ]+", re.escape(frame)))
