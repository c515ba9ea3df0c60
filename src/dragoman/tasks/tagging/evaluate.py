"""Evaluating a tagger: the same code for validation while training and for the test verb.

A share of right labels says little by itself: it stands beside always giving the label that most
training words have, and beside a dictionary that gives each word the label it has most often.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from dragoman.core.errors import DataError
from dragoman.data.formats.findings import Findings
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.metrics.classification import Classification, classification_scores, table
from dragoman.metrics.share import wilson_interval
from dragoman.tasks.common.card import store_scores
from dragoman.tasks.common.set_names import name_of_files
from dragoman.tasks.tagging.corpus import check_known
from dragoman.tasks.tagging.entities import EntityScore, is_bio, score_entities
from dragoman.tasks.tagging.held_out import load_held_out_tagged, load_lexicon
from dragoman.tasks.tagging.report import REPORT
from dragoman.tasks.tagging.sentences import TaggedSentence, read_sentences
from dragoman.tasks.tagging.tagger import Tagger, Tagging

AfterBatch = Callable[[int], None]


@dataclass(frozen=True)
class TagBaselines:
    """What any tagger must beat, learned from the training set by counting."""

    favorite: str
    """The label of most training words."""

    lexicon: Mapping[str, str]
    """The most frequent label of each training word; any other word has the favorite."""

    @classmethod
    def of_run(cls, data: Path, labels: Mapping[str, int]) -> "TagBaselines":
        """Read them from a run's data folder."""
        return cls(max(labels, key=lambda label: labels[label]), load_lexicon(data))

    def label(self, word: str) -> str:
        """Return what the dictionary says of a word."""
        return self.lexicon.get(word, self.favorite)


@dataclass(frozen=True)
class TaggingEvaluation:
    """How well the words of one test set were labelled."""

    name: str
    sentences: int
    words: int
    whole: Classification
    low: float
    high: float
    """The 95 % interval of the accuracy (Wilson), as if each word were drawn by itself."""

    exact: float
    """Share of the sentences of which every label is right."""

    favorite: str
    majority: Classification
    """What comes of always giving the favorite label."""

    dictionary: Classification
    """What comes of giving each word its most frequent label."""

    entities: EntityScore | None
    """Where the labels are BIO."""

    answers: tuple[Tagging, ...]

    @property
    def accuracy(self) -> float:
        """The share of right labels."""
        return self.whole.accuracy

    def figures(self) -> dict[str, float]:
        """Return what validation logs of it."""
        return {
            "accuracy": self.accuracy,
            "macro_f1": self.whole.macro_f1,
            **({} if self.entities is None else {"entity_f1": self.entities.f1}),
            "majority": self.majority.accuracy,
            "dictionary": self.dictionary.accuracy,
        }

    def summary(self) -> dict[str, Any]:
        """Return what is stored: everything but the answers."""
        cheap = {"majority": self.majority, "dictionary": self.dictionary}
        return {
            "sentences": self.sentences,
            "words": self.words,
            "accuracy": self.accuracy,
            "interval": [self.low, self.high],
            "macro_f1": self.whole.macro_f1,
            "exact_sentences": self.exact,
            **({} if self.entities is None else {"entities": asdict(self.entities)}),
            "classes": [asdict(one) for one in self.whole.classes],
            "confusion": [list(row) for row in self.whole.confusion],
            "favorite": self.favorite,
            **{
                name: {"accuracy": one.accuracy, "macro_f1": one.macro_f1}
                for name, one in cheap.items()
            },
        }

    def text(self) -> str:
        """Say how well the words were labelled, and by what that must be measured."""
        lines = [
            f"{self.name}: {self.sentences:,} sentences, {self.words:,} words, accuracy "
            f"{self.accuracy:.3f} (95 % interval {self.low:.3f} to {self.high:.3f}); "
            f"{self.exact:.3f} of the sentences are all right",
            f"baselines: each word's most frequent label {self.dictionary.accuracy:.3f}, "
            f"always {self.favorite!r} {self.majority.accuracy:.3f}",
        ]
        if (found := self.entities) is not None:
            lines.append(
                f"entities: F1 {found.f1:.3f} (precision {found.precision:.3f}, recall "
                f"{found.recall:.3f}) of {found.true:,}"
            )
        whole = table(self.whole, self.majority, unit="words").removesuffix("\n")
        return "\n".join([*lines, "", whole])


def evaluate_tagger(
    tagger: Tagger,
    sentences: Sequence[TaggedSentence],
    name: str,
    baselines: TagBaselines,
    after_batch: AfterBatch | None = None,
) -> TaggingEvaluation:
    """Label the words of some sentences, and compare."""
    answers = tagger.tag([one.words for one in sentences], after_batch=after_batch)
    words = list(chain.from_iterable(one.words for one in sentences))
    true = list(chain.from_iterable(one.labels for one in sentences))
    called = list(chain.from_iterable(one.labels for one in answers))
    right = sum(a == b for a, b in zip(called, true, strict=True))
    both = list(zip(answers, sentences, strict=True))
    low, high = wilson_interval(right, len(true))
    return TaggingEvaluation(
        name=name,
        sentences=len(sentences),
        words=len(words),
        whole=classification_scores(called, true, tagger.labels),
        low=low,
        high=high,
        exact=sum(one.labels == other.labels for one, other in both) / len(both),
        favorite=baselines.favorite,
        majority=classification_scores([baselines.favorite] * len(true), true, tagger.labels),
        dictionary=classification_scores(
            [baselines.label(word) for word in words], true, tagger.labels
        ),
        entities=score_entities([one.labels for one in answers], [one.labels for one in sentences])
        if is_bio(tagger.labels)
        else None,
        answers=tuple(answers),
    )


def sentences_to_test(run: Path, files: Sequence[Path] = ()) -> dict[str, list[TaggedSentence]]:
    """Return the sentences to test a run on: its own held-out ones, or those of the given files."""
    folder = trained_run(run)
    held_out = load_held_out_tagged(folder.data)
    if not files:
        return {"test": held_out.test}
    found = list(read_sentences(files, repair=True, findings=Findings()))
    if not found:
        raise DataError(f"{files[0]}: holds no tagged sentence to test on.")
    check_known(found, held_out.labels)
    return {name_of_files(folder, files): [one.sentence for one in found]}


def evaluate_tagging(
    run: Path, files: Sequence[Path] = (), after_batch: AfterBatch | None = None
) -> list[TaggingEvaluation]:
    """Evaluate a tagger on its test set (or on given files); store scores and card."""
    folder = trained_run(run)
    tagger = Tagger.load(run)
    baselines = TagBaselines.of_run(folder.data, load_held_out_tagged(folder.data).labels)
    found = [
        evaluate_tagger(tagger, sentences, name, baselines, after_batch)
        for name, sentences in sentences_to_test(run, files).items()
    ]
    store_scores(folder, found, REPORT, files)
    return found
