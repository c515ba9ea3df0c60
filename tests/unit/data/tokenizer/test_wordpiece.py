from collections import Counter
from math import log

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers.models import WordPiece

from dragoman.config.tokenizer import WordPieceTokenizerSettings
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.learn_wordpiece import learn_word_pieces
from dragoman.data.tokenizer.special_tokens import BYTES, FIRST_BYTE, FIXED
from dragoman.data.tokenizer.train import train_tokenizer_pair
from dragoman.data.tokenizer.wordpiece import WordPieceTokenizer

BYTE_IDS = range(FIRST_BYTE, FIRST_BYTE + len(BYTES))
LETTERS = st.text(st.sampled_from("abcन"), min_size=1, max_size=5)
ENTRIES = st.lists(LETTERS | LETTERS.map("##".__add__), unique=True, max_size=40)


def library_cut(learned, word):
    """Cut a word with the library's model of the same pieces; None where it gives up."""
    names = ["[UNK]", *learned]
    model = WordPiece(vocab={name: number for number, name in enumerate(names)}, unk_token="[UNK]")
    pieces = [token.value for token in model.tokenize(word)]
    return None if pieces == ["[UNK]"] else pieces


@settings(max_examples=100, deadline=None)
@given(ENTRIES, st.text(st.sampled_from("abcन"), min_size=1, max_size=20))
def test_the_longest_pieces_are_those_of_the_library(learned, word):
    vocabulary = WordPieceTokenizer(["▁", *learned])
    ids = vocabulary.encode(word)
    expected = library_cut(learned, word)
    if expected is None:  # where the library gives up, a character is spelled or begins nothing
        assert ids[0] == vocabulary.ids["▁"] or {*ids} & {*BYTE_IDS}
    else:
        assert vocabulary.words(ids) == expected
    assert vocabulary.decode(ids) == word


@pytest.mark.parametrize("rank", ["ratio", "likelihood", "count"])
def test_a_trained_vocabulary_cuts_natural_text_as_the_library_does(rank):
    text = "the lower the better said the newest of the widest नया और सबसे नया"
    settings_ = WordPieceTokenizerSettings(vocab_size=380, rank=rank)
    vocabulary = train_tokenizer_pair(settings_, [Pair(text, text)] * 3).source
    for word in {*text.split(), "newer", "bidder"}:
        expected = library_cut(vocabulary.learned, word)
        assert vocabulary.words(vocabulary.encode(word)) == expected


def test_the_example_of_the_papers():
    vocabulary = WordPieceTokenizer(["▁", "u", "un", "##a", "##aff", "##able", "##b"])
    assert vocabulary.words(vocabulary.encode("unaffable")) == ["un", "##aff", "##able"]
    assert vocabulary.words(vocabulary.encode("uab  u")) == ["u", "##a", "##b", "▁", "u"]
    assert vocabulary.words(vocabulary.encode("una｟3｠a")) == ["un", "##a", "｟3｠", "##a"]


def test_a_character_without_a_piece_is_spelled_in_bytes_and_the_rest_of_its_word_is_not():
    vocabulary = WordPieceTokenizer(["▁", "a", "##b"])
    assert vocabulary.words(vocabulary.encode("ab bb")) == ["a", "##b", "▁", "##b", "##b"]
    assert vocabulary.words(vocabulary.encode("cb")) == ["▁", "<0x63>", "##b"]
    assert vocabulary.words(vocabulary.encode("abcb")) == ["a", "##b", "<0x63>", "##b"]


def test_a_vocabulary_of_nothing_still_gives_any_text_back():
    vocabulary = WordPieceTokenizer([])
    assert vocabulary.decode(vocabulary.encode("  नया ▁ ##a")) == "  नया ▁ ##a"


def test_the_mark_of_a_piece_that_goes_on_is_not_taken_from_the_text():
    vocabulary = WordPieceTokenizer(["▁", "#", "###", "##a", "a"])
    assert vocabulary.words(vocabulary.encode("##a a")) == ["#", "###", "##a", "a"]

    learned, _ = learn_word_pieces({"▁##aa": 10, "▁a##": 10}, 50)
    assert {"##", "##a"} & {*learned} == {"##a"}  # which goes on with a
    vocabulary = WordPieceTokenizer(learned)
    assert vocabulary.words(vocabulary.encode("##aa a##")) == ["#", "###aa", "a##"]


def test_begins_of_words_are_known():
    vocabulary = WordPieceTokenizer(["▁", "a", "##b"])
    ids = vocabulary.encode("ab ｟1｠b é a")
    begins = [vocabulary.begins_word(number) for number in ids]
    assert vocabulary.words(ids) == [
        *("a", "##b", "▁", "｟1｠", "##b", "▁", "<0xC3>", "<0xA9>", "a")
    ]
    assert begins == [True, False, True, False, False, True, False, False, True]


SCORES = {
    "ratio": lambda pair, a, b, total: pair / (a * b),
    "likelihood": lambda pair, a, b, total: pair * log(total * pair / (a * b)),
    "count": lambda pair, a, b, total: pair,
}


def learn_slowly(words, room, rank):
    """Count everything anew before each join."""
    parts = {w: [w[0], *("##" + c for c in w[1:])] for w in words}
    age = {p: n for n, p in enumerate(sorted({p for some in parts.values() for p in some}))}
    pieces = dict.fromkeys(age)
    total = sum(len(some) * words[w] for w, some in parts.items())
    while len(pieces) < room:
        single, pairs = Counter(), Counter()
        for word, some in parts.items():
            for part in some:
                single[part] += words[word]
            for pair in zip(some, some[1:], strict=False):
                pairs[pair] += words[word]
        score = {
            (a, b): (SCORES[rank](n, single[a], single[b], total), n, -age[a], -age[b])
            for (a, b), n in pairs.items()
            if n >= 2
        }
        if not score:
            break
        a, b = max(score, key=score.get)
        joined = a + b[2:]
        pieces[joined] = None
        age.setdefault(joined, len(age))
        for word, some in parts.items():
            new = []
            while some:
                size = 2 if some[:2] == [a, b] else 1
                new.append(joined if size == 2 else some[0])
                some = some[size:]
            parts[word] = new
    return {*pieces}


WORDS = st.dictionaries(
    st.text(st.sampled_from("abc"), min_size=1, max_size=8),
    st.integers(3, 9),
    min_size=1,
    max_size=8,
)


@settings(max_examples=100, deadline=None)
@given(WORDS, st.sampled_from([*SCORES]))
@example({"aaaa": 3, "aab": 4}, "ratio")
def test_what_is_learned_is_what_counting_anew_before_each_join_gives(words, rank):
    learned, rare = learn_word_pieces({"▁" + w: n for w, n in words.items()}, 24, rank)
    slow = learn_slowly(words, 23, rank)  # ▁ takes one place
    assert {*learned} - {"▁"} == slow
    assert rare == 0


def test_by_ratio_parts_that_never_stand_apart_are_joined_first_and_by_count_the_frequent_ones():
    counts = {"▁the": 100, "▁then": 50, "▁tin": 60, "▁hen": 40, "▁qz": 5}
    characters = {part for word in counts for part in (word[1], *("##" + c for c in word[2:]))}
    room = len(characters) + 2
    assert learn_word_pieces(counts, room * 2, "ratio")[0][room - 1] == "qz"
    assert learn_word_pieces(counts, room * 2, "count")[0][room - 1] == "##he"


def test_the_order_in_which_words_were_counted_does_not_matter():
    counts = {"▁" + word: 3 for word in ("abab", "baba", "aabb", "bbaa", "abba")}
    backwards = dict(reversed(counts.items()))
    assert learn_word_pieces(counts, 30) == learn_word_pieces(backwards, 30)


def test_nothing_learned_looks_like_a_fixed_symbol_or_is_too_long():
    counts = {"▁<s>": 50, "▁<s>x": 40, "▁" + "ab" * 20: 30, "▁\ufdd00": 5, "▁ж": 2}
    learned, rare = learn_word_pieces(counts, 200)
    assert not {*FIXED} & {*learned}
    assert max(map(len, learned)) <= 18
    assert rare == 1
    vocabulary = WordPieceTokenizer(learned)
    for text in ("<s>", "<s>x", "ab" * 20, "▁", "ж"):
        assert vocabulary.decode(vocabulary.encode(text)) == text
