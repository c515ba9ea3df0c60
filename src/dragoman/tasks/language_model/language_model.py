"""A trained language model: how likely a text is, and how it goes on."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import ImportedCorpus
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.sampling import SamplingSettings
from dragoman.config.task import LanguageTaskSettings
from dragoman.core.errors import DataError, DivergedError
from dragoman.data.batching.chunks import ChunkStream
from dragoman.data.batching.text_batch import TextBatch
from dragoman.data.batching.text_store import TextStore
from dragoman.data.tokenizer.text_special_tokens import text_special_tokens
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.build import LanguageNetwork, build_language_model
from dragoman.engine.checkpoint.load import load_run
from dragoman.neural.decoding.sampling import sample
from dragoman.tasks.common.lines import encode_lines, text_of

TOGETHER = 4096
"""Tokens per batch while scoring."""

CONTEXT_TOKENS = 64
"""Tokens of a text that are decoded to see what one more adds to it."""

SCORES_TOGETHER = 1 << 27
"""Scores that are held at once: half a gigabyte."""


@dataclass(frozen=True)
class TextScore:
    """The log-probability of a text, token by token."""

    pieces: tuple[str, ...]
    """What was asked for, one after the other; the last is the end of the text."""

    log_probabilities: tuple[float, ...]
    """Of each piece, given all before it; nats."""

    bytes: int
    """Of the text in UTF-8."""

    @property
    def total(self) -> float:
        """Log-probability of the whole text, its end included."""
        return math.fsum(self.log_probabilities)

    @property
    def per_token(self) -> float:
        """Mean log-probability of a token, by which texts of different length can be ranked."""
        return self.total / len(self.log_probabilities)

    @property
    def bits_per_byte(self) -> float:
        """Bits per byte, which do not depend on the vocabulary."""
        return -self.total / max(1, self.bytes) / math.log(2)


class LanguageModel:
    """A language model with its vocabulary, ready to be used."""

    def __init__(
        self, model: LanguageNetwork, tokenizer: Tokenizer, *, longest: int, device: torch.device
    ) -> None:
        self.model, self.tokenizer, self.device = model, tokenizer, device
        self.special_tokens = text_special_tokens(tokenizer)
        self.longest = longest
        """Tokens that are read at once; a longer text is scored in parts."""

    @classmethod
    def load(cls, run: str | Path, *, device: str = "auto") -> "LanguageModel":
        """Load the language model that a run folder holds."""
        loaded = load_run(run, device=device)
        recipe, tokenizer = loaded.recipe, loaded.tokenizer
        settings = recipe.model_for(LanguageTaskSettings)
        model = loaded.network(lambda: build_language_model(settings, tokenizer, recipe.seed))
        longest = recipe.batches.max_length
        if isinstance(recipe.corpus, ImportedCorpus) and isinstance(settings, DecoderOnlySettings):
            longest = settings.max_positions  # it was not trained here, so only it knows
        return cls(model, tokenizer, longest=longest, device=loaded.device)

    def score(
        self, texts: Sequence[str], *, after_batch: Callable[[int], None] | None = None
    ) -> list[TextScore]:
        """Return how likely each text is, token by token; lines of a text are kept apart."""
        if not texts:
            return []
        encoded = [encode_lines(self.tokenizer, text) for text in texts]
        stream = self._stream(encoded)
        chunks, plan = stream.chunks, stream.plan(0)
        found: list[dict[int, list[float]]] = [{} for _ in texts]
        for number, rows in enumerate(plan.batches):
            batch = stream.batch(plan, number, 0)
            for (chunk,), likely in zip(rows, self._log_probabilities(batch), strict=True):
                whole = found[int(chunks.documents[chunk])]
                whole[int(chunks.begins[chunk])] = likely[: int(chunks.lengths[chunk])]
            if after_batch:
                after_batch(sum(int(chunks.begins[chunk]) == 0 for (chunk,) in rows))
        return [
            self._scored(text, ids, [p for _, part in sorted(parts.items()) for p in part])
            for text, ids, parts in zip(texts, encoded, found, strict=True)
        ]

    def generate(
        self,
        prompts: Sequence[str],
        settings: SamplingSettings,
        *,
        seed: int = 0,
        stop: Sequence[str] = (),
    ) -> list[str]:
        """Return what follows each prompt; a stop string ends a text and is left out."""
        texts = [""] * len(prompts)
        for row, text in self.stream(prompts, settings, seed=seed, stop=stop):
            texts[row] += text
        return texts

    def stream(
        self,
        prompts: Sequence[str],
        settings: SamplingSettings,
        *,
        seed: int = 0,
        stop: Sequence[str] = (),
    ) -> Iterator[tuple[int, str]]:
        """Yield what follows each prompt as it comes: the prompt's number, and more of its text."""
        if not prompts:
            return
        special = self.special_tokens
        given = [encode_lines(self.tokenizer, prompt) for prompt in prompts]
        ids = [[special.start, *prompt] for prompt in given]
        room = [self.room(len(row), settings) for row in ids]
        longest = max(room)
        bounds = {"max_tokens": longest, "min_tokens": min(longest, settings.min_tokens)}
        model: Any = self.model
        detokenizers = [Detokenizer(self.tokenizer, prompt, stop) for prompt in given]
        drawn = sample(
            model,
            model.go_on_from(
                self._filled_up(ids), torch.tensor([*map(len, ids)], device=self.device)
            ),
            _with_the_first_repeated(ids, self.device),
            settings.model_copy(update=bounds),
            torch.Generator().manual_seed(seed),
            end=special.end,
            forbidden=special.never,
            stop=lambda row, tokens: (
                detokenizers[row].ended or tokens[-1] in special.ends or len(tokens) >= room[row]
            ),
        )
        for tokens in drawn:
            for row, token in enumerate(tokens.tolist()):
                if token >= 0 and token not in special.ends:
                    more = detokenizers[row].take(token)
                    if more:
                        yield row, more
        for row, one in enumerate(detokenizers):
            if rest := one.rest():
                yield row, rest

    def _stream(self, encoded: Sequence[Sequence[int]]) -> ChunkStream:
        store = TextStore.of([[ids] for ids in encoded], self.tokenizer.newline)
        settings = BatchSettings(max_tokens=max(TOGETHER, self.longest), max_length=self.longest)
        return ChunkStream(store, settings, 0, packed=False, special=self.special_tokens)

    def _log_probabilities(self, batch: TextBatch) -> list[list[float]]:
        tokens = torch.from_numpy(batch.tokens).to(self.device)
        labels = torch.from_numpy(batch.labels).to(self.device)
        count = max(1, SCORES_TOGETHER // self.tokenizer.size)
        likely: list[Tensor] = []
        with torch.inference_mode():
            states = self.model.read(tokens).flatten(0, 1)  # b·n d
            asked = labels.flatten().unsqueeze(1)
            for part, right in zip(states.split(count), asked.split(count), strict=True):
                likely.append(self.model.output(part).log_softmax(dim=-1).gather(1, right))
        return torch.cat(likely).view(tokens.shape).tolist()

    def _scored(self, text: str, ids: Sequence[int], likely: Sequence[float]) -> TextScore:
        if not all(map(math.isfinite, likely)):
            raise DivergedError(
                "score: the model's log-probabilities are not finite. "
                "Its weights are damaged or diverged; use an earlier checkpoint."
            )
        pieces = self.tokenizer.words([*ids, self.special_tokens.end])
        return TextScore(tuple(pieces), tuple(likely), len(text.encode("utf-8")))

    def room(self, prompt: int, settings: SamplingSettings) -> int:
        """Return how many tokens may follow a prompt: a learned table of positions has an end."""
        own = self.model.settings
        if not isinstance(own, DecoderOnlySettings) or own.positions != "learned":
            return settings.max_tokens
        room = own.max_positions - prompt + 1
        if room < 1:
            raise DataError(
                f"the prompt has {prompt} tokens, and the model knows {own.max_positions} "
                "positions. "
                "Give a shorter prompt."
            )
        return min(room, settings.max_tokens)

    def _filled_up(self, rows: Sequence[Sequence[int]]) -> Tensor:
        width, padding = max(map(len, rows)), self.special_tokens.padding
        filled = [[*row, *[padding] * (width - len(row))] for row in rows]
        return torch.tensor(filled, dtype=torch.long, device=self.device)


class Detokenizer:
    """Incremental detokenizer: turns tokens of one text into characters, and finds stop strings.

    The last characters wait while they may be part of a character or the beginning of a stop
    string. What came long ago is forgotten: a token changes nothing but the end of a text.
    """

    def __init__(self, tokenizer: Tokenizer, prompt: Sequence[int], stop: Sequence[str]) -> None:
        self.tokenizer, self.stop = tokenizer, [one for one in stop if one]
        self.tokens = [*prompt[-CONTEXT_TOKENS:]]
        self.ended = False
        self._told = len(text_of(tokenizer, self.tokens))
        self._wait = max((len(one) for one in self.stop), default=1) - 1

    def take(self, token: int) -> str:
        """Add a token; return the characters that are certain now."""
        self.tokens.append(token)
        text = text_of(self.tokenizer, self.tokens)
        fresh = text[self._told :]
        cuts = [fresh.find(one) for one in self.stop if one in fresh]
        if cuts:
            self.ended = True
            return self._tell(fresh[: min(cuts)])
        if len(self.tokens) >= 2 * CONTEXT_TOKENS:
            self._forget(len(fresh))
        certain = len(fresh) - self._wait
        while certain > 0 and fresh[certain - 1] == "\ufffd":  # bytes of it may be still to come
            certain -= 1
        return self._tell(fresh[: max(0, certain)])

    def rest(self) -> str:
        """Return what is left when no more tokens come."""
        if self.ended:
            return ""
        return self._tell(text_of(self.tokenizer, self.tokens)[self._told :])

    def _forget(self, waiting: int) -> None:
        """Keep the newest tokens alone, if what was not told yet is all in them."""
        newest = self.tokens[-CONTEXT_TOKENS:]
        length = len(text_of(self.tokenizer, newest))
        if length >= waiting:
            self.tokens, self._told = newest, length - waiting

    def _tell(self, text: str) -> str:
        self._told += len(text)
        return text


def _with_the_first_repeated(rows: Sequence[Sequence[int]], device: torch.device) -> Tensor:
    """Fill rows up on the left with their own first token, which has come before anyway."""
    width = max(map(len, rows))
    filled = [[*[row[0]] * (width - len(row)), *row] for row in rows]
    return torch.tensor(filled, dtype=torch.long, device=device)
