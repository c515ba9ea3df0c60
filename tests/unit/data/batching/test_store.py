import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.core.errors import CheckpointError, DataError
from dragoman.data.batching import store as store_module
from dragoman.data.batching.arrays import check_ids
from dragoman.data.batching.batch import make_batch, make_source
from dragoman.data.batching.store import TokenStore, write_store
from dragoman.data.tokenizer.special_tokens import END, PAD, START

RELAXED = {"deadline": None, "suppress_health_check": [HealthCheck.function_scoped_fixture]}


def contents(store):
    return [tuple(side.tolist() for side in store.example(i)) for i in range(len(store))]


@settings(max_examples=150, **RELAXED)
@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(4, 70_000), max_size=9),
            st.lists(st.integers(4, 900), max_size=9),
        ),
        max_size=20,
    ),
    st.integers(1, 7),
)
def test_what_is_stored_comes_back_with_its_end(tmp_path, examples, together):
    before, store_module.TOGETHER = store_module.TOGETHER, together
    try:
        written = write_store(tmp_path, "train", iter(examples))
    finally:
        store_module.TOGETHER = before
    for store in (written, TokenStore.open(tmp_path, "train")):
        assert contents(store) == [([*s, END], [*t, END]) for s, t in examples]
        assert store.source_lengths.tolist() == [len(s) + 1 for s, _ in examples]
        assert store.target_lengths.tolist() == [len(t) + 1 for _, t in examples]


def test_numbers_take_two_bytes_where_they_fit_and_four_where_they_must(tmp_path):
    assert write_store(tmp_path, "a", [([65_535], [4])]).tokens.dtype == np.uint16
    assert write_store(tmp_path, "b", [([4], [4]), ([65_536], [4])]).tokens.dtype == np.uint32


def test_an_interrupted_store_is_no_store(tmp_path):
    write_store(tmp_path, "train", [([5], [6])])

    def broken():
        yield [5], [6]
        raise RuntimeError("power cut")

    with pytest.raises(RuntimeError, match="power cut"):
        write_store(tmp_path, "train", broken())
    with pytest.raises(DataError, match="no token store can be opened here"):
        TokenStore.open(tmp_path, "train")
    assert not list(tmp_path.glob("*.tmp*"))
    assert contents(write_store(tmp_path, "train", [([7], [8])])) == [([7, END], [8, END])]


@pytest.mark.parametrize("part", ["tokens", "starts", "source_lengths", "target_lengths"])
def test_a_store_with_a_cut_off_part_is_refused(tmp_path, part):
    write_store(tmp_path, "train", [([5, 6, 7], [6])] * 9)
    path = tmp_path / f"train.{part}.bin"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(CheckpointError, match=rf"train\.{part}\.bin: cut off"):
        TokenStore.open(tmp_path, "train")


@pytest.mark.parametrize("part", ["starts", "source_lengths", "target_lengths"])
def test_a_store_whose_examples_do_not_follow_each_other_is_refused(tmp_path, part):
    write_store(tmp_path, "train", [([5, 6, 7], [6])] * 9)
    path = tmp_path / f"train.{part}.bin"
    content = bytearray(path.read_bytes())
    content[0] ^= 1
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"train.starts.bin: its examples do not follow"):
        TokenStore.open(tmp_path, "train")


def test_a_token_that_the_vocabulary_does_not_have_is_refused(tmp_path):
    store = write_store(tmp_path, "train", [([5, 6, 7], [6])] * 9)
    check_ids(tmp_path, "train", store.tokens, 8)
    with pytest.raises(CheckpointError, match=r"train.tokens.bin: token 7 is not one of the to"):
        check_ids(tmp_path, "train", store.tokens, 7)


def test_a_store_without_a_part_is_none(tmp_path):
    write_store(tmp_path, "train", [([5], [6])])
    (tmp_path / "train.tokens.bin").unlink()
    with pytest.raises(DataError, match=r"train\.tokens\.bin: missing"):
        TokenStore.open(tmp_path, "train")


def test_a_changed_record_is_refused(tmp_path):
    write_store(tmp_path, "train", [([5], [6])])
    path = tmp_path / "train.json"
    for content in ("", "[]", "{}", json.dumps(json.loads(path.read_text()) | {"type": "<u4"})):
        path.write_text(content)
        with pytest.raises(DataError, match="Prepare the corpus again"):
            TokenStore.open(tmp_path, "train")


def test_a_batch_is_filled_up_and_begins_its_targets():
    batch = make_batch([([5, 6, END], [7, END]), ([5, END], [8, 9, END])], [4, 2])
    assert batch.source.tolist() == [[5, 6, END], [5, END, PAD]]
    assert batch.target.tolist() == [[START, 7, END, PAD], [START, 8, 9, END]]
    assert batch.examples.tolist() == [4, 2]
    assert batch.target_count == 5
    assert {batch.source.dtype, batch.target.dtype, batch.examples.dtype} == {np.dtype(np.int64)}


def test_sentences_to_translate_get_their_end():
    assert make_source([[5, 6], []]).tolist() == [[5, 6, END], [END, PAD, PAD]]
