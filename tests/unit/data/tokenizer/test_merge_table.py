import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer as Library
from tokenizers import models, pre_tokenizers, trainers

from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.bpe import BpeTokenizer
from dragoman.data.tokenizer.merge_table import Merge, cut, learn, merge_lines, merges_of
from dragoman.data.tokenizer.merges import segment
from dragoman.data.tokenizer.train import train_tokenizer_pair

ENGLISH = """there is nothing either good or bad but thinking makes it so and the rest is silence
though this be madness yet there is method in it the lady doth protest too much methinks
to be or not to be that is the question whether it is nobler in the mind to suffer"""
HINDI = """तुम कल मेरे घर क्यों नहीं आए थे मैं तुम्हारा इंतज़ार कर रहा था और तुम कहाँ थे
हम कल बाज़ार जा रहे थे क्योंकि हमें फल और सब्ज़ियाँ लेनी थीं लेकिन बाज़ार बंद था"""
RUNS = "aaaa aaaaa abab ababab baab bbbb aabb bbaa aaaaaaaaab abcabcabc"
SENNRICH = Counter({"low": 5, "lower": 2, "newest": 6, "widest": 3})


def library(words, merges, least=0):
    """Let the library learn so many merges."""
    trained = Library(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Split(" ", "removed")
    trainer = trainers.BpeTrainer(
        vocab_size=len(set("".join(words))) + merges, min_frequency=least, show_progress=False
    )
    trained.train_from_iterator([" ".join([w] * n) for w, n in words.items()], trainer)
    pairs = [tuple(pair) for pair in json.loads(trained.to_str())["model"]["merges"]]
    return trained, pairs


def pairs_of(table):
    return [merge.pair for merge in table]


@pytest.mark.parametrize("text", [ENGLISH, HINDI, RUNS, ENGLISH + HINDI + RUNS])
@pytest.mark.parametrize("merges", [1, 30, 1000])
def test_the_table_and_the_cuts_are_those_of_the_library(text, merges):
    words = Counter(text.split())
    table = learn(words, merges)
    trained, pairs = library(words, merges)
    assert pairs_of(table) == pairs
    for word in words | Counter(["ab" * 9, "thinkable", "क्यों"]):
        known = "".join(c for c in word if c in text)
        assert cut(known, table) == trained.encode(known).tokens


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(
        st.text(st.sampled_from("abनc"), min_size=1, max_size=12),
        st.integers(1, 5),
        min_size=1,
        max_size=10,
    ),
    st.integers(1, 3),
    st.text(st.sampled_from("abनc"), max_size=20),
)
def test_any_words_give_the_library_s_table_and_cuts(words, least, other):
    table = learn(words, 40, least)
    trained, pairs = library(words, 40, least)
    assert pairs_of(table) == pairs
    other = "".join(c for c in other if c in "".join(words))
    ranks = {merge.piece: rank for rank, merge in enumerate(table)}
    assert len(ranks) == len(table)  # no piece is made in two ways
    for word in (*words, other):
        assert cut(word, table) == segment(word, ranks) == trained.encode(word).tokens


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.text("ab", min_size=1, max_size=9), st.integers(1, 5), min_size=1))
def test_each_count_is_that_of_the_most_frequent_pair_of_its_time(words):
    table = learn(words, 20)
    for rank, merge in enumerate(table):
        pairs = Counter()
        for word, times in words.items():
            parts = cut(word, table[:rank])
            for pair in zip(parts, parts[1:], strict=False):
                pairs[pair] += times
        assert pairs[merge.pair] == merge.count == max(pairs.values())
    assert all(len(cut(word, learn(words, 1000))) == 1 for word in words)


def test_the_table_is_written_for_people():
    assert merge_lines(learn(SENNRICH, 2)) == (
        "    1  e + s → es    9 times\n    2  es + t → est    9 times\n"
    )
    assert merge_lines([Merge(("a", "b"))]) == "    1  a + b → ab\n"


def test_the_merges_of_a_trained_vocabulary_are_those_the_library_made():
    pairs = [Pair(ENGLISH, HINDI)] * 3
    vocabulary = train_tokenizer_pair(BpeTokenizerSettings(vocab_size=450), pairs).source
    words = Counter("▁" + word for word in f"{ENGLISH} {HINDI}".replace("\n", " ").split())
    table = merges_of(vocabulary)
    assert [merge.piece for merge in table] == [p for p in vocabulary.learned if len(p) > 1]
    assert len(table) > 50
    for word in words:
        if all(character in vocabulary.ids for character in word):
            assert cut(word, table) == vocabulary.words(vocabulary.encode(word[1:]))


def test_a_piece_that_nothing_makes_has_no_merge():
    assert pairs_of(merges_of(BpeTokenizer(["a", "b", "aab", "ab"]))) == [("a", "b")]
    assert merges_of(BpeTokenizer([])) == []


def test_without_words_or_room_nothing_is_learned():
    assert learn(Counter(), 5) == learn(SENNRICH, 0) == []
    assert learn(SENNRICH, 5, least=10) == []
    assert cut("", []) == []
