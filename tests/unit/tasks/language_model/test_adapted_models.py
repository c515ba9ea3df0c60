"""Adapters on one base: the weights are there once, and the texts are those of each run alone."""

import pytest
import torch
from tests.tiny_language_models import LSTM, train_adapter, train_language_model

from dragoman.config.sampling import SamplingSettings
from dragoman.tasks.language_model.adapted_models import load_language_models
from dragoman.tasks.language_model.continuous_batching import GenerationBatch
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.language_model.requests import GenerationRequest

GREEDY = SamplingSettings(temperature=0.0, max_tokens=10)
PROMPTS = ["one", "three", "nine eight", ""]
HOWS = {
    "by-two": ("method = 'lora'\nrank = 4\ntarget_modules = ['query', 'value', 'inner']", 2),
    "by-three": ("method = 'lora'\nrank = 2\ntrainable = ['norms', 'embeddings']", 3),
    "back": ("method = 'prefix'\nlength = 4", 9),
    "through": ("method = 'prefix'\nlength = 3\nprojection_width = 8", 7),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("family")
    base = train_language_model(folder, "base")
    made = {"base": base, "lstm": train_language_model(folder, "lstm", LSTM, 5)}
    for name, (how, step) in HOWS.items():
        made[name] = train_adapter(folder, base, name, how, step)
    return made


@pytest.fixture(scope="module")
def loaded(runs):
    return load_language_models(runs, device="cpu")


def test_every_model_writes_what_its_run_writes_alone(runs, loaded):
    texts = {}
    for name, run in runs.items():
        alone = LanguageModel.load(run, device="cpu")
        texts[name] = alone.generate(PROMPTS, GREEDY)
        batch = GenerationBatch(loaded[name])
        for prompt in PROMPTS:
            batch.add(GenerationRequest(batch.tokens_of(prompt), GREEDY))
        found = dict.fromkeys(range(len(PROMPTS)), "")
        while batch.rows:
            for token in batch.step():
                found[token.row] += token.text
        assert [*found.values()] == texts[name]
    assert len({tuple(said) for said in texts.values()}) > 4  # they have learned different things


def test_scores_are_those_of_the_run_alone(runs, loaded):
    texts = ["one three five", "nine eight seven six"]
    for name, run in runs.items():
        for one, other in zip(
            loaded[name].score(texts), LanguageModel.load(run).score(texts), strict=True
        ):
            assert one.log_probabilities == pytest.approx(other.log_probabilities, abs=1e-4)


def test_the_base_is_in_memory_once(loaded):
    base = {name: w.data_ptr() for name, w in loaded["base"].model.named_parameters()}
    for name in HOWS:
        own = {n: w.data_ptr() for n, w in loaded[name].model.named_parameters()}
        learned = {n for n in base if own[n] != base[n]}
        assert all(("norm" in n or "embedding" in n) and name == "by-three" for n in learned)
        assert bool(learned) == (name == "by-three")
        assert own.keys() > base.keys()


def test_an_adapter_leaves_the_base_as_it_is(runs, loaded):
    fresh = dict(LanguageModel.load(runs["base"]).model.named_parameters())
    for name, weight in loaded["base"].model.named_parameters():
        assert torch.equal(weight, fresh[name])


def test_adapters_share_a_base_that_is_not_served_itself(runs):
    some = load_language_models({name: runs[name] for name in ("by-two", "back")}, device="cpu")
    one, other = (dict(writer.model.named_parameters()) for writer in some.values())
    name = "layers.0.attention.key.weight"
    assert one[name].data_ptr() == other[name].data_ptr()
    assert [*some] == ["by-two", "back"]


def test_an_adapter_whose_base_has_changed_is_loaded_by_itself(runs, tmp_path, capsys):
    base = train_language_model(tmp_path, "base", steps=20)
    adapter = train_adapter(tmp_path, base, "lora", HOWS["by-two"][0], 2, steps=10)
    (base / "model.safetensors").write_bytes((runs["base"] / "model.safetensors").read_bytes())
    both = load_language_models({"base": base, "lora": adapter}, device="cpu")
    alone = LanguageModel.load(adapter).generate(PROMPTS, GREEDY)
    assert both["lora"].generate(PROMPTS, GREEDY) == alone
    assert "belongs to other weights" in "".join(capsys.readouterr())
