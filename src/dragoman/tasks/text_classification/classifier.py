"""A trained classifier: texts in, classes with their probabilities out."""

from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from dragoman.config.batches import BatchSettings
from dragoman.config.task import ClassificationTaskSettings
from dragoman.data.batching.labeled import LabeledBatch, gather, row_of, special_tokens_around
from dragoman.data.formats.labeled import in_one_line
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.build import ClassifierModel, build_classifier
from dragoman.engine.checkpoint.load import load_run
from dragoman.tasks.common.classes import ClassPrediction, read_classes
from dragoman.tasks.text_classification.objective import class_scores

TOGETHER = 4096
"""Tokens per batch while classifying."""


class Classifier:
    """A network with its vocabulary and the names of its classes, ready to be used."""

    def __init__(
        self,
        model: ClassifierModel,
        tokenizer: Tokenizer,
        classes: Sequence[str],
        *,
        longest: int,
        device: torch.device,
    ) -> None:
        self.model, self.tokenizer, self.device = model, tokenizer, device
        self.classes = tuple(classes)
        self.longest = longest
        """Tokens that are read of a text, the marks around it included; the rest is cut."""
        self.special_tokens = special_tokens_around(tokenizer)

    @classmethod
    def load(cls, run: str | Path, *, device: str = "auto") -> "Classifier":
        """Load the classifier that a run folder holds."""
        loaded = load_run(run, device=device)
        recipe = loaded.recipe
        settings = recipe.model_for(ClassificationTaskSettings)
        tokenizer = loaded.tokenizer
        classes = read_classes(loaded.weights.notes, loaded.folder.model)
        model = loaded.network(
            lambda: build_classifier(settings, tokenizer, len(classes), recipe.seed)
        )
        longest = recipe.batches.max_length
        return cls(model, tokenizer, classes, longest=longest, device=loaded.device)

    def classify(
        self, texts: Sequence[str], *, after_batch: Callable[[int], None] | None = None
    ) -> list[ClassPrediction]:
        """Return what each text is taken for, in their order."""
        found: list[ClassPrediction] = [ClassPrediction("", {})] * len(texts)
        for batch in self._batches(texts):
            for example, shares in zip(batch.examples, self._probabilities(batch), strict=True):
                likeliest = max(range(len(shares)), key=shares.__getitem__)
                whole = dict(zip(self.classes, shares, strict=True))
                found[int(example)] = ClassPrediction(self.classes[likeliest], whole)
            if after_batch:
                after_batch(len(batch.examples))
        return found

    def _batches(self, texts: Sequence[str]) -> list[LabeledBatch]:
        encoded = self.tokenizer.encode_batch([in_one_line(text) for text in texts])
        rows = [row_of(ids, self.longest, self.special_tokens) for ids in encoded]
        settings = BatchSettings(max_tokens=max(TOGETHER, self.longest), max_length=self.longest)
        return gather(rows, [0] * len(rows), settings, self.special_tokens)

    def _probabilities(self, batch: LabeledBatch) -> list[list[float]]:
        tokens = torch.from_numpy(batch.tokens).to(self.device)
        with torch.inference_mode():
            return class_scores(self.model, tokens).double().softmax(dim=-1).tolist()
