"""Text as people type it, judged against the same text as it stands."""

import json

import pytest

from dragoman.core.checksums import write_checked
from dragoman.core.errors import RunError
from dragoman.data.batching.robustness import Case, RobustnessLine, make_cases
from dragoman.data.formats.pair import Pair
from dragoman.metrics.hallucinations import UsualRatios
from dragoman.metrics.scores import score
from dragoman.pipeline.robustness import evaluate_robustness, score_cases, table

PAIRS = [Pair(f"we know {name} well.", f"wir kennen {name} gut.") for name in "abcdefgh"]
BOOK = dict(PAIRS)


def chrf(outputs, references):
    return score(outputs, [references], metrics=("chrf",))["chrf"].value


def by_heart(texts):
    """Knows the pairs by heart, and repeats what it does not know."""
    return [BOOK.get(text, text) for text in texts]


def judged(cases, translate=by_heart, usual=None):
    return {one.name: one for one in score_cases(cases, translate, usual)}


def test_a_case_is_held_against_its_own_plain_lines():
    found = judged(make_cases(PAIRS, 1, 5))
    assert found["plain"].chrf == 100
    assert found["plain"].difference is None
    for name in ("capitals", "typos", "emoji"):
        assert found[name].difference == pytest.approx(found[name].chrf - 100)
        assert found[name].difference < -20
    assert found["target's language"].chrf == 100
    assert found["target's language"].difference == 0


def test_long_lines_are_held_against_their_parts():
    line = RobustnessLine("x y", "p q", (Pair("x", "p"), Pair("y", "q")))
    case = Case("very long", (line,), "the same lines, one by one")
    answers = {"x y": "p", "x": "p", "y": "q"}
    found = judged([case], lambda texts: [answers[text] for text in texts])
    assert found["very long"].difference == pytest.approx(chrf(["p"], ["p q"]) - 100)


def test_other_lines_are_held_against_the_plain_case():
    plain = Case("plain", tuple(RobustnessLine(*pair, (pair,)) for pair in PAIRS[:2]), "")
    words = Case("single words", (RobustnessLine("know", "kennen"),), "plain, other lines")
    found = judged([plain, words])
    assert found["single words"].difference == pytest.approx(chrf(["know"], ["kennen"]) - 100)


def test_every_text_is_translated_once():
    asked = []

    def translate(texts):
        asked.extend(texts)
        return texts

    score_cases(make_cases(PAIRS, 1, 5), translate)
    assert len(asked) == len(set(asked))


def test_loops_hallucinations_and_empty_outputs_are_counted():
    lines = tuple(RobustnessLine(*pair, (pair,)) for pair in PAIRS[:4])
    outputs = ["so so so so so", "", "wir kennen c gut.", "we know d well " * 3]
    answers = {line.source: text for line, text in zip(lines, outputs, strict=True)}
    usual = UsualRatios.of(PAIRS)
    found = judged([Case("plain", lines, "")], lambda texts: [answers[t] for t in texts], usual)
    one = found["plain"]
    assert (one.lines, one.loops, one.empty, one.hallucinations) == (4, 2, 1, 3)


def test_cases_without_lines_are_left_out():
    cases = [
        Case("plain", (RobustnessLine(*PAIRS[0], (PAIRS[0],)),), ""),
        Case("very short", (), "x"),
    ]
    assert [*judged(cases)] == ["plain"]


def test_the_table_says_what_each_case_is_compared_with():
    page = table(score_cases(make_cases(PAIRS, 1, 5), by_heart)).splitlines()
    assert page[0].split()[:3] == ["case", "lines", "chrF"]
    assert any(line.startswith("capitals") and line.endswith("the same lines, plain")
               for line in page)  # fmt: skip
    assert page[1].split() == ["plain", "5", "100.0", "0", "0", "0"]


@pytest.mark.slow
def test_a_run_is_judged_stored_and_told_on_its_card(run, dragoman):
    code, out, _ = dragoman("evaluate", run, "--robustness", "--beam", "1", "--json")
    assert code == 0
    told = json.loads(out)
    stored = json.loads((run / "robustness.json").read_text())
    assert stored["cases"] == told
    assert stored["how"] == "through the pipeline, beam 1"
    assert told[0]["name"] == "plain"
    card = (run / "card.md").read_text()
    assert "## Robustness" in card
    for one in told:
        assert f"| {one['name']} | {one['lines']} | {one['chrf']:.1f} |" in card
    code, out, _ = dragoman("evaluate", run, "--robustness", "--beam", "1")
    assert code == 0
    assert out.splitlines()[1].startswith("plain")
    assert "## Robustness" in (run / "card.md").read_text()


def test_a_run_without_tests_is_refused(run):
    split = json.loads((run / "data" / "split.json").read_text())
    split["test_pairs"] = {}
    write_checked(run / "data" / "split.json", json.dumps(split))
    with pytest.raises(RunError, match="no test set of its own"):
        evaluate_robustness(run, by_heart, "nobody")
