import signal

import pytest

from dragoman.cli import main as command
from dragoman.core import errors

GROUPS = {
    "Prepare": ["new", "show", "check", "data"],
    "Train": ["train", "compare", "runs", "demo"],
    "Use": ["translate", "generate", "score", "fill", "classify", "match"],
    "Exchange": ["export", "import"],
    "Serve": ["serve", "key"],
    "Understand": ["evaluate", "lab"],
}
VERBS = [verb for verbs in GROUPS.values() for verb in verbs]


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself(dragoman, verb, option):
    code, out, _ = dragoman(verb, option)
    assert code == 0
    assert f"dragoman {verb}" in out


def test_the_help_groups_the_verbs_in_the_order_of_the_pipeline(dragoman):
    code, out, _ = dragoman("--help")
    assert code == 0
    expected = []
    for group, verbs in GROUPS.items():
        expected += [f"\n{group}\n", *(f"\n  {verb} " for verb in verbs)]
    places = [out.index(text) for text in expected]
    assert places == sorted(places)


def test_no_argument_is_a_wish_for_help(dragoman):
    _, out, err = dragoman()
    assert "Usage" in out + err


def test_the_version_is_told(dragoman):
    from dragoman import __version__

    assert dragoman("--version")[:2] == (0, f"dragoman {__version__}\n")


OURS = [
    error
    for error in vars(errors).values()
    if isinstance(error, type) and issubclass(error, errors.DragomanError)
]


@pytest.mark.parametrize("error", OURS)
def test_an_error_of_ours_is_one_line_and_exit_code_two(dragoman, monkeypatch, error):
    def fail():
        raise error("what.toml: wrong. Mend it.")

    monkeypatch.setattr(command, "app", fail)
    assert dragoman() == (2, "", "dragoman: what.toml: wrong. Mend it.\n")


def test_several_mistakes_are_all_told_in_one_line(dragoman, tmp_path):
    (tmp_path / "a.toml").write_text("[model]\nwidht = 3\n")
    code, out, err = dragoman("train", tmp_path / "a.toml")
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert err.startswith(f"dragoman: {tmp_path / 'a.toml'}: ")
    assert err.count("a.toml: ") == 3
    assert "widht" in err


def test_a_bug_of_ours_keeps_its_traceback(monkeypatch):
    def fail():
        raise ZeroDivisionError

    monkeypatch.setattr(command, "app", fail)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    with pytest.raises(ZeroDivisionError):
        command.main()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["train", "none.toml"], "there is no such recipe file"),
        (["train", "english-hindo"], "Did you mean 'english-hindi'?"),
        (["translate", "nowhere/run"], "there is no such run folder"),
        (["evaluate", "nowhere/run"], "there is no such run folder"),
        (["show", "xyz"], " and 23 more. `dragoman show` lists them all."),
        (["show", "bert"], "there is no recipe of this name. Did you mean 'grammar-bert'?"),
        (["check", "none.tsv"], "none.tsv: no such file. Check the name and the folder."),
        (["new", "none.tsv", "--time", "banana"], "--time banana: is not a time."),
        (["new", "none.tsv"], "none.tsv: no such file. Check the name and the folder."),
    ],
)
def test_a_user_s_mistake_is_one_line(dragoman, arguments, words):
    code, out, err = dragoman(*arguments)
    assert (code, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert words in err


def test_a_folder_that_cannot_be_made_is_one_line(dragoman, recipe, tmp_path):
    (tmp_path / "file").write_text("in the way")
    code, _, err = dragoman("train", recipe, "--output", tmp_path / "file" / "run")
    assert code == 2
    assert err.startswith("dragoman: ")
    assert "cannot be written" in err


def test_a_shifted_corpus_is_refused_before_it_is_trained_on(dragoman, recipe, tmp_path):
    path = recipe.parent / "corpus.tsv"
    lines = path.read_text().splitlines()
    sources, targets = zip(*(line.split("\t") for line in lines), strict=True)
    rows = zip(sources, [*targets[1:], targets[0]], strict=True)
    path.write_text("".join(f"{source}\t{target}\n" for source, target in rows))
    code, out, err = dragoman("train", recipe, "--output", tmp_path / "run")
    assert (code, out) == (2, "")
    (said,) = (line for line in err.splitlines() if line.startswith("dragoman: "))
    assert f"{path}:1: one side is probably shifted against the other" in said
    assert "corpus.examine=false" in said


def test_show_prints_every_key_of_a_recipe_with_its_changes(dragoman, recipe):
    from dragoman.config.recipe import Recipe

    absent = {"start", "made_with", "images"}  # not set, or not for translators
    written = {*Recipe.model_fields} - absent
    code, out, _ = dragoman("show", recipe, "model.width=64")
    assert code == 0
    assert "width = 64" in out
    assert all(f"[{name}]" in out or f"{name} = " in out for name in written)


def test_show_lists_the_built_in_recipes_in_two_columns(dragoman):
    from dragoman.config.reading import shipped_recipes

    _, out, _ = dragoman("show")
    lines = out.splitlines()
    assert [line.split()[0] for line in lines] == [*shipped_recipes()]
    beside = max(map(len, shipped_recipes())) + 2
    assert all(line[beside - 1] == " " != line[beside] for line in lines)
