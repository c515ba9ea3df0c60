"""Taggers through the one recipe and the one loop, on a toy where a label needs what follows."""

import json
import math
import shutil
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from tests.toy_tags import NETWORKS, conll, sentences, write_marker

from dragoman import trainer
from dragoman.core.checksums import SEAL, check_seal
from dragoman.core.errors import CheckpointError, ConfigError, DataError
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.metrics_log import read_log
from dragoman.engine.checkpoint.weights import read_weights, write_weights
from dragoman.tasks.common.card import stored_scores
from dragoman.tasks.tagging.evaluate import (
    TagBaselines,
    evaluate_tagger,
    evaluate_tagging,
    sentences_to_test,
)
from dragoman.tasks.tagging.held_out import load_held_out_tagged, load_lexicon
from dragoman.tasks.tagging.report import REPORT
from dragoman.tasks.tagging.tagger import Tagger
from dragoman.tasks.text_classification.classifier import Classifier
from dragoman.trainer import train

A_TRANSLATOR = Path(__file__).parents[3] / "golden" / "run-v1"
LABELS = ["B-ANIMAL", "B-PLANT", "I-ANIMAL", "I-PLANT", "O"]
every = pytest.mark.parametrize("name", NETWORKS)


@pytest.fixture(autouse=True, scope="module")
def _no_plots():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
        yield


@pytest.fixture(scope="module")
def taggers(tmp_path_factory):
    """Train each network once; do not change their folders."""
    folder = tmp_path_factory.mktemp("taggers")
    recipe = write_marker(folder)
    torch.set_num_threads(1)
    for name, changes in NETWORKS.items():
        train(recipe, changes, folder=folder / name)
    return SimpleNamespace(recipe=recipe, run={name: folder / name for name in NETWORKS})


@pytest.fixture
def run(taggers, tmp_path):
    """Give a copy of a trained run, to be changed at will."""
    return shutil.copytree(taggers.run["bi-lstm"], tmp_path / "run")


def evaluate_own_test(run):
    """Evaluate a run without writing into its folder."""
    baselines = TagBaselines.of_run(run / "data", load_held_out_tagged(run / "data").labels)
    return evaluate_tagger(Tagger.load(run), sentences_to_test(run)["test"], "test", baselines)


@every
def test_every_network_learns_more_than_a_dictionary(taggers, name):
    found = evaluate_own_test(taggers.run[name])
    assert found.favorite in LABELS
    assert found.low > found.dictionary.accuracy > found.majority.accuracy
    assert found.entities.f1 > 0.7


@every
def test_company_and_padding_change_no_label(taggers, name):
    tagger = Tagger.load(taggers.run[name], device="cpu")
    texts = ["the cat", "the big old red oak sees the bird", "the fern likes the dog"]
    for text, one in zip(texts, tagger.tag(texts), strict=True):
        (alone,) = tagger.tag([text])
        assert alone.labels == one.labels
        assert alone.probabilities == pytest.approx(one.probabilities, abs=1e-5)
        assert one.words == tuple(text.split())
        assert tagger.tag([text.split()]) == [alone]


@every
def test_a_run_that_was_cut_off_resumes_exactly(taggers, resumes_exactly, name):
    resumes_exactly(taggers.recipe, NETWORKS[name], 14)


def test_the_figures_are_those_counted_by_hand_from_the_answers(run):
    (found,) = evaluate_tagging(run)
    held = load_held_out_tagged(run / "data").test
    answers = Tagger.load(run).tag([one.words for one in held])
    rows = [
        (word, true, called)
        for one, answer in zip(held, answers, strict=True)
        for word, true, called in zip(one.words, one.labels, answer.labels, strict=True)
    ]
    stored = json.loads((run / "scores.json").read_text())["test"]
    check_seal(stored)
    assert {key: stored[key] for key in stored if key != SEAL} == found.summary()
    assert (stored["sentences"], stored["words"]) == (len(held), len(rows))
    assert stored["accuracy"] == sum(true == called for _, true, called in rows) / len(rows)
    both = Counter((true, called) for _, true, called in rows)
    assert stored["confusion"] == [[both[true, called] for called in LABELS] for true in LABELS]
    assert [one["label"] for one in stored["classes"]] == LABELS
    assert stored["macro_f1"] == pytest.approx(
        math.fsum(one["f1"] for one in stored["classes"]) / len(LABELS)
    )
    lexicon, favorite = load_lexicon(run / "data"), stored["favorite"]
    for name, guess in (
        ("majority", lambda word: favorite),
        ("dictionary", lambda word: lexicon.get(word, favorite)),
    ):
        right = sum(guess(word) == true for word, true, _ in rows)
        assert stored[name]["accuracy"] == right / len(rows)
    exact = sum(one.labels == other.labels for one, other in zip(held, answers, strict=True))
    assert stored["exact_sentences"] == exact / len(held)
    assert stored["entities"]["true"] == sum(one.startswith("B-") for _, one, _ in rows)


def test_labels_that_are_not_bio_have_no_entities(taggers, tmp_path):
    changes = [*NETWORKS["bi-lstm"], "training.steps=1", "batches.max_length=40"]
    drawn = "corpus={kind = 'generated-tags', sentences = 40, held_out = 20}"
    train(taggers.recipe, [*changes, drawn], folder=tmp_path / "run")
    (found,) = evaluate_tagging(tmp_path / "run")
    assert found.entities is None
    assert "entities" not in found.summary()


def test_probabilities_are_of_the_likeliest_and_nothing_has_no_words(run):
    tagger = Tagger.load(run)
    some, none = tagger.tag(["the word never seen", " "])
    assert all(1 / len(LABELS) <= share <= 1 for share in some.probabilities)
    assert (none.words, none.labels, none.probabilities) == ((), (), ())
    assert tagger.tag([]) == []


def test_a_sentence_beyond_the_longest_is_read_in_portions(run):
    tagger = Tagger.load(run)
    portion = ["the", "old", "cat", "sees", "the", "fern", "likes"] * 2
    (one,) = tagger.tag([portion])
    (three,) = tagger.tag([portion * 3])
    assert three.labels == one.labels * 3
    assert three.words == one.words * 3


def test_portions_are_trained_on_and_told(taggers, tmp_path):
    changes = [*NETWORKS["bi-lstm"], "batches.max_length=8", "training.steps=1"]
    train(taggers.recipe, changes, folder=tmp_path / "run")
    held = load_held_out_tagged(tmp_path / "run/data")
    hidden = {one.words for one in (*held.valid, *held.test)}
    cuts = sum((len(words) - 1) // 6 for words, _ in sentences() if words not in hidden)
    told = f"{cuts} cuts inside sentences that are longer than batches.max_length = 8"
    assert cuts
    assert told in held.findings


def test_validation_tells_how_words_are_labeled_and_what_is_cheap(taggers):
    rows = read_log(taggers.run["bi-lstm"] / "metrics.jsonl")
    judged = [row for row in rows if row["kind"] == "validation"]
    assert [row["step"] for row in judged] == [20, 40]
    for row in judged:
        assert {"accuracy", "macro_f1", "entity_f1", "majority", "dictionary", "loss"} <= row.keys()
        assert len({sample["source"] for sample in row["samples"]}) == len(row["samples"]) == 3
        for sample in row["samples"]:
            assert {*sample["output"].split(), *sample["reference"].split()} <= {*LABELS}
            assert len(sample["source"].split()) == len(sample["output"].split())


def test_entities_can_choose_the_best_weights(taggers, tmp_path):
    changes = [*NETWORKS["bi-lstm"], "training.best_metric=entity_f1"]
    changes += ["training.validate_every=4", "training.steps=12"]
    train(taggers.recipe, changes, folder=tmp_path / "run")
    rows = read_log(tmp_path / "run/metrics.jsonl")
    judged = {row["step"]: row["entity_f1"] for row in rows if row["kind"] == "validation"}
    best = max(judged, key=lambda step: (judged[step], -step))
    assert read_weights(tmp_path / "run/model.safetensors").notes["step"] == str(best)


def test_training_stops_early_where_nothing_gets_better(taggers, tmp_path):
    changes = [*NETWORKS["bi-lstm"], "training.patience=2", "training.validate_every=2"]
    done = train(
        taggers.recipe, [*changes, "optimizer.learning_rate=1e-12"], folder=tmp_path / "run"
    )
    assert done.step == 6


def test_weights_without_the_names_of_their_labels_are_refused(run):
    stored = read_weights(run / "model.safetensors")
    assert json.loads(stored.notes["classes"]) == LABELS
    write_weights(run / "model.safetensors", stored.tensors, {})
    with pytest.raises(CheckpointError, match="names of the classes are missing or damaged"):
        Tagger.load(run)


def test_the_card_says_what_it_does_and_how_well(run):
    (found,) = evaluate_tagging(run)
    card = (run / "card.md").read_text(encoding="utf-8")
    assert f"gives each word one of 5 labels ({', '.join(LABELS)})" in card
    assert "5 labels to train on: " in card
    assert "| test set | sentences | words | accuracy | 95 % interval |" in card
    assert f"{found.entities.f1:.3f} | {found.dictionary.accuracy:.3f} |" in card
    assert "### Each label of test" in card
    assert "nats per word" in card


@pytest.mark.parametrize("change", [("interval", 3), ("confusion", [[1]]), ("entities", 1)])
def test_scores_that_were_changed_are_refused(run, change):
    evaluate_tagging(run)
    scores = json.loads((run / "scores.json").read_text())
    scores["test"][change[0]] = change[1]
    del scores["test"]["checksum"]
    (run / "scores.json").write_text(json.dumps(scores))
    with pytest.raises(DataError, match=r"scores.json: cannot be read"):
        stored_scores(RunFolder(run), REPORT)


def test_other_files_can_be_tested_on(run, tmp_path):
    mine = tmp_path / "mine.conll"
    mine.write_text(conll(sentences(5, seed=9)))
    (found,) = evaluate_tagging(run, [mine])
    assert (found.name, found.sentences) == ("mine", 5)
    stored = json.loads((run / "scores.json").read_text())
    assert [file["path"] for file in stored.pop("mine")["files"]] == [str(mine)]
    assert not stored
    (tmp_path / "other.tsv").write_text("the\tB-ANIMAL\nsaw\tB-TOOL\n")
    with pytest.raises(DataError, match=r"other.tsv:2: the label 'B-TOOL' stands in no training"):
        sentences_to_test(run, [tmp_path / "other.tsv"])
    (tmp_path / "none.tsv").write_text("\n\n")
    with pytest.raises(DataError, match=r"none.tsv: holds no tagged sentence to test on"):
        sentences_to_test(run, [tmp_path / "none.tsv"])


def test_a_run_does_only_what_it_was_made_for(run):
    with pytest.raises(ConfigError, match=r"'tagging' and cannot classify. .*`dragoman tag`"):
        Classifier.load(run)
    with pytest.raises(ConfigError, match="was made for .*'translation' and cannot label words"):
        Tagger.load(A_TRANSLATOR)


def test_more_tokens_than_learned_positions_are_refused(taggers, tmp_path):
    changes = [*NETWORKS["encoder"], "model.positions=learned", "model.max_positions=16"]
    changes += ["batches.max_length=17"]
    with pytest.raises(ConfigError, match=r"batches.max_length = 17 .* model.max_positions = 16"):
        train(taggers.recipe, changes, folder=tmp_path / "run")


def test_a_corpus_and_a_network_of_other_tasks_are_refused(taggers, tmp_path):
    with pytest.raises(ConfigError, match=r"corpus: kind 'shapes' is not for task.kind"):
        train(taggers.recipe, ["corpus={kind = 'shapes'}"], folder=tmp_path / "run")
    with pytest.raises(ConfigError, match=r"model.kind = 'encoder' or 'recurrent-classifier'"):
        train(taggers.recipe, ["model={kind = 'text-cnn'}"], folder=tmp_path / "run")


MASKED = """
name = "reader"
task.kind = "masked-lm"
corpus = {kind = "text", train = "text.txt", documents = "lines"}
tokenizer = {kind = "bpe", vocab_size = 320}
batches = {max_tokens = 256, max_length = 40}
model = {kind = "encoder", width = 8, heads = 2, layers = 1, ffn_width = 8, max_positions = 40, \
pooler = true}
training = {steps = 2, threads = 1, device = "cpu", best_metric = "loss"}
"""


def test_a_tagger_starts_from_an_encoder_that_guessed_hidden_words(taggers, tmp_path):
    texts = "".join(" ".join(words) + "\n" for words, _ in sentences())
    (tmp_path / "text.txt").write_text(texts)
    (tmp_path / "reader.toml").write_text(MASKED)
    train(tmp_path / "reader.toml", folder=tmp_path / "reader")
    changes = [f"start.from={tmp_path / 'reader'}", "training.steps=1", "batches.max_length=40"]
    changes += ["optimizer.learning_rate=1e-12"]
    recipe = taggers.recipe.read_text().replace('[tokenizer]\nkind = "words"\n', "")
    (tmp_path / "corpus.tsv").write_text((taggers.recipe.parent / "corpus.tsv").read_text())
    (tmp_path / "started.toml").write_text(recipe)
    train(tmp_path / "started.toml", changes, folder=tmp_path / "started")
    before, after = (
        read_weights(tmp_path / name / "model.safetensors").tensors
        for name in ("reader", "started")
    )
    assert {*after} - {*before} == {"labels_head.weight", "labels_head.bias"}
    for name in {*after} & {*before}:
        torch.testing.assert_close(after[name], before[name])
    tagger = Tagger.load(tmp_path / "started")
    assert len(tagger.tag(["the unheard cat"])[0].labels) == 3
