"""Adapters of runs through the commands: to peft on the same network of transformers, and back."""

from types import SimpleNamespace

import pytest
import torch
from peft import LoraConfig, PeftModel, PrefixTuningConfig, get_peft_model
from tests.tiny_language_models import train_adapter, train_language_model
from tests.unit.data.tokenizer.test_imported import bert as bert_tokenizer
from tests.unit.interop.conftest import bert
from tests.unit.interop.test_imported_language_models import from_llama
from transformers import AutoModelForCausalLM, BertForMaskedLM, BertForSequenceClassification

from dragoman.config.reading import read_recipe
from dragoman.interop.importing import import_huggingface
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.trainer import train

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:peft")

TEXT = torch.randint(4, 200, (2, 9), generator=torch.Generator().manual_seed(4))
HOW = {
    "lora": "method = 'lora'\nrank = 3\ntarget_modules = ['query', 'inner']",
    "prefix": "method = 'prefix'",
}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A Llama that transformers stored, and the run that it was imported as."""
    folder = tmp_path_factory.mktemp("theirs")
    from_llama(folder)
    return SimpleNamespace(folder=folder, run=folder / "run")


@pytest.fixture(scope="module", params=HOW)
def adapted(request, base, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    return train_adapter(folder, base.run, "adapted", HOW[request.param], 3, steps=6)


def theirs(base):
    return AutoModelForCausalLM.from_pretrained(base.folder).eval()


@torch.no_grad()
def scores(run):
    model = LanguageModel.load(run, device="cpu").model
    return model.output(model.read(TEXT))


@torch.no_grad()
def close(run, model):
    found = scores(run)
    torch.testing.assert_close(found, model(input_ids=TEXT).logits, atol=3e-4, rtol=1e-3)
    return found


def test_peft_writes_what_an_exported_run_writes(base, adapted, dragoman, tmp_path):
    code, out, said = dragoman("export", adapted, tmp_path / "there", "--to", "peft")
    assert (code, out.strip()) == (0, str(tmp_path / "there"))
    assert f"on the network of {base.folder}" in said
    assert "next:" not in said  # what it was imported from is what transformers reads
    found = close(adapted, PeftModel.from_pretrained(theirs(base), tmp_path / "there").eval())
    assert (found - scores(base.run)).abs().max() > 0.01


def test_an_exported_adapter_comes_back_as_it_was(base, adapted, dragoman, tmp_path):
    dragoman("export", adapted, tmp_path / "there", "--to", "peft")
    code, out, said = dragoman(
        "import", "peft", tmp_path / "there", "--base", base.run, "--to", tmp_path / "again"
    )
    assert (code, out.strip()) == (0, str(tmp_path / "again"))
    assert f'next:  dragoman generate {tmp_path / "again"} "The beginning of a text"\n' in said
    torch.testing.assert_close(scores(tmp_path / "again"), scores(adapted), atol=1e-5, rtol=1e-4)
    assert read_recipe(tmp_path / "again" / "recipe.toml").corpus.library == "peft"
    assert "It was not trained here." in (tmp_path / "again" / "card.md").read_text()


CONFIGS = {
    "lora": LoraConfig(r=2, target_modules=["q_proj", "down_proj"], task_type="CAUSAL_LM"),
    "prefix": PrefixTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=4),
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_what_peft_stored_becomes_a_run(base, config, dragoman, tmp_path):
    torch.manual_seed(5)
    stored = get_peft_model(theirs(base), config).eval()
    with torch.no_grad():
        for name, weight in stored.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.3)
    stored.save_pretrained(tmp_path / "there")
    there = ("import", "peft", tmp_path / "there", "--base", base.run, "--to", tmp_path / "run")
    assert dragoman(*there)[0] == 0
    close(tmp_path / "run", stored)
    code, _, said = dragoman(*there)
    assert code == 2
    assert "is there already" in said


SORTING = """
name = "sorting"
[task]
kind = "text-classification"
[corpus]
kind = "labeled"
train = "rows.csv"
held_out = 0.2
[start]
from = "{base}"
method = "lora"
rank = 2
[batches]
max_length = 20
[optimizer]
learning_rate = 0.05
[schedule]
kind = "constant"
warmup_steps = 1
[training]
steps = 8
threads = 1
device = "cpu"
"""


def test_the_new_head_of_a_classifier_goes_to_peft_too(checkpoint, dragoman, tmp_path):
    library = bert_tokenizer()
    shape = {"vocab_size": library.get_vocab_size(), "max_position_embeddings": 40}
    there = checkpoint(lambda: bert(BertForMaskedLM, **shape))
    library.save(str(there.folder / "tokenizer.json"))
    base, run = import_huggingface(there.folder, tmp_path / "base").path, tmp_path / "run"
    rows = [f"the {word} jumps {n},{word}" for n in range(20) for word in ("quick", "lazy")]
    (tmp_path / "rows.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    (tmp_path / "sorting.toml").write_text(SORTING.format(base=base))
    train(tmp_path / "sorting.toml", folder=run)
    assert dragoman("export", run, tmp_path / "adapter", "--to", "peft")[0] == 0
    network = BertForSequenceClassification.from_pretrained(there.folder, num_labels=2)
    adapted = PeftModel.from_pretrained(network, tmp_path / "adapter").eval()
    ours = Classifier.load(run, device="cpu").model
    with torch.no_grad():
        found, wanted = ours.classify(TEXT[:, :7] % 30 + 5), adapted(TEXT[:, :7] % 30 + 5).logits
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-3)
    assert found.abs().max() > 0.02


def test_a_run_without_an_adapter_is_exported_whole(base, dragoman, tmp_path):
    code, _, said = dragoman("export", base.run, tmp_path / "there", "--to", "peft")
    assert code == 2
    assert "has no adapter. One is learned with start.method = 'lora' or 'prefix'" in said
    assert not (tmp_path / "there").exists()


def test_a_folder_that_peft_did_not_write_is_told_as_such(base, dragoman, tmp_path):
    code, _, said = dragoman("import", "peft", base.run, "--base", base.run, "--to", tmp_path / "x")
    assert code == 2
    assert f"{base.run}: has no adapter_config.json, so it is no adapter of peft." in said


def test_a_network_that_transformers_has_not_is_refused_by_its_settings(dragoman, tmp_path):
    ours = train_language_model(tmp_path, steps=2)
    run = train_adapter(tmp_path, ours, "adapted", HOW["lora"], 3, steps=2)
    code, _, said = dragoman("export", run, tmp_path / "there", "--to", "peft")
    assert code == 2
    assert "'llama' has no such network (model." in said
    assert not (tmp_path / "there").exists()


def test_options_of_other_libraries_are_refused(base, dragoman, tmp_path):
    code, _, said = dragoman("export", base.run, tmp_path / "x", "--to", "peft", "--average")
    assert code == 2
    assert "--to peft takes no other option" in said
