"""chrF of single sentences, written out: how many character n-grams two texts share (Popović 2015).

For n = 1 … 6, blanks left out, over every n for which both texts have n-grams:

    P = mean of  shared n-grams / n-grams of the output
    R = mean of  shared n-grams / n-grams of the reference
    chrF = 100 · (1 + β²) P R / (β² P + R),  β = 2: recall counts twice as much

A corpus is judged by `dragoman.metrics.scores`. This is for comparing many outputs of one text with
each other, where the n-grams of each are counted once and every pair is a product of tables.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

ORDER = 6
BETA = 2.0

Pairs = NDArray[np.float64]


def sentence_chrf(output: str, reference: str) -> float:
    """Return how like a reference an output is, 0 to 100."""
    precisions, recalls = [], []
    for ours, theirs in zip(_ngrams(output), _ngrams(reference), strict=True):
        if ours and theirs:
            shared = (ours & theirs).total()
            precisions.append(shared / ours.total())
            recalls.append(shared / theirs.total())
    if not any(precisions):
        return 0.0
    precision, recall = sum(precisions) / len(precisions), sum(recalls) / len(recalls)
    return 100 * (1 + BETA**2) * precision * recall / (BETA**2 * precision + recall)


def pairwise_chrf(texts: Sequence[str]) -> Pairs:
    """Return the chrF of each text (row) as the output for each other (column) as reference."""
    count = len(texts)
    precision, recall, orders = (np.zeros((count, count)) for _ in range(3))
    for ngrams in zip(*map(_ngrams, texts), strict=True):
        table = _table(ngrams)
        totals = table.sum(1, dtype=np.float64)
        both = np.outer(totals, totals) > 0
        shared = np.stack([np.minimum(row, table).sum(1) for row in table]).astype(np.float64)
        precision += np.divide(shared, totals[:, None], out=np.zeros_like(shared), where=both)
        recall += np.divide(shared, totals[None, :], out=np.zeros_like(shared), where=both)
        orders += both
    above = (1 + BETA**2) * precision * recall
    below = (BETA**2 * precision + recall) * np.maximum(orders, 1.0)
    return 100 * np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def _ngrams(text: str) -> list[Counter[str]]:
    """Count the n-grams of a text without its blanks, for n = 1 … 6."""
    line = "".join(text.split())
    return [
        Counter(line[at : at + n] for at in range(len(line) - n + 1)) for n in range(1, ORDER + 1)
    ]


def _table(counts: Sequence[Counter[str]]) -> NDArray[np.int32]:
    """Lay counts side by side: a row for each text, a column for each n-gram of any."""
    columns = {
        ngram: at for at, ngram in enumerate(dict.fromkeys(n for one in counts for n in one))
    }
    table = np.zeros((len(counts), len(columns)), dtype=np.int32)
    for row, one in zip(table, counts, strict=True):
        row[[columns[ngram] for ngram in one]] = list(one.values())
    return table
