"""A trained translator: text in, text out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np
import torch

from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.training import DecodingSettings
from dragoman.data.tokenizer.symbols import END, PAD, START, UNKNOWN
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.build import TranslationModel, build_model
from dragoman.engine.checkpoint.folder import trained
from dragoman.engine.checkpoint.weights import load_weights, read_weights
from dragoman.engine.inference.sentences import fit
from dragoman.engine.runtime import choose_device
from dragoman.neural.decoding.search import search

Ids = list[int]


@dataclass(frozen=True, slots=True)
class Translation:
    """One translation of one text."""

    text: str
    score: float
    """Log-probability per token (to the power of the length penalty); the search's measure."""
    log_probability: float
    """Of the whole translation, end mark included."""


class Translator:
    """Translate with one model; the order of the answers is the order of the questions."""

    def __init__(
        self,
        model: TranslationModel,
        tokenizer: Tokenizer,
        decoding: DecodingSettings,
        *,
        longest: int,
        device: torch.device,
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self.decoding = decoding
        self.longest = longest
        self.device = device

    @classmethod
    def load(cls, run: str | Path, *, device: str = "auto") -> "Translator":
        """Load the translator that a run folder holds."""
        folder = trained(Path(run))
        recipe: Recipe = read_recipe(folder.recipe)
        tokenizer = Tokenizer.load(folder.tokenizer)
        stored = read_weights(folder.model)
        with torch.device("meta"):  # takes no memory, so weights that do not fit are refused first
            load_weights(build_model(recipe.model, tokenizer, 0), stored.tensors, folder.model)
        model = build_model(recipe.model, tokenizer, recipe.seed)
        load_weights(model, stored.tensors, folder.model)
        chosen = choose_device(device)
        noted = stored.notes.get("longest_source", "")
        longest = int(noted) if noted.isdecimal() else recipe.batches.longest
        return cls(
            model.to(chosen).eval(), tokenizer, recipe.decoding, longest=longest, device=chosen
        )

    @overload
    def translate(self, text: str, *, beam: int | None = None) -> str: ...
    @overload
    def translate(self, text: list[str], *, beam: int | None = None) -> list[str]: ...
    def translate(self, text: str | list[str], *, beam: int | None = None) -> str | list[str]:
        """Return the best translation of a text, or of each of several."""
        if isinstance(text, str):
            return self.candidates([text], beam=beam)[0][0].text
        return [best[0].text for best in self.candidates(text, beam=beam)]

    def candidates(
        self,
        texts: Sequence[str],
        *,
        beam: int | None = None,
        nbest: int = 1,
        after_batch: Callable[[int], None] | None = None,
    ) -> list[list[Translation]]:
        """Return the `nbest` translations of each text, best first.

        A text longer than any that the model was trained on is cut at sentence ends, and its
        translation joined again; the joined one counts as a single candidate. `after_batch` is
        told how many texts each batch has finished.
        """
        chosen = self._decoding(beam, nbest)
        pieces = [self._pieces(text) for text in texts]
        flat = [(t, p) for t, parts in enumerate(pieces) for p in range(len(parts))]
        sources = [self.tokenizer.source.encode(pieces[t][p]) for t, p in flat]
        answers: list[list[list[Translation]]] = [[[]] * len(parts) for parts in pieces]
        for rows in self._batches(sources, chosen):
            found = self._search([sources[r] for r in rows], chosen, nbest)
            for row, translations in zip(rows, found, strict=True):
                t, p = flat[row]
                answers[t][p] = translations
            if after_batch:
                after_batch(sum(flat[row][1] == 0 for row in rows))
        return [_joined(parts) for parts in answers]

    def _decoding(self, beam: int | None, nbest: int) -> DecodingSettings:
        width = max(beam or self.decoding.beam, nbest)
        return self.decoding.model_copy(update={"beam": width})

    def _pieces(self, text: str) -> list[str]:
        clean = " ".join(text.replace("\x00", "").split())
        if not clean:
            return []
        return fit(clean, self.longest - 1, lambda t: len(self.tokenizer.source.encode(t)))

    def _batches(self, sources: list[Ids], chosen: DecodingSettings) -> Iterator[list[int]]:
        """Group sources of similar length, longest first, within the budget of slots."""
        order = sorted(range(len(sources)), key=lambda i: -len(sources[i]))
        place = 0
        while place < len(order):
            slots = (len(sources[order[place]]) + 1) * chosen.beam
            size = max(1, chosen.batch_tokens // slots)
            yield order[place : place + size]
            place += size

    def _search(
        self, sources: list[Ids], chosen: DecodingSettings, nbest: int
    ) -> list[list[Translation]]:
        lengths = [len(ids) + 1 for ids in sources]
        padded = np.full((len(sources), max(lengths)), PAD, dtype=np.int64)
        for row, ids in enumerate(sources):
            padded[row, : len(ids) + 1] = [*ids, END]
        found = search(
            self.model,
            torch.from_numpy(padded).to(self.device),
            lengths,
            chosen,
            start=START,
            end=END,
            forbidden=(PAD, START, UNKNOWN),
            nbest=nbest,
        )
        decode = self.tokenizer.target.decode
        return [
            [
                Translation(_one_line(decode(h.tokens)), h.score, h.log_probability)
                for h in hypotheses
            ]
            for hypotheses in found
        ]


def _one_line(text: str) -> str:
    """Whatever any program may take for the end of a line becomes a space."""
    return " ".join(text.splitlines()).strip(" ")


def _joined(parts: list[list[Translation]]) -> list[Translation]:
    """Join the translations of a text's pieces; an empty text has an empty translation."""
    if not parts:
        return [Translation("", 0.0, 0.0)]
    if len(parts) == 1:
        return parts[0]
    best = [found[0] for found in parts]
    return [
        Translation(
            text=" ".join(t.text for t in best if t.text),
            score=sum(t.score for t in best) / len(best),
            log_probability=sum(t.log_probability for t in best),
        )
    ]
