import json
import shutil
import subprocess
import sys

import pytest

from dragoman.cli.evaluate import evaluate
from dragoman.core.errors import DataError
from dragoman.tasks.translation.bare_translator import BareTranslator

WORDS = ["sun", "moon", "sea", "sky", "red", "blue", "cat", "dog"] * 2


@pytest.fixture
def small_test(tmp_path):
    path = tmp_path / "few.tsv"
    path.write_text("sun moon\tmoon sun\nsea sky red\tred sky sea\ncat\tcat\n" * 4)
    return path


def test_the_figures_are_those_of_sacrebleu_s_own_command(run, tmp_path, capsys):
    sources = [" ".join(WORDS[i : i + 4]) for i in range(12)]
    outputs = BareTranslator.load(run).translate(sources, beam=1)
    near = [f"{output} {'sun' * (i % 3)}".strip() for i, output in enumerate(outputs)]
    for name, lines in (("near.source", sources), ("near.target", near)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    evaluate(run, [tmp_path / "near.source", tmp_path / "near.target"], beam=1)
    stored = json.loads((run / "scores.json").read_text())["near"]
    assert 20 < stored["scores"]["bleu"]["value"] < 100
    translations = run / "translations"
    asked = [sys.executable, "-m", "sacrebleu", translations / "near.reference.txt"]
    asked += ["-i", translations / "near.txt", "-m", "bleu", "chrf", "ter", "-w", "4"]
    asked += ["--confidence"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=True)
    theirs = {score["name"]: score for score in json.loads(answer.stdout)}
    assert len(theirs) == 3
    for ours in stored["scores"].values():
        assert theirs[ours["name"]]["score"] == pytest.approx(ours["value"], abs=1e-4)
        spread = float(theirs[ours["name"]]["confidence_var"])
        assert (ours["high"] - ours["low"]) / 2 == pytest.approx(spread, abs=1e-3)
    assert f"{stored['scores']['bleu']['value']:6.2f}" in capsys.readouterr().out


def test_scores_translations_and_card_are_written(run, small_test):
    evaluate(run, [small_test], beam=1)
    stored = json.loads((run / "scores.json").read_text())
    assert stored["few"]["sentences"] == 12
    for name in ("few.txt", "few.reference.txt"):
        assert len((run / "translations" / name).read_text().splitlines()) == 12
    card = (run / "card.md").read_text()
    assert "| few | 12 | 1 | BLEU |" in card
    assert stored["few"]["scores"]["bleu"]["signature"] in card


def test_earlier_scores_stay(run, small_test):
    evaluate(run, [small_test], beam=1)
    shutil.copy(small_test, small_test.with_name("more.tsv"))
    evaluate(run, [small_test.with_name("more.tsv")], beam=1)
    assert [*json.loads((run / "scores.json").read_text())] == ["few", "more"]


def test_json_is_printed_where_it_is_asked_for(run, small_test, capsys):
    evaluate(run, [small_test], beam=1, as_json=True)
    (printed,) = json.loads(capsys.readouterr().out)
    assert printed == json.loads((run / "scores.json").read_text())["few"]


def test_two_runs_are_compared_on_the_same_sentences(run, small_test, tmp_path, capsys):
    other = shutil.copytree(run, tmp_path / "other")
    evaluate(run, [small_test], beam=1, against=other)
    lines = capsys.readouterr().out.splitlines()[-2:]
    assert all(line.startswith(f"few, first {run}, second {other}: ") for line in lines)


def test_runs_with_other_test_sets_are_not_compared(run, tmp_path):
    other = shutil.copytree(run, tmp_path / "other")
    for path in (other / "data").glob("test-test.*"):
        lines = path.read_text().splitlines()
        path.write_text("\n".join(reversed(lines)) + "\n")
    with pytest.raises(DataError, match="other test sets than the first run"):
        evaluate(run, beam=1, against=other)


def test_an_unfinished_run_with_a_cut_off_log_can_be_judged(run, small_test):
    with (run / "metrics.jsonl").open("a") as stream:
        stream.write('{"kind": "train", "st')
    evaluate(run, [small_test], beam=1)
    assert "## Training" in (run / "card.md").read_text()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"test": 3}', '{"test": {"sentences": 1}}'])
def test_scores_that_cannot_be_read_are_told(run, small_test, content):
    (run / "scores.json").write_text(content)
    with pytest.raises(DataError, match="scores.json: cannot be read"):
        evaluate(run, [small_test], beam=1)


def test_a_test_file_without_pairs_is_told(run, tmp_path):
    (tmp_path / "none.tsv").write_text(" \t \n")
    with pytest.raises(DataError, match="none.tsv"):
        evaluate(run, [tmp_path / "none.tsv"])
