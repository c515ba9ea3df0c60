"""Plain text to pretrain on, few and many examples to fine-tune on, and what judges both.

Reviews: passages of IMDB in the spelling of Rotten Tomatoes, with the sentences that are trained
on; labelled sentences of Rotten Tomatoes. Pairs: sentences of the embedded grammar, English ones
and Hindi ones that are no translations of each other; and pairs of others. What is held out stands
in no text. A smaller set of examples is the beginning of a larger one.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from dragoman.config.corpus import LabeledCorpus
from dragoman.config.settings import Settings
from dragoman.core.files import write_atomic
from dragoman.data.corpus.labeled import open_labeled
from dragoman.data.formats.labeled import LabeledText
from dragoman.data.grammar.sample import Drawer, GrammarExample, familiar
from dragoman.lab.experiments.sentiment.data import NEGATIVE, POSITIVE, check_labels

Task = Literal["classification", "translation"]
Share = Literal["even", "uneven", "evened"]
ONE_IN = 5
"""Of so many texts of an uneven set one is negative."""

WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


class ExampleCounts(Settings):
    """How many examples are shown."""

    count: int
    share: Share = "even"
    """Of the classes: equally many of both, one negative in five, or such a set from which the
    positives that are too many were left out."""

    @property
    def file(self) -> str:
        """The name of the table that holds them."""
        return f"{self.count}-{self.share}.tsv"


class ReviewsPlan(Settings):
    """Reviews to be gathered."""

    task: Literal["classification"] = "classification"
    labelled: str
    """Checksum of the labelled table."""
    plain: str
    """Checksum of the table whose texts are read without their labels."""
    passages: int
    words: int = 32
    """Of a passage."""
    held_out: float = 0.12
    valid: int = 1000
    sets: tuple[ExampleCounts, ...]
    seed: int


class PairsPlan(Settings):
    """Sentences of the grammar to be drawn."""

    task: Literal["translation"] = "translation"
    sentences: int
    """Of each language, to pretrain on."""
    difficulty: int = 1
    valid: int
    tested: int
    sets: tuple[ExampleCounts, ...]
    seed: int


Plan = ReviewsPlan | PairsPlan


@dataclass(frozen=True)
class Gathered:
    """The files of a plan."""

    folder: Path

    @property
    def text(self) -> Path:
        """Plain text, one document a line."""
        return self.folder / "text.txt"

    @property
    def valid(self) -> Path:
        """What chooses rates and weights."""
        return self.folder / "valid.tsv"

    @property
    def test(self) -> Path:
        """What is reported."""
        return self.folder / "test.tsv"

    def examples(self, examples: ExampleCounts) -> Path:
        """Return the table of some examples."""
        return self.folder / examples.file


def gather(plan: Plan, folder: Path, labelled: Path, plain: Path) -> Gathered:
    """Write the files of a plan into a folder, unless they are there already."""
    files, mark, wanted = Gathered(folder), folder / "gathered.json", plan.model_dump_json()
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return files
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(plan, PairsPlan):
        _draw_pairs(plan, files)
    else:
        _gather_reviews(plan, files, labelled, plain)
    write_atomic(mark, wanted)
    return files


def passages(text: str, words: int) -> list[str]:
    """Cut a text into passages of so many words, small letters and marks apart."""
    found = WORD.findall(text.lower())
    return [" ".join(found[begin : begin + words]) for begin in range(0, len(found), words)]


def choose(rows: Sequence[LabeledText], examples: ExampleCounts) -> list[LabeledText]:
    """Take the first rows of each class that make up a set, in turn as far as they go."""
    negative, positive = (
        [row for row in rows if row.label == label] for label in (NEGATIVE, POSITIVE)
    )
    few = examples.count // (2 if examples.share == "even" else ONE_IN)
    many = examples.count - few if examples.share == "uneven" else few
    return [*negative[:few], *positive[:many]]


def _gather_reviews(plan: ReviewsPlan, files: Gathered, labelled: Path, plain: Path) -> None:
    texts = open_labeled(LabeledCorpus(train=(labelled,), held_out=plan.held_out), plan.seed)
    check_labels(texts.test, labelled)
    random = Random(f"pretraining-pays/{plan.seed}")
    train = list(texts.train())
    random.shuffle(train)
    for examples in plan.sets:
        _write_rows(files.examples(examples), choose(train, examples))
    # rows come class by class where the table does
    _write_rows(files.valid, random.sample(texts.valid, min(plan.valid, len(texts.valid))))
    _write_rows(files.test, texts.test)
    with plain.open(encoding="utf-8") as stream:
        reviews = [line.split("\t")[0] for line in stream]
    random.shuffle(reviews)
    held_out = {row.text for row in (*texts.valid, *texts.test)}
    lines = [row.text for row in train]
    for review in reviews:
        if len(lines) - len(train) >= plan.passages:
            break
        lines += [one for one in passages(review, plan.words) if one not in held_out]
    _write_lines(files.text, lines)


def _draw_pairs(plan: PairsPlan, files: Gathered) -> None:
    drawer = Drawer(plan.difficulty, plan.seed)

    def draw(name: str, count: int) -> list[GrammarExample]:
        return drawer.draw(name, count, familiar)

    valid, test = draw("valid", plan.valid), draw("unseen", plan.tested)
    train = draw("train", max(examples.count for examples in plan.sets))
    held_out = {one.target for one in (*valid, *test)}
    english = [one.source for one in draw("english", plan.sentences)]
    hindi = [one.target for one in draw("hindi", plan.sentences) if one.target not in held_out]
    for path, pairs in (
        (files.valid, valid),
        (files.test, test),
        *((files.examples(one), train[: one.count]) for one in plan.sets),
    ):
        _write_lines(path, [f"{one.source}\t{one.target}" for one in pairs])
    _write_lines(files.text, [*english, *hindi])


def _write_rows(path: Path, rows: Iterable[LabeledText]) -> None:
    _write_lines(path, [f"{row.text}\t{row.label}" for row in rows])


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    write_atomic(path, "".join(f"{line}\n" for line in lines))
