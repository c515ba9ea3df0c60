"""Tries of constraint phrases: which a text holds, and how far it has come with others.

Each sentence has constraints, each constraint some phrases, one of which must come: contiguous, at
any place, or where the phrase begins with START, at the beginning. All phrases of a sentence are
one trie. With a link from each node to the longest other beginning of a phrase that its tokens end
with (Aho & Corasick 1975), a text needs no more memory than the node it is at and what it has met:

    phrases  a b c · b d        text  a b d   →   a ─ ab ─ (link: b) bd: met

A phrase that breaks off is thereby begun anew where it can be. Sentences with the same constraints
share a trie, and all tries lie in one table: a step is a look into it.
"""

from collections import deque
from collections.abc import Sequence

import torch
from jaxtyping import Bool, Int
from torch import Tensor

Phrase = Sequence[int]
Constraints = Sequence[Sequence[Phrase]]
"""What one output must hold: of each constraint at least one phrase."""

NEVER = 1 << 40


class PhraseTries:
    """The tries of a batch, as tables with a row for each node."""

    def __init__(self, constraints: Sequence[Constraints], *, start: int) -> None:
        keys = [tuple(tuple(map(tuple, one)) for one in each) for each in constraints]
        tries = {key: _Trie(key) for key in dict.fromkeys(keys)}
        most = max((len(key) for key in tries), default=0)
        nodes = sum(len(trie.children) for trie in tries.values())
        self.alphabet = torch.tensor(
            sorted({token for trie in tries.values() for token in trie.tokens}), dtype=torch.long
        )
        self.moves = torch.zeros((nodes, len(self.alphabet) + 1), dtype=torch.long)
        self.left = torch.full((nodes, most), NEVER)
        """How many tokens each constraint lacks at a node, or NEVER where it is not begun."""
        roots: dict[tuple[tuple[Phrase, ...], ...], int] = {}
        first = 0
        for key, trie in tries.items():
            roots[key] = first
            self._enter(trie, first)
            first += len(trie.children)
        self.shortest = torch.tensor(
            [[*(_shortest(one, start) for one in key), *[0] * (most - len(key))] for key in keys],
            dtype=torch.long,
        ).view(len(keys), most)
        """Tokens that each constraint of each sentence takes at least; 0 where there is none."""
        width = max((len(trie.tokens) for trie in tries.values()), default=0)
        self.tokens = torch.full((len(keys), width), -1)
        """All tokens of each sentence's phrases that can be written, filled up with -1."""
        for row, key in zip(self.tokens, keys, strict=True):
            written = sorted(tries[key].tokens - {start})
            row[: len(written)] = torch.tensor(written, dtype=torch.long)
        begun = torch.tensor([roots[key] for key in keys], dtype=torch.long)
        self.begun = self.move(begun, torch.full_like(begun, start))
        """The node of each sentence before anything is written: START has come."""

    def move(
        self, nodes: Int[Tensor, "*places"], tokens: Int[Tensor, "*places"]
    ) -> Int[Tensor, "*places"]:
        """Return the nodes after one more token."""
        if not len(self.alphabet):
            return nodes
        column = torch.searchsorted(self.alphabet, tokens).clamp(max=len(self.alphabet) - 1)
        column = column.masked_fill(self.alphabet[column] != tokens, len(self.alphabet))
        return self.moves[nodes, column]

    def met(self, nodes: Int[Tensor, "*places"]) -> Bool[Tensor, "*places m"]:
        """Say which constraints are met by what ends at the nodes."""
        return self.left[nodes] == 0

    def useful(
        self, nodes: Int[Tensor, "*places"], met: Bool[Tensor, "*places m"]
    ) -> Bool[Tensor, "*places"]:
        """Say where the last token begins a phrase that is still to come, or goes on with one."""
        return (self.left[nodes].lt(NEVER) & ~met).any(-1)

    def owed(
        self,
        nodes: Int[Tensor, "*places"],
        met: Bool[Tensor, "*places m"],
        shortest: Int[Tensor, "*places m"],
    ) -> Int[Tensor, "*places"]:
        """Return how many tokens are still to come at least: of one phrase, some have come.

        Only the phrase that is furthest counts as begun, so that its next token always brings the
        number down: a text that follows it meets all in the end.
        """
        if not met.shape[-1]:
            return torch.zeros_like(nodes)
        unmet = shortest.masked_fill(met, 0)
        gained = (unmet - self.left[nodes]).clamp(min=0)
        return unmet.sum(-1) - gained.amax(-1)

    def _enter(self, trie: "_Trie", first: int) -> None:
        """Write a trie into the tables, its nodes from `first` on."""
        columns = {token: at for at, token in enumerate(self.alphabet.tolist())}
        last = first + len(trie.children)
        self.moves[first:last] = first  # what belongs to no phrase leads back to the root
        for node, (moves, left) in enumerate(zip(trie.moves, trie.left, strict=True), first):
            for token, to in moves.items():
                self.moves[node, columns[token]] = first + to
            for constraint, count in left.items():
                self.left[node, constraint] = count


class _Trie:
    """The phrases of one sentence: nodes, with the links already followed."""

    def __init__(self, constraints: Constraints) -> None:
        self.children: list[dict[int, int]] = [{}]
        self.left: list[dict[int, int]] = [{}]
        """Of each node the constraints begun there, and the tokens that each still lacks."""
        for number, phrases in enumerate(constraints):
            for phrase in phrases:
                self._add(phrase, number)
        self.tokens = {token for children in self.children for token in children}
        self.moves = self._linked()

    def _add(self, phrase: Phrase, constraint: int) -> None:
        node = 0
        for come, token in enumerate(phrase, 1):
            if token not in self.children[node]:
                self.children[node][token] = len(self.children)
                self.children.append({})
                self.left.append({})
            node = self.children[node][token]
            self._note(node, constraint, len(phrase) - come)

    def _note(self, node: int, constraint: int, left: int) -> None:
        known = self.left[node]
        known[constraint] = min(known.get(constraint, left), left)

    def _linked(self) -> list[dict[int, int]]:
        """Return where each node goes with each token that does not lead to the root."""
        moves: list[dict[int, int]] = [{} for _ in self.children]
        moves[0] = dict(self.children[0])
        waiting = deque((child, 0) for child in self.children[0].values())
        while waiting:  # the shorter come first, so that a link is known before it is followed
            node, link = waiting.popleft()
            for constraint, left in self.left[link].items():
                self._note(node, constraint, left)
            moves[node] = moves[link] | self.children[node]
            waiting += [(at, moves[link].get(t, 0)) for t, at in self.children[node].items()]
        return moves


def _shortest(phrases: Sequence[Phrase], start: int) -> int:
    """Count the tokens of the shortest phrase, one that may stand anywhere if there is any."""
    anywhere = [len(phrase) for phrase in phrases if phrase[0] != start]
    return min(anywhere or [len(phrase) - 1 for phrase in phrases])


def check_constraints(
    constraints: Sequence[Constraints], *, start: int, end: int, forbidden: Sequence[int] = ()
) -> None:
    """Refuse phrases that no output can hold."""
    for phrase in (phrase for each in constraints for one in each for phrase in one):
        written = phrase[1:] if phrase and phrase[0] == start else phrase
        if not written or any(t < 0 or t == end or t in forbidden for t in written):
            raise ValueError(
                f"a constraint has the phrase {list(phrase)}, which no output can hold: it is "
                "empty, or holds END or a forbidden token."
            )
    if any(not one for each in constraints for one in each):
        raise ValueError("a constraint has no phrase at all, so that nothing can meet it.")
