import json
import shutil
import subprocess
import sys
from hashlib import sha256
from unittest.mock import Mock

import pytest

from dragoman.cli.evaluate import evaluate
from dragoman.core.checksums import write_checked
from dragoman.core.errors import DataError
from dragoman.tasks.common import card
from dragoman.tasks.translation.bare_translator import BareTranslator

WORDS = ["sun", "moon", "sea", "sky", "red", "blue", "cat", "dog"] * 2


@pytest.fixture
def small_test(tmp_path):
    path = tmp_path / "few.tsv"
    path.write_text("sun moon\tmoon sun\nsea sky red\tred sky sea\ncat\tcat\n" * 4)
    return path


def test_the_figures_are_those_of_sacrebleu_s_own_command(run, tmp_path, capsys):
    sources = [" ".join(WORDS[i : i + 4]) for i in range(12)]
    outputs = BareTranslator.load(run).translate(sources)
    near = [f"{output} {'sun' * (i % 3)}".strip() for i, output in enumerate(outputs)]
    for name, lines in (("near.source", sources), ("near.target", near)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    evaluate(run, [tmp_path / "near.source", tmp_path / "near.target"])
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
    evaluate(run, [small_test])
    stored = json.loads((run / "scores.json").read_text())
    assert stored["few"]["sentences"] == 12
    for name in ("few.txt", "few.reference.txt"):
        assert len((run / "translations" / name).read_text().splitlines()) == 12
    told = (run / "card.md").read_text()
    assert "| few | 12 | 2 | BLEU |" in told
    assert stored["few"]["scores"]["bleu"]["signature"] in told


def test_scores_do_not_count_as_stored_before_the_card_tells_them(run, small_test, monkeypatch):
    with monkeypatch.context() as broken:
        broken.setattr(card, "_training", Mock(side_effect=DataError("a log that cannot be read")))
        with pytest.raises(DataError, match="a log"):
            evaluate(run, [small_test])
    assert not (run / "scores.json").exists()
    evaluate(run, [small_test])
    assert "| few | 12 | 2 | BLEU |" in (run / "card.md").read_text()


def test_earlier_scores_stay(run, small_test):
    evaluate(run, [small_test])
    shutil.copy(small_test, small_test.with_name("more.tsv"))
    evaluate(run, [small_test.with_name("more.tsv")])
    assert [*json.loads((run / "scores.json").read_text())] == ["few", "more"]


def stored_sets(run):
    return json.loads((run / "scores.json").read_text())


def write_test(path, lines):
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{source}\t{target}\n" for source, target in lines))
    return path


def test_a_file_called_like_a_set_of_the_run_is_stored_beside_it(run, tmp_path):
    evaluate(run)
    before = stored_sets(run)["test"]
    translations = (run / "translations/test.txt").read_text()
    path = write_test(tmp_path / "mine" / "test.tsv", [("sun moon", "moon sun"), ("cat", "dog")])
    evaluate(run, [path])
    assert [*stored_sets(run)] == ["test", "mine-test"]
    assert stored_sets(run)["test"] == before
    assert (run / "translations/test.txt").read_text() == translations
    (origin,) = stored_sets(run)["mine-test"]["files"]
    assert origin == {"path": str(path), "sha256": sha256(path.read_bytes()).hexdigest()}
    assert "files" not in before
    assert (
        f"- mine-test: test.tsv (SHA-256 {origin['sha256'][:12]}…)" in (run / "card.md").read_text()
    )


def test_scores_by_other_decoding_settings_are_stored_beside_those_of_the_run(run, small_test):
    evaluate(run, [small_test])
    own = stored_sets(run)["few"]
    evaluate(run, [small_test], beam=1)
    evaluate(run, [small_test], change=["length_penalty=0.5", "beam=2"])
    assert stored_sets(run)["few"] == own
    assert [*stored_sets(run)] == ["few", "few,beam=1", "few,length_penalty=0.5"]
    greedy = stored_sets(run)["few,beam=1"]
    assert (greedy["beam"], greedy["decoding"]) == (1, {"beam": 1})
    assert (run / "translations" / "few,beam=1.txt").is_file()


def test_a_setting_changes_the_search(run, tmp_path, capsys):
    path = write_test(tmp_path / "long.tsv", [(" ".join(WORDS[:6]), " ".join(WORDS[5::-1]))])
    evaluate(run, [path], change=["max_length_ratio=0.1", "max_length_extra=1"], as_json=True)
    (printed,) = json.loads(capsys.readouterr().out)
    assert printed["decoding"] == {"max_length_ratio": 0.1, "max_length_extra": 1}
    name = "long,max_length_ratio=0.1,max_length_extra=1"
    short = (run / f"translations/{name}.txt").read_text()
    evaluate(run, [path])
    assert len(short) < len((run / "translations/long.txt").read_text())


def test_an_unknown_setting_is_one_line(run, small_test, dragoman):
    code, _, said = dragoman("evaluate", run, small_test, "--set", "length_penality=1")
    assert code == 2
    assert "decoding.length_penality: unknown key. Did you mean 'length_penalty'?" in said
    code, _, said = dragoman("evaluate", run, "--confidence", "--set", "beam=1")
    assert code == 2
    assert "--set does not go with --confidence" in said


def test_sources_that_recur_are_also_judged_by_all_their_references(run, tmp_path, capsys):
    output = BareTranslator.load(run).translate("sun moon sea")
    pairs = [("sun moon sea", "a b c"), ("sun moon sea", output), ("cat", "cat")]
    evaluate(run, [write_test(tmp_path / "several.tsv", pairs)])
    stored = stored_sets(run)["several"]
    every = stored["multi_reference"]
    assert (stored["sentences"], every["sources"], every["references"]) == (3, 2, 3)
    assert "nrefs:1" in stored["scores"]["chrf"]["signature"]
    assert "nrefs:var" in every["scores"]["chrf"]["signature"]
    assert every["scores"]["chrf"]["value"] > stored["scores"]["chrf"]["value"]
    card, printed = (run / "card.md").read_text(), capsys.readouterr().out
    assert (
        f"| several | 2 | 2 | chrF2, all references | {every['scores']['chrf']['value']:.2f}"
        in card
    )
    assert "all 3 references of 2 distinct sources:" in printed
    assert every["scores"]["bleu"]["signature"] in printed


def test_json_is_printed_where_it_is_asked_for(run, small_test, capsys):
    evaluate(run, [small_test], as_json=True)
    (printed,) = json.loads(capsys.readouterr().out)
    assert set(printed.pop("pipeline")) == {"changed", "scores"}
    stored = json.loads((run / "scores.json").read_text())["few"]
    assert stored.pop("checksum")
    assert printed == stored


def test_two_runs_are_compared_on_the_same_sentences(run, small_test, tmp_path, capsys):
    other = shutil.copytree(run, tmp_path / "other")
    evaluate(run, [small_test], against=other)
    lines = capsys.readouterr().out.splitlines()[-2:]
    assert all(line.startswith(f"few, first {run}, second {other}: ") for line in lines)


def test_runs_with_other_test_sets_are_not_compared(run, tmp_path):
    other = shutil.copytree(run, tmp_path / "other")
    for path in (other / "data").glob("test-test.*"):
        lines = path.read_text().splitlines()
        write_checked(path, "\n".join(reversed(lines)) + "\n")
    with pytest.raises(DataError, match="other test sets than the first run"):
        evaluate(run, beam=1, against=other)


def test_an_unfinished_run_with_a_cut_off_log_can_be_judged(run, small_test):
    with (run / "metrics.jsonl").open("a") as stream:
        stream.write('{"kind": "train", "st')
    evaluate(run, [small_test])
    assert "## Training" in (run / "card.md").read_text()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"test": 3}', '{"test": {"sentences": 1}}'])
def test_scores_that_cannot_be_read_are_told(run, small_test, content):
    (run / "scores.json").write_text(content)
    with pytest.raises(DataError, match="scores.json: cannot be read"):
        evaluate(run, [small_test])


def test_a_test_file_without_pairs_is_told(run, tmp_path):
    (tmp_path / "none.tsv").write_text(" \t \n")
    with pytest.raises(DataError, match="none.tsv"):
        evaluate(run, [tmp_path / "none.tsv"])
