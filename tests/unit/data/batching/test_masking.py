import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.task import MaskedTaskSettings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.data.batching.masking import Masker, word_begins
from dragoman.data.batching.text_batch import TextRow
from dragoman.data.tokenizer.special_tokens import (
    END,
    FIRST_BYTE,
    FIRST_PIECE,
    MASK,
    OURS,
    PAD,
    PLACEHOLDER_IDS,
    START,
    UNKNOWN,
    SpecialTokens,
)
from dragoman.data.tokenizer.train import train_tokenizer
from dragoman.data.tokenizer.words import WordTokenizer

ENTRIES = FIRST_PIECE + 50
DYNAMIC, FIXED = MaskedTaskSettings(), MaskedTaskSettings(dynamic_masking=False)
MARKS = [PAD, UNKNOWN, START, END, MASK, *PLACEHOLDER_IDS.values()]


def row(*ids):
    return TextRow(np.array(ids, dtype=np.int64))


def sentence(length, seed=0):
    words = np.random.default_rng(seed).integers(FIRST_PIECE, ENTRIES, length).tolist()
    return row(START, *words, END)


def bounds(count, share):
    """Return what a binomial number stays between, but for one time in 10 million."""
    spread = 5.3 * math.sqrt(count * share * (1 - share))
    return count * share - spread, count * share + spread


def masked(masker, text, count):
    return [masker(text, 0, example) for example in range(count)]


def test_the_share_is_exact_on_average_where_it_is_no_whole_number():
    text, rows = sentence(11), 3000  # 1.65 tokens
    counts = Counter(
        int(np.count_nonzero(one.labels)) for one in masked(Masker(DYNAMIC, ENTRIES, 2), text, rows)
    )
    assert set(counts) == {1, 2}
    low, high = bounds(rows, 0.65)
    assert low < counts[2] < high


def test_every_word_is_chosen_equally_often():
    text, rows = sentence(20), 2000
    times = sum((one.labels != PAD) * 1 for one in masked(Masker(DYNAMIC, ENTRIES, 3), text, rows))
    low, high = bounds(rows, 0.15)
    assert times[0] == times[-1] == 0
    assert ((low < times[1:-1]) & (times[1:-1] < high)).all()


def test_every_word_of_the_vocabulary_and_no_mark_may_stand_for_another():
    all_replaced = MaskedTaskSettings(
        mlm_probability=0.9, mask_replace_prob=0.0, random_replace_prob=1.0
    )
    drawn = Counter()
    for one in masked(Masker(all_replaced, ENTRIES, 4), sentence(200), 100):
        drawn.update(one.tokens[one.labels != PAD].tolist())
    assert set(drawn) == set(range(ENTRIES)) - set(MARKS)
    low, high = bounds(drawn.total(), 1 / (ENTRIES - len(MARKS)))
    assert all(low < times < high for times in drawn.values())


def test_shares_can_be_others():
    only_masks = MaskedTaskSettings(
        mlm_probability=0.5, mask_replace_prob=1.0, random_replace_prob=0.0
    )
    for one in masked(Masker(only_masks, ENTRIES, 5), sentence(10), 20):
        asked = one.labels != PAD
        assert np.count_nonzero(asked) == 5
        assert (one.tokens[asked] == MASK).all()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([*MARKS, FIRST_BYTE + 9, FIRST_PIECE, ENTRIES - 1]), max_size=12))
def test_marks_are_never_chosen_and_some_word_always_is(ids):
    one = Masker(MaskedTaskSettings(mlm_probability=0.01), ENTRIES, 6)(row(*ids), 0, 0)
    words = [number not in MARKS for number in ids]
    asked = (one.labels != PAD).tolist()
    assert sum(asked) == min(1, sum(words))
    assert all(word or not chosen for word, chosen in zip(words, asked, strict=True))


def test_chance_depends_on_seed_epoch_and_example_alone():
    text = sentence(60)
    first = Masker(DYNAMIC, ENTRIES, 7)
    wanted = first(text, 2, 5)
    for again in (first(text, 2, 5), Masker(DYNAMIC, ENTRIES, 7)(text, 2, 5)):
        assert again.tokens.tolist() == wanted.tokens.tolist()
        assert again.labels.tolist() == wanted.labels.tolist()
    others = [first(text, 3, 5), first(text, 2, 6), Masker(DYNAMIC, ENTRIES, 8)(text, 2, 5)]
    assert all(other.labels.tolist() != wanted.labels.tolist() for other in others)


def test_fixed_masks_are_the_same_in_every_epoch_but_not_for_every_example():
    text, masker = sentence(60), Masker(FIXED, ENTRIES, 7)
    assert masker(text, 0, 5).tokens.tolist() == masker(text, 9, 5).tokens.tolist()
    assert masker(text, 0, 5).labels.tolist() != masker(text, 0, 6).labels.tolist()


def test_the_rest_of_a_row_stays_as_it_is():
    text = TextRow(
        sentence(3).tokens,
        documents=np.array([1, 1, 1, 2, 2]),
        segments=np.array([0, 0, 1, 1, 1]),
        follows=1,
    )
    before = text.tokens.copy()
    one = Masker(DYNAMIC, ENTRIES, 1)(text, 0, 0)
    assert (one.documents is text.documents, one.segments is text.segments) == (True, True)
    assert one.follows == 1
    assert text.tokens.tolist() == before.tolist()


def test_the_pieces_of_a_word_are_chosen_together():
    begins = np.zeros(ENTRIES, dtype=np.bool_)
    a, b, c, d = (FIRST_PIECE + number for number in range(4))
    begins[[a, c]] = True
    text = row(START, a, b, b, c, a, b, START + 2, d, d, c, b, END)  # 4 is a placeholder
    words = [[1, 2, 3], [4], [5, 6], [8, 9], [10, 11]]  # d goes on with nothing: it stands alone
    masker = Masker(
        MaskedTaskSettings(whole_word_masking=True, mlm_probability=0.3), ENTRIES, 1, begins=begins
    )
    times, sizes, rows = Counter(), Counter(), 2000
    for one in masked(masker, text, rows):
        asked = np.flatnonzero(one.labels != PAD).tolist()
        chosen = [tuple(word) for word in words if word[0] in asked]
        assert sorted(place for word in chosen for place in word) == asked
        times.update(chosen)
        sizes[len(chosen)] += 1
    low, high = bounds(rows, 0.3)
    assert set(times) == {tuple(word) for word in words}
    assert all(low < count < high for count in times.values())
    assert set(sizes) == {1, 2}


def test_each_piece_of_a_word_meets_its_own_fate():
    begins = np.zeros(ENTRIES, dtype=np.bool_)
    text, rows = sentence(2), 2000  # one word of two pieces
    masker = Masker(MaskedTaskSettings(whole_word_masking=True), ENTRIES, 1, begins=begins)
    both = sum((one.tokens[1:3] == MASK).all() for one in masked(masker, text, rows))
    low, high = bounds(rows, 0.64)
    assert low < both < high


def test_whole_words_need_to_know_where_words_begin():
    with pytest.raises(ValueError, match="without knowing where they begin"):
        Masker(MaskedTaskSettings(whole_word_masking=True), ENTRIES, 1)


def test_other_vocabularies_have_other_marks():
    theirs = SpecialTokens(padding=1, start=0, end=2, mask=9, others=frozenset((3,)))
    text = row(0, 4, 5, 6, 7, 8, 3, 4, 2)
    masker = Masker(
        MaskedTaskSettings(mlm_probability=0.99, mask_replace_prob=0.5, random_replace_prob=0.5),
        10,
        1,
        special=theirs,
    )
    for one in masked(masker, text, 50):
        assert one.tokens[[0, 6, 8]].tolist() == [0, 3, 2]
        assert one.labels[[0, 6, 8]].tolist() == [1, 1, 1]
        assert set(one.tokens[1:6].tolist()) <= {4, 5, 6, 7, 8, 9}


def test_our_marks_are_those_of_our_vocabularies():
    assert OURS.all == set(MARKS)
    assert PLACEHOLDER_IDS["｟14｠"] == MASK


def test_a_vocabulary_says_where_words_begin():
    lines = ["the cat sat on the mat"] * 9
    vocabulary = train_tokenizer(BpeTokenizerSettings(vocab_size=FIRST_PIECE + 18), lines, [])
    ids = vocabulary.encode("the cat é mat")
    begins = word_begins(vocabulary)
    assert len(begins) == vocabulary.size
    assert np.count_nonzero(begins[ids]) == 4
    words = WordTokenizer(["cat", "dog"])
    assert word_begins(words)[FIRST_PIECE:].all()
