"""Classifiers through the one recipe and the one loop, on a toy that one word decides."""

import json
import math
import random
import shutil
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from dragoman import trainer
from dragoman.config.batches import BatchSettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.core.checksums import SEAL, check_seal
from dragoman.core.errors import CheckpointError, ConfigError, DataError
from dragoman.data.batching.labeled import gather, row_of
from dragoman.data.corpus.held_out_labeled import load_held_out_labeled
from dragoman.data.tokenizer.words import WordTokenizer
from dragoman.engine.build import build_classifier
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.checkpoint.weights import read_weights, write_weights
from dragoman.neural.objectives.cross_entropy import cross_entropy_written_out
from dragoman.tasks.common.card import stored_scores
from dragoman.tasks.language_model.language_model import LanguageModel
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.tasks.text_classification.evaluate import (
    evaluate_classes,
    rows_to_test,
    score_classes,
)
from dragoman.tasks.text_classification.objective import ClassificationObjective, class_scores
from dragoman.tasks.text_classification.report import REPORT
from dragoman.trainer import train

A_TRANSLATOR = Path(__file__).parents[3] / "golden" / "run-v1"
FILL = ["sun", "moon", "sea", "sky", "red", "blue"]
KEYS = {"animal": ["cat", "dog", "bird"], "food": ["rice", "bread"], "tool": ["saw"]}
SIZES = {"animal": 90, "food": 48, "tool": 30}

RECIPE = """
name = "sorter"
seed = 3

[task]
kind = "text-classification"

[corpus]
kind = "labeled"
train = "corpus.tsv"
held_out = 0.2

[tokenizer]
kind = "words"

[batches]
max_tokens = 256
max_length = 12

[objective]
label_smoothing = 0.0

[optimizer]
learning_rate = 0.03

[schedule]
kind = "cosine"
warmup_steps = 3

[training]
steps = 30
threads = 1
device = "cpu"
log_every = 4
validate_every = 15
checkpoint_every = 5
best_metric = "accuracy"
"""

NETWORKS = {
    "bi-lstm": [
        "model={kind = 'recurrent-classifier', embedding_width = 8, width = 8, dropout = 0.1}",
    ],
    "text-cnn": [
        "model={kind = 'text-cnn', embedding_width = 8, filters = 8, "
        "kernel_sizes = [1, 3], dropout = 0.1}",
    ],
    "encoder": [
        "model={kind = 'encoder', width = 32, heads = 2, layers = 1, ffn_width = 32, "
        "max_positions = 12, norm = 'pre', dropout = 0.1}",
        "optimizer.learning_rate=0.01",
    ],
}


def write_sorter(folder):
    draw = random.Random(1)
    lines = set()
    for label, count in SIZES.items():
        before = len(lines)
        while len(lines) - before < count:
            words = [*draw.choices(FILL, k=draw.randint(1, 4)), draw.choice(KEYS[label])]
            lines.add(f"{' '.join(draw.sample(words, len(words)))}\t{label}\n")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "corpus.tsv").write_text("".join(sorted(lines)), encoding="utf-8")
    (folder / "sorter.toml").write_text(RECIPE, encoding="utf-8")
    return folder / "sorter.toml"


@pytest.fixture(autouse=True, scope="module")
def _no_pictures():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
        yield


@pytest.fixture(scope="module")
def sorters(tmp_path_factory):
    """Train each network once; do not change their folders."""
    folder = tmp_path_factory.mktemp("sorters")
    recipe = write_sorter(folder)
    torch.set_num_threads(1)
    for name, changes in NETWORKS.items():
        train(recipe, changes, folder=folder / name)
    return SimpleNamespace(recipe=recipe, run={name: folder / name for name in NETWORKS})


@pytest.fixture
def run(sorters, tmp_path):
    """Give a copy of a trained run, to be changed at will."""
    return shutil.copytree(sorters.run["text-cnn"], tmp_path / "run")


def judge_own_test(run):
    """Judge a run without writing into its folder."""
    rows, sizes = rows_to_test(run)["test"], load_held_out_labeled(run / "data").classes
    return score_classes(Classifier.load(run), rows, "test", sizes)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_beats_the_majority_baseline(sorters, name):
    found = judge_own_test(sorters.run[name])
    assert found.baseline.accuracy == pytest.approx(90 / 168, abs=0.05)
    assert found.favourite == "animal"
    assert found.low > found.baseline.accuracy
    assert found.whole.macro_f1 > 0.7


@pytest.mark.parametrize("name", NETWORKS)
def test_padding_changes_no_class(sorters, name):
    classifier = Classifier.load(sorters.run[name], device="cpu")
    texts = ["cat", "sun sea saw moon", "bread", "red blue sky sun moon sea dog red blue sky"]
    together = classifier.classify(texts)
    for text, one in zip(texts, together, strict=True):
        (alone,) = classifier.classify([text])
        assert alone.label == one.label
        assert alone.probabilities == pytest.approx(one.probabilities, abs=1e-5)


def test_the_figures_are_those_counted_by_hand_from_the_answers(run):
    (judged,) = evaluate_classes(run)
    rows = load_held_out_labeled(run / "data").test
    answers = Classifier.load(run).classify([row.text for row in rows])
    both = Counter((row.label, one.label) for row, one in zip(rows, answers, strict=True))
    names = ["animal", "food", "tool"]
    stored = json.loads((run / "scores.json").read_text())["test"]
    check_seal(stored)
    assert {key: stored[key] for key in stored if key != SEAL} == judged.summary()
    assert stored["confusion"] == [[both[true, said] for said in names] for true in names]
    right = sum(both[name, name] for name in names)
    assert stored["accuracy"] == right / len(rows)
    f1 = []
    for name, one in zip(names, stored["classes"], strict=True):
        is_so = sum(both[name, said] for said in names)
        said_so = sum(both[true, name] for true in names)
        hits = both[name, name]
        assert one["label"] == name
        assert one["precision"] == (hits / said_so if said_so else 0)
        assert one["recall"] == hits / is_so
        f1.append(2 * hits / (is_so + said_so))
    assert stored["macro_f1"] == pytest.approx(math.fsum(f1) / 3)
    assert stored["majority"]["accuracy"] == sum(r.label == "animal" for r in rows) / len(rows)


def test_probabilities_add_up_and_the_answer_is_the_likeliest(run):
    for one in Classifier.load(run).classify(["cat", "", "word never seen", "saw\nsun\tsea"]):
        assert math.fsum(one.probabilities.values()) == pytest.approx(1)
        assert one.probability == max(one.probabilities.values())
        assert [*one.probabilities] == ["animal", "food", "tool"]
    assert Classifier.load(run).classify([]) == []


def test_a_text_is_read_up_to_its_longest_and_lines_do_not_matter(run):
    classifier = Classifier.load(run)
    long = " ".join(["sun"] * 10)
    one, other, lines = classifier.classify([f"{long} saw", f"{long} cat bread", f"{long}\ncat"])
    assert one.probabilities == pytest.approx(other.probabilities)
    assert one.probabilities == pytest.approx(lines.probabilities)


def test_validation_tells_how_the_texts_are_sorted_and_what_is_cheap(sorters):
    rows = read_log(sorters.run["bi-lstm"] / "metrics.jsonl")
    judged = [row for row in rows if row["kind"] == "validation"]
    assert [row["step"] for row in judged] == [15, 30]
    for row in judged:
        assert {"accuracy", "macro_f1", "majority", "loss"} <= row.keys()
        assert len({sample["source"] for sample in row["samples"]}) == len(row["samples"]) == 3
        for sample in row["samples"]:
            assert {sample["output"], sample["reference"]} <= {*SIZES}


def test_the_best_weights_are_those_of_the_figure_that_judges(sorters, tmp_path):
    changes = [*NETWORKS["text-cnn"], "training.best_metric=macro_f1"]
    changes += ["training.validate_every=4", "training.steps=12"]
    train(sorters.recipe, changes, folder=tmp_path / "run")
    rows = read_log(tmp_path / "run/metrics.jsonl")
    judged = {row["step"]: row["macro_f1"] for row in rows if row["kind"] == "validation"}
    best = max(judged, key=lambda step: (judged[step], -step))
    assert read_weights(tmp_path / "run/model.safetensors").notes["step"] == str(best)


def test_the_classes_are_kept_with_the_weights(run):
    stored = read_weights(run / "model.safetensors")
    assert json.loads(stored.notes["classes"]) == ["animal", "food", "tool"]


@pytest.mark.parametrize("classes", [None, "", "{}", '["a"]', '["a", "a"]', '["a", 1, 2]', '"ab"'])
def test_weights_without_the_names_of_their_classes_are_refused(run, classes):
    stored = read_weights(run / "model.safetensors")
    notes = {**stored.notes, "classes": classes} if classes is not None else {}
    write_weights(run / "model.safetensors", stored.tensors, notes)
    with pytest.raises(CheckpointError, match="names of the classes are missing or damaged"):
        Classifier.load(run)


def test_weights_of_another_number_of_classes_are_refused(run):
    stored = read_weights(run / "model.safetensors")
    notes = {**stored.notes, "classes": '["a", "b"]'}
    write_weights(run / "model.safetensors", stored.tensors, notes)
    with pytest.raises(CheckpointError, match=r"output.* has shape"):
        Classifier.load(run)


def test_the_card_says_what_it_does_and_how_well(run):
    evaluate_classes(run)
    card = (run / "card.md").read_text(encoding="utf-8")
    assert "classifies texts into 3 classes (animal, food, tool)" in card
    assert "3 classes to train on: animal 54, food 28, tool 18" in card
    assert "| test set | texts | accuracy | 95 % interval | macro-F1 | majority baseline |" in card
    assert "|  | animal | food | tool |" in card
    assert "nats per text" in card


@pytest.mark.parametrize("change", [("interval", 3), ("confusion", [[1]]), ("texts", "many")])
def test_scores_that_were_changed_are_refused(run, change):
    evaluate_classes(run)
    scores = json.loads((run / "scores.json").read_text())
    scores["test"][change[0]] = change[1]
    del scores["test"]["checksum"]
    (run / "scores.json").write_text(json.dumps(scores))
    with pytest.raises(DataError, match=r"scores.json: cannot be read"):
        stored_scores(SimpleNamespace(scores=run / "scores.json"), REPORT)


def test_other_tables_can_be_tested_on(run, tmp_path):
    (tmp_path / "mine.csv").write_text("label,text\nanimal,the dog\ntool,a saw\n")
    (found,) = evaluate_classes(run, [tmp_path / "mine.csv"])
    assert (found.name, found.texts) == ("mine", 2)
    assert {*json.loads((run / "scores.json").read_text())} == {"mine"}
    (tmp_path / "other.tsv").write_text("a saw\ttool\na car\tvehicle\n")
    with pytest.raises(DataError, match=r"other.tsv:2: the class 'vehicle' stands in no row"):
        rows_to_test(run, [tmp_path / "other.tsv"])
    (tmp_path / "none.tsv").write_text(" \t \n")
    with pytest.raises(DataError, match=r"none.tsv: holds no text with a class to test on"):
        rows_to_test(run, [tmp_path / "none.tsv"])


def test_a_run_does_only_what_it_was_made_for(run):
    with pytest.raises(ConfigError, match="cannot write freely"):
        LanguageModel.load(run)
    with pytest.raises(ConfigError, match="was made for .*'translation' and cannot classify"):
        Classifier.load(A_TRANSLATOR)


def test_long_texts_are_cut_and_counted(sorters, tmp_path):
    changes = [
        "model={kind = 'text-cnn', embedding_width = 4, filters = 4}",
        "batches.max_length=6",
    ]
    train(sorters.recipe, [*changes, "training.steps=1"], folder=tmp_path / "run")
    held_out = load_held_out_labeled(tmp_path / "run/data")
    lines = (sorters.recipe.parent / "corpus.tsv").read_text().splitlines()
    hidden = {row.text for row in (*held_out.valid, *held_out.test)}
    trained = [line.split("\t")[0] for line in lines if line.split("\t")[0] not in hidden]
    cut = sum(len(text.split()) + 2 > 6 for text in trained)
    assert cut
    assert f"{cut} texts are cut: longer than batches.max_length = 6" in held_out.findings


def test_more_tokens_than_learned_positions_are_refused(sorters, tmp_path):
    changes = [*NETWORKS["encoder"], "batches.max_length=13"]
    with pytest.raises(ConfigError, match=r"batches.max_length = 13 .* model.max_positions = 12"):
        train(sorters.recipe, changes, folder=tmp_path / "run")


VOCABULARY = WordTokenizer(["a", "b", "c"])


def test_an_encoder_is_given_as_many_classes_as_there_are():
    settings = EncoderSettings(width=8, heads=2, layers=1, ffn_width=8, max_positions=8)
    model = build_classifier(settings, VOCABULARY, 5, 1)
    assert class_scores(model, torch.tensor([[2, 292, 3]])).shape == (1, 5)
    assert model.words_head is None
    with pytest.raises(ConfigError, match=r"model.classes = 4, and the corpus has 5"):
        build_classifier(
            settings.model_copy(update={"classes": 4, "pooler": True}), VOCABULARY, 5, 1
        )


def test_a_tagger_of_words_is_refused():
    with pytest.raises(ConfigError, match=r"model.each = true tags words"):
        build_classifier(RecurrentClassifierSettings(each=True), VOCABULARY, 3, 1)


def test_the_loss_is_the_written_out_cross_entropy_of_each_text():
    model = build_classifier(
        EncoderSettings(width=8, heads=2, layers=1, ffn_width=8, max_positions=8, dropout=0.0),
        VOCABULARY,
        3,
        1,
    )
    settings = BatchSettings(max_tokens=64, max_length=8)
    (batch,) = gather([row_of([292] * n, 8) for n in (1, 3, 2)], [0, 2, 1], settings)
    task = ClassificationObjective(model.train(), ObjectiveSettings(label_smoothing=0.2))
    loss = task.loss(batch, torch.device("cpu"))
    pooled = model.pooled(model.states(torch.from_numpy(batch.tokens)))
    head = model.classes_head
    with_one = torch.cat((pooled, torch.ones(3, 1)), dim=1)
    matrix = torch.cat((head.weight, head.bias[:, None]), dim=1)
    labels = torch.from_numpy(batch.classes)
    smoothed, nats = cross_entropy_written_out(with_one, matrix, labels, 0.2)
    torch.testing.assert_close(loss.smoothed, smoothed)
    torch.testing.assert_close(loss.nats, nats.detach())
    assert (loss.positions, task.denominator(batch), task.targets(batch)) == (3, 3, 12)
    judged = ClassificationObjective(model.eval(), ObjectiveSettings(label_smoothing=0.2))
    plain = judged.loss(batch, torch.device("cpu"))
    torch.testing.assert_close(plain.smoothed, nats)
