import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.config.tokenizer import (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    WordPieceTokenizerSettings,
    WordTokenizerSettings,
)
from dragoman.core.errors import DataError
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE
from dragoman.data.tokenizer.train import train_tokenizer_pair

PAIRS = [Pair("a small corpus of a few words", "ein kleiner Korpus aus ein paar Wörtern")] * 5
GOOD = {
    "format": "dragoman-tokenizer",
    "version": 1,
    "shared": True,
    "sides": [{"kind": "bpe", "learned": ["▁", "a", "b", "ab"]}],
}


@pytest.mark.parametrize(
    "kind",
    [
        BpeTokenizerSettings,
        WordPieceTokenizerSettings,
        WordTokenizerSettings,
        CharacterTokenizerSettings,
    ],
)
@pytest.mark.parametrize("shared", [True, False])
def test_a_stored_tokenizer_is_the_same_tokenizer(tmp_path, kind, shared):
    tokenizer = train_tokenizer_pair(kind(shared=shared), PAIRS)
    tokenizer.save(tmp_path / "tokenizer.json")
    again = TokenizerPair.load(tmp_path / "tokenizer.json")
    assert again.shared == shared
    for one, other in ((tokenizer.source, again.source), (tokenizer.target, again.target)):
        assert type(one) is type(other)
        assert one.pieces == other.pieces
        assert one.encode(PAIRS[0].target) == other.encode(PAIRS[0].target)
    first = (tmp_path / "tokenizer.json").read_bytes()
    again.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == first


def load(tmp_path, content):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return TokenizerPair.load(path)


def with_pieces(*pieces, kind="bpe"):
    return GOOD | {"sides": [{"kind": kind, "learned": list(pieces)}]}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
        b"9" * 10_000,
        b'{"format": "dragoman-tokenizer", "version": 1e999}',
        [],
        None,
        GOOD | {"format": "other"},
        GOOD | {"version": 2},
        GOOD | {"sides": []},
        GOOD | {"sides": GOOD["sides"] * 2},
        GOOD | {"shared": False},
        GOOD | {"sides": "bpe"},
        GOOD | {"sides": [None]},
        GOOD | {"sides": [{"kind": ["bpe"], "learned": []}]},
        GOOD | {"sides": [{"kind": "pickle", "learned": []}]},
        GOOD | {"sides": [{"kind": "bpe", "learned": "abc"}]},
        GOOD | {"sides": [{"kind": "bpe", "learned": ["a", 1]}]},
        with_pieces("a", "a"),
        with_pieces("a", ""),
        with_pieces("a", "<s>"),
        with_pieces("a", "｟0｠"),
        with_pieces("a", "ab"),
        with_pieces("a", "▁", "a▁"),
        with_pieces("a", "a" * 33),
        with_pieces("\ufdd0"),
        with_pieces(" "),
        with_pieces("\ud800"),
        with_pieces("two words", kind="words"),
        with_pieces("x" * 1001, kind="words"),
        with_pieces("ab", kind="characters"),
        with_pieces(*map(str, range(1_000_000)), kind="words"),
        with_pieces("a", "##", kind="wordpiece"),
        with_pieces("a", "##\ufdd0", kind="wordpiece"),
        with_pieces("▁a", kind="wordpiece"),
        with_pieces("##▁", kind="wordpiece"),
        with_pieces("a b", kind="wordpiece"),
        with_pieces("a" * 35, kind="wordpiece"),
        with_pieces("##a", "##a", kind="wordpiece"),
        with_pieces("<s>", kind="wordpiece"),
    ],
    ids=range(40),
)
def test_a_hostile_file_is_refused_in_plain_words(tmp_path, content):
    with pytest.raises(DataError, match=r"tokenizer\.json: not a tokenizer that can be read"):
        load(tmp_path, content)


def test_a_missing_file_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(DataError, match="not a tokenizer that can be read"):
            TokenizerPair.load(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["bpe"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    key=st.sampled_from(["format", "version", "shared", "sides", "kind", "learned"]),
    value=JSON,
    kind=st.sampled_from(["bpe", "wordpiece", "words", "characters"]),
)
def test_any_change_to_a_file_loads_soundly_or_is_refused(tmp_path, key, value, kind):
    side = {"kind": kind, "learned": ["▁", "a"]}
    record = GOOD | {"sides": [side | {key: value}]} | ({key: value} if key in GOOD else {})
    try:
        vocabulary = load(tmp_path, record).source
    except DataError:
        return
    assert vocabulary.size >= FIRST_PIECE
    assert isinstance(vocabulary.decode(vocabulary.encode("a text ▁ or two")), str)


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=8).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_arbitrary_bytes_are_refused(tmp_path_factory, content):
    with pytest.raises(DataError):
        load(tmp_path_factory.getbasetemp(), content)
