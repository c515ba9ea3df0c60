import pytest

from dragoman.core.checksums import write_checked
from dragoman.core.errors import DataError
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.metrics.scores import score
from dragoman.tasks.translation.evaluate import evaluate, sets_to_test


def test_a_poor_model_whose_resamples_score_nothing_is_judged_all_the_same():
    outputs = ["qqqq"] * 9 + ["sun moon sea sky red"]
    references = ["abcd efgh"] * 9 + ["sun moon sea sky red"]
    found = score(outputs, [references], metrics=("chrf",), bootstrap=100)["chrf"]
    assert found.low <= found.high


def test_a_run_is_judged_on_its_own_test_sets_in_place(run):
    (judged,) = evaluate(run, beam=1, bootstrap=0)
    assert (judged.name, judged.sentences, judged.beam) == ("test,beam=1", 20, 1)
    assert len(judged.hypotheses) == len(judged.references) == 20
    assert sum(row["sentences"] for row in judged.by_length) == 20
    assert "hypotheses" not in judged.summary()


def test_a_run_without_a_test_set_says_so(run):
    import json

    path = run / "data" / "split.json"
    write_checked(path, json.dumps(json.loads(path.read_text()) | {"test_pairs": {}}))
    with pytest.raises(DataError, match="has no test set of its own"):
        sets_to_test(RunFolder(run))
