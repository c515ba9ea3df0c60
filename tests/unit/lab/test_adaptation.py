"""Adaptation: the sets of the notes, what may change, and verdicts that can fall every way."""

from collections import Counter

import pytest
import torch
from safetensors.torch import load_file, save_file

from dragoman.config.corpus import GrammarText
from dragoman.config.encoder import EncoderSettings
from dragoman.config.recipe import Recipe
from dragoman.config.start import FrozenStart, FullStart
from dragoman.config.task import MaskedTaskSettings
from dragoman.config.tokenizer import BpeTokenizerSettings
from dragoman.config.training import TrainingSettings
from dragoman.core.errors import DataError, RunError
from dragoman.data.corpus.catalogue.store import FetchedCorpus
from dragoman.data.corpus.labeled import open_labeled
from dragoman.data.formats.labeled import LabeledText
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.lab.experiments.adaptation import data as adaptation_data
from dragoman.lab.experiments.adaptation import experiment as adaptation
from dragoman.lab.experiments.adaptation.data import Reviews, draw_reviews, on_this_machine
from dragoman.lab.experiments.adaptation.experiment import (
    EXPERIMENT,
    RATES,
    SIZES,
    AdaptationSizes,
    AdaptationTask,
    kept,
    start_of,
    tables,
)
from dragoman.lab.experiments.adaptation.verdicts import (
    ARITHMETIC,
    ARMS,
    BAG,
    FROZEN,
    FULL,
    LORA,
    PREFIX,
    TASKS,
    TOMATOES,
    decide_ease,
    decide_frozen,
    decide_overfitting,
)
from dragoman.lab.run import run_experiment
from dragoman.trainer import train

NOISE = {1: 0.0, 2: 0.004, 3: -0.005}
MAJORITY = 0.694


def make_results(seeds=(1, 2, 3), **changed):
    """Make rows by hand; a change is named ARM_figure, or ARM_figure_TASK."""
    usual = {
        "test_accuracy": 0.9,
        "valid_accuracy": 0.9,
        "train_accuracy": 0.95,
        "test_macro_f1": 0.8,
        "test_loss": 0.4,
        "train_loss": 0.2,
        "seconds_per_epoch": 3.0,
        "trained": 100,
        "parameters": 1000,
        "base_tensors": 20,
        "base_unchanged": 20,
        "epochs": 4.0,
        "rate": 1e-3,
    }
    majority = {f"{name}_majority": MAJORITY for name in ("train", "valid", "test")}
    results = []
    for task in TASKS:
        for arm in (*ARMS, BAG):
            own = dict(usual)
            for key in usual:
                for name in (f"{arm}_{key}", f"{arm}_{key}_{task.split()[0]}"):
                    own[key] = changed.get(name, own[key])
            for seed in seeds:
                shaken = {
                    key: value + NOISE[seed] * (1 + len(arm) / 9)
                    if isinstance(value, float)
                    else value
                    for key, value in own.items()
                }
                results.append(
                    {
                        "name": arm,
                        "task": {"name": task},
                        "seed": seed,
                        **shaken,
                        **majority,
                        "test_majority_macro_f1": 0.27,
                    }
                )
    return results


@pytest.mark.parametrize(
    ("frozen", "full", "verdict"),
    [
        (MAJORITY, 0.95, "confirmed"),
        (0.80, 0.95, "corrected"),
        (0.95, 0.80, "refuted"),
        (0.90, 0.90, "undecided"),
    ],
)
def test_the_frozen_body_is_held_against_the_commonest_class(frozen, full, verdict):
    results = make_results(frozen_test_accuracy=frozen, full_test_accuracy=full)
    assert decide_frozen(results).verdict == verdict
    assert "69.4 %" in decide_frozen(results).because


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({"full_test_loss": 0.9}, "confirmed"),
        ({"full_test_loss": 0.9, "LoRA_test_accuracy": 0.8}, "corrected"),
        ({"LoRA_test_loss": 0.9, "prefix_test_loss": 0.9}, "refuted"),
        ({}, "undecided"),
        ({"full_test_loss": 0.25}, "undecided"),  # nothing to save
        ({"full_test_loss_verbal": 0.9, "full_test_loss_Rotten": 0.25}, "confirmed"),
        ({"full_test_loss": 0.9, "full_test_accuracy": MAJORITY}, "undecided"),
        ({"full_test_loss_verbal": 0.9}, "undecided"),
    ],
)
def test_overfitting_is_what_is_lost_on_unseen_texts(changed, verdict):
    assert decide_overfitting(make_results(**changed)).verdict == verdict


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({"prefix_test_accuracy": 0.8}, "confirmed"),
        ({"prefix_test_accuracy_Rotten": 0.8}, "corrected"),  # one task of two
        ({"LoRA_test_accuracy": 0.8}, "refuted"),
        ({"LoRA_test_accuracy_verbal": 0.8, "prefix_test_accuracy_Rotten": 0.8}, "corrected"),
        ({}, "refuted"),
    ],
)
def test_lora_and_a_prefix_are_compared_by_right_answers_on_every_task(changed, verdict):
    assert decide_ease(make_results(**changed)).verdict == verdict


def test_an_arm_that_may_be_better_on_one_task_leaves_it_open():
    results = make_results(prefix_test_accuracy=0.8)
    shaken = (one for one in results if (one["name"], one["task"]["name"]) == (LORA, ARITHMETIC))
    for one, accuracy in zip(shaken, (0.7, 0.9, 0.8), strict=True):
        one["test_accuracy"] = accuracy
    assert decide_ease(results).verdict == "undecided"


def test_one_seed_decides_nothing_that_has_an_interval():
    results = make_results(
        (1,), full_test_loss=2.0, prefix_test_accuracy=0.2, frozen_test_accuracy=0.7
    )
    judged = (decide_frozen, decide_overfitting, decide_ease)
    assert {one(results).verdict for one in judged} == {"undecided"}


def test_the_arithmetic_has_the_class_counts_of_the_notes(tmp_path):
    for seed in (0, 1, 2, 3):
        sets = open_labeled(AdaptationTask(name=ARITHMETIC).corpus(seed, tmp_path), seed)
        train, valid, test = [*sets.train()], sets.valid, sets.test
        counts = [Counter(row.label for row in part) for part in (train, valid, test)]
        assert counts[0] == {"positive": 335, "negative": 100, "zero": 13}
        assert counts[1] == {"positive": 143, "negative": 43, "zero": 6}
        assert counts[2] == {"positive": 111, "negative": 47, "zero": 2}
        assert counts[0] + counts[1] == {"positive": 478, "negative": 143, "zero": 19}
        assert len({row.text for part in (train, valid, test) for row in part}) == 800
    assert f"{143 / 192:.1%}" == "74.5%"


def made_reviews(count=120):
    words = {"positive": "fine", "negative": "dull"}
    return [
        LabeledText(f"a {words[label]} film number {n}", label)
        for n in range(count)
        for label in words
    ]


def test_reviews_are_drawn_apart_short_and_evenly():
    long = [LabeledText("dull " * 20, "negative")] * 50
    rows = [*long, *made_reviews(), *made_reviews()]
    wanted = Reviews(train=40, valid=20, test=30)
    sets = draw_reviews(rows, wanted, 1)
    assert [len(part) for part in sets] == [40, 20, 30]
    assert all(
        set(Counter(row.label for row in part).values()) == {len(part) // 2} for part in sets
    )
    assert len({row.text for part in sets for row in part}) == 90
    assert draw_reviews(rows, wanted, 1) == sets
    assert draw_reviews(rows, wanted, 2) != sets
    with pytest.raises(DataError, match="240 are wanted"):
        draw_reviews(rows, Reviews(train=400, valid=40, test=40), 1)


def test_what_is_not_on_this_machine_is_named_with_the_command_that_fetches_it(monkeypatch):
    monkeypatch.setattr(adaptation_data, "present", lambda entry: [])
    with pytest.raises(DataError, match="dragoman data get minilm"):
        on_this_machine("minilm")


def test_every_arm_has_a_rate_for_each_task():
    assert [*RATES] == [*TASKS]
    assert all([*rates] == [*ARMS] for rates in RATES.values())


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """Train a network for a step that can stand for the real one."""
    recipe = Recipe(
        name="base",
        task=MaskedTaskSettings(),
        corpus=GrammarText(sentences=30, held_out=5),
        tokenizer=BpeTokenizerSettings(vocab_size=320),
        model=EncoderSettings(width=12, heads=2, ffn_width=16, layers=1, pooler=True),
        training=TrainingSettings(steps=1, threads=1),
    )
    return train(recipe, folder=tmp_path_factory.mktemp("base") / "base").folder


@pytest.fixture(scope="module")
def toy(tmp_path_factory, base):
    """Run the whole experiment on a few texts."""
    home = tmp_path_factory.mktemp("toy")
    reviews = home / "reviews.tsv"
    reviews.write_text("".join(f"{r.text}\t{r.label}\n" for r in made_reviews()), "utf-8")
    few = AdaptationSizes(
        arithmetic_epochs=1,
        review_epochs=1,
        reviews=Reviews(train=16, valid=4, test=8),
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(adaptation_data, "present", lambda entry: [FetchedCorpus(reviews, 1, {})])
        patched.setattr(adaptation, "import_network", lambda folder: base)
        patched.setitem(SIZES, "quick", few)
        patched.setattr(adaptation, "TOGETHER", {ARITHMETIC: 224, TOMATOES: 16})
        patched.setattr("dragoman.engine.runtime.cores", lambda: 1)
        return run_experiment(EXPERIMENT, "quick", home / "lab"), home / "lab"


@pytest.mark.slow
def test_the_whole_experiment_leaves_its_table_its_rows_and_its_picture(toy):
    result, folder = toy
    results = [one for one in result.measurements if one["name"] != BAG]
    assert [(one["task"]["name"], one["name"]) for one in results] == [
        (task, arm) for task in TASKS for arm in ARMS
    ]
    assert all(one["test_majority"] == 111 / 160 for one in results[:4])
    assert all(one["valid_majority"] == 143 / 192 for one in results[:4])
    assert len(result.verdicts) == len(EXPERIMENT.hypotheses)
    assert {"result.json", "picture.png"} <= {path.name for path in folder.iterdir()}


@pytest.mark.slow
def test_only_full_adaptation_changes_weights_of_the_network(toy):
    for result in toy[0].measurements:
        if result["name"] == FULL:
            assert result["trained"] == result["parameters"]
            assert result["base_unchanged"] < result["base_tensors"]
        elif result["name"] != BAG:
            assert result["base_unchanged"] == result["base_tensors"]
            assert result["trained"] < result["parameters"]


def test_a_changed_tensor_of_a_frozen_network_is_an_error(base, tmp_path):
    run = RunFolder(tmp_path)
    state = run.states / "step-1"
    state.mkdir(parents=True)
    tensors = load_file(RunFolder(base).model)

    def store():
        save_file(tensors, state / "model.safetensors")
        state.joinpath("manifest.json").write_text(manifest(state), "utf-8")

    store()
    assert kept(run, base, FrozenStart(run=base))["base_unchanged"] == len(tensors)
    name = next(iter(tensors))
    tensors[name] = torch.nextafter(tensors[name], torch.tensor(9.0))
    store()
    with pytest.raises(RunError, match=f"1 have changed .*{name}"):
        kept(run, base, FrozenStart(run=base))
    assert kept(run, base, FullStart(run=base))["base_unchanged"] == len(tensors) - 1


def manifest(state):
    import json

    from dragoman.core.files import sha256

    files = [path for path in state.iterdir() if path.name != "manifest.json"]
    return json.dumps({p.name: {"size": p.stat().st_size, "sha256": sha256(p)} for p in files})


def test_lora_and_a_prefix_train_equally_many_weights_of_the_real_network(tmp_path):
    from dragoman.neural.adapt.adapting import adapt
    from dragoman.neural.adapt.parts import trainable_count
    from dragoman.neural.models.encoder import Encoder

    settings = EncoderSettings(
        width=384,
        heads=12,
        ffn_width=1536,
        layers=6,
        segments=2,
        pooler=True,
        lm_head="none",
        classes=3,
    )
    counts = {}
    for arm in ARMS:
        with torch.device("meta"):
            network = Encoder(settings, 30_522)
            adapt(network, start_of(arm, tmp_path), ("classes_head",))
        counts[arm] = trainable_count(network)
    assert counts == {FROZEN: 1155, FULL: 22_714_371, LORA: 74_883, PREFIX: 74_883}


def test_the_tables_show_every_arm_beside_the_bag_and_the_commonest_class():
    for table in tables(make_results()):
        assert [line[0] for line in table.rows] == [*ARMS, BAG, "majority baseline"]
        assert table.rows[-1][5] == "69.4 ± 0.0"
