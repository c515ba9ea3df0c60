"""A proof counts what differs, and does not claim what it has not seen."""

import json
import shutil

import pytest

from dragoman.core.checksums import write_checked
from dragoman.core.errors import ConfigError, DataError, RunError
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.interop.proof import EngineComparison, Proof, ProofSentences, proof_sentences, prove
from dragoman.interop.to_ctranslate2 import ExportOptions, check_exact, export_ctranslate2
from dragoman.tasks.translation.bare_translator import BareTranslator

GIVEN = ProofSentences(
    "given", ["sun moon", "red cat", "sea sky"], ["moon sun", "cat red", "sky sea"]
)


@pytest.fixture(scope="module")
def translator(tiny):
    return BareTranslator.load(tiny.run)


def answers(translator, change=lambda tokens: tokens):
    def theirs(texts, beam):
        translator.decoding = translator.decoding.model_copy(update={"loop_guard": 0})
        found = translator.candidates(texts, beam=beam)
        return [change(list(one[0].tokens)) for one in found]

    return theirs


def test_the_same_engine_is_the_same(translator):
    proof = prove(translator, answers(translator), GIVEN, engine="itself")
    assert [one.beam for one in proof.compared] == [1, 2]
    assert all(one.identical == 3 for one in proof.compared)
    assert all(one.bleu_ours == one.bleu_theirs for one in proof.compared)
    assert all("3 of 3 sentences have the same tokens" in line for line in proof.lines())


def test_what_differs_is_counted_with_what_it_is_worth(translator):
    worse = answers(translator, lambda tokens: [*tokens[:1], 40, 41, 42, *tokens[1:]])
    proof = prove(translator, worse, GIVEN, engine="worse", beams=[1])
    (found,) = proof.compared
    assert (found.identical, found.ties, found.faults(3)) == (0, 0, 3)
    assert "BLEU" in proof.lines()[0]
    json.dumps(proof.record())


def test_without_references_there_is_no_bleu(translator):
    given = ProofSentences("given", GIVEN.sources, None)
    (found,) = prove(translator, answers(translator), given, engine="it", beams=[1]).compared
    assert found.bleu_ours is found.bleu_theirs is found.signature is None


def test_a_text_that_would_be_cut_is_left_out(translator):
    long = ProofSentences("long", ["sun " * 200, "sun moon"], ["a", "b"])
    assert prove(translator, answers(translator), long, engine="it", beams=[1]).sentences == 1
    with pytest.raises(DataError, match="no sentence that is short enough"):
        prove(
            translator, answers(translator), ProofSentences("l", ["sun " * 200], None), engine="it"
        )


def test_the_run_s_held_out_sentences_are_taken(tiny, tmp_path):
    found = proof_sentences(RunFolder(tiny.run))
    assert found.name == "test"
    assert len(found.sources) == len(found.references) == 20
    assert proof_sentences(RunFolder(tmp_path)) is None


def test_a_given_file_is_taken_instead(tiny, tmp_path):
    (tmp_path / "pairs.tsv").write_text("sun moon\tmoon sun\n")
    (tmp_path / "lines.txt").write_text("sun moon\n\nred cat\n")
    pairs = proof_sentences(RunFolder(tiny.run), tmp_path / "pairs.tsv")
    assert (pairs.sources, pairs.references) == (["sun moon"], ["moon sun"])
    lines = proof_sentences(RunFolder(tiny.run), tmp_path / "lines.txt")
    assert (lines.sources, lines.references) == (["sun moon", "red cat"], None)
    with pytest.raises(DataError, match="no such file to prove with"):
        proof_sentences(RunFolder(tiny.run), tmp_path / "nothing.txt")


def test_an_export_without_sentences_claims_nothing(run, tmp_path):
    shutil.rmtree(run / "data")
    assert export_ctranslate2(run, tmp_path / "ct2", ExportOptions()) is None
    assert json.loads((tmp_path / "ct2" / "proof.json").read_text()) == {"proved": False}


def test_an_export_of_the_average_is_proved_with_it(run, tmp_path):
    wishes = ExportOptions("float32", average=True)
    proof = export_ctranslate2(run, tmp_path / "ct2", wishes)
    facts = json.loads((tmp_path / "ct2" / "dragoman.json").read_text())
    assert sorted(facts["averaged"].split(",")) == ["20", "40"]
    assert proof.compared[0].identical == proof.sentences


def test_an_inexact_export_in_full_digits_is_an_error(tmp_path):
    wrong = EngineComparison(1, 7, 1, None, None, None)
    proof = Proof("CTranslate2", "test", 10, (wrong,))
    with pytest.raises(RunError, match="2 of 10 sentences come out otherwise"):
        check_exact(proof, "float32", tmp_path)
    check_exact(proof, "int8", tmp_path)


def test_the_command_says_what_was_proved(dragoman, tiny, tmp_path):
    out = tmp_path / "ct2"
    code, printed, said = dragoman("export", tiny.run, out, "--to", "ctranslate2")
    assert (code, printed) == (0, f"{out}\n")
    assert "compared with the run on 20 sentences of 'test'" in said.replace("\n", " ")
    again = dragoman("export", tiny.run, out, "--to", "ctranslate2")
    assert again[0] == 2
    assert "is there already" in again[2]


def test_the_command_translates_by_the_other_engine(dragoman, tiny, tmp_path):
    text = tmp_path / "text"
    text.write_text("sun moon\n\nred cat\n")
    out = tmp_path / "ct2"
    dragoman("export", tiny.run, out, "--to", "ctranslate2", "--quantization", "float32")
    code, ours, _ = dragoman("translate", tiny.run, text, "--beam", 1, "--output", "-")
    code, theirs, _ = dragoman(
        "translate", out, text, "--beam", 1, "--engine", "ctranslate2", "--output", "-"
    )
    assert code == 0
    assert len(theirs.splitlines()) == len(ours.splitlines()) == 3
    picture = dragoman(
        "translate", out, "--engine", "ctranslate2", "--attention", tmp_path / "a.html"
    )
    assert picture[0] == 2
    assert "Use the engine torch" in picture[2].replace("\n", " ")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--to", "ctranslate2", "--proof", "x", "--no-proof"), "exclude each other"),
        (("--to", "ctranslate2", "--languages", "en,es"), "is for --to argos"),
        (("--to", "huggingface", "--quantization", "int8"), "is for --to ctranslate2"),
        (("--to", "argos", "--languages", "english"), "give two codes"),
    ],
)
def test_options_that_contradict_are_refused(dragoman, tiny, tmp_path, options, told):
    code, _, said = dragoman("export", tiny.run, tmp_path / "x.argosmodel", *options)
    assert code == 2
    assert told in said.replace("\n", " ")


def test_a_network_that_cannot_be_held_leaves_nothing(run, tmp_path):
    recipe = run / "recipe.toml"
    text = recipe.read_text()
    assert 'positions = "sinusoidal"' in text
    write_checked(recipe, text.replace('positions = "sinusoidal"', 'positions = "relative"'))
    with pytest.raises(ConfigError, match="--exportable"):
        export_ctranslate2(run, tmp_path / "ct2", ExportOptions())
    assert list(tmp_path.glob("ct2*")) == []
