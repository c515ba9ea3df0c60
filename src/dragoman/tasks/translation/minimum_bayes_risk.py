"""Minimum Bayes risk: of many translations drawn, the one most like all the others.

    utility of h  =  mean over all drawn r of  chrF(h, r)

The likeliest translation may be an odd one out; this one is what the model means on the whole
(Kumar & Byrne 2004; Eikema & Aziz 2020). A text that was drawn often counts as often.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dragoman.metrics.chrf import pairwise_chrf
from dragoman.tasks.translation.translation import Translation


def least_risk(drawn: Sequence[Translation]) -> list[Translation]:
    """Return the drawn translations, each text once, most useful first; the score is the utility.

    Of one text that was drawn in several ways, the likeliest stands; it also wins a tie.
    """
    often = Counter(one.text for one in drawn)
    likeliest = {one.text: one for one in sorted(drawn, key=lambda one: one.log_probability)}
    texts = list(often)
    shares = np.array([often[text] for text in texts]) / len(drawn)
    useful = pairwise_chrf(texts) @ shares
    ranked = [
        replace(likeliest[text], score=float(mean))
        for text, mean in zip(texts, useful, strict=True)
    ]
    return sorted(ranked, key=lambda one: (-one.score, -one.log_probability))
