"""The verb `check`: what it prints, where, and how it leaves."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from dragoman.cli.main import app
from dragoman.core.errors import ConfigError

ROWS = [
    f"The {a} {b} number {n}\tBand {n}, {b} {a}"
    for n, (a, b) in enumerate(
        [
            (a, b)
            for a in ("red", "blue", "old", "new", "big")
            for b in ("book", "house", "car", "sea")
        ]
        * 3
    )
]


@pytest.fixture
def check():
    def run(*arguments):
        return CliRunner().invoke(app, ["check", *map(str, arguments)])

    return run


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.tsv"
    path.write_text("\n".join(ROWS) + "\n")
    return path


def test_a_good_corpus_is_praised_and_leaves_with_zero(check, good):
    done = check(good)
    assert done.exit_code == 0
    assert "Pairs: 60 in train" in done.stdout
    assert "Ready for training." in done.stdout


def test_a_bad_corpus_leaves_with_two_and_says_why(check, good):
    good.write_text("\n".join([*ROWS, "no tab here"]))
    done = check(good)
    assert done.exit_code == 2
    assert "refuse" in done.stdout
    assert "61" in done.stdout
    assert "Training would REFUSE this corpus." in done.stdout


def test_json_is_alone_on_stdout(check, good):
    good.write_text("\n".join([*ROWS, "alone\t "]))
    done = check(good, "--json")
    assert done.exit_code == 0
    record = json.loads(done.stdout)
    assert record["pairs"] == {"train": 61}
    assert [(f["finding"], f["lines"]) for f in record["findings"]] == [("empty_side", [61])]


def test_the_list_has_every_line(check, good, tmp_path):
    good.write_text("\n".join([*ROWS, *["alone\t "] * 8]))
    check(good, "--list", tmp_path / "list.tsv")
    rows = [line.split("\t") for line in (tmp_path / "list.tsv").read_text().splitlines()]
    assert [row[1] for row in rows if row[2] == "empty_side"] == [str(n) for n in range(61, 69)]
    done = check(good, "--list", tmp_path / "no" / "list.tsv")
    assert "cannot be written" in str(done.exception)


def test_a_second_check_of_the_same_file_uses_the_report_of_the_first(
    check, good, tmp_path, monkeypatch
):
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "cache"))
    good.write_text("\n".join([*ROWS, "alone\t "]))
    check(good)
    (entry,) = (tmp_path / "cache/doctor").iterdir()
    entry.write_text(entry.read_text().replace('"count": 1', '"count": 7777'))
    assert "7,777" in check(good).stdout
    assert "7,777" not in check(good, "--list", tmp_path / "list.tsv").stdout
    entry.write_text("damaged")
    assert json.loads(check(good, "--json").stdout)["findings"][0]["count"] == 1


def test_each_part_of_several_corpora_is_checked(check, good, tmp_path):
    recipe = tmp_path / "r.toml"
    (tmp_path / "bad.tsv").write_text("\n".join([*ROWS, "no tab here"]))
    recipe.write_text(
        'name = "r"\n[corpus]\nkind = "several"\n[[corpus.parts]]\ntrain = "good.tsv"\n'
        '[[corpus.parts]]\ntrain = "bad.tsv"\n'
    )
    done = check(recipe, "--json")
    assert [part["refused"] for part in json.loads(done.stdout)] == [False, True]
    assert done.exit_code == 2


def test_two_files_and_a_recipe_are_checked_too(check, good, tmp_path):
    for side, name in enumerate(("a.en", "a.de")):
        (tmp_path / name).write_text("".join(f"{row.split(chr(9))[side]}\n" for row in ROWS))
    assert check(tmp_path / "a.en", tmp_path / "a.de").exit_code == 0
    recipe = tmp_path / "r.toml"
    recipe.write_text('name = "r"\n[corpus]\ntrain = "good.tsv"\nvalid = ["a.en", "a.de"]\n')
    done = check(recipe, "--json")
    assert json.loads(done.stdout)["pairs"] == {"train": 60, "valid": 60}
    assert "overlap" in done.stdout
    assert done.exit_code == 2  # nothing is left to train on


def test_format_and_languages_may_be_told(check, tmp_path):
    path = tmp_path / "data"
    rows = ({"de": target, "en": source} for source, target in (row.split("\t") for row in ROWS))
    path.write_text("".join(json.dumps(row | {"x": 1}) + "\n" for row in rows))
    options = ["--format", "jsonl", "--source-language", "en", "--target-language", "de"]
    assert json.loads(check(path, "--json", *options).stdout)["pairs"] == {"train": 60}
    assert check(path).exit_code == 2
    wrong = check(path, "--format", "docx")
    assert isinstance(wrong.exception, ConfigError)
    assert "corpus.format" in str(wrong.exception)


def test_a_generated_corpus_has_nothing_to_check(check, tmp_path):
    recipe = tmp_path / "r.toml"
    recipe.write_text('name = "r"\n[corpus]\nkind = "grammar"\n')
    assert "there are no files to check" in str(check(recipe).exception)


def test_the_help_needs_neither_numpy_nor_lxml():
    code = (
        "import sys; from typer.testing import CliRunner; from dragoman.cli.main import app; "
        "assert CliRunner().invoke(app, ['check', '--help']).exit_code == 0; "
        "assert not {'numpy', 'lxml', 'py3langid', 'torch'} & {*sys.modules}"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
