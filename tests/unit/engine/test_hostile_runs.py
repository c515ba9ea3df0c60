"""S1: a run folder from a stranger gives an error of ours, and runs nothing of theirs."""

import json
import pickle
from pathlib import Path

import pytest
import torch

from dragoman.core.errors import CheckpointError, ConfigError, DataError, DragomanError
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.evaluate import evaluate
from dragoman.trainer import train


@pytest.fixture
def run(run):
    """Give a run whose maker noted no checksums, or noted those of his own files."""
    for path in run.rglob("checksums.json"):
        path.unlink()
    return run


class Trap:
    """Leaves a mark wherever it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return Path.touch, (self.mark,)


@pytest.fixture
def mark(tmp_path):
    """Give the path of a file that must not appear."""
    path = tmp_path / "executed"
    yield path
    assert not path.exists()


@pytest.mark.parametrize("kind", ["pickle", "torch"])
@pytest.mark.parametrize("place", ["model.safetensors", "state"])
def test_a_pickle_in_the_place_of_weights_is_refused(tiny, run, mark, kind, place):
    path = run / place
    if place == "state":
        (run / "card.md").unlink()
        newest, older = sorted((run / "state").iterdir(), reverse=True)
        path = newest / "model.safetensors"
        for file in older.iterdir():
            file.unlink()
    if kind == "pickle":
        path.write_bytes(pickle.dumps(Trap(mark)))
    else:
        torch.save({"weight": Trap(mark)}, path)
    with pytest.raises(CheckpointError):
        train(tiny.recipe, folder=run) if place == "state" else BareTranslator.load(run)


HUGE = (2**40).to_bytes(8, "little")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 7,
        HUGE + b"{}",
        (2).to_bytes(8, "little") + b"{}",
        (4).to_bytes(8, "little") + b"null",
        (8).to_bytes(8, "little") + b"[[[[[[[[",
        (64).to_bytes(8, "little")
        + b'{"a":{"dtype":"F32","shape":[1000000,1000000],"data_offsets":[0,4]}}'[:64],
        (60).to_bytes(8, "little")
        + b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}      ',
    ],
    ids=range(8),
)
def test_weights_made_to_do_harm_are_refused(run, content):
    (run / "model.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError, match="model.safetensors"):
        BareTranslator.load(run)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "[" * 100_000,
        '{"format": "dragoman-tokenizer", "version": 99}',
        '{"format": "dragoman-tokenizer", "version": 1, "shared": true, "sides": [{"kind": "os"}]}',
        '{"version": "1.0", "model": {"type": "BPE", "vocab": {}, "merges": []}}',
        "cposix\nsystem\n(S'touch executed'\ntR.",
    ],
    ids=range(7),
)
def test_a_tokenizer_made_to_do_harm_is_refused(run, content):
    (run / "tokenizer.json").write_text(content)
    with pytest.raises(DataError, match="tokenizer.json"):
        BareTranslator.load(run)


@pytest.mark.parametrize(
    "change",
    [
        ("width = 16", "width = 65536"),
        ("width = 16", "width = 100000000"),
        ("encoder_layers = 1", "encoder_layers = 1000000000"),
        ("encoder_layers = 1", "encoder_layers = 200"),
        ("ffn_width = 32", "ffn_width = 999999"),
        ('kind = "transformer"', 'kind = "os.system"'),
        ("seed = 3", "seed = {a = 1}"),
        ("seed = 3", "seed = 3\nimport = 'os'"),
        ('name = "tiny"', 'name = "../../away"'),
    ],
    ids=range(9),
)
def test_a_recipe_made_to_do_harm_is_refused(run, change):
    text = (run / "recipe.toml").read_text()
    assert change[0] in text
    (run / "recipe.toml").write_text(text.replace(*change))
    with pytest.raises((ConfigError, CheckpointError)):
        BareTranslator.load(run)


@pytest.mark.parametrize(
    "change",
    [
        {"test_pairs": {"../../etc/passwd": 1}},
        {"test_pairs": {"/etc/passwd": 1}},
        {"test_pairs": {"test": 10**12}},
        {"test_pairs": ["test"]},
        {"valid_pairs": -1},
        {"format": "another"},
        {"findings": None},
    ],
    ids=range(7),
)
def test_a_split_made_to_do_harm_is_refused(run, change):
    path = run / "data" / "split.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DataError, match="split.json"):
        evaluate(run)


@pytest.mark.parametrize("content", ["", "{", "[" * 100_000, "3"])
def test_a_split_that_is_no_json_is_refused_even_with_a_test_file_given(run, tmp_path, content):
    (run / "data" / "split.json").write_text(content)
    (tmp_path / "few.tsv").write_text("sun moon\tmoon sun\n")
    with pytest.raises(DragomanError, match="split.json"):
        evaluate(run, [tmp_path / "few.tsv"], bootstrap=0)


def test_the_folder_of_another_model_is_refused(run):
    text = (run / "recipe.toml").read_text()
    (run / "recipe.toml").write_text(text.replace("width = 16", "width = 32", 1))
    with pytest.raises(CheckpointError, match="the model wants"):
        BareTranslator.load(run)
