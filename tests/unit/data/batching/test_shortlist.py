"""Which target pieces a source makes likely."""

import numpy as np

from dragoman.data.batching.shortlist import COMMON, NONE, likely_targets
from dragoman.data.batching.store import write_store

FIRST = 4
WORDS = 300


def test_a_word_is_listed_with_its_translation_and_the_commonest_with_all(tmp_path):
    rng = np.random.default_rng(1)
    particle = FIRST + WORDS  # a target word that stands in every sentence
    pairs = []
    for _ in range(1500):
        source = rng.integers(FIRST, FIRST + WORDS, 4)
        target = [int(WORDS + 2 * FIRST - 1 - word) for word in source]  # each word has its own
        pairs.append((source.tolist(), [*target, particle]))
    store = write_store(tmp_path, "train", pairs)
    likely, always = likely_targets(store, (FIRST + WORDS, FIRST + WORDS + 1), 3)
    own = [WORDS + 2 * FIRST - 1 - word for word in range(FIRST, FIRST + WORDS)]
    found = np.mean([own[n] in likely[FIRST + n] for n in range(WORDS)])
    assert found > 0.98
    assert particle in always
    assert len(always) <= 2 * COMMON


def test_words_that_were_never_seen_have_nothing(tmp_path):
    store = write_store(tmp_path, "train", [([5, 6], [7, 8])] * 3)
    likely, always = likely_targets(store, (20, 20), 2)
    assert (likely[10] == NONE).all()
    assert set(likely[5]) <= {7, 8}
    assert set(always) == {7, 8}


def test_an_empty_corpus_lists_nothing(tmp_path):
    store = write_store(tmp_path, "train", [([], [])] * 2)
    likely, always = likely_targets(store, (6, 6), 2)
    assert (likely == NONE).all()
    assert not len(always)
