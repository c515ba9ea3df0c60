"""Held-out sets that have the same share of every class."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dragoman.data.corpus.split import TRAIN, Words

Sets = NDArray[np.uint8]
Numbers = NDArray[np.uint16]


def hold_out(
    texts: Words, labels: Numbers, sets: Sets, wanted: Sequence[int], share: float
) -> Sets:
    """Move a share of each class from training to each of the wanted sets, by hash of the text.

    All rows of a text go together, with the class of its first row. At least one text of each class
    is held out for each set, unless none would be left to train on.
    """
    places = np.flatnonzero(sets == TRAIN)
    if not wanted or not len(places):
        return sets.copy()
    values, first, inverse = np.unique(texts[places], return_index=True, return_inverse=True)
    own = labels[places][first]  # the class of each text
    chosen = np.full(len(values), TRAIN, dtype=np.uint8)
    for label in np.unique(own):
        members = np.flatnonzero(own == label)  # in the order of their hashes, which is by chance
        most = (len(members) - 1) // len(wanted)
        count = min(most, max(1, round(len(members) * share)))
        for turn, which in enumerate(wanted):
            chosen[members[turn * count : (turn + 1) * count]] = which
    found = sets.copy()
    found[places] = chosen[inverse]
    return found
