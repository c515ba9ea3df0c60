"""A run translates through CTranslate2 as by itself; a damaged export gives one line."""

import json
import shutil

import ctranslate2
import pytest
import torch
from sentencepiece import SentencePieceProcessor

from dragoman.backends.ctranslate2.folder import exported_beside, load_network, read_folder
from dragoman.backends.engines import open_ctranslate2
from dragoman.core.checksums import write_checked
from dragoman.core.errors import ConfigError, DataError, RunError
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.interop.to_ctranslate2 import ExportOptions, export_ctranslate2
from dragoman.tasks.translation.bare_translator import BareTranslator

TEXTS = ["sun moon", "", "red blue cat. dog tree", "fish " * 60, "sea\tsky"]


@pytest.fixture(scope="module")
def exported(sensible, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exported") / "ct2"
    proof = export_ctranslate2(sensible.run, folder, ExportOptions("float32"))
    return folder, proof


@pytest.fixture
def copy(exported, tmp_path):
    return shutil.copytree(exported[0], tmp_path / "copy")


def test_a_trained_run_is_proved_token_by_token(exported):
    _, proof = exported
    greedy = proof.compared[0]
    assert greedy.beam == 1
    assert proof.sentences == 20
    assert greedy.identical == 20
    assert greedy.bleu_ours == greedy.bleu_theirs


def test_texts_come_out_as_by_our_own_engine(sensible, exported):
    ours = BareTranslator.load(sensible.run)
    theirs = BareTranslator.load(exported[0], engine="ctranslate2")
    for one in (ours, theirs):
        one.decoding = one.decoding.model_copy(update={"loop_guard": 0})
    for prefix in ("", "moon"):
        begins = [prefix] * len(TEXTS)
        mine = ours.candidates(TEXTS, beam=1, prefixes=begins)
        found = theirs.candidates(TEXTS, beam=1, prefixes=begins)
        assert [one[0].text for one in found] == [one[0].text for one in mine]
        for one, other in zip(mine, found, strict=True):
            assert other[0].score == pytest.approx(one[0].score, rel=1e-4, abs=1e-5)


def test_as_many_candidates_as_asked_come_best_first(exported):
    theirs = BareTranslator.load(exported[0], engine="ctranslate2")
    (found,) = theirs.candidates(["sun moon sea"], nbest=3)
    assert len({one.tokens for one in found}) == 3
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


def test_a_run_is_exported_into_its_folder_once_and_again_when_it_changes(run):
    folder = exported_beside(RunFolder(run), "int8")
    assert folder == run / "ctranslate2-int8"
    made = (folder / "model.bin").stat().st_mtime_ns
    assert exported_beside(RunFolder(run), "int8") == folder
    assert (folder / "model.bin").stat().st_mtime_ns == made
    recipe = run / "recipe.toml"
    write_checked(recipe, recipe.read_text().replace("beam = 2", "beam = 3"))
    again = open_ctranslate2(run, torch.device("cpu")).exported
    assert again.path == folder
    assert again.recipe.decoding.beam == 3
    assert again.facts.quantization == "int8"


def test_a_damaged_export_in_a_run_is_made_anew(run):
    folder = exported_beside(RunFolder(run), "int8")
    (folder / "model.bin").write_bytes(b"no model")
    exported_beside(RunFolder(run), "int8")
    assert read_folder(folder).facts.quantization == "int8"


def test_the_folder_tells_a_plain_user_all(exported, sensible):
    folder = exported[0]
    pieces = SentencePieceProcessor(model_file=str(folder / "sentencepiece.model"))
    model = ctranslate2.Translator(str(folder), device="cpu", intra_threads=1)
    texts = ["red blue cat", "sun moon", "fish song bird tree"]
    found = model.translate_batch(pieces.encode(texts, out_type=str), beam_size=1)
    ours = BareTranslator.load(sensible.run)
    ours.decoding = ours.decoding.model_copy(update={"loop_guard": 0})
    wanted = ours.translate(texts, beam=1)
    assert [pieces.decode(one.hypotheses[0]) for one in found] == wanted


def test_pictures_need_the_network_itself(exported):
    translator = BareTranslator.load(exported[0], engine="ctranslate2")
    with pytest.raises(ConfigError, match="Use the engine torch"):
        _ = translator.model


def test_several_models_need_the_network_itself(exported, tiny):
    with pytest.raises(ConfigError, match="translates with one model"):
        BareTranslator.load(exported[0], engine="ctranslate2", also=[tiny.run])


def test_another_quantization_than_it_has_is_refused(exported):
    with pytest.raises(ConfigError, match="was exported as float32, not as int8"):
        open_ctranslate2(exported[0], torch.device("cpu"), "int8")


@pytest.mark.parametrize("name", ["model.bin", "tokenizer.json", "recipe.toml", "config.json"])
def test_a_missing_file_is_said(copy, name):
    (copy / name).unlink()
    with pytest.raises(RunError, match=f"its '{name}' is missing"):
        read_folder(copy)


@pytest.mark.parametrize("name", ["model.bin", "tokenizer.json", "shared_vocabulary.json"])
def test_a_damaged_file_is_said(copy, name):
    whole = (copy / name).read_bytes()
    (copy / name).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="does not fit its checksum"):
        read_folder(copy)


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 2},
        {"room": 0},
        {"room": "many"},
        {"quantization": "int2"},
        {"files": {"model.bin": "short"}},
        {"more": 1},
    ],
)
def test_damaged_facts_are_said_in_one_line(copy, change):
    facts = json.loads((copy / "dragoman.json").read_text())
    (copy / "dragoman.json").write_text(json.dumps({**facts, **change}))
    with pytest.raises(DataError, match="cannot be read") as said:
        read_folder(copy)
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"null", b"[]"])
def test_facts_that_are_no_table_are_said_in_one_line(copy, content):
    (copy / "dragoman.json").write_bytes(content)
    with pytest.raises(DataError, match="cannot be read") as said:
        read_folder(copy)
    assert "\n" not in str(said.value)


def test_a_file_outside_the_folder_is_never_read(copy):
    facts = json.loads((copy / "dragoman.json").read_text())
    facts["files"]["../outside"] = "0" * 64
    (copy / "dragoman.json").write_text(json.dumps(facts))
    (copy.parent / "outside").write_text("secret")
    with pytest.raises(RunError, match="is missing"):
        read_folder(copy)


def test_other_entries_than_the_tokenizer_s_are_refused(copy):
    from dragoman.core.files import sha256

    file = copy / "shared_vocabulary.json"
    file.write_text(json.dumps(list(reversed(json.loads(file.read_text())))))
    facts = json.loads((copy / "dragoman.json").read_text())
    facts["files"][file.name] = sha256(file)
    (copy / "dragoman.json").write_text(json.dumps(facts))
    with pytest.raises(DataError, match="has other entries than tokenizer.json"):
        read_folder(copy)


def test_a_model_that_is_none_is_said_in_one_line(copy):
    from dragoman.core.files import sha256

    (copy / "model.bin").write_bytes(b"\x06\x00\x00\x00 no model")
    facts = json.loads((copy / "dragoman.json").read_text())
    facts["files"]["model.bin"] = sha256(copy / "model.bin")
    (copy / "dragoman.json").write_text(json.dumps(facts))
    with pytest.raises(RunError, match="CTranslate2 cannot work with it") as said:
        open_ctranslate2(copy, torch.device("cpu"))
    assert "\n" not in str(said.value)


def test_a_strange_folder_is_no_export(tmp_path):
    with pytest.raises(RunError, match="has no dragoman.json"):
        read_folder(tmp_path)
    with pytest.raises(RunError, match="no such folder"):
        read_folder(tmp_path / "nothing")
    with pytest.raises(RunError, match="has no recipe.toml"):
        BareTranslator.load(tmp_path, engine="ctranslate2")


REFUSED = {
    'positions = "relative"': "model.positions = 'relative'",
    'norm = "none"': "model.norm = 'none'",
    'activation = "single"': "model.activation = 'single'",
    "key_width = 4": "model.key_width",
    "value_width = 4": "model.value_width",
    "output_projection = false": "model.output_projection = false",
}


@pytest.mark.parametrize(("line", "named"), REFUSED.items(), ids=REFUSED)
def test_what_has_no_place_there_is_refused_by_name(run, line, named):
    path, key = run / "recipe.toml", line.split(" ")[0]
    lines = path.read_text().splitlines()
    at = lines.index("[model]")
    kept = [one for one in lines[at + 1 :] if not one.startswith(f"{key} = ")]
    write_checked(path, "\n".join([*lines[: at + 1], line, *kept]) + "\n")
    with pytest.raises(ConfigError, match="CTranslate2 cannot hold") as said:
        load_network(RunFolder(run))
    assert named in str(said.value)
    assert "dragoman new --exportable" in str(said.value)
    assert "\n" not in str(said.value)


@pytest.mark.parametrize("kind", ["recurrent", "decoder-only"])
def test_other_families_are_refused_by_name(run, kind):
    path = run / "recipe.toml"
    head, _, rest = path.read_text().partition("[model]")
    _, _, after = rest.partition("\n[")
    write_checked(path, f'{head}[model]\nkind = "{kind}"\n\n[{after}')
    with pytest.raises(ConfigError, match=f"no translator of model.kind = '{kind}'"):
        load_network(RunFolder(run))
