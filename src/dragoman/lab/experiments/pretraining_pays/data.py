"""Plain sentences to pretrain on, few and many labelled ones to fine-tune on, and what judges both.

    number   The man who pulled the carts                  singular | plural
    verb     The man who pulled the carts was very proud.  right | wrong

All are sentences of the agreement generator, with no noun or one between subject and verb. Plain
text says nothing of numbers; but what a verb agrees with can be read off it. A sentence that is
held out begins like none that is pretrained or trained on. A smaller set of examples is the
beginning of a larger one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from dragoman.config.settings import Settings
from dragoman.core.files import write_atomic
from dragoman.data.corpus.generators.agreement import AgreementSentence, draw_agreements
from dragoman.data.formats.labeled import LabeledText

Task = Literal["number", "verb"]
Share = Literal["even", "uneven", "evened"]
ONE_IN = 5
"""Of so many texts of an uneven set one is of the rare class."""

CLASSES: dict[Task, tuple[str, str]] = {
    "number": ("plural", "singular"),
    "verb": ("wrong", "right"),
}
"""Of an uneven set the first is the rare one."""


class ExampleCounts(Settings):
    """How many examples are shown."""

    count: int
    share: Share = "even"
    """Of the classes: equally many of both, one rare in five, or such a set from which the others
    that are too many were left out."""


class SentencesPlan(Settings):
    """Sentences to be drawn."""

    sentences: int
    """To pretrain on; the first of them are labelled as well."""
    valid: int
    tested: int
    distractors: int = 1
    """Nouns between subject and verb, at most; equally many sentences have each number."""
    sets: tuple[ExampleCounts, ...]
    """Of each task; those that are not even, of the number alone."""
    seed: int

    def sets_of(self, task: Task) -> tuple[ExampleCounts, ...]:
        """Return the sets of examples of a task."""
        return tuple(one for one in self.sets if one.share == "even" or task == "number")


@dataclass(frozen=True)
class Gathered:
    """The files of a plan."""

    folder: Path

    @property
    def text(self) -> Path:
        """Plain text, one sentence a line."""
        return self.folder / "text.txt"

    def valid(self, task: Task) -> Path:
        """What chooses the weights."""
        return self.folder / f"{task}-valid.tsv"

    def test(self, task: Task) -> Path:
        """What is reported."""
        return self.folder / f"{task}-test.tsv"

    def examples(self, task: Task, examples: ExampleCounts) -> Path:
        """Return the table of some examples."""
        return self.folder / f"{task}-{examples.count}-{examples.share}.tsv"


def gather(plan: SentencesPlan, folder: Path) -> Gathered:
    """Write the files of a plan into a folder, unless they are there already."""
    files, mark, wanted = Gathered(folder), folder / "gathered.json", plan.model_dump_json()
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return files
    folder.mkdir(parents=True, exist_ok=True)
    random = Random(f"pretraining-pays/{plan.seed}")
    test, valid, train = draw_sentences(plan, random)
    for task in CLASSES:
        rows = label(train, task, random)
        for examples in plan.sets_of(task):
            _write_rows(files.examples(task, examples), choose(rows, task, examples))
        _write_rows(files.valid(task), label(valid, task, random))
        _write_rows(files.test(task), label(test, task, random))
    _write_lines(files.text, [one.good for one in train])
    write_atomic(mark, wanted)
    return files


def draw_sentences(
    plan: SentencesPlan, random: Random
) -> tuple[list[AgreementSentence], list[AgreementSentence], list[AgreementSentence]]:
    """Draw what is tested, what validates, and what is learned from, none beginning alike."""
    numbers = range(plan.distractors + 1)
    each = 3 * (plan.sentences + plan.valid + plan.tested) // (2 * len(numbers))
    drawn = [
        one
        for number in numbers
        for one in draw_agreements(each, seed=plan.seed, distractors=number)
    ]
    random.shuffle(drawn)
    by_beginning = {one.text: one for one in drawn}
    held_out = random.sample(sorted(by_beginning), plan.tested + plan.valid)
    test, valid = held_out[: plan.tested], held_out[plan.tested :]
    known = {*held_out}
    train = [one for one in drawn if one.text not in known][: plan.sentences]
    return [by_beginning[text] for text in test], [by_beginning[text] for text in valid], train


def label(sentences: Iterable[AgreementSentence], task: Task, random: Random) -> list[LabeledText]:
    """Write sentences as examples of a task; of the verbs half are wrong, by chance."""
    if task == "number":
        return [LabeledText(one.text, one.label) for one in sentences]
    told = [(one, random.random() < 0.5) for one in sentences]
    return [
        LabeledText(*((one.good, "right") if is_right else (one.bad, "wrong")))
        for one, is_right in told
    ]


def choose(rows: Sequence[LabeledText], task: Task, examples: ExampleCounts) -> list[LabeledText]:
    """Take the first rows of each class that make up a set."""
    rare, other = ([row for row in rows if row.label == name] for name in CLASSES[task])
    few = examples.count // (2 if examples.share == "even" else ONE_IN)
    many = examples.count - few if examples.share == "uneven" else few
    return [*rare[:few], *other[:many]]


def _write_rows(path: Path, rows: Iterable[LabeledText]) -> None:
    _write_lines(path, [f"{row.text}\t{row.label}" for row in rows])


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    write_atomic(path, "".join(f"{line}\n" for line in lines))
