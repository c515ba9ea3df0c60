"""Byte-pair segmentation, written out (Sennrich et al. 2016; dropout: Provilkov et al. 2020).

A word begins as single characters. Of all neighbours that together are a known subword, the pair
with the best rank is joined, the leftmost first where ranks are equal; and so on until no two
neighbours are a subword. With dropout each join is passed over with some chance, which shows the
network the same word in different subwords.

    ▁ l o w e r   →   ▁ lo w e r   →   ▁ lo w er   →   ▁ low er   →   ▁low er
"""

from collections.abc import Mapping
from heapq import heapify, heappop, heappush

import numpy as np

BORDER = " "  # no word and no subword holds a space, so nothing joins across it


def segment(
    word: str,
    ranks: Mapping[str, int],
    dropout: float = 0.0,
    random: np.random.Generator | None = None,
) -> list[str]:
    """Cut a word without spaces into subwords; what has the smaller rank is joined earlier."""
    parts = [*word, BORDER]
    after = list(range(1, len(parts) + 1))
    before = list(range(-1, len(parts) - 1))  # the first one's is -1, which is the border again
    waiting = [
        (ranks[both], left)
        for left, both in enumerate(map("".join, zip(word, word[1:], strict=False)))
        if both in ranks
    ]
    heapify(waiting)
    passed: list[tuple[int, int]] = []
    while waiting:
        rank, left = heappop(waiting)
        right = after[left]
        if not parts[left] or ranks.get(parts[left] + parts[right]) != rank:
            continue  # one of the two has been joined to something else meanwhile
        if random is not None and random.random() < dropout:
            passed.append((rank, left))
            continue
        while passed:  # passed over for this join only
            heappush(waiting, passed.pop())
        parts[left] += parts[right]
        parts[right] = ""
        after[left] = after[right]
        before[after[left]] = left
        for first, second in ((before[left], left), (left, after[left])):
            if (both := parts[first] + parts[second]) in ranks:
                heappush(waiting, (ranks[both], first))
    return [part for part in parts[:-1] if part]
