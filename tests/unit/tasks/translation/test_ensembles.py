"""Several runs that translate as one."""

import json
import shutil

import pytest

from dragoman.cli.evaluate import evaluate
from dragoman.core.checksums import write_checked
from dragoman.core.errors import DataError, RunError
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.trainer import train

TEXTS = ["sun moon", "red blue cat dog", "", "sea sky tree bird"]


@pytest.fixture(scope="module")
def runs(tiny, tmp_path_factory):
    """Two runs of one split and different seeds."""
    folder = tmp_path_factory.mktemp("members")
    quick = ["corpus.seed=7", "training.steps=8", "training.validate_every=8"]
    for seed in (1, 2):
        train(tiny.recipe, [*quick, f"seed={seed}"], folder=folder / f"seed-{seed}")
    return folder / "seed-1", folder / "seed-2"


def test_a_run_with_itself_is_the_run(tiny):
    alone = BareTranslator.load(tiny.run).candidates(TEXTS, nbest=2)
    twice = BareTranslator.load(tiny.run, also=[tiny.run]).candidates(TEXTS, nbest=2)
    for one, other in zip(alone, twice, strict=True):
        assert [found.text for found in one] == [found.text for found in other]
        for mine, theirs in zip(one, other, strict=True):
            assert mine.score == pytest.approx(theirs.score, abs=1e-4)


def test_runs_of_one_split_and_different_seeds_speak_as_one(runs):
    first, second = runs
    both = BareTranslator.load(first, also=[second])
    back = BareTranslator.load(second, also=[first])
    for one, other in zip(both.candidates(TEXTS), back.candidates(TEXTS), strict=True):
        assert one[0].text == other[0].text
        assert one[0].score == pytest.approx(other[0].score, abs=1e-4)
    alone = BareTranslator.load(first).candidates(TEXTS)
    assert any(
        a[0].score != pytest.approx(b[0].score, abs=1e-4)
        for a, b in zip(alone, both.candidates(TEXTS), strict=True)
    )


def test_a_run_with_another_tokenizer_is_refused(tiny, run):
    path = run / "tokenizer.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    pieces = record["sides"][0]["learned"]
    pieces[-1], pieces[-2] = pieces[-2], pieces[-1]
    write_checked(path, json.dumps(record))
    with pytest.raises(RunError, match=r"has another tokenizer .* same \[corpus\].*corpus.seed"):
        BareTranslator.load(tiny.run, also=[run])
    with pytest.raises(RunError, match="no such run folder"):
        BareTranslator.load(tiny.run, also=[run.with_name("none")])


def test_an_ensemble_is_judged_and_the_run_folder_left_alone(runs, capsys):
    first, second = runs
    evaluate(first, beam=1, also=[second], against=second, as_json=False)
    out = capsys.readouterr().out
    assert "BLEU" in out
    assert f"first {first}" in out
    assert not (first / "scores.json").exists()
    assert (second / "scores.json").is_file()


def test_a_member_that_may_have_seen_the_test_is_refused(tiny, run):
    data = run / "data"
    lines = (data / "test-test.source.txt").read_text().splitlines()
    write_checked(data / "test-test.source.txt", "\n".join(reversed(lines)) + "\n")
    with pytest.raises(DataError, match="holds out other test sets .* may have been trained on"):
        evaluate(tiny.run, beam=1, also=[run])


def test_the_members_of_an_ensemble_can_be_judged_on_a_given_file(tiny, tmp_path, capsys):
    copy = shutil.copytree(tiny.run, tmp_path / "copy")
    (tmp_path / "few.tsv").write_text("sun moon\tmoon sun\n" * 3)
    evaluate(copy, [tmp_path / "few.tsv"], beam=1, also=[tiny.run], as_json=True)
    assert json.loads(capsys.readouterr().out)[0]["sentences"] == 3
