"""Pretraining pays: sets that nest, starts that share their weights, and what is saved."""

import json
from random import Random

import pytest
import torch

from dragoman.data.formats.labeled import LabeledText
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.lab.experiments.pretraining_pays import experiment as pretraining_pays
from dragoman.lab.experiments.pretraining_pays.data import ExampleCounts, choose, passages
from dragoman.lab.experiments.pretraining_pays.experiment import EXPERIMENT, best_rate
from dragoman.lab.experiments.pretraining_pays.verdicts import STARTS, TASKS, decide, doublings
from dragoman.lab.run import run_experiment

SIZES = (100, 400, 1600)
STEEP, LATE, FLAT = (60.0, 70.0, 80.0), (50.0, 60.0, 70.0), (50.0, 50.0, 50.0)


def make_results(sorting=(STEEP, LATE), translating=(STEEP, LATE), evened=(0.0, 0.0)):
    """Make rows of three seeds by hand, each task with the heights of both starts."""
    results = []
    for seed, noise in ((1, 0.0), (2, 0.3), (3, -0.2)):
        for task, heights in zip(TASKS, (sorting, translating), strict=True):
            common = {"seed": seed, "seconds": 9.0, "steps": 5, "parameters": 100, "rate": 1e-3}
            results.append({**common, "name": f"{task}, pretraining", "before": 8.0, "after": 5.0})
            for number, start in enumerate(STARTS):
                mine = {**common, "name": f"{task}, {start}", "new": 2, "majority": 50.0}
                sets = [(n, "even", high) for n, high in zip(SIZES, heights[number], strict=True)]
                if task == "classification":
                    sets += [(400, "uneven", 60.0), (400, "evened", 60.0 + evened[number])]
                for count, share, high in sets:
                    score = high + noise * (1 + number) * (2 if share == "evened" else 1)
                    results.append(
                        {
                            **mine,
                            "examples": {"count": count, "share": share},
                            **dict.fromkeys(("accuracy", "macro_f1", "chrf", "bleu"), score),
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
    rows = [LabeledText(str(n), ("negative", "positive")[n % 2]) for n in range(60)]

    def chosen(count, share="even"):
        return choose(rows, ExampleCounts(count=count, share=share))

    def count_of(found):
        return [sum(row.label == label for row in found) for label in ("negative", "positive")]

    assert set(chosen(10)) < set(chosen(40))
    assert count_of(chosen(40)) == [20, 20]
    assert count_of(chosen(30, "uneven")) == [6, 24]
    assert count_of(chosen(30, "evened")) == [6, 6]
    assert set(chosen(30, "evened")) < set(chosen(30, "uneven"))


def test_passages_are_spelled_like_short_reviews():
    assert passages("Well, it's FINE. Isn't it?", 4) == ["well , it's fine", ". isn't it ?"]


def test_the_rate_is_chosen_on_validation_data():
    tried = [
        {"name": "x", "seed": 1, "rate": rate, "valid": valid, "accuracy": 1 - valid}
        for rate, few, many in ((1e-3, 0.65, 0.5), (3e-3, 0.6, 0.8), (9e-3, 0.5, 0.7))
        for valid in (few, many)  # tried on two sets, and both count
    ]
    assert best_rate(tried, "x") == 3e-3


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    """Run the whole experiment once at a toy size."""
    folder = tmp_path_factory.mktemp("pretraining-pays")
    random = Random(1)
    words = {"negative": ("dull", "bad", "slow"), "positive": ("fine", "good", "warm")}
    lines = [
        f"a {random.choice(told)} film , number {n} , and {random.choice(told)} .\t{label}\n"
        for n in range(40)
        for label, told in words.items()
    ]
    (folder / "labelled.tsv").write_text("".join(lines), encoding="utf-8")
    plain = [f"A film of {n} parts. It is {n % 7} hours long!\tnegative\n" for n in range(40)]
    (folder / "plain.tsv").write_text("".join(plain), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        small = {"width": 8, "heads": 2, "ffn_width": 8}
        encoder = pretraining_pays.ENCODER.model_copy(update={**small, "layers": 1})
        layers = {"encoder_layers": 1, "decoder_layers": 1}
        transformer = pretraining_pays.TRANSFORMER.model_copy(update={**small, **layers})
        patch.setattr(pretraining_pays, "ENCODER", encoder)
        patch.setattr(pretraining_pays, "TRANSFORMER", transformer)
        few = dict.fromkeys(TASKS, (20, 40))
        patch.setitem(pretraining_pays.COUNTS, "quick", few)
        patch.setitem(pretraining_pays.JUDGED, "quick", (3, 3))
        patch.setattr(pretraining_pays, "UNEVEN", 20)
        for name, count in (("PRETRAINING_STEPS", 2), ("STEPS", 2), ("TEXT", 60)):
            patch.setitem(getattr(pretraining_pays, name), "quick", dict.fromkeys(TASKS, count))
        patch.setattr(pretraining_pays, "VOCABULARY", dict.fromkeys(TASKS, 400))
        options = {name: str(folder / f"{name}.tsv") for name in ("labelled", "plain")}
        result = run_experiment(EXPERIMENT, "quick", folder / "lab", options=options)
    return result, folder / "lab"


@pytest.mark.slow
def test_the_whole_experiment_leaves_table_picture_and_every_point(toy):
    result, folder = toy
    names = {row["name"] for row in result.measurements}
    assert names == {f"{task}, {kind}" for task in TASKS for kind in (*STARTS, "pretraining")}
    assert len(result.measurements) == 2 + 2 * 4 + 2 * 2
    assert {one.verdict for one in result.verdicts} == {"undecided"}
    assert (folder / "picture.png").stat().st_size > 1000
    assert "majority baseline" in (folder / "table.md").read_text("utf-8")
    told = json.loads((folder / "result.json").read_text("utf-8"))
    assert told["ledger"] == ["D27", "E22", "D28", "D29"]


@pytest.mark.slow
def test_both_starts_read_the_same_and_held_out_texts_are_in_no_text(toy):
    for texts in sorted(toy[1].glob("begun/*/texts")):
        shown = set((texts / "text.txt").read_text("utf-8").splitlines())
        pairs = {
            path.stem: {tuple(line.split("\t")) for line in path.read_text("utf-8").splitlines()}
            for path in texts.glob("*.tsv")
        }
        trained = set().union(*(pairs[name] for name in pairs if name not in ("valid", "test")))
        assert pairs["20-even"] < pairs["40-even"]
        assert not trained & (pairs["valid"] | pairs["test"])
        for text, other in pairs["valid"] | pairs["test"]:
            assert text not in shown
            assert other not in shown


@pytest.mark.slow
def test_pretraining_begins_with_the_weights_of_the_random_start(toy):
    starts = sorted(toy[1].glob("begun/*/first"))
    assert len(starts) == len(TASKS)
    for first in starts:
        pretrained = first.parent / "pretrained"
        one, other = ((run / "tokenizer.json").read_bytes() for run in (first, pretrained))
        assert one == other
        mine, other = (read_weights(RunFolder(one).model).tensors for one in (first, pretrained))
        assert mine.keys() == other.keys()
        moved = [name for name in mine if not torch.equal(mine[name], other[name])]
        assert moved
        for name in mine:
            assert torch.allclose(mine[name], other[name], atol=0.1)
