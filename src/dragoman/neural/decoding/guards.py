"""Tokens that may not come next, given what has come before.

A small model easily falls into a loop, and beam search loves loops: each turn is likelier than the
last. Three guards look at the prefix and forbid the token that would go on:

no_repeat      no n-gram of that many tokens comes twice, wherever the first one stands
loop_guard     a phrase of 1 to 8 tokens may stand that often in a row, but not once more
stutter_guard  no phrase that says anything stands twice in a row (`stutter`)

A guard never takes the last token that is left: a row with no way out is let go. Numbers below 0
are no tokens: they fill up prefixes that have begun later than others.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from dragoman.neural.decoding.rules import Rules
from dragoman.neural.decoding.stutter import StutterGuard

LONGEST_PHRASE = 8

Bans = tuple[Tensor, Tensor]  # rows and tokens, side by side


@dataclass(frozen=True, slots=True)
class RowRules:
    """Rules that hold for some rows only."""

    no_repeat: Mapping[int, Int[Tensor, " r"]] = field(default_factory=dict)
    """Rows in which n-grams of some further size do not come twice, by that size."""
    may_stutter: Bool[Tensor, " n"] | None = None
    """Rows that the stutter guard leaves alone; None for none of them."""


FOR_ALL = RowRules()


def apply_guards(
    log_probs: Float[Tensor, "n v"],
    prefixes: Int[Tensor, "n t"],
    rules: Rules,
    own: RowRules = FOR_ALL,
) -> Float[Tensor, "n v"]:
    """Return the log-probabilities with every forbidden token at minus infinity."""
    forbidden = torch.tensor(rules.forbidden, dtype=torch.long, device=log_probs.device)
    left = log_probs.index_fill(1, forbidden, -torch.inf)  # a copy: the model keeps its own
    bans = []
    if rules.no_repeat:
        bans.append(repeated_ngrams(prefixes, rules.no_repeat))
    for size, rows in own.no_repeat.items():
        some, tokens = repeated_ngrams(prefixes[rows], size)
        bans.append((rows[some], tokens))
    if rules.loop_guard:
        bans.append(loops(prefixes, rules.loop_guard))
    if rules.stutter_guard is not None:
        bans.append(_stutters(prefixes, rules.stutter_guard, own.may_stutter))
    if any(len(rows) for rows, _ in bans):
        _forbid(left, torch.cat([rows for rows, _ in bans]), torch.cat([t for _, t in bans]))
    return left


def repeated_ngrams(prefixes: Int[Tensor, "n t"], size: int) -> Bans:
    """Find the tokens that would complete an n-gram the prefix has already."""
    length = prefixes.shape[1]
    if length < size:
        return _no_bans()
    windows = prefixes.unfold(1, size, 1)  # n, places, size
    ending = prefixes[:, length - size + 1 :].unsqueeze(1)  # n, 1, size - 1
    rows, places = (windows[..., :-1] == ending).all(-1).nonzero(as_tuple=True)
    tokens = windows[rows, places, -1]
    return rows[tokens >= 0], tokens[tokens >= 0]


def loops(prefixes: Int[Tensor, "n t"], times: int) -> Bans:
    """Find the tokens that would begin a phrase again which has just stood `times` times."""
    length = prefixes.shape[1]
    found = [_no_bans()]
    for period in range(1, min(LONGEST_PHRASE, length // times) + 1):
        recent = prefixes[:, length - times * period :]
        looping = (recent[:, period:] == recent[:, : recent.shape[1] - period]).all(1)
        first = prefixes[:, length - period]
        rows = (looping & first.ge(0)).nonzero().squeeze(1)
        found.append((rows, first[rows]))
    return torch.cat([rows for rows, _ in found]), torch.cat([tokens for _, tokens in found])


def _stutters(
    prefixes: Int[Tensor, "n t"], guard: StutterGuard, may_stutter: Bool[Tensor, " n"] | None
) -> Bans:
    if may_stutter is None or not may_stutter.any():
        return guard.bans(prefixes)
    guarded = (~may_stutter).nonzero().squeeze(1)
    rows, tokens = guard.bans(prefixes[guarded])
    return guarded[rows], tokens


def _no_bans() -> Bans:
    return torch.empty(0, dtype=torch.long), torch.empty(0, dtype=torch.long)


def _forbid(log_probs: Tensor, rows: Tensor, tokens: Tensor) -> None:
    """Write the bans into the log-probabilities, but leave alone a row they would empty."""
    rows, tokens = rows.to(log_probs.device), tokens.to(log_probs.device)
    before = log_probs[rows, tokens]
    log_probs[rows, tokens] = -torch.inf
    emptied = log_probs.amax(1).isneginf()[rows]
    log_probs[rows[emptied], tokens[emptied]] = before[emptied]
