"""Trials of text classifiers that learn from drawn texts, each with its class."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import LabeledCorpus
from dragoman.config.model import ClassifierSettings
from dragoman.config.recipe import Recipe
from dragoman.config.task import ClassificationTaskSettings
from dragoman.config.tokenizer import WordTokenizerSettings
from dragoman.core.files import write_atomic
from dragoman.data.formats.labeled import LabeledText
from dragoman.lab.trial import TunableTrial

SETS = ("train", "valid", "test")


class ClassificationTrial(TunableTrial):
    """A classifier of whole words, trained on the tables `train`, `valid` and `test`."""

    run_name: ClassVar[str]
    folder: ClassVar[str] = "texts"
    """Of the tables, in the trial's own."""
    max_length: ClassVar[int] = BatchSettings().max_length
    model: ClassifierSettings
    tokens: int
    """Padded tokens of a batch: the same batches for every model."""

    def recipe(self, place: Path) -> Recipe:
        """Return the recipe that trains it on its tables."""
        train, valid, test = ((place / self.folder / f"{name}.tsv",) for name in SETS)
        return self.recipe_of(
            self.run_name,
            ClassificationTaskSettings(),
            LabeledCorpus(train=train, valid=valid, test=test),
            self.model,
            tokenizer=WordTokenizerSettings(),
            batches=BatchSettings(max_tokens=self.tokens, max_length=self.max_length),
        )


def write_tables(folder: Path, tables: Mapping[str, Sequence[LabeledText]]) -> None:
    """Write tables of texts and classes into a folder, by their names."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, texts in tables.items():
        lines = "".join(f"{one.text}\t{one.label}\n" for one in texts)
        write_atomic(folder / f"{name}.tsv", lines)
