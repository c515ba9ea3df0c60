"""The stutter guard: nothing is said twice in a row but what the language itself doubles.

    cond cond       a word, or some words, immediately again
    ti ti ti        a subword again inside a word
    Hell|ello       letters again inside a word, cut into other subwords (`echo`)

Young models stutter, and beam search likes it. The loop guard lets a phrase stand four times, for
it knows nothing about tokens. This one is told what each of them says, so that "Es es" and "regalo
regalo." are doubles while "100 100", "no, no" and "!!!" are not, and which phrases the training
targets double (धीरे धीरे). A sentence whose source doubles anything is left alone: ha ha is ja ja.
"""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from dragoman.neural.decoding.echo import WINDOW, WordEchoes

LONGEST_PHRASE = 8
"""Tokens of the longest phrase that is looked for."""

SPELLED = 2
"""Single letters inside a word that may come again: "papa" where words are spelled out."""

Phrase = tuple[int, ...]
Bans = tuple[Tensor, Tensor]


@dataclass(frozen=True, eq=False)
class Sounds:
    """The sounds of the tokens of a vocabulary: what they say, as numbers; below 0 for nothing.

    A phrase comes again where `again` of each of its tokens equals `first` of the one before it. In
    a phrase of several tokens some may say nothing, and come again as they are ("to %s to %s").
    """

    first: Int[Tensor, " v"]
    again: Int[Tensor, " v"]
    letters: Int[Tensor, " k"]
    """Of each sound that goes on with a word: how many it has; 0 where it begins one."""

    def is_spelled(self, phrase: Phrase) -> bool:
        """Whether a phrase is one or two single letters inside a word."""
        return len(phrase) <= SPELLED and all(
            sound >= 0 and self.letters[sound] == 1 for sound in phrase
        )

    def doubles(self, tokens: Sequence[int], licensed: Set[Phrase] = frozenset()) -> bool:
        """Whether tokens say any phrase twice in a row, or a licensed one three times."""
        ids = torch.tensor(tokens, dtype=torch.long)
        first, again = self.first[ids].tolist(), self.again[ids].tolist()
        for size in range(1, min(LONGEST_PHRASE, len(first) // 2) + 1):
            run = 0
            for place in range(size, len(first)):
                equal = size > 1 and tokens[place - size] == tokens[place]
                run = run + 1 if equal or first[place - size] == again[place] else 0
                phrase = (*first[place - 2 * size + 1 : place - size + 1],)
                allowed = 2 if phrase in licensed else 1
                if run >= size * allowed and max(phrase) >= 0 and not self.is_spelled(phrase):
                    return True
        return False


class StutterGuard:
    """Forbids the token that would complete a phrase for the second time in a row."""

    def __init__(
        self, source: Sounds, target: Sounds, echoes: WordEchoes, licensed: Set[Phrase]
    ) -> None:
        self.source, self.target, self.echoes = source, target, echoes
        self.licensed = licensed
        """Phrases that may stand twice, but not three times, as the sounds of the target."""
        count = len(target.letters)
        alone = [(sound,) in licensed for sound in range(count)]
        self._licensed_alone = torch.tensor(alone, dtype=torch.bool)
        self._alike = _tokens_of_sounds(target.again, count)
        """The tokens that say each sound again; filled up with -1."""

    def narrow(self, kept: Int[Tensor, " n"]) -> "StutterGuard":
        """Return the guard of a search that knows only some tokens, and numbers them anew."""
        own = self.target
        target = Sounds(own.first[kept], own.again[kept], own.letters)
        return StutterGuard(self.source, target, self.echoes.narrow(kept.tolist()), self.licensed)

    def excused(self, source: Int[Tensor, "b s"]) -> Bool[Tensor, " b"]:
        """Say which sources double something themselves; marks between the copies do not matter."""
        sounds = self.source.first.maximum(self.source.again)
        plain = Sounds(sounds, sounds, self.source.letters)
        rows = [row[sounds[row] >= 0].tolist() for row in source.cpu()]
        return torch.tensor([plain.doubles(row) for row in rows], dtype=torch.bool)

    def stutters(self, tokens: Sequence[int]) -> bool:
        """Whether an output holds what the guard would have forbidden."""
        return self.target.doubles(tokens, self.licensed) or any(
            token in self.echoes.after(tokens[max(0, place - WINDOW) : place])
            for place, token in enumerate(tokens)
        )

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Return every token with each that may not follow it because it says the same again."""
        tokens = (self.target.first >= 0).nonzero()  # as prefixes of one token
        rows, again = self._tokens(
            *self._alone(self.target.first[tokens], self.target.again[tokens])
        )
        return list(zip(tokens[rows, 0].tolist(), again.tolist(), strict=True))

    def bans(self, prefixes: Int[Tensor, "n t"]) -> Bans:
        """Find the tokens that may not come next, by row."""
        length = prefixes.shape[1]
        if not length:
            return torch.empty(0, dtype=torch.long), torch.empty(0, dtype=torch.long)
        known, filler = prefixes.clamp(min=0), prefixes < 0
        first = self.target.first[known].masked_fill(filler, -1)
        again = self.target.again[known].masked_fill(filler, -2)
        found = [self._tokens(*self._alone(first, again))]
        for size in range(2, min(LONGEST_PHRASE, (length + 1) // 2) + 1):
            same = (first[:, :-size] == again[:, size:]) | (
                prefixes[:, :-size] == prefixes[:, size:]
            )
            found += self._phrases(prefixes, first, same, size)
        found.append(self._echoes(prefixes))
        rows, tokens = (torch.cat(side) for side in zip(*found, strict=True))
        return rows, tokens

    def _tokens(self, rows: Int[Tensor, " m"], sounds: Int[Tensor, " m"]) -> Bans:
        """Return the tokens that say sounds, with their rows."""
        tokens = self._alike[sounds]  # m, g
        which, place = (tokens >= 0).nonzero(as_tuple=True)
        return rows[which], tokens[which, place]

    def _alone(self, first: Int[Tensor, "n t"], again: Int[Tensor, "n t"]) -> Bans:
        """Find the rows whose last token may not come again, and what it says."""
        last = first[:, -1]
        sound = last.clamp(min=0)
        banned = (last >= 0) & (self.target.letters[sound] != 1)
        licensed = self._licensed_alone[sound]
        if first.shape[1] > 1:
            licensed = licensed & (first[:, -2] != again[:, -1])
        rows = (banned & ~licensed).nonzero().squeeze(1)
        return rows, last[rows]

    def _phrases(
        self,
        prefixes: Int[Tensor, "n t"],
        first: Int[Tensor, "n t"],
        same: Bool[Tensor, "n u"],
        size: int,
    ) -> list[Bans]:
        """Find the tokens that would complete a phrase of `size` tokens again.

        It does so if the last `size - 1` are its first ones: if each is the same as that before it.
        """
        last = prefixes.shape[1] - size  # where the phrase ends
        hits = same[:, last - size + 1 :].all(1).nonzero().squeeze(1).tolist()
        rows = [row for row in hits if not self._may_come(first[row], same[row], size)]
        own = torch.tensor(rows, dtype=torch.long)
        silent = own[(first[own, last] < 0) & (prefixes[own, last] >= 0)]
        spoken = own[first[own, last] >= 0]
        return [self._tokens(spoken, first[spoken, last]), (silent, prefixes[silent, last])]

    def _may_come(self, first: Int[Tensor, " t"], same: Bool[Tensor, " u"], size: int) -> bool:
        """Whether a phrase may come once more whose last token stands `size` before the next."""
        end = len(first) - size + 1
        phrase = (*first[end - size : end].tolist(),)
        if max(phrase) < 0 or self.target.is_spelled(phrase):
            return True
        before = same[max(0, end - 2 * size) : end - size]
        return phrase in self.licensed and not (len(before) == size and bool(before.all()))

    def _echoes(self, prefixes: Int[Tensor, "n t"]) -> Bans:
        found = [self.echoes.after(row) for row in prefixes[:, -WINDOW:].tolist()]
        rows = [row for row, tokens in enumerate(found) for _ in tokens]
        tokens = [token for each in found for token in each]
        return torch.tensor(rows, dtype=torch.long), torch.tensor(tokens, dtype=torch.long)


def _tokens_of_sounds(again: Int[Tensor, " v"], count: int) -> Int[Tensor, "k g"]:
    """Return the tokens that say each sound, side by side."""
    tokens = (again >= 0).nonzero().squeeze(1)
    tokens = tokens[again[tokens].argsort(stable=True)]
    sounds = again[tokens]
    counts = torch.bincount(sounds, minlength=count)
    place = torch.arange(len(tokens)) - (counts.cumsum(0) - counts)[sounds]
    alike = torch.full((count, max([1, *counts.tolist()])), -1)
    alike[sounds, place] = tokens
    return alike
