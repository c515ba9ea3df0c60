"""A run that starts from another one: what is trained, what stays, and what can be resumed."""

import json

import pytest
import torch

from dragoman.config.reading import read_recipe
from dragoman.core.errors import CheckpointError, ConfigError
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.catastrophic_forgetting import evaluate_forgetting
from dragoman.trainer import train

HOWS = {
    "full": "method = 'full'",
    "frozen": "method = 'frozen'\nlast_layers = 1",
    "lora": "method = 'lora'\nrank = 2\ntarget_modules = ['query', 'inner']",
    "prefix": "method = 'prefix'\nlength = 3",
    "prefix-through": "method = 'prefix'\nlength = 3\nprojection_width = 8",
}
RECIPE = """
name = "adapted"
seed = 5
[corpus]
train = "new.tsv"
held_out = 10
[batches]
max_tokens = 128
[start]
from = "{base}"
{how}
[training]
steps = {steps}
threads = 1
device = "cpu"
log_every = 2
validate_every = {steps}
checkpoint_every = 3
validation_sentences = 3
[optimizer]
learning_rate = 0.01
[schedule]
kind = "constant"
warmup_steps = 0
"""


@pytest.fixture(scope="module")
def base(tiny):
    return tiny.run


def write_recipe(folder, base, how, steps=6):
    lines = [f"old red zebra{n}\tzebra{n} red old" for n in range(60)]
    (folder / "new.tsv").write_text("\n".join(lines) + "\n")
    path = folder / "adapted.toml"
    path.write_text(RECIPE.format(base=base, how=HOWS.get(how, how), steps=steps))
    return path


def tensors(run):
    return read_weights(run / "model.safetensors").tensors


@pytest.mark.parametrize("how", HOWS)
def test_only_what_is_meant_to_learn_has_learned(base, tmp_path, how):
    recipe = write_recipe(tmp_path, base, how)
    train(recipe, folder=tmp_path / "run")
    old, new = tensors(base), tensors(tmp_path / "run")
    added = new.keys() - old.keys()
    changed = {name for name in old if not torch.equal(old[name], new[name])}
    assert old.keys() <= new.keys()
    match how:
        case "full":
            assert not added
            assert len(changed) > len(old) // 2
        case "frozen":
            assert not added
            assert changed
            assert all(".0." in name for name in changed)  # it has one layer on each side
        case "lora":
            assert not added
            assert changed
            assert all(
                "attention.query.weight" in name or "inner.weight" in name for name in changed
            )
        case _:
            assert not changed
            assert added
            assert all(name.endswith(("prefix.keys", "prefix.values")) for name in added)
    assert BareTranslator.load(tmp_path / "run").translate("old red zebra1")


@pytest.mark.parametrize("how", ["lora", "prefix-through"])
def test_an_adapted_run_that_was_cut_off_resumes_exactly(base, tmp_path, resumes_exactly, how):
    resumes_exactly(write_recipe(tmp_path, base, how), [], 5)


def test_the_network_and_the_tokenizer_are_those_of_the_run_it_starts_from(base, tmp_path):
    recipe = read_recipe(write_recipe(tmp_path, base, "full"))
    before = read_recipe(base / "recipe.toml")
    assert recipe.model == before.model
    assert recipe.tokenizer == before.tokenizer
    train(recipe, folder=tmp_path / "run")
    one, other = (TokenizerPair.load(run / "tokenizer.json") for run in (base, tmp_path / "run"))
    assert one.source.pieces == other.source.pieces


def test_new_words_get_entries_of_their_own_and_old_text_keeps_its_numbers(base, tmp_path):
    how = "method = 'full'\nnew_tokens = 20"
    train(write_recipe(tmp_path, base, how), folder=tmp_path / "run")
    before, after = (
        TokenizerPair.load(run / "tokenizer.json").source for run in (base, tmp_path / "run")
    )
    assert after.pieces[: before.size] == before.pieces
    assert before.size < after.size <= before.size + 20
    assert len(after.encode("zebra")) < len(before.encode("zebra"))
    assert after.encode("sun moon") == before.encode("sun moon")
    translator = BareTranslator.load(tmp_path / "run")
    assert translator.model.output.weight.shape[0] == after.size


def test_what_was_forgotten_is_judged_on_the_old_tests(base, tmp_path, dragoman):
    train(write_recipe(tmp_path, base, "full"), folder=tmp_path / "run")
    found = evaluate_forgetting(tmp_path / "run")
    assert [one.before.name for one in found] == ["test"]
    assert found[0].before.references == found[0].after.references
    assert found[0].before.hypotheses != found[0].after.hypotheses
    code, out, _ = dragoman("evaluate", tmp_path / "run", "--forgotten", "--json")
    told = json.loads(out)
    assert code == 0
    assert told[0]["after"]["scores"]["chrf"]["value"] == pytest.approx(
        found[0].after.scores["chrf"].value
    )


def test_a_run_that_started_from_nothing_has_nothing_to_forget(base):
    with pytest.raises(ConfigError, match="nothing to forget"):
        evaluate_forgetting(base)


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("method = 'full'\n[model]\nwidth = 32\nheads = 2", "does not fit|has shape"),
        ("method = 'frozen'\ntrainable = ['nothing']", "no part 'nothing'"),
        ("method = 'frozen'", "nothing would be trained"),
    ],
)
def test_what_does_not_fit_is_refused(base, tmp_path, how, said):
    with pytest.raises((ConfigError, CheckpointError), match=said):
        train(write_recipe(tmp_path, base, how), folder=tmp_path / "run")


def test_a_run_that_is_not_there_is_said(tmp_path):
    with pytest.raises(ConfigError, match="start.from: .* is no run folder"):
        read_recipe(write_recipe(tmp_path, tmp_path / "nowhere", "full"))
