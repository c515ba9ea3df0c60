import json
import subprocess
import sys

import pytest
from sacrebleu.metrics import TER

from dragoman.metrics.multi_reference import references_by_source, score_by_all_references
from dragoman.metrics.scores import score

PAIRS = [
    ("Thanks.", "Gracias."),
    ("The cat sleeps on the mat.", "El gato duerme en la alfombra."),
    ("Thanks.", "Muchas gracias a todos."),
    ("I do not know him.", "No lo conozco."),
    ("The cat sleeps on the mat.", "El gato está durmiendo sobre la estera."),
    ("Thanks.", "Gracias."),
]
OUTPUTS = {
    "Thanks.": "Muchas gracias a todos.",
    "The cat sleeps on the mat.": "El gato está durmiendo en la alfombra.",
    "I do not know him.": "No conozco a él.",
}
SOURCES = [source for source, _ in PAIRS]
HYPOTHESES = [OUTPUTS[source] for source in SOURCES]


@pytest.fixture(scope="module")
def found():
    return score_by_all_references(SOURCES, HYPOTHESES, references_by_source(PAIRS), bootstrap=50)


def test_each_source_is_asked_once_with_all_its_distinct_references(found):
    assert (found.sources, found.references) == (3, 5)
    assert found.exact == pytest.approx(100 / 3)
    assert all("nrefs:var" in one.signature for one in found.scores.values())


def test_an_output_that_matches_another_reference_is_no_longer_wrong(found):
    alone = score(HYPOTHESES, [[target for _, target in PAIRS]])
    assert found.scores["bleu"].value > alone["bleu"].value
    assert found.scores["chrf"].value > alone["chrf"].value
    assert found.scores["ter"].value < alone["ter"].value


def test_the_figures_are_those_of_sacrebleu_s_own_command(found, tmp_path):
    # Its command wants as many references for each line; one that is repeated changes no score.
    both = [[*those, those[0]][:2] for those in references_by_source(PAIRS).values()]
    files = {"output": OUTPUTS.values(), "first": [one for one, _ in both]}
    for name, lines in {**files, "second": [two for _, two in both]}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "first", "second", "-i", "output", "-w", "9"]
    command += ["-m", "bleu", "chrf", "--confidence", "--confidence-n", "50"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True)
    for theirs in json.loads(done.stdout):
        ours = next(one for one in found.scores.values() if one.name == theirs["name"])
        assert ours.value == pytest.approx(theirs["score"], abs=1e-8)
        half = (ours.high - ours.low) / 2
        assert half == pytest.approx(theirs["confidence_var"], abs=1e-5)
        assert ours.signature == theirs["signature"].replace("nrefs:2", "nrefs:var")


def test_the_error_rate_is_sacrebleu_s_with_missing_references(found):
    streams = [
        ["Gracias.", "El gato duerme en la alfombra.", "No lo conozco."],
        ["Muchas gracias a todos.", "El gato está durmiendo sobre la estera.", None],
    ]
    theirs = TER().corpus_score([*OUTPUTS.values()], streams)
    assert found.scores["ter"].value == pytest.approx(theirs.score)


def test_a_set_without_recurring_sources_has_no_such_scores():
    once = PAIRS[1:4]
    given = references_by_source(once)
    assert score_by_all_references([source for source, _ in once], HYPOTHESES[1:4], given) is None


def test_references_may_come_from_more_pairs_than_are_asked():
    found = score_by_all_references(
        ["Thanks."], ["Gracias."], references_by_source(PAIRS), metrics=["bleu"]
    )
    assert (found.sources, found.references, found.exact) == (1, 2, 100.0)
    assert "nrefs:2" in found.scores["bleu"].signature
