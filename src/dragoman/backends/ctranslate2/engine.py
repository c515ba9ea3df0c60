"""Searching with CTranslate2: from token numbers of sources to hypotheses, as our searches give.

Both count alike: a score is the log-probability divided by length ** length_penalty, END is part
of the length, and so it is of the longest length. What differs is seen to here:

- A batch has one longest length there, and each sentence its own here. Sentences that come out
  longer than their own are searched again, those of one longest length together.
- Tokens that may not come out are forbidden only for sentences that would have them, because
  CTranslate2 then shares their probability out among the others. Such sentences, and those with a
  prefix, whose tokens it counts as certain, are priced anew.
- There is neither a loop guard nor a stutter guard. Sentences that fall into a loop or stutter are
  searched again, all together, with no phrase of so many tokens twice, which is a little stricter,
  and without any word twice in a row. They are not searched for their length before.
- A beam stops there when it has as many ended hypotheses as places, times its patience; ours goes
  on while a better one may come. On 40 sentences of one small run a patience of 3 gave our outputs
  and 1 gave 33 of them; patience takes time, so it is left at 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
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
from dragoman.neural.decoding.stutter import StutterGuard

FORBIDDEN = (PAD, START, UNKNOWN)
UNDERSTOOD = frozenset(
    (
        "beam",
        "length_penalty",
        "max_length_ratio",
        "max_length_extra",
        "no_repeat_ngram",
        "loop_guard",
        "stutter_guard",
        "batch_tokens",
        "precision",  # of our own engine; how an export is stored is said when it is made
        "diversity_penalty",  # of groups
        "samples",  # of another search than a beam's, as are the next two
        "seed",
        "sampling",
    )
)
"""Settings of a search that are followed here; all others must be as they are by default."""

LEAST_PHRASE = 2
"""Tokens that may not come twice in the same order where what stutters is searched again."""

Ids = Sequence[int]
Outputs = dict[int, list[Hypothesis]]
"""What was found for some of the sentences, by their place."""


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
        self,
        folder: Path,
        tokenizer: TokenizerPair,
        room: int,
        device: torch.device,
        stutter_guard: Callable[[], StutterGuard | None] = lambda: None,
    ) -> None:
        self.folder = folder
        self.stutter_guard = cache(stutter_guard)
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
            found = dict(enumerate(self._ask(asked, settings, nbest, strict=self.guesses_unknown)))
            repeating = self._repeating(asked, found, settings)
            # What repeats itself is searched again anyway, and then cut at its own length.
            whole = [row for row in found if row not in repeating]
            found |= self._fitting(asked, whole, found, settings, nbest)
            repeating += self._repeating(asked, {row: found[row] for row in whole}, settings)
            found |= self._without_repeats(asked, repeating, settings, nbest)
        return [found[row] for row in range(len(asked))]

    def _fitting(
        self,
        asked: Sequence[SearchInput],
        rows: Sequence[int],
        found: Outputs,
        settings: DecodingSettings,
        nbest: int,
    ) -> Outputs:
        """Search again where outputs do not fit, once for each longest length."""
        lengths: dict[int, list[int]] = {}
        for row in rows:
            if not self._fits(found[row], asked[row]):
                lengths.setdefault(asked[row].longest, []).append(row)
        fitting: Outputs = {}
        for some in lengths.values():
            again = self._ask([asked[row] for row in some], settings, nbest, strict=True)
            fitting |= dict(zip(some, again, strict=True))
        return fitting

    def _repeating(
        self, asked: Sequence[SearchInput], found: Outputs, settings: DecodingSettings
    ) -> list[int]:
        """Return the sentences with outputs that a guard of our own search would have forbidden."""
        guard = self._guard(settings)
        return [
            row
            for row, each in found.items()
            if any(loops(one.tokens, settings.loop_guard) for one in each)
            or (guard is not None and _stutters(guard, asked[row], each))
        ]

    def _without_repeats(
        self,
        asked: Sequence[SearchInput],
        rows: Sequence[int],
        settings: DecodingSettings,
        nbest: int,
    ) -> Outputs:
        """Search again with nothing coming twice; what the source doubles may be doubled."""
        guard = self._guard(settings)
        guarded = [row for row in rows if guard is not None and not _excused(guard, asked[row])]
        found: Outputs = {}
        for some in (guarded, [row for row in rows if row not in guarded]):
            if some:
                sizes = (settings.no_repeat_ngram, settings.loop_guard)
                least = min(filter(None, (*sizes, LEAST_PHRASE if some is guarded else 0)))
                again = self._ask(
                    [asked[row] for row in some],
                    settings.model_copy(update={"no_repeat_ngram": least}),
                    nbest,
                    strict=True,
                    never=guard.pairs if guard is not None and some is guarded else (),
                )
                found |= dict(zip(some, again, strict=True))
        return found

    def _guard(self, settings: DecodingSettings) -> StutterGuard | None:
        return self.stutter_guard() if settings.stutter_guard == "always" else None

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
        self,
        asked: Sequence[SearchInput],
        settings: DecodingSettings,
        nbest: int,
        *,
        strict: bool,
        never: Sequence[Ids] = (),
    ) -> list[list[Hypothesis]]:
        """Search; a strict search forbids what may not come out. `never` are other such phrases."""
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
            suppress_sequences=[
                *([[SPECIALS[PAD]], [SPECIALS[START]]] if strict else ()),
                *(self._pieces(tokens, self.target) for tokens in never),
            ],
            return_scores=True,
            return_end_token=True,
        )
        rules = Rules(start=START, end=END, length_penalty=settings.length_penalty)
        found = [self._hypotheses(result, rules) for result in results]
        altered = [row for row, one in enumerate(asked) if strict or one.prefix]
        priced = self._priced(
            [asked[row] for row in altered], [found[row] for row in altered], rules
        )
        return [priced.pop(0) if row in altered else mine for row, mine in enumerate(found)]

    def _hypotheses(self, result: Any, rules: Rules) -> list[Hypothesis]:
        found = []
        for pieces, score in zip(result.hypotheses, result.scores, strict=True):
            numbers = [self.numbers[piece] for piece in pieces]
            finished = numbers[-1:] == [END]
            total = score * max(1, len(numbers)) ** rules.length_penalty
            tokens = numbers[:-1] if finished else numbers
            found.append(rules.hypothesis(tokens, total, finished=finished))
        return found

    def _priced(
        self, asked: Sequence[SearchInput], found: Sequence[list[Hypothesis]], rules: Rules
    ) -> list[list[Hypothesis]]:
        """Return outputs, cut at their longest, with what the model says of every token."""
        pairs = [
            (one.source, _within(one.longest, h))
            for one, each in zip(asked, found, strict=True)
            for h in each
        ]
        prices = self.model.score_batch(
            [self._pieces(source, self.source) for source, _ in pairs],
            [self._pieces(h.tokens, self.target) for _, h in pairs],
            max_input_length=0,
        )
        again = iter(
            rules.hypothesis(
                list(h.tokens),
                sum(price.log_probs[: len(h.tokens) + h.finished]),
                finished=h.finished,
            )
            for (_, h), price in zip(pairs, prices, strict=True)
        )
        return [
            sorted((next(again) for _ in each), key=lambda one: (not one.finished, -one.score))
            for each in found
        ]

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


def _stutters(guard: StutterGuard, one: SearchInput, found: Sequence[Hypothesis]) -> bool:
    """Whether any output stutters after what it was told, and the source does not."""
    begin = len(one.prefix)
    return any(guard.stutters(h.tokens[begin:]) for h in found) and not _excused(guard, one)


def _excused(guard: StutterGuard, one: SearchInput) -> bool:
    return bool(guard.excused(torch.tensor([one.source], dtype=torch.long))[0])


def _within(longest: int, one: Hypothesis) -> Hypothesis:
    """Return an output without what is beyond its longest length."""
    if len(one.tokens) + one.finished <= longest:
        return one
    return replace(one, tokens=one.tokens[:longest], finished=False)


def loops(tokens: Sequence[int], times: int) -> bool:
    """Whether a phrase stands more than so many times in a row; 0 allows any number."""
    if not times:
        return False
    for period in range(1, LONGEST_PHRASE + 1):
        run = 0
        for now, before in zip(tokens[period:], tokens, strict=False):
            run = run + 1 if now == before else 0
            if run > period * (times - 1):
                return True
    return False
