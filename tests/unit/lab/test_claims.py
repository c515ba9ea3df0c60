"""Every claim of the course notes: it is there once, can be run, and is decided by its check."""

import math
from pathlib import Path

import pytest

from dragoman.lab.catalogue import claims, experiments, topics
from dragoman.lab.claims import ExactClaim, MeasuredClaim
from dragoman.lab.evidence import Criterion, Evidence

VERDICTS = {
    id_: verdict
    for path in sorted((Path(__file__).parent / "verdicts").glob("*.tsv"))
    for id_, verdict in (line.split("\t") for line in path.read_text("utf-8").splitlines())
}
"""Of the exact claims, from the list that was checked by hand."""

EXACT = [one for one in claims().values() if isinstance(one, ExactClaim)]
MEASURED = [one for one in claims().values() if isinstance(one, MeasuredClaim)]


def ids(found):
    return [one.id for one in found]


@pytest.mark.parametrize("claim", EXACT, ids=ids(EXACT))
def test_the_check_of_a_claim_comes_to_the_verdict_of_the_ledger(claim):
    evidence = claim.check(claim.parameters())
    failed = [one for one in evidence.criteria if not one.holds]
    assert evidence.verdict == VERDICTS[claim.id], failed


def at_the_bounds(parameters):
    """Yield the settings with one parameter at a time at its least and at its greatest."""
    for name, field in parameters.model_fields.items():
        for bound in field.metadata:
            for kind in ("ge", "le", "gt", "lt"):
                edge = getattr(bound, kind, None)
                if edge is not None:
                    yield (
                        name,
                        edge
                        if kind in ("ge", "le")
                        else math.nextafter(edge, math.inf if kind == "gt" else -math.inf),
                    )


@pytest.mark.slow
@pytest.mark.parametrize("claim", EXACT, ids=ids(EXACT))
def test_a_claim_can_be_run_at_the_bounds_of_its_parameters(claim):
    for name, value in at_the_bounds(claim.parameters):
        evidence = claim.check(claim.parameters(**{name: value}))
        assert isinstance(evidence, Evidence)
        assert evidence.criteria


@pytest.mark.parametrize("claim", EXACT, ids=ids(EXACT))
def test_every_parameter_has_bounds_and_says_what_it_is(claim):
    for name, field in claim.parameters.model_fields.items():
        assert field.description, name
        number = field.annotation in (int, float)
        assert not number or any(hasattr(one, "ge") or hasattr(one, "gt") for one in field.metadata)


COUNTS = {"A": 44, "B": 48, "C": 37, "D": 48, "E": 150}
"""Claims of each of the five sets of notes."""


def test_every_claim_of_the_notes_is_there_once():
    listed = [one.id for topic in topics().values() for one in topic.claims]
    wanted = {f"{letter}{n}" for letter, most in COUNTS.items() for n in range(1, most + 1)}
    assert len(listed) == len(wanted) == 327
    assert set(listed) == wanted
    assert len(topics()) == 18


def test_few_claims_are_conventions():
    assert sum(verdict == "a convention" for verdict in VERDICTS.values()) <= 15


def test_every_claim_has_one_id_and_every_exact_one_an_expected_verdict():
    listed = [one.id for topic in topics().values() for one in topic.claims]
    assert len(listed) == len(set(listed))
    assert set(VERDICTS) == set(ids(EXACT))


@pytest.mark.parametrize("claim", MEASURED, ids=ids(MEASURED))
def test_a_measured_claim_is_a_hypothesis_of_its_experiment(claim):
    hypotheses = experiments()[claim.experiment].hypotheses
    assert claim.id in {id_ for one in hypotheses for id_ in one.ids}


def test_a_claim_that_the_notes_have_wrong_says_what_they_say():
    wrong = [one for one in EXACT if VERDICTS[one.id] == "corrected"]
    assert [one.id for one in wrong if not one.notes] == []


def test_statements_and_what_the_notes_say_are_sentences():
    listed = claims().values()
    assert [one.id for one in listed if not one.statement.endswith((".", ".)"))] == []
    assert [one.id for one in listed if one.notes and not one.notes.endswith(".")] == []


def texts():
    """Yield all prose of the topics, each piece with its claim or its topic."""
    for topic in topics().values():
        yield topic.name, topic.introduction
        for section in topic.sections:
            yield topic.name, section.title
            yield topic.name, section.text
    for one in claims().values():
        yield one.id, one.statement
        yield one.id, one.notes


def test_zero_is_called_zero():
    assert [where for where, text in texts() if "nought" in text.lower()] == []


def holding(holds):
    return Criterion("a figure", 1.0 if holds else 2.0, "=", 1.0)


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (Evidence(stated=[holding(True)]), "confirmed"),
        (Evidence(stated=[holding(True), holding(False)]), "refuted"),
        (Evidence(stated=[holding(False)], corrected=[holding(True)]), "corrected"),
        (Evidence(stated=[holding(False)], corrected=[holding(False)]), "refuted"),
        (Evidence(stated=[holding(True)], corrected=[holding(True)]), "confirmed"),
        (Evidence(conventions=[holding(True)]), "a convention"),
        (Evidence(conventions=[holding(True), holding(False)]), "refuted"),
        (Evidence(premises=[holding(False)], stated=[holding(True)]), "undecided"),
        (Evidence(), "undecided"),
    ],
)
def test_the_verdict_follows_from_the_criteria(evidence, verdict):
    assert evidence.verdict == verdict


@pytest.mark.parametrize(
    ("relation", "value", "holds"),
    [
        ("=", 1.0, True), ("=", 1.05, True), ("=", 1.2, False), ("≠", 1.05, False),
        ("≠", 1.2, True), ("≤", 1.0, True), ("≤", 1.01, False), ("≥", 1.0, True),
        ("≥", 0.99, False), ("<", 1.0, False), (">", 1.0, False), ("<", 0.9, True),
        (">", 1.1, True), ("=", math.nan, False), ("≤", math.nan, False), ("≠", math.nan, False),
    ],
)  # fmt: skip
def test_a_criterion_holds_where_its_relation_does(relation, value, holds):
    assert Criterion("a figure", value, relation, 1.0, 0.1).holds is holds


def test_no_name_stands_for_a_topic_and_an_experiment():
    named = [one.name for one in topics().values()]
    assert len(set(named)) == len(named)
    assert set(named) & set(experiments()) == set()
