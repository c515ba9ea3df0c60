"""Searching with CTranslate2: from token numbers of sources to hypotheses, as our searches give.

Both count alike: a score is the log-probability divided by length ** length_penalty, END is part
of the length, and so it is of the longest length. What differs is seen to here:

- A batch has one longest length there, and each sentence its own here. A sentence that comes out
  longer than its own is searched again by itself.
- Tokens that may not come out are forbidden only for sentences that would have them, because
  CTranslate2 then shares their probability out among the others. Such sentences, and those with a
  prefix, whose tokens it counts as certain, are priced anew.
- There is no loop guard. A sentence that falls into a loop is searched again with no phrase of
  that many tokens twice, which is a little stricter.
- A beam stops there when it has as many ended hypotheses as places, times its patience; ours goes
  on while a better one may come. On 40 sentences of one small run a patience of 3 gave our outputs
  and 1 gave 33 of them; patience takes time, so it is left at 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from dragoman.backends.ctranslate2.library import explain_failures, open_model, torch_resting
from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError, DataError
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import END, PAD, SPECIALS, START, UNKNOWN
from dragoman.neural.decoding.guards import LONGEST_PHRASE
from dragoman.neural.decoding.protocol import Hypothesis
from dragoman.neural.decoding.rules import Rules
from dragoman.neural.decoding.search import longest_lengths

FORBIDDEN = (PAD, START, UNKNOWN)
UNDERSTOOD = frozenset(
    (
        "beam",
        "length_penalty",
        "max_length_ratio",
        "max_length_extra",
        "no_repeat_ngram",
        "loop_guard",
        "batch_tokens",
        "precision",  # of our own engine; how an export is stored is said when it is made
        "diversity_penalty",  # of groups
        "samples",  # of another search than a beam's, as are the next two
        "seed",
        "sampling",
    )
)
"""Settings of a search that are followed here; all others must be as they are by default."""

Ids = Sequence[int]


@dataclass(frozen=True, slots=True)
class SearchInput:
    """A sentence to translate."""

    source: Ids
    """Without END, which CTranslate2 puts there."""
    prefix: Ids
    longest: int


class Ctranslate2Engine:
    """A model of CTranslate2, asked in our numbers."""

    def __init__(
        self, folder: Path, tokenizer: TokenizerPair, room: int, device: torch.device
    ) -> None:
        self.folder = folder
        self.room = room
        """Positions that the model has."""
        self.source, self.target = tokenizer.source.pieces, tokenizer.target.pieces
        self.numbers = {piece: number for number, piece in enumerate(self.target)}
        self.guesses_unknown = tokenizer.target.kind == "words"
        """Whether UNKNOWN is likely enough to crowd the beam, so that it is forbidden at once."""
        self.patience = 1.0
        self.model = open_model(folder, device, torch.get_num_threads())

    def __call__(
        self,
        sources: Sequence[Ids],
        settings: DecodingSettings,
        nbest: int,
        prefixes: Sequence[Ids],
    ) -> list[list[Hypothesis]]:
        """Return the `nbest` outputs of each source that begin with its prefix, best first."""
        check_search(settings)
        lengths = longest_lengths([len(ids) + 1 for ids in sources], settings).tolist()
        asked = [
            SearchInput(source, prefix, self._longest(length, prefix, settings))
            for source, prefix, length in zip(sources, prefixes, lengths, strict=True)
        ]
        if not asked:
            return []
        with torch_resting(), explain_failures(self.folder):
            found = self._ask(asked, settings, nbest, strict=self.guesses_unknown)
            for row, one in enumerate(asked):
                if not self._fits(found[row], one):
                    found[row] = self._ask([one], settings, nbest, strict=True)[0]
                if settings.loop_guard and any(
                    loops(h.tokens, settings.loop_guard) for h in found[row]
                ):
                    found[row] = self._ask([one], _without_loops(settings), nbest, strict=True)[0]
        return found

    def _longest(self, length: int, prefix: Ids, settings: DecodingSettings) -> int:
        wanted = max(length, len(prefix) + settings.max_length_extra) if prefix else length
        if len(prefix) >= self.room:
            raise DataError(
                f"a prefix of {len(prefix)} tokens, and the exported model has {self.room} "
                "positions. Give a shorter one."
            )
        return min(wanted, self.room)

    def _fits(self, found: Sequence[Hypothesis], one: SearchInput) -> bool:
        """Whether no output is too long or has a token that may not come out."""
        begin = len(one.prefix)
        return not any(
            len(h.tokens) + h.finished > one.longest
            or any(number in FORBIDDEN for number in h.tokens[begin:])
            for h in found
        )

    def _ask(
        self, asked: Sequence[SearchInput], settings: DecodingSettings, nbest: int, *, strict: bool
    ) -> list[list[Hypothesis]]:
        """Search; a strict search forbids what may not come out."""
        prefixes = [self._pieces(one.prefix, self.target) for one in asked]
        results = self.model.translate_batch(
            [self._pieces(one.source, self.source) for one in asked],
            target_prefix=prefixes if any(prefixes) else None,
            beam_size=settings.beam,
            patience=self.patience,
            num_hypotheses=nbest,
            length_penalty=settings.length_penalty,
            no_repeat_ngram_size=settings.no_repeat_ngram,
            max_input_length=0,
            min_decoding_length=0,
            max_decoding_length=max(one.longest for one in asked),
            disable_unk=strict,
            suppress_sequences=[[SPECIALS[PAD]], [SPECIALS[START]]] if strict else None,
            return_scores=True,
            return_end_token=True,
        )
        rules = Rules(start=START, end=END, length_penalty=settings.length_penalty)
        found = [self._hypotheses(result, rules) for result in results]
        return [
            self._priced(one, mine, rules) if strict or one.prefix else mine
            for one, mine in zip(asked, found, strict=True)
        ]

    def _hypotheses(self, result: Any, rules: Rules) -> list[Hypothesis]:
        found = []
        for pieces, score in zip(result.hypotheses, result.scores, strict=True):
            numbers = [self.numbers[piece] for piece in pieces]
            finished = numbers[-1:] == [END]
            total = score * max(1, len(numbers)) ** rules.length_penalty
            tokens = numbers[:-1] if finished else numbers
            found.append(rules.hypothesis(tokens, total, finished=finished))
        return found

    def _priced(self, one: SearchInput, found: list[Hypothesis], rules: Rules) -> list[Hypothesis]:
        """Return outputs with what the model says of every token, best first."""
        source = self._pieces(one.source, self.source)
        targets = [self._pieces(h.tokens, self.target) for h in found]
        prices = self.model.score_batch([source] * len(found), targets, max_input_length=0)
        again = [
            rules.hypothesis(
                list(h.tokens),
                sum(price.log_probs[: len(h.tokens) + h.finished]),
                finished=h.finished,
            )
            for h, price in zip(found, prices, strict=True)
        ]
        return sorted(again, key=lambda each: (not each.finished, -each.score))

    def _pieces(self, ids: Ids, entries: Sequence[str]) -> list[str]:
        return [entries[number] for number in ids]


def check_search(settings: DecodingSettings) -> None:
    """Refuse a way to search that CTranslate2 has not."""
    for key, field in DecodingSettings.model_fields.items():
        if key not in UNDERSTOOD and getattr(settings, key) != field.get_default(
            call_default_factory=True
        ):
            raise ConfigError(
                f"decoding.{key}: CTranslate2 has no such search. Translate with --engine torch."
            )


def loops(tokens: Sequence[int], times: int) -> bool:
    """Whether a phrase stands more than so many times in a row."""
    for period in range(1, LONGEST_PHRASE + 1):
        run = 0
        for now, before in zip(tokens[period:], tokens, strict=False):
            run = run + 1 if now == before else 0
            if run > period * (times - 1):
                return True
    return False


def _without_loops(settings: DecodingSettings) -> DecodingSettings:
    size = settings.no_repeat_ngram or settings.loop_guard
    return settings.model_copy(update={"no_repeat_ngram": min(size, settings.loop_guard)})
