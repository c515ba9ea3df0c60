"""A trained tagger: sentences in, a label with its probability for each word out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from dragoman.config.batches import BatchSettings
from dragoman.config.task import TaggingTaskSettings
from dragoman.data.batching.labeled import special_tokens_around
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.checkpoint.load import load_run
from dragoman.tasks.common.classes import read_classes
from dragoman.tasks.tagging.batches import (
    IGNORED,
    TagBatch,
    gather,
    portions,
    subwords_of,
    targets_of,
)
from dragoman.tasks.tagging.network import TaggerModel, build_tagger

TOGETHER = 4096
"""Tokens per batch while tagging."""


@dataclass(frozen=True)
class Tagging:
    """The words of a sentence, the likeliest label of each, and how sure the network is of it."""

    words: tuple[str, ...]
    labels: tuple[str, ...]
    probabilities: tuple[float, ...]


class Tagger:
    """A network with its vocabulary and the names of its labels, ready to be used."""

    def __init__(
        self,
        model: TaggerModel,
        tokenizer: Tokenizer,
        labels: Sequence[str],
        *,
        max_length: int,
        device: torch.device,
    ) -> None:
        self.model, self.tokenizer, self.device = model, tokenizer, device
        self.labels = tuple(labels)
        self.max_length = max_length
        """Tokens that are read at once, the marks around them included; a longer sentence is cut
        between words."""
        self.special_tokens = special_tokens_around(tokenizer)

    @classmethod
    def load(cls, run: str | Path, *, device: str = "auto") -> "Tagger":
        """Load the tagger that a run folder holds."""
        loaded = load_run(run, device=device)
        recipe, tokenizer = loaded.recipe, loaded.tokenizer
        settings = recipe.model_for(TaggingTaskSettings)
        labels = read_classes(loaded.weights.notes, loaded.folder.model)
        model = loaded.network(lambda: build_tagger(settings, tokenizer, len(labels), recipe.seed))
        max_length = recipe.batches.max_length
        return cls(model, tokenizer, labels, max_length=max_length, device=loaded.device)

    def tag(
        self,
        sentences: Sequence[str | Sequence[str]],
        *,
        after_batch: Callable[[int], None] | None = None,
    ) -> list[Tagging]:
        """Label each word of some sentences, in their order.

        A sentence is a list of words, or a text that is parted at its blanks.
        """
        words = [one.split() if isinstance(one, str) else list(one) for one in sentences]
        found: list[list[tuple[int, float]]] = [[] for _ in words]
        of_portion, batches = self._batches(words)
        answers: dict[int, list[tuple[int, float]]] = {}
        for batch in batches:
            for example, likeliest in zip(batch.examples, self._likeliest(batch), strict=True):
                answers[int(example)] = likeliest
            if after_batch:
                after_batch(len(batch.examples))
        for number, sentence in enumerate(of_portion):
            found[sentence] += answers[number]
        return [
            Tagging(
                tuple(said),
                tuple(self.labels[label] for label, _ in likeliest),
                tuple(share for _, share in likeliest),
            )
            for said, likeliest in zip(words, found, strict=True)
        ]

    def _batches(self, sentences: Sequence[Sequence[str]]) -> tuple[list[int], list[TagBatch]]:
        """Return the sentence that each portion is of, and the batches of the portions."""
        of_portion, rows = [], []
        for number, words in enumerate(sentences):
            for portion in portions(subwords_of(self.tokenizer, words), self.max_length):
                of_portion.append(number)
                rows.append((portion.tokens, targets_of(portion, [0] * len(portion.first))))
        settings = BatchSettings(
            max_tokens=max(TOGETHER, self.max_length), max_length=self.max_length
        )
        return of_portion, gather(rows, settings, self.special_tokens)

    def _likeliest(self, batch: TagBatch) -> list[list[tuple[int, float]]]:
        """Return for each row the likeliest label of each word and its probability."""
        with torch.inference_mode():
            scores = self.model(torch.from_numpy(batch.tokens).to(self.device))
            shares, labels = scores.double().softmax(dim=-1).max(dim=-1)  # b n
        asked = batch.labels != IGNORED
        return [
            list(zip(row_labels[row].tolist(), row_shares[row].tolist(), strict=True))
            for row, row_labels, row_shares in zip(
                asked, labels.cpu().numpy(), shares.cpu().numpy(), strict=True
            )
        ]
