"""A trained translator: text in, text out."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np
import torch

from dragoman.config.corpus import CorpusSettings
from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.training import DecodingSettings
from dragoman.core.errors import DataError, RunError
from dragoman.data.corpus.tags import FindTag, tagging, written_languages
from dragoman.data.tokenizer.symbols import END, PAD, START, UNKNOWN
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.build import TranslationModel, build_model
from dragoman.engine.checkpoint.folder import RunFolder, trained
from dragoman.engine.checkpoint.plain import filled
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.engine.inference.sentences import fit
from dragoman.engine.runtime import choose_device
from dragoman.neural.decoding.ensemble import Ensemble
from dragoman.neural.decoding.protocol import NextToken
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
    """Translate with one model, or several as one; answers come in the order of the questions."""

    def __init__(
        self,
        model: TranslationModel,
        tokenizer: Tokenizer,
        decoding: DecodingSettings,
        *,
        longest: int,
        device: torch.device,
        corpus: CorpusSettings | None = None,
        also: Sequence[TranslationModel] = (),
    ) -> None:
        self.model = model
        self.also = tuple(also)
        """Models whose probabilities are averaged with the first one's."""
        self.tokenizer = tokenizer
        self.decoding = decoding
        self.longest = longest
        self.device = device
        self.corpus = corpus
        """Says which languages the model writes, and so which tags its sources need."""

    @classmethod
    def load(
        cls, run: str | Path, *, device: str = "auto", also: Sequence[str | Path] = ()
    ) -> "Translator":
        """Load the translator that a run folder holds.

        The runs of `also` translate with it as one: their probabilities are averaged. They must
        have the same tokenizer; how to search is what the first run says.
        """
        folder = trained(Path(run))
        others = [trained(Path(path)) for path in also]
        recipe: Recipe = read_recipe(folder.recipe)
        tokenizer = Tokenizer.load(folder.tokenizer)
        for other in others:
            _check_member(folder, recipe, tokenizer, other)
        chosen = choose_device(device)
        members = [_load_model(one, tokenizer, chosen) for one in (folder, *others)]
        return cls(
            members[0][0],
            tokenizer,
            recipe.decoding,
            longest=min(longest for _, longest in members),
            device=chosen,
            corpus=recipe.pairs,
            also=[model for model, _ in members[1:]],
        )

    @overload
    def translate(
        self, text: str, *, beam: int | None = None, to: str | None = None, prefix: str = ""
    ) -> str: ...
    @overload
    def translate(
        self, text: list[str], *, beam: int | None = None, to: str | None = None, prefix: str = ""
    ) -> list[str]: ...
    def translate(
        self,
        text: str | list[str],
        *,
        beam: int | None = None,
        to: str | None = None,
        prefix: str = "",
    ) -> str | list[str]:
        """Return the best translation of a text, or of each of several.

        `to` names the language to write; a model that writes only one needs no telling. With
        `prefix` every translation begins with these words.
        """
        texts = [text] if isinstance(text, str) else text
        found = self.candidates(texts, beam=beam, to=to, prefixes=[prefix] * len(texts))
        return found[0][0].text if isinstance(text, str) else [best[0].text for best in found]

    def candidates(
        self,
        texts: Sequence[str],
        *,
        beam: int | None = None,
        nbest: int = 1,
        to: str | None = None,
        prefixes: Sequence[str] | None = None,
        after_batch: Callable[[int], None] | None = None,
    ) -> list[list[Translation]]:
        """Return the `nbest` translations of each text, best first.

        A text longer than any that the model was trained on is cut at sentence ends, and its
        translation joined again; the joined one counts as a single candidate. With `prefixes` the
        translation of each text begins with its own: whole words, blanks folded; an empty text
        stays empty. `after_batch` is told how many texts each batch has finished.
        """
        chosen = self._decoding(beam, nbest)
        begins = [""] * len(texts) if prefixes is None else [_clean(prefix) for prefix in prefixes]
        if len(begins) != len(texts):
            raise DataError(f"{len(begins)} prefixes for {len(texts)} texts. Give each text one.")
        find_tag = tagging(self.corpus, to)
        pieces = [self._pieces(text, find_tag) for text in texts]
        flat = [(t, p) for t, parts in enumerate(pieces) for p in range(len(parts))]
        sources = [self.tokenizer.encode_source(pieces[t][p]) for t, p in flat]
        answers: list[list[list[Translation]]] = [[[]] * len(parts) for parts in pieces]
        for rows in self._batches(sources, chosen):
            told = [begins[t] if p == 0 else "" for t, p in (flat[row] for row in rows)]
            found = self._search([sources[r] for r in rows], chosen, nbest, told)
            for row, translations in zip(rows, found, strict=True):
                t, p = flat[row]
                answers[t][p] = translations
            if after_batch:
                after_batch(sum(flat[row][1] == 0 for row in rows))
        return [_joined(parts) for parts in answers]

    def _decoding(self, beam: int | None, nbest: int) -> DecodingSettings:
        width = max(beam or self.decoding.beam, nbest)
        return self.decoding.model_copy(update={"beam": width})

    def _pieces(self, text: str, find_tag: FindTag) -> list[str]:
        """Cut a text into pieces that the model can read, each with the tag of the whole."""
        clean = _clean(text)
        if not clean:
            return []
        tag, rest = find_tag(clean)
        room = max(1, self.longest - (2 if tag else 1))
        return [
            tag + piece for piece in fit(rest, room, lambda t: len(self.tokenizer.encode_source(t)))
        ]

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
        self, sources: list[Ids], chosen: DecodingSettings, nbest: int, told: list[str]
    ) -> list[list[Translation]]:
        """Look for the translations of a batch, each of which begins with the words it is told."""
        lengths = [len(ids) + 1 for ids in sources]
        padded = np.full((len(sources), max(lengths)), PAD, dtype=np.int64)
        for row, ids in enumerate(sources):
            padded[row, : len(ids) + 1] = [*ids, END]
        model: NextToken[Any] = Ensemble((self.model, *self.also)) if self.also else self.model
        found = search(
            model,
            torch.from_numpy(padded).to(self.device),
            lengths,
            chosen,
            start=START,
            end=END,
            forbidden=(PAD, START, UNKNOWN),
            nbest=nbest,
            prefixes=[self.tokenizer.target.encode(words) for words in told],
        )
        return [
            [Translation(self._text(h.tokens, words), h.score, h.log_probability) for h in each]
            for each, words in zip(found, told, strict=True)
        ]

    def _text(self, tokens: Sequence[int], told: str) -> str:
        """Return the text of an output; the words it was told stand as they were given."""
        target = self.tokenizer.target
        text = _one_line(target.decode(tokens))
        known = target.decode(target.encode(told))  # what is not in the vocabulary is unknown here
        return told + text.removeprefix(known) if told and text.startswith(known) else text


def _check_member(first: RunFolder, recipe: Recipe, tokenizer: Tokenizer, other: RunFolder) -> None:
    """Refuse a run whose numbers mean other words."""
    theirs = Tokenizer.load(other.tokenizer)
    mine = [(side.kind, side.pieces) for side in (tokenizer.source, tokenizer.target)]
    same = mine == [(side.kind, side.pieces) for side in (theirs.source, theirs.target)]
    tags = written_languages(recipe.pairs)
    if not same or written_languages(read_recipe(other.recipe).pairs) != tags:
        raise RunError(
            f"{other.path}: has another tokenizer or other languages than {first.path}, so the two "
            "cannot translate together. Train both with the same [corpus], [tokenizer] and "
            "corpus.seed, and different seeds."
        )


def _load_model(
    folder: RunFolder, tokenizer: Tokenizer, device: torch.device
) -> tuple[TranslationModel, int]:
    """Return the network of a run, and how long a source it was trained on."""
    recipe = read_recipe(folder.recipe)
    stored = read_weights(folder.model)
    model = filled(
        lambda: build_model(recipe.translator, tokenizer, recipe.seed),
        stored,
        recipe.start,
        folder.model,
    )
    noted = stored.notes.get("longest_source", "")
    longest = int(noted) if noted.isdecimal() else recipe.batches.longest
    return model.to(device).eval(), longest


def _clean(text: str) -> str:
    return " ".join(text.replace("\x00", "").split())


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
