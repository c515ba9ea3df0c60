"""Translators that were trained here go to transformers: network, tokenizer and way to search."""

import json
from types import SimpleNamespace

import pytest
import torch
from tests.conftest import write_recipe
from tokenizers import Tokenizer as Library
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
from transformers.utils.logging import enable_progress_bar, is_progress_bar_enabled

from dragoman.config.reading import read_recipe
from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import ConfigError, RunError
from dragoman.data.tokenizer.special_tokens import END, START
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.engine.checkpoint.weights import load_weights, weights_of
from dragoman.interop import to_huggingface
from dragoman.interop.exporting import export_huggingface, to_their_format
from dragoman.interop.families.catalogue import FAMILIES
from dragoman.interop.halves import in_halves
from dragoman.interop.importing import import_huggingface
from dragoman.interop.network import network
from dragoman.interop.to_ctranslate2 import ExportOptions
from dragoman.interop.to_huggingface import export_and_prove
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.trainer import train

TEXTS = ["sun moon", "the red cat", "song", "dog tree  bird fish sea", "☃ moon"]
OTHER = [
    *("model.norm=post", "model.tied=target", "model.activation=swish", "model.output_bias=true"),
    *("model.decoder_heads=4", "model.decoder_ffn_width=24", "model.positions=sinusoidal-halves"),
    *("tokenizer.kind=words", "tokenizer.shared=false", "tokenizer.vocab_size=301"),
    *("training.steps=6", "training.validate_every=6", "decoding.no_repeat_ngram=2"),
]


@pytest.fixture(scope="module")
def here(tiny, tmp_path_factory):
    """Give the trained run (norms before its parts, sines beside cosines), and its export."""
    folder = tmp_path_factory.mktemp("export") / "there"
    done = export_and_prove(tiny.run, folder, ExportOptions())
    return SimpleNamespace(run=tiny.run, folder=folder, done=done)


@pytest.fixture(scope="module")
def other(tmp_path_factory):
    """Give a run with norms after its parts and two vocabularies, and its export."""
    base = tmp_path_factory.mktemp("other")
    recipe = write_recipe(base)
    lines = (base / "corpus.tsv").read_text().replace("\t", "\tand ")
    (base / "corpus.tsv").write_text(lines)
    train(recipe, OTHER, folder=base / "run")
    done = export_and_prove(base / "run", base / "there", ExportOptions())
    return SimpleNamespace(run=base / "run", folder=base / "there", done=done)


def loaded(folder):
    model, told = AutoModelForSeq2SeqLM.from_pretrained(folder, output_loading_info=True)
    assert not any(told[what] for what in ("missing_keys", "unexpected_keys", "mismatched_keys"))
    return model.eval(), AutoTokenizer.from_pretrained(folder)


def test_transformers_draws_no_bar_into_what_is_said(here, capfd):
    enable_progress_bar()
    to_huggingface._theirs(here.folder, BareTranslator.load(here.run, device="cpu"))
    assert capfd.readouterr().err == ""
    assert is_progress_bar_enabled()


@pytest.mark.parametrize("which", ["here", "other"])
def test_transformers_gives_the_same_scores(which, request):
    one = request.getfixturevalue(which)
    model, tokenizer = loaded(one.folder)
    ours = BareTranslator.load(one.run, device="cpu")
    batch = tokenizer(TEXTS, return_tensors="pt", padding=True)
    write = torch.tensor([[START, 295, 296, 297]] * len(TEXTS))
    with torch.no_grad():
        wanted = ours.model(batch.input_ids, write)
        found = model(**batch, decoder_input_ids=write).logits
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    for text, row, seen in zip(TEXTS, batch.input_ids, batch.attention_mask, strict=True):
        assert row[seen.bool()].tolist() == [*ours.tokenizer.encode_source(text), END]


@pytest.mark.parametrize("which", ["here", "other"])
def test_generate_works_as_it_is_and_gives_the_same_texts(which, request):
    one = request.getfixturevalue(which)
    model, tokenizer = loaded(one.folder)
    target = AutoTokenizer.from_pretrained(one.folder / "target") if which == "other" else tokenizer
    ours = BareTranslator.load(one.run, device="cpu")
    ours.decoding = ours.decoding.model_copy(update={"loop_guard": 0})
    assert model.generation_config.num_beams == ours.decoding.beam
    texts = TEXTS[:4] if which == "here" else TEXTS[:1]
    for text in texts:
        batch = tokenizer(" ".join(text.split()), return_tensors="pt")
        most = 2 * batch.input_ids.shape[1] + 20 + 1
        found = model.generate(**batch, max_length=most)
        assert found[0, 0] == START
        (best,) = ours.candidates([text])[0]
        ends = found[0].tolist().index(END) if END in found[0] else None
        assert tuple(found[0].tolist()[1:ends]) == best.tokens
        said = target.decode(found[0], skip_special_tokens=True).strip()
        assert said == best.text or "\ufffd" in said


def test_every_export_is_proved_on_held_out_sentences(here, other):
    for one in (here, other):
        assert one.done.proof is not None
        greedy, searched = one.done.proof.compared
        assert greedy.identical + greedy.ties == one.done.proof.sentences
        assert searched.identical >= one.done.proof.sentences / 2
        assert json.loads((one.folder / "proof.json").read_text())["proved"] is True
    assert here.done.reader == "PegasusForConditionalGeneration"
    assert other.done.reader == "MarianMTModel"


def test_without_transformers_the_folder_is_imported_again(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(to_huggingface, "LIBRARY", "no_such_library")
    done = export_and_prove(tiny.run, tmp_path / "there", ExportOptions())
    assert done.proof is not None
    assert done.proof.engine == "the folder, imported again"
    assert all(one.identical == done.proof.sentences for one in done.proof.compared)


def test_a_folder_that_translates_otherwise_is_not_left_behind(tiny, tmp_path, monkeypatch):
    def other(folder, ours):
        return lambda texts, beam: [[300] for _ in texts]

    monkeypatch.setattr(to_huggingface, "_theirs", other)
    with pytest.raises(RunError, match="come out otherwise than by the run"):
        export_and_prove(tiny.run, tmp_path / "there", ExportOptions())
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize("which", ["here", "other"])
def test_what_goes_there_comes_back_with_all_its_numbers(which, request, tmp_path):
    one = request.getfixturevalue(which)
    import_huggingface(one.folder, tmp_path / "again")
    again, before = (
        BareTranslator.load(run, device="cpu") for run in (tmp_path / "again", one.run)
    )
    for side in ("source", "target"):
        ours, theirs = (getattr(each.tokenizer, side) for each in (before, again))
        assert theirs.pieces == ours.pieces
        assert all(theirs.encode(text) == ours.encode(text) for text in TEXTS)
    assert again.decoding.beam == before.decoding.beam
    before.decoding = before.decoding.model_copy(update={"loop_guard": 0})
    for beam in (1, 2):
        found, wanted = (
            [best[0].tokens for best in each.candidates(TEXTS, beam=beam)]
            for each in (again, before)
        )
        assert found == wanted
    first, second = (read_recipe(trained_run(run).recipe) for run in (one.run, tmp_path / "again"))
    assert first.model.kind == second.model.kind


def test_the_command_tells_what_was_proved(tiny, dragoman, tmp_path):
    code, out, said = dragoman("export", tiny.run, tmp_path / "there", "--to", "huggingface")
    assert code == 0
    assert out.strip() == str(tmp_path / "there")
    assert "sentences have the same tokens" in said
    assert "PegasusForConditionalGeneration.from_pretrained" in said
    assert "stays in" not in said


SHAPE = TransformerSettings(
    width=12, heads=3, encoder_layers=1, decoder_layers=2, ffn_width=8, decoder_heads=2
)


@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize("tied", ["all", "none"])
@torch.no_grad()
def test_sines_beside_cosines_can_be_laid_in_halves(norm, tied):
    settings = SHAPE.model_copy(update={"norm": norm, "tied": tied, "output_bias": True})
    before = network(settings, 19).eval()
    for number, weight in enumerate(before.parameters()):
        weight.normal_(std=0.3, generator=torch.Generator().manual_seed(number))
    changed, tensors = in_halves(settings, weights_of(before))
    after = network(changed, 19)
    load_weights(after, tensors, "test")
    read, write = torch.arange(1, 11).view(2, 5), torch.arange(2, 10).view(2, 4)
    assert changed.positions == "sinusoidal-halves"
    torch.testing.assert_close(after.eval()(read, write), before(read, write))


CANNOT = {
    "no biases": ({"biases": False}, "model.biases = False"),
    "RMS norm": ({"normalization": "rms"}, "model.normalization = 'rms'"),
    "wide keys": ({"key_width": 6}, "model.key_width = 6"),
    "shared keys": ({"key_value_heads": 1}, "model.key_value_heads = 1"),
    "a gate": ({"activation": "swiglu"}, "model.activation = 'swiglu' has no place"),
    "a table for the source": ({"tied": "target"}, "model.tied = 'target'"),
}


@pytest.mark.parametrize(("change", "told"), CANNOT.values(), ids=CANNOT.keys())
def test_what_pegasus_does_not_have_is_named(change, told, tmp_path):
    settings = SHAPE.model_copy(update={"positions": "sinusoidal-halves", **change})
    weights = weights_of(network(settings, 19))
    with pytest.raises(ConfigError, match=told):
        to_their_format(FAMILIES["pegasus"], settings, 19, weights, tmp_path)


def test_relative_positions_are_refused_with_advice(tmp_path):
    recipe = write_recipe(tmp_path)
    quick = ["training.steps=1", "training.validate_every=1", "training.validation_sentences=1"]
    train(recipe, ["model.positions=relative", *quick], folder=tmp_path / "run")
    with pytest.raises(ConfigError, match=r"'relative'.*dragoman new --exportable"):
        export_huggingface(tmp_path / "run", tmp_path / "there")


def test_the_file_of_the_tokenizer_is_the_librarys(here):
    library = Library.from_file(str(here.folder / "tokenizer.json"))
    assert library.token_to_id("</s>") == END
