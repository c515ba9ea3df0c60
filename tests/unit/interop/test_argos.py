"""An Argos package, read back by the rules of Argos Translate 1.11.

Argos Translate itself brings stanza and spaCy, so it is no dependency of the tests. What it does
with a package is little, and is written out here: unpack, read the words of metadata.json, cut by
SentencePiece, ask CTranslate2, join by SentencePiece.
"""

import json
import zipfile

import ctranslate2
import pytest
from sentencepiece import SentencePieceProcessor

from dragoman.core.checksums import write_checked
from dragoman.core.errors import ConfigError, RunError
from dragoman.interop.argos import export_argos
from dragoman.interop.to_ctranslate2 import ExportOptions
from dragoman.tasks.translation.bare_translator import BareTranslator

PAIR = ("en", "es")


@pytest.fixture(scope="module")
def package(tiny, tmp_path_factory):
    folder = tmp_path_factory.mktemp("argos")
    proof = export_argos(tiny.run, folder / "tiny.argosmodel", ExportOptions("float32"), PAIR)
    with zipfile.ZipFile(folder / "tiny.argosmodel") as archive:
        archive.extractall(folder / "installed")
    (inside,) = (folder / "installed").iterdir()
    return inside, proof


def test_a_package_is_one_folder_with_all_that_is_looked_for(package):
    folder, _ = package
    told = json.loads((folder / "metadata.json").read_text())
    assert (told["from_code"], told["to_code"]) == PAIR
    assert (told["from_name"], told["to_name"]) == ("English", "Spanish")
    assert told["type"] == "translate"
    assert {"model", "sentencepiece.model", "README.md"} <= {one.name for one in folder.iterdir()}
    assert "not compared" not in (folder / "README.md").read_text()


def test_it_translates_as_the_run_does(package, tiny):
    folder, proof = package
    assert proof.compared[0].identical == proof.sentences == 20
    pieces = SentencePieceProcessor(model_file=str(folder / "sentencepiece.model"))
    model = ctranslate2.Translator(str(folder / "model"), device="cpu", intra_threads=1)
    ours = BareTranslator.load(tiny.run)
    for text in ("sun moon sea", "red fish, blue! ｟1｠", "ünknown ø letters"):
        cut = pieces.encode(text, out_type=str)
        assert cut == ours.tokenizer.source.words(ours.tokenizer.source.encode(text))
        (result,) = model.translate_batch(
            [cut], beam_size=4, num_hypotheses=1, length_penalty=0.2, replace_unknowns=True
        )
        assert isinstance(pieces.decode_pieces(result.hypotheses[0]), str)


def test_the_same_run_gives_the_same_bytes(tiny, tmp_path):
    made = []
    for name in ("one", "two"):
        file = tmp_path / f"{name}.argosmodel"
        export_argos(tiny.run, file, ExportOptions(proof=False), PAIR)
        made.append(file.read_bytes())
    assert made[0] == made[1]


def test_a_package_that_was_not_compared_says_so(tiny, tmp_path):
    file = tmp_path / "quiet.argosmodel"
    assert export_argos(tiny.run, file, ExportOptions(proof=False), PAIR) is None
    with zipfile.ZipFile(file) as archive:
        (readme,) = (name for name in archive.namelist() if name.endswith("README.md"))
        (proof,) = (name for name in archive.namelist() if name.endswith("proof.json"))
        assert b"not compared" in archive.read(readme)
        assert json.loads(archive.read(proof)) == {"proved": False}


def test_a_run_without_languages_asks_for_them(tiny, tmp_path):
    with pytest.raises(ConfigError, match="--languages en,es"):
        export_argos(tiny.run, tmp_path / "a.argosmodel", ExportOptions())


def test_other_names_and_files_that_are_there_are_refused(tiny, tmp_path):
    with pytest.raises(ConfigError, match="ends in .argosmodel"):
        export_argos(tiny.run, tmp_path / "a.zip", ExportOptions(), PAIR)
    (tmp_path / "b.argosmodel").write_text("mine")
    with pytest.raises(RunError, match="is there already"):
        export_argos(tiny.run, tmp_path / "b.argosmodel", ExportOptions(), PAIR)


def test_two_directions_are_one_too_many(run, tmp_path):
    recipe = run / "recipe.toml"
    text = recipe.read_text().replace("both_ways = false\n", "")
    text = text.replace("[corpus]\n", "[corpus]\nboth_ways = true\n", 1)
    write_checked(recipe, text)
    with pytest.raises(ConfigError, match="translates in 2 directions"):
        export_argos(run, tmp_path / "a.argosmodel", ExportOptions(), PAIR)


def test_two_vocabularies_are_one_too_many(run, tmp_path):
    tokenizer = json.loads((run / "tokenizer.json").read_text())
    tokenizer |= {"shared": False, "sides": tokenizer["sides"] * 2}
    write_checked(run / "tokenizer.json", json.dumps(tokenizer))
    recipe = run / "recipe.toml"
    text = recipe.read_text()
    assert 'tied = "all"' in text
    with pytest.raises(ConfigError, match="one SentencePiece model for both sides"):
        export_argos(run, tmp_path / "a.argosmodel", ExportOptions(), PAIR)
