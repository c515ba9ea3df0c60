"""What contradicts itself is refused before anything is read, trained or written."""

import json

import pytest

from dragoman.cli.evaluate import evaluate

PAIRS = {
    ("lab", "run", "memory", "--quick", "--full"): ("--quick", "--full"),
    ("lab", "run", "memory", "--full", "--quick"): ("--quick", "--full"),
    ("lab", "run", "memory", "--verbose", "--jobs", "2"): ("--verbose", "--jobs 2"),
    ("compare", "a", "b", "--time", "5m", "--tokens", "1k"): ("--time", "--tokens"),
    ("tag", "run", "--tsv", "--json"): ("--tsv", "--json"),
    ("export", "run", "to", "--proof", "x", "--no-proof"): ("--proof", "--no-proof"),
    ("translate", "run", "--prefix", "a", "--prefixes", "b"): ("--prefix", "--prefixes"),
    ("translate", "run", "f", "--in-place", "--output", "o"): ("--in-place", "--output"),
    ("translate", "run", "--beam", "2", "--set", "beam=3"): ("--beam", "--set beam"),
    ("serve", "run", "--port", "1", "--set", "port=2"): ("--port", "--set port"),
    ("fill", "run", "x", "--anywhere", "--mask", "x"): ("--anywhere", "--mask"),
}


@pytest.mark.parametrize(("typed", "both"), PAIRS.items())
def test_two_options_that_exclude_each_other_are_refused(dragoman, typed, both):
    code, out, err = dragoman(*typed)
    assert (code, out) == (2, "")
    assert err == f"dragoman: {both[0]} and {both[1]} exclude each other. Leave one out.\n"


def test_an_option_of_another_search_is_refused(dragoman):
    for typed, words in {
        ("--search", "beam", "--samples", "4"): "--samples does not go with --search beam, which "
        "draws no samples. Leave it out.",
        ("--search", "beam", "--seed", "0"): "--seed does not go with --search beam",
        ("--search", "mbr", "--beam", "4"): "--beam does not go with --search mbr, which has no "
        "beam. Leave it out.",
    }.items():
        code, _, err = dragoman("translate", "run", *typed)
        assert code == 2
        assert words in err


def test_what_was_forgotten_is_asked_for_alone(dragoman, tiny):
    for other in (["x.tsv"], ["--confidence"], ["--robustness"], ["--against", "x"], ["--to", "x"]):
        code, _, err = dragoman("evaluate", tiny.run, "--forgotten", *other)
        name = "FILE" if other == ["x.tsv"] else other[0]
        assert code == 2
        assert f"{name} does not go with --forgotten, which uses the test sets of the run" in err


def test_one_recipe_with_one_seed_is_not_compared_but_trained(dragoman, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = dragoman("compare", "english-hindi", "training.steps=5")
    assert (code, out) == (2, "")
    assert "english-hindi: one recipe with one seed has nothing to be compared with." in err
    assert err.endswith("or train it alone: dragoman train english-hindi\n")
    assert list(tmp_path.iterdir()) == []


def test_no_verb_writes_over_the_corpus_it_reads(dragoman, recipe):
    corpus = recipe.parent / "corpus.tsv"
    before = corpus.read_bytes()
    for typed, words in {
        ("new", corpus, "--output", corpus, "--force"): "is the corpus itself. Name another file.",
        ("check", corpus, "--list", corpus): "is a file of the corpus. Name another one.",
        ("data", "make", "grammar", "--output", "x", "--alignments", "x"): "is named twice",
    }.items():
        code, _, err = dragoman(*typed)
        assert code == 2
        assert words in err
    assert corpus.read_bytes() == before


def test_json_of_a_comparison_is_json_to_its_end(run, tmp_path, capsys):
    (tmp_path / "few.tsv").write_text("sun moon\tmoon sun\nsea sky\tsky sea\n")
    evaluate(run, [tmp_path / "few.tsv"], beam=1, against=run, as_json=True)
    (row,) = json.loads(capsys.readouterr().out)
    assert row["against"]["run"] == str(run)
    assert len(row["against"]["verdicts"]) == 2
