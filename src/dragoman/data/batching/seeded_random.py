"""Random numbers that depend on nothing but a purpose and a few numbers.

A resumed run sees the same text, because what is drawn for an example of an epoch does not depend
on what was drawn before it.
"""

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """The purpose of random numbers; 1 and 2 are those of `augmentation`."""

    MASKING = 3
    NEXT_SENTENCE = 4
    SPANS = 5
    IMAGES = 6
    CAPTIONS = 7
    CAPTIONED_IMAGES = 8


def seeded_random(purpose: Purpose, seed: int, epoch: int, example: int) -> np.random.Generator:
    """Return the chance of an example in an epoch, apart from that for other purposes."""
    sequence = np.random.SeedSequence([seed, epoch, example], spawn_key=(purpose,))
    return np.random.Generator(np.random.Philox(sequence))
