"""What the studio says of a run: samples, scores and curves, in a real browser."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

SAMPLES = [
    {"source": "A", "reference": "the red cat, here.", "output": "the blue cat here."},
    {"source": "B", "reference": "我喜欢红色的猫。", "output": "我喜欢蓝色的猫。"},
    {"source": "C", "reference": "so it is", "output": "so it is"},
]
VALIDATION = {"loss": 1.5, "perplexity": 4.5, "bleu": 70.0, "chrf": 80.25, "samples": SAMPLES}


@pytest.fixture
def run(folder: Path) -> Iterator[Path]:
    """Write a run of one validation, with samples, and of a test score."""
    place = Path(shutil.copytree(folder / "runs/live", folder / "runs/judged"))
    rows = [
        {"kind": "train", "step": 40, "loss": 2.5, "tokens_per_second": 10.0},
        {"kind": "validation", "step": 80, **VALIDATION},
    ]
    write_log(place, rows)
    scores = {"test": {"scores": {"chrf": {"value": 77.5}}}}
    (place / "scores.json").write_text(json.dumps(scores), encoding="utf-8")
    yield place
    shutil.rmtree(place)


def write_log(run: Path, rows: list[dict[str, object]]) -> None:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (run / "metrics.jsonl").write_text(text, encoding="utf-8")


def test_only_the_words_that_differ_are_marked_and_the_right_ones_look_right(walk, run):
    page = walk.go("#runs/judged")
    page.wait_for_selector(".samples li")
    first, second, third = (page.locator(f".samples li >> nth={at}") for at in range(3))
    assert first.locator(".missing").all_inner_texts() == ["red", ","]
    assert first.locator(".extra").all_inner_texts() == ["blue"]
    assert second.locator(".missing").all_inner_texts() == ["红色"]
    assert second.locator(".extra").all_inner_texts() == ["蓝色"]
    assert third.locator("mark").count() == 0
    lines = "all => all.map(one => getComputedStyle(one).textDecorationLine)"
    assert "line-through" not in page.locator(".samples *").evaluate_all(lines)
    legend = page.locator(".block-head:has-text('Samples')")
    assert legend.locator(".extra").inner_text() == "not in the reference"
    assert legend.locator(".missing").inner_text() == "missing from the output"
    assert walk.wrong() == []


def test_every_score_says_whether_it_is_of_the_test_or_of_validation(walk, run):
    page = walk.go("#runs")
    score = ".runs tr:has-text('judged') td:nth-child(4)"
    page.wait_for_selector(score)
    assert page.inner_text(score).split() == ["77.50", "chrF,", "test"]
    other = page.inner_text(".runs tr:has-text('en-es') td:nth-child(4)")
    assert other.endswith("chrF, validation")
    page = walk.go("#runs/judged")
    page.wait_for_selector(".figures dd")
    told = dict(
        zip(
            page.locator(".figures dt").all_inner_texts(),
            page.locator(".figures dd").all_inner_texts(),
            strict=True,
        )
    )
    assert told["Validation chrF"] == "80.25"
    assert told["Test chrF"] == "77.50"
    assert not {"BLEU", "chrF", "Perplexity"} & set(told)
    assert "Validation scores" in page.locator(".plots h3").all_inner_texts()


def test_one_validation_has_ticks_that_differ(walk, run):
    page = walk.go("#runs/judged")
    page.wait_for_selector(".plots figure:nth-child(2) .xtick text")
    for figure in (".plots figure:nth-child(1)", ".plots figure:nth-child(2)"):
        for axis in (".xtick text", ".ytick text"):
            ticks = page.locator(f"{figure} {axis}").all_text_contents()
            assert ticks
            assert len(set(ticks)) == len(ticks), ticks
    assert page.locator(".plots figure:nth-child(2) .xtick text").all_text_contents() == ["80"]


TICKS = """async (ranges) => {
  const { ticks } = await import("/studio/runs/plotting.js");
  return ranges.map(([low, high, options]) => ticks(low, high, options));
}"""


def test_ticks_are_distinct_in_every_range(walk):
    page = walk.go("#runs")
    spans = [0, 1e-4, 0.01, 0.3, 1, 2, 7, 40, 900, 1e5]
    ranges = [
        (low, low + span, options)
        for low in (0.002, 1, 3, 79, 80.4, 12345)
        for span in spans
        for options in ({}, {"log": True}, {"whole": True})
    ]
    for (low, high, options), found in zip(ranges, page.evaluate(TICKS, ranges), strict=True):
        values, words = found["tickvals"], found["ticktext"]
        about = (low, high, options, words)
        assert 1 <= len(words) <= 15, about
        assert len(set(words)) == len(words) == len(values), about
        assert values == sorted(values), about
        if options.get("whole"):
            assert all(value == int(value) for value in values), about
        elif low < high:
            assert sum(low <= value <= high for value in values) >= 2, about
        for value, word in zip(values, words, strict=True):
            assert float(word.replace(",", "")) == pytest.approx(value, rel=1e-6), about
