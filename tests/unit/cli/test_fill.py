"""Hidden and missing words of a text that was learned."""

import io
import json
from pathlib import Path

import pytest
from tests.toy_texts import ANIMALS, LANGUAGE, MASKED, SENTENCES, write_toy

from dragoman import trainer
from dragoman.core.errors import ConfigError
from dragoman.data.corpus.generators.corruptions import Missing, make_missing
from dragoman.tasks.masked_lm.masked_language_model import MaskedLanguageModel
from dragoman.tasks.missing_word import MissingWord, WordFinder, score_missing_words
from dragoman.trainer import train


def learn(folder, sections):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
        recipe = write_toy(folder, sections, SENTENCES)
        train(recipe, ["training.steps=80", "training.validate_every=80"], folder=folder / "run")
    return folder / "run"


@pytest.fixture(scope="module")
def masked(tmp_path_factory):
    """Train once on sentences in which every word is known from the others."""
    return learn(tmp_path_factory.mktemp("masked"), MASKED)


@pytest.fixture(scope="module")
def language(tmp_path_factory):
    """Train a model that reads from the left on the same."""
    return learn(tmp_path_factory.mktemp("language"), LANGUAGE)


def held_out(run):
    return (run / "data" / "test.txt").read_text().split("\n\n")[:-1]


def test_hidden_words_are_guessed_well_above_chance(masked):
    rows = [json.loads(line) for line in (masked / "metrics.jsonl").read_text().splitlines()]
    last = [row for row in rows if row["kind"] == "validation"][-1]
    assert last["accuracy"] > 0.6  # there are 34 words
    assert last["loss"] < 1.5


@pytest.mark.parametrize("animal", ANIMALS)
def test_the_right_word_is_found_from_both_sides(masked, animal):
    filler = MaskedLanguageModel.load(masked)
    who, does, what = animal.split()
    assert filler.fill(f"on red monday the {who} {does} ___")[0][0].word == what
    assert filler.fill(f"on red monday the ___ {does} {what}")[0][0].word == who
    (first, second) = filler.fill(f"___ red monday ___ {who} {does} {what}", 2)
    assert (first[0].word, second[0].word) == ("on", "the")
    assert first[0].probability > first[1].probability


def test_the_gap_and_the_word_are_found_anywhere(masked):
    examples = list(make_missing(held_out(masked), seed=1))
    assert len(examples) == 8
    found = score_missing_words(WordFinder.load(masked), examples)
    assert found.examples == 8
    assert found.place >= 0.75  # by chance one in seven
    assert found.both >= 0.5  # by chance one in 240
    assert found.both <= min(found.place, found.word)


def test_a_model_that_reads_from_the_left_finds_the_gap_too(language):
    finder = WordFinder.load(language)
    best = finder.find("on red monday cow chews grass", 3)
    assert (best[0].place, best[0].word) == (3, "the")
    assert best[0].text == "on red monday the cow chews grass"
    assert [one.score for one in best] == sorted((one.score for one in best), reverse=True)
    assert finder.find("  ") == []


def test_the_better_of_two_equal_sentences_is_counted_by_its_text():
    """In "very very old" either place is right."""

    class Sure(WordFinder):
        def __init__(self):
            pass

        def find(self, text, top=5):
            return [MissingWord(1, "very", "It is very very old.", -1.0)]

    examples = [
        ("It is very old.", 2, "very", "It is very very old."),
        ("It is very old.", 0, "so", "So it is very old."),
    ]
    found = score_missing_words(Sure(), [Missing(*one) for one in examples])
    assert (found.place, found.word, found.both) == (0.5, 0.5, 0.5)


def test_each_line_gives_a_line(masked, dragoman, monkeypatch):
    lines = ["___ red monday the pig digs ___", "", "nothing is hidden", "on black ___ the cat"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("\n".join(lines).encode())))
    code, out, _ = dragoman("fill", masked, "--top", 2)
    said = out.splitlines()
    assert (code, len(said)) == (0, 4)
    assert said[0].split("\t")[0] == "on red monday the pig digs roots"
    assert [part.split(" ")[0] for part in said[0].split("\t")[1:]] == ["on", "roots"]
    assert said[0].count(", ") == 2
    assert said[1:3] == ["", "nothing is hidden"]


def test_programs_get_json_and_name_their_own_mark(masked, dragoman):
    code, out, _ = dragoman(
        "fill", masked, "<?> red monday the cow <?> grass", "--mask", "<?>", "--json"
    )
    row = json.loads(out)
    assert code == 0
    assert row["filled"] == "on red monday the cow chews grass"
    assert [len(words) for words in row["masks"]] == [5, 5]
    assert row["masks"][0][0]["word"] == "on"
    assert sum(one["probability"] for one in row["masks"][0]) <= 1.0


def test_anywhere_on_the_command_line(masked, language, dragoman):
    text = "on red monday the cow grass"
    code, out, _ = dragoman("fill", masked, text, "--anywhere", "--top", 2)
    whole, first, *others = out.rstrip("\n").split("\t")
    assert (code, whole, len(others)) == (0, "on red monday the cow chews grass", 1)
    assert first.startswith("5 chews ")
    _, out, _ = dragoman("fill", language, text, "--anywhere", "--json")
    assert json.loads(out)["found"][0]["place"] in range(7)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing is hidden"], "contains no '___'. Write it where a word is masked"),
        (["a ___", "--mask", " "], "--mask: whitespace cannot stand for a masked word"),
        (["a ___ " * 40], "the model knows 32 positions. Give a shorter text."),
    ],
)
def test_what_cannot_be_filled_is_said_in_one_line(masked, dragoman, arguments, words):
    code, _, err = dragoman("fill", masked, *arguments)
    assert code == 2
    assert words in err
    assert len(err.splitlines()) == 1


def test_other_models_are_told_apart(language):
    with pytest.raises(ConfigError, match=r"'language-model' and cannot guess hidden words"):
        MaskedLanguageModel.load(language)
    with pytest.raises(ConfigError, match=r"made for task\.kind = 'translation'"):
        WordFinder.load(Path(__file__).parents[2] / "golden" / "run-v1")


def test_the_verb_evaluate_says_how_many_hidden_words_are_guessed(masked, dragoman):
    code, out, _ = dragoman("evaluate", masked)
    assert code == 0
    assert "masked tokens (seed 0)" in out
    assert "% of the masked tokens are predicted" in out
    _, out, _ = dragoman("evaluate", masked, "--json")
    assert json.loads(out)[0]["accuracy"] > 0.5
    assert "| masked tokens predicted |" in (masked / "card.md").read_text()
