"""A classifier that starts from an encoder which has learned to guess hidden words."""

import random

import pytest
import torch

from dragoman import trainer
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.trainer import train

BASE = """
name = "base"
task.kind = "masked-lm"
corpus = {kind = "text", train = "text.txt", documents = "lines"}
tokenizer = {kind = "words", vocab_size = 320}
batches = {max_tokens = 128, max_length = 12}
model = {kind = "encoder", width = 8, heads = 2, layers = 1, ffn_width = 8, max_positions = 12}
training = {steps = 2, threads = 1, device = "cpu"}
"""
SORTER = """
name = "sorter"
task.kind = "text-classification"
corpus = {kind = "labeled", train = "rows.tsv"}
batches = {max_tokens = 128, max_length = 12}
optimizer.learning_rate = 0.02
schedule = {kind = "constant", warmup_steps = 0}
training = {steps = 6, threads = 1, device = "cpu", checkpoint_every = 2, final = "last"}
"""
WORDS = ["sun", "moon", "sea", "sky", "red", "cat", "dog"]
HOWS = {
    "full": "method = 'full'",
    "frozen": "method = 'frozen'",
    "lora": "method = 'lora', rank = 2",
    "prefix": "method = 'prefix', length = 2",
}


@pytest.fixture(autouse=True, scope="module")
def _no_pictures():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Give a folder with a trained encoder and a recipe for a classifier."""
    folder, draw = tmp_path_factory.mktemp("started"), random.Random(2)
    texts = sorted({" ".join(draw.choices(WORDS, k=4)) for _ in range(80)})
    (folder / "text.txt").write_text("".join(f"{text}\n" for text in texts))
    rows = [f"{text}\t{'pet' if {'cat', 'dog'} & {*text.split()} else 'none'}\n" for text in texts]
    (folder / "rows.tsv").write_text("".join(rows))
    (folder / "base.toml").write_text(BASE)
    (folder / "sorter.toml").write_text(SORTER)
    torch.set_num_threads(1)
    train(folder / "base.toml", folder=folder / "base")
    return folder


def start(folder, how):
    return [f"start={{from = '{folder / 'base'}', {HOWS[how]}}}"]


@pytest.mark.parametrize("how", HOWS)
def test_a_classifier_keeps_what_it_must_and_learns_its_heads(folder, tmp_path, how):
    train(folder / "sorter.toml", start(folder, how), folder=tmp_path / "run")
    before = read_weights(folder / "base/model.safetensors").tensors
    after = read_weights(tmp_path / "run/model.safetensors").tensors
    heads = {name for name in after if name.startswith(("pooler.", "classes_head."))}
    assert len(heads) == 4
    assert not any(name.startswith("words_head.") for name in after)
    shared = before.keys() & after.keys()
    assert len(shared) > 10
    kept = {name for name in shared if torch.equal(before[name], after[name])}
    if how in ("frozen", "prefix"):
        assert kept == shared
    elif how == "lora":  # the difference is added to these
        assert shared - kept == {n for n in shared if n.endswith(("query.weight", "value.weight"))}
    else:
        assert not kept - {name for name in shared if name.endswith("positions.table")}
    (found,) = Classifier.load(tmp_path / "run").classify(["sun cat"])
    assert found.probabilities.keys() == {"none", "pet"}
