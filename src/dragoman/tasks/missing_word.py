"""The missing word at an unknown place: all gaps × words, pruned, then whole sentences ranked.

"The man the cart."   →   The man pulled the cart.   (gap 2, "pulled")

A sentence of n words has n + 1 gaps: before each word, and after the last one but before the mark
that ends the sentence. Each gap asks the model for its likeliest words. Which gap it is, these
cannot say, for a word is likely enough in most of them; so the sentences that they make are ranked
as wholes.

    reads from both sides   words that fit the masked place; a long sentence keeps the gaps that
                            make all its other words likeliest; ranked by pseudo-log-likelihood
    reads from the left     words that may follow what stands before the gap; ranked by probability
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch

from dragoman.config.reading import read_recipe
from dragoman.core.errors import ConfigError, DataError
from dragoman.data.corpus.generators.corruptions import STOP, Missing
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.tasks.common.lines import encode_lines
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.masked_lm.masked_language_model import MaskedLanguageModel, MaskedWord
from dragoman.tasks.masked_lm.masking import predictable_tokens

GAPS = 6
"""Gaps of a sentence that are looked at closely."""

WORDS = 12
"""Words that are tried in each of them."""

WORDS_FROM_THE_LEFT = 24
"""Words that are tried in each gap where only what stands before it is known."""


class Gap(NamedTuple):
    """A place between two words, and what stands before and after it."""

    place: int
    """From 0, which is before the first word."""
    before: str
    after: str

    def with_word(self, word: str) -> str:
        """Return the sentence with a word in the gap."""
        start = f"{self.before} {word}" if self.before else word
        ends_here = STOP.fullmatch(self.after.lstrip())
        return start + self.after if ends_here else f"{start} {self.after}"


@dataclass(frozen=True)
class MissingWord:
    """A word that may be missing, and where."""

    place: int
    word: str
    text: str
    """The sentence with the word in it."""
    score: float
    """Log-probability of that sentence; a pseudo-log-likelihood where a model reads both sides."""


@dataclass(frozen=True)
class MissingWordEvaluation:
    """Accuracy of the first prediction: of its place, its word, and both."""

    examples: int
    place: float
    word: float
    both: float


def gaps(text: str) -> list[Gap]:
    """Return all gaps of a sentence; the first one twice if the next word may lose its capital."""
    folded = " ".join(text.split())
    stop = STOP.search(folded)
    end = stop[0] if stop else ""
    body = folded.removesuffix(end)
    words = body.split()
    tail = f" {end}" if body.endswith(" ") else end
    found = [Gap(n, " ".join(words[:n]), " ".join(words[n:]) + tail) for n in range(len(words) + 1)]
    first = found[0].after
    lower = first[:1].lower() + first[1:]
    return found if lower == first else [Gap(0, "", lower), *found]


def mask_gaps(filler: MaskedLanguageModel, known: Sequence[Gap]) -> list[MaskedWord]:
    """Mask a word in each gap of a sentence."""
    sign = filler.tokenizer.pieces[filler.special_tokens.mask]
    questions = []
    for gap in known:
        hidden = filler.mask_words(gap.with_word(sign), sign)
        if len(hidden.places) != 1:
            raise DataError(f"a text in which a word is missing cannot hold {sign!r}.")
        questions.append(MaskedWord(hidden.ids, hidden.places[0]))
    return questions


class WordFinder:
    """Finds the missing word of a sentence by a model that reads from both sides or the left."""

    def __init__(
        self, model: MaskedLanguageModel | LanguageModel, *, max_subwords: int = 1
    ) -> None:
        self.model = model
        self.max_subwords = max_subwords
        """Tokens that the missing word may have, where the model reads from both sides."""
        self.tried = 0
        """Sentences that were scored as wholes so far."""
        self._first = torch.from_numpy(
            predictable_tokens(model.tokenizer, model.special_tokens).first
        )

    @classmethod
    def load(cls, run: str | Path, *, max_subwords: int = 1, device: str = "auto") -> "WordFinder":
        """Load the model of a run folder."""
        match read_recipe(trained_run(Path(run)).recipe).task.kind:
            case "masked-lm":
                return cls(MaskedLanguageModel.load(run, device=device), max_subwords=max_subwords)
            case "language-model":
                return cls(LanguageModel.load(run, device=device))
            case other:
                raise ConfigError(
                    f"{run}: was made for task.kind = {other!r}. The missing word is found by "
                    "models of task.kind = 'masked-lm' or 'language-model'."
                )

    def find(self, text: str, top: int = 5) -> list[MissingWord]:
        """Return the likeliest words and their places, best first; an empty text misses none."""
        if not text.strip():
            return []
        model, known = self.model, gaps(text)
        if isinstance(model, MaskedLanguageModel):
            guesses = self._from_both_sides(model, known)
        else:
            guesses = self._from_the_left(model, known)
        places: dict[str, tuple[int, str]] = {}
        for gap, words in guesses:
            for word in words:
                places.setdefault(gap.with_word(word), (gap.place, word))
        whole = [*places]
        self.tried += len(whole)
        scores = [one.total for one in model.score(whole)]
        ranked = sorted(zip(scores, whole, strict=True), key=lambda pair: -pair[0])
        return [MissingWord(*places[one], one, score) for score, one in ranked[:top]]

    def _from_both_sides(
        self, filler: MaskedLanguageModel, known: list[Gap]
    ) -> list[tuple[Gap, list[str]]]:
        """Predict what is masked in each gap; keep the gaps that explain the other words best."""
        questions = mask_gaps(filler, known)
        answers = filler.predict(questions, WORDS, self.max_subwords)
        kept = list(range(len(known)))
        if len(known) > GAPS:
            others = filler.pseudo_log_likelihoods([one.ids for one in questions])
            worth = [
                sum(likely) + max((one.score for one in found), default=0.0)
                for likely, found in zip(others, answers, strict=True)
            ]
            kept = sorted(kept, key=lambda n: -worth[n])[:GAPS]
        decode = filler.tokenizer.decode
        return [(known[n], [decode(one.tokens) for one in answers[n]]) for n in kept]

    def _from_the_left(
        self, writer: LanguageModel, known: list[Gap]
    ) -> list[tuple[Gap, list[str]]]:
        """Predict what follows the words before each gap."""
        rows = [
            [
                writer.special_tokens.start,
                *(encode_lines(writer.tokenizer, gap.before) if gap.before else ()),
            ]
            for gap in known
        ]
        rows = [row[-writer.longest :] for row in rows]
        width = max(map(len, rows))
        padding = writer.special_tokens.padding
        filled = torch.tensor([[*row, *[padding] * (width - len(row))] for row in rows])
        last = torch.tensor([len(row) - 1 for row in rows])
        with torch.inference_mode():
            states = writer.model.read(filled.to(writer.device))  # g s d
            scores = writer.model.output(states[torch.arange(len(rows)), last]).float()  # g v
            fitting = scores.masked_fill(~self._first.to(scores.device), -torch.inf)
            best = fitting.topk(min(WORDS_FROM_THE_LEFT, int(self._first.sum())))
        decode = writer.tokenizer.decode
        return [
            (gap, [decode([token]).strip(" ") for token in tokens])
            for gap, tokens in zip(known, best.indices.tolist(), strict=True)
        ]


def right_of(found: MissingWord, example: Missing) -> tuple[bool, bool]:
    """Say whether the place of a prediction is right, and whether its word is.

    A place is right as well where the word, put there, gives the very sentence: in "very very old"
    nobody can tell which one was missing. Capitals of the word do not matter.
    """
    placed = found.text == example.whole or found.place == example.place
    return placed, found.word.casefold() == example.word.casefold()


def score_missing_words(
    finder: WordFinder, examples: Sequence[Missing], after: Callable[[int], None] = lambda _: None
) -> MissingWordEvaluation:
    """Look for words that were taken out, and count how often the first prediction is right."""
    place = word = both = 0
    for example in examples:
        found = finder.find(example.text, 1)
        if found:
            placed, named = right_of(found[0], example)
            place, word, both = place + placed, word + named, both + (placed and named)
        after(1)
    count = max(1, len(examples))
    return MissingWordEvaluation(len(examples), place / count, word / count, both / count)
