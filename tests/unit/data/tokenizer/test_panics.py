"""A tokenizer.json at which the library panics is one error, and nothing else is printed."""

import json
import os

import pytest

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.imported_files import read_imported
from dragoman.data.tokenizer.library import explain_panics, hold_back_errors

WORDS = {"type": "WordLevel", "vocab": {"a": 0, "<unk>": 1}, "unk_token": "<unk>"}
MERGES = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": [["a", "b"]]}
START = {"SpecialToken": {"id": "X", "type_id": 0}}
PANICS = {
    "a prefix longer than a piece": {"model": {**MERGES, "continuing_subword_prefix": "eee"}},
    "a table that is none": {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAA"}},
    "parts of no length": {"pre_tokenizer": {"type": "FixedLength", "length": 0}},
    "an unknown mark": {
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [START, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [],
            "special_tokens": {},
        }
    },
}


@pytest.mark.parametrize("changes", PANICS.values(), ids=PANICS)
def test_a_panic_becomes_one_error_that_names_the_folder(changes, tmp_path, capfd):
    record = {"version": "1.0", "added_tokens": [], "model": WORDS, **changes}
    (tmp_path / "tokenizer.json").write_text(json.dumps(record))
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(DataError, match=f"{tmp_path}: the tokenizer cannot work with this"):
        read_imported(tmp_path)
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_is_written_without_an_error_comes_after_all(capfd):
    with hold_back_errors(), hold_back_errors():
        os.write(2, b"a warning\n")
    assert capfd.readouterr().err == "a warning\n"


def test_another_exception_stays_what_it_is():
    with pytest.raises(KeyboardInterrupt), explain_panics():
        raise KeyboardInterrupt
