"""One model that writes two languages: asked for by name, judged in each direction."""

import json
import shutil
import sys

import pytest

from dragoman.cli.evaluate import evaluate
from dragoman.cli.translate import translate
from dragoman.config.reading import read_recipe
from dragoman.core.checksums import write_checked
from dragoman.core.errors import ConfigError
from dragoman.data.formats.placeholders import split_tags
from dragoman.data.tokenizer.special_tokens import PLACEHOLDER_IDS
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.translation.bare_translator import BareTranslator, Translation
from dragoman.tasks.translation.prepare import prepare
from dragoman.trainer import train

TWO = ["corpus.both_ways=true", "corpus.source_language=north", "corpus.target_language=south"]
NORTH, SOUTH = PLACEHOLDER_IDS["｟31｠"], PLACEHOLDER_IDS["｟30｠"]
ASKED = "this model writes north and south; say which with --to"


@pytest.fixture(scope="module")
def trained(tiny, tmp_path_factory):
    folder = tmp_path_factory.mktemp("two") / "run"
    changes = [*TWO, "training.steps=4", "training.validate_every=4"]
    train(tiny.recipe, changes, folder=folder)
    return folder


@pytest.fixture
def seen(trained, monkeypatch):
    """Give a translator and what its network is given to read."""
    translator, read = BareTranslator.load(trained), []

    def search(sources, *_):
        read.extend(sources)
        return [[Translation("x", 0.0, 0.0)]] * len(sources)

    monkeypatch.setattr(translator, "_search", search)
    return translator, read


def test_the_language_asked_for_is_the_first_thing_the_network_reads(seen):
    translator, read = seen
    translator.translate("sun moon", to="north")
    translator.translate(["sun moon"], to="south")
    rest = translator.tokenizer.source.encode("sun moon")
    assert read == [[NORTH, *rest], [SOUTH, *rest]]


def test_every_piece_of_a_long_text_bears_its_tag_and_fits(seen):
    translator, read = seen
    translator.translate("sun moon sea. " * 30 + "cat " * 60, to="south")
    assert len(read) > 30
    assert all(ids[0] == SOUTH and SOUTH not in ids[1:] for ids in read)
    assert all(len(ids) + 1 <= translator.longest for ids in read)


def test_a_stored_test_source_is_read_as_it_is_and_an_empty_text_needs_no_language(seen):
    translator, read = seen
    translator.candidates(["｟31｠ sun moon", "", "｟30｠ sea"])
    assert sorted(ids[0] for ids in read) == [SOUTH, NORTH]


def test_a_model_of_two_languages_must_be_told_which(trained):
    translator = BareTranslator.load(trained)
    with pytest.raises(ConfigError, match=ASKED):
        translator.translate("sun moon")
    with pytest.raises(ConfigError, match="does not write 'east'; it writes north and south"):
        translator.translate("sun moon", to="east")


def test_a_model_of_one_language_may_be_told_its_own(tiny):
    translator = BareTranslator.load(tiny.run)
    assert translator.translate("sun moon", to="target") == translator.translate("sun moon")
    with pytest.raises(ConfigError, match="does not write 'es'; it writes target"):
        translator.translate("sun moon", to="es")


def test_the_verb_translates_into_the_language_named_and_draws_the_tag(
    trained, tmp_path, capsys, monkeypatch
):
    (tmp_path / "in.txt").write_text("sun moon\n\nsea\n")
    with (tmp_path / "in.txt").open(encoding="utf-8") as given:
        monkeypatch.setattr(sys, "stdin", given)
        translate(trained, to="south", attention=tmp_path / "seen.png")
    assert capsys.readouterr().out.count("\n") == 3
    with pytest.raises(ConfigError, match=ASKED):
        translate(trained, [tmp_path / "in.txt"])
    translate(trained, [tmp_path / "in.txt"], to="south")
    assert (tmp_path / "in.south.txt").read_text(encoding="utf-8").count("\n") == 3


def test_each_direction_is_scored_under_its_name(trained, tmp_path, capsys):
    run = shutil.copytree(trained, tmp_path / "run")
    evaluate(run)
    out = capsys.readouterr().out
    assert "north_south: 20 sentences" in out
    assert "south_north: 20 sentences" in out
    card = (run / "card.md").read_text()
    assert "translates north to south and south to north" in card
    with pytest.raises(ConfigError, match="--to south is for a test file"):
        evaluate(run, to="south")


def test_lengths_are_counted_without_the_tag(trained, tmp_path):
    run = shutil.copytree(trained, tmp_path / "run")
    (tmp_path / "five.tsv").write_text("sun moon sea sky red\tred sky sea moon sun\n" * 3)
    evaluate(run, [tmp_path / "five.tsv"], to="south")
    stored = json.loads((run / "scores.json").read_text())
    assert stored["five_south"]["by_length"][0]["bucket"] == "≤ 5"
    with pytest.raises(ConfigError, match=ASKED):
        evaluate(run, [tmp_path / "five.tsv"])


def test_a_model_of_two_languages_is_compared_with_one_of_one(trained, tiny, tmp_path, capsys):
    run, other = (shutil.copytree(one, tmp_path / one.parent.name) for one in (trained, tiny.run))
    recipe = (other / "recipe.toml").read_text()
    write_checked(other / "recipe.toml", recipe.replace('= "target"', '= "south"'))
    (tmp_path / "few.tsv").write_text("sun moon\tmoon sun\nsea sky red\tred sky sea\n" * 4)
    evaluate(run, [tmp_path / "few.tsv"], to="south", against=other)
    assert f"few_south, first {run}, second {other}: " in capsys.readouterr().out


def test_several_parts_are_prepared_once_and_read_back(recipe, tmp_path):
    part = f'{{train = "{recipe.with_name("corpus.tsv")}", held_out = 9, target_language = "%s"}}'
    parts = f"corpus.parts=[{part % 'one'}, {part % 'two'}]"
    text = recipe.read_text().replace('train = "corpus.tsv"\nheld_out = 20', 'kind = "several"')
    recipe.write_text(text)
    found = read_recipe(recipe, [parts])
    folder = RunFolder(tmp_path / "run")
    prepared = prepare(folder, found)
    mark = folder.data / "prepared.json"
    before = mark.stat().st_mtime_ns
    assert prepare(folder, found).valid == prepared.valid
    assert mark.stat().st_mtime_ns == before
    assert [split_tags(pair.source)[0] for pair in prepared.valid[:4]] == ["｟31｠ ", "｟30｠ "] * 2
    first = {int(prepared.store.example(n)[0][0]) for n in range(len(prepared.store))}
    assert first == {NORTH, SOUTH}
