"""Pretraining pays: sets that nest, starts that share their weights, and what is saved."""

import json
from random import Random

import pytest
import torch

from dragoman.data.corpus.generators.agreement import VERBS, draw_agreements
from dragoman.data.formats.labeled import LabeledText
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.lab.experiments.pretraining_pays import experiment as pretraining_pays
from dragoman.lab.experiments.pretraining_pays.data import (
    ExampleCounts,
    choose,
    gather,
    label,
)
from dragoman.lab.experiments.pretraining_pays.experiment import EXPERIMENT
from dragoman.lab.experiments.pretraining_pays.verdicts import (
    PRETRAINING,
    STARTS,
    TASKS,
    decide,
    doublings,
)
from dragoman.lab.run import run_experiment

FORMS = tuple(form for forms in VERBS for form in forms)
SIZES = (80, 320, 1280)
STEEP, LATE, FLAT = (60.0, 70.0, 80.0), (50.0, 60.0, 70.0), (50.0, 50.0, 50.0)


def make_results(number=(STEEP, LATE), verb=(STEEP, LATE), evened=(0.0, 0.0)):
    """Make rows of three seeds by hand, each task with the heights of both starts."""
    results = []
    for seed, noise in ((1, 0.0), (2, 0.3), (3, -0.2)):
        common = {"seed": seed, "seconds": 9.0, "steps": 5, "parameters": 100, "rate": 1e-3}
        results.append({**common, "name": PRETRAINING, "before": 8.0, "after": 5.0})
        for task, heights in zip(TASKS, (number, verb), strict=True):
            for place, start in enumerate(STARTS):
                mine = {**common, "name": f"{task}, {start}", "new": 2, "majority": 50.0}
                sets = [(n, "even", high) for n, high in zip(SIZES, heights[place], strict=True)]
                if task == "number":
                    sets += [(320, "uneven", 60.0), (320, "evened", 60.0 + evened[place])]
                for count, share, high in sets:
                    score = high + noise * (1 + place) * (2 if share == "evened" else 1)
                    results.append(
                        {
                            **mine,
                            "examples": {"count": count, "share": share},
                            "tested": 1000,
                            "accuracy": score,
                            "macro_f1": score,
                        }
                    )
    return results


@pytest.mark.parametrize(
    ("results", "row", "verdict"),
    [
        (make_results(), "D27", "confirmed"),
        (make_results((LATE, STEEP), (LATE, STEEP)), "D27", "refuted"),
        (make_results((LATE, STEEP)), "D27", "corrected"),
        (make_results((LATE, LATE)), "D27", "undecided"),
        (make_results((FLAT, FLAT), (FLAT, FLAT)), "D27", "undecided"),
        (make_results(), "D28", "confirmed"),
        (make_results((LATE, STEEP), (LATE, STEEP)), "D28", "refuted"),
        (make_results((LATE, STEEP)), "D28", "corrected"),
        (make_results((LATE, LATE)), "D28", "undecided"),
        (make_results(evened=(0.0, 5.0)), "D29", "confirmed"),
        (make_results(evened=(0.0, 0.0)), "D29", "corrected"),
        (make_results(evened=(5.0, 5.0)), "D29", "refuted"),
        (make_results(evened=(0.0, 1.0)), "D29", "undecided"),
        (make_results((FLAT, FLAT), evened=(5.0, 5.0)), "D29", "undecided"),
    ],
)
def test_each_verdict_can_fall_every_way(results, row, verdict):
    found = {one.hypothesis.ids[0]: one.verdict for one in decide(results)}
    assert found[row] == verdict


def test_one_seed_decides_nothing():
    results = [result for result in make_results(evened=(5.0, 5.0)) if result["seed"] == 1]
    assert {one.verdict for one in decide(results)} == {"undecided"}


def test_what_is_saved_is_exact_on_curves_drawn_by_hand():
    early, late = [(100, 60.0), (400, 80.0)], [(100, 50.0), (400, 70.0)]
    assert doublings(early, late) == pytest.approx(1.0)  # ten points are one doubling
    assert doublings(late, early) == pytest.approx(-1.0)
    assert doublings(early, early) == pytest.approx(0.0)
    far = [(100, 10.0), (400, 20.0)]
    assert doublings(early, far) == pytest.approx(2.0)  # all that the sets span
    assert doublings(far, early) == pytest.approx(-2.0)
    dipping = [(100, 60.0), (200, 55.0), (400, 80.0)]
    assert doublings(dipping, dipping) == pytest.approx(0.0)


def test_sets_nest_and_have_the_classes_they_say():
    rows = [LabeledText(str(n), ("plural", "singular")[n % 2]) for n in range(60)]

    def chosen(count, share="even"):
        return choose(rows, "number", ExampleCounts(count=count, share=share))

    def count_of(found):
        return [sum(row.label == label for row in found) for label in ("plural", "singular")]

    assert set(chosen(10)) < set(chosen(40))
    assert count_of(chosen(40)) == [20, 20]
    assert count_of(chosen(30, "uneven")) == [6, 24]
    assert count_of(chosen(30, "evened")) == [6, 6]
    assert set(chosen(30, "evened")) < set(chosen(30, "uneven"))


def test_labels_say_what_the_sentence_is():
    sentences = draw_agreements(40, seed=1)
    assert [one.label for one in label(sentences, "number", Random(1))] == [
        one.label for one in sentences
    ]
    for one, sentence in zip(label(sentences, "verb", Random(1)), sentences, strict=True):
        assert one.text == (sentence.good if one.label == "right" else sentence.bad)


def test_the_number_of_a_subject_is_asked_before_its_verb_is_read(tmp_path):
    plan = pretraining_pays.pretraining("quick", 1).plan
    few = plan.model_copy(update={"sentences": 300, "valid": 10, "tested": 20})
    files = gather(few, tmp_path)
    lines = files.test("number").read_text("utf-8").splitlines()
    verbs = {form for forms in VERBS for form in forms}
    assert len(lines) == 20
    assert not any(verbs & set(line.split("\t")[0].split()) for line in lines)


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Run the whole experiment once at a toy size."""
    folder = tmp_path_factory.mktemp("pretraining-pays")
    with pytest.MonkeyPatch.context() as patch:
        small = {"width": 8, "heads": 2, "ffn_width": 8, "layers": 1}
        encoder = pretraining_pays.ENCODER.model_copy(update=small)
        patch.setattr(pretraining_pays, "ENCODER", encoder)
        patch.setitem(pretraining_pays.COUNTS, "quick", (80, 160))
        patch.setitem(pretraining_pays.JUDGED, "quick", (10, 12))
        patch.setitem(pretraining_pays.SENTENCES, "quick", 400)
        for name in ("PRETRAINING_STEPS", "STEPS"):
            patch.setitem(getattr(pretraining_pays, name), "quick", 2)
        result = run_experiment(EXPERIMENT, "quick", folder, seeds=(1,))
    return result, folder


@pytest.mark.slow
def test_the_whole_experiment_leaves_table_picture_and_every_point(toy):
    result, folder = toy
    names = {row["name"] for row in result.measurements}
    assert names == {PRETRAINING, *(f"{task}, {kind}" for task in TASKS for kind in STARTS)}
    assert len(result.measurements) == 1 + 2 * 4 + 2 * 2
    assert {one.verdict for one in result.verdicts} == {"undecided"}
    assert (folder / "picture.png").stat().st_size > 1000
    assert "majority baseline" in (folder / "table.md").read_text("utf-8")
    told = json.loads((folder / "result.json").read_text("utf-8"))
    assert told["ledger"] == ["D27", "E22", "D28", "D29"]


@pytest.mark.slow
def test_both_starts_read_the_same_and_held_out_sentences_are_in_no_text(toy):
    (texts,) = toy[1].glob("begun/*/texts")
    shown = (texts / "text.txt").read_text("utf-8").splitlines()
    for task in TASKS:
        sets = {
            path.stem: set(path.read_text("utf-8").splitlines())
            for path in texts.glob(f"{task}-*.tsv")
        }
        assert sets[f"{task}-80-even"] < sets[f"{task}-160-even"]
        held_out = sets[f"{task}-valid"] | sets[f"{task}-test"]
        assert not held_out & sets[f"{task}-160-even"]
    begun = {line.split("\t")[0] for line in sets["verb-test"]}
    assert len(begun) == 12
    numbers = (texts / "number-test.tsv").read_text("utf-8").splitlines()
    for line in numbers:
        beginning = line.split("\t")[0]
        assert not any(text.startswith(f"{beginning} {verb} ") for text in shown for verb in FORMS)


@pytest.mark.slow
def test_pretraining_begins_with_the_weights_of_the_random_start(toy):
    (first,) = toy[1].glob("begun/*/first")
    pretrained = first.parent / "pretrained"
    one, other = ((run / "tokenizer.json").read_bytes() for run in (first, pretrained))
    assert one == other
    mine, other = (read_weights(RunFolder(one).model).tensors for one in (first, pretrained))
    assert mine.keys() == other.keys()
    assert any(not torch.equal(mine[name], other[name]) for name in mine)
    for name in mine:
        assert torch.allclose(mine[name], other[name], atol=0.1)
