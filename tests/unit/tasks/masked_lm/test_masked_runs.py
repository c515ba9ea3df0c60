"""Training on hidden words: what is refused, what is the same again, what is learned."""

import json

import pytest
from tests.toy_texts import DAYS, MASKED, SENTENCES, write_toy

from dragoman import trainer
from dragoman.config.batches import BatchSettings
from dragoman.config.reading import read_recipe
from dragoman.config.task import MaskedTaskSettings
from dragoman.core.errors import ConfigError, DataError
from dragoman.data.tokenizer.special_tokens import MASK, PAD
from dragoman.data.tokenizer.words import WordTokenizer
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.tasks.masked_lm.evaluate import evaluate_masked, masked_batches
from dragoman.trainer import train

PAIRS = [
    "task.next_sentence=true",
    "corpus.documents='paragraphs'",
    "model.segments=2",
    "model.pooler=true",
    "model.next_sentence_head=true",
]
SHORT = ["training.steps=9", "training.validate_every=5", "training.checkpoint_every=4"]


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch):
    monkeypatch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))


@pytest.fixture
def toy(tmp_path):
    return write_toy(tmp_path / "toy", MASKED, SENTENCES)


@pytest.fixture
def paragraphs(tmp_path):
    """Give documents of two or three lines about one day each."""
    lines = []
    for number in range(24):
        day = DAYS[number % len(DAYS)]
        lines += [line for line in SENTENCES if day in line][number % 3 : number % 3 + 3]
        lines += [f"number {number} was {day}", ""]
    return write_toy(tmp_path / "paragraphs", MASKED, lines)


def rows(run, kind):
    whole = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [row for row in whole if row["kind"] == kind]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["model.lm_head='none'"], "task.kind = 'masked-lm' needs parts that the network lacks"),
        (
            ["task.next_sentence=true"],
            "Set model.next_sentence_head = true, model.pooler = true, model",
        ),
        ([*PAIRS[:1], *PAIRS[3:]], "the network lacks. Set model.segments = 2."),
        (
            ["batches.max_length=64"],
            "batches.max_length = 64 is more than model.max_positions = 32 learned",
        ),
    ],
)
def test_a_network_that_lacks_what_the_task_needs_is_refused_first(toy, tmp_path, changes, words):
    with pytest.raises(ConfigError, match=words):
        train(toy, changes, folder=tmp_path / "run")
    assert not (tmp_path / "run" / "data").exists()


def test_positions_without_a_table_have_no_limit(toy, tmp_path):
    changes = [*SHORT, "batches.max_length=64", "model.positions='rotary'", "training.steps=2"]
    assert train(toy, changes, folder=tmp_path / "run").step == 2


def test_single_lines_have_no_next_sentence(toy, tmp_path):
    changes = [change for change in PAIRS if "paragraphs" not in change]
    with pytest.raises(DataError, match=r"corpus\.documents = 'paragraphs'"):
        train(toy, changes, folder=tmp_path / "run")


@pytest.mark.parametrize(
    "changes",
    [
        ["task.whole_word_masking=true", "tokenizer.kind='bpe'", "tokenizer.vocab_size=330"],
        PAIRS,
    ],
    ids=["whole words", "pairs"],
)
def test_a_run_that_was_cut_off_resumes_exactly(paragraphs, resumes_exactly, changes):
    resumes_exactly(paragraphs, [*SHORT, *changes], 7)


def test_pairs_are_judged_besides_the_words(paragraphs, tmp_path):
    train(paragraphs, [*SHORT, *PAIRS], folder=tmp_path / "pairs")
    train(paragraphs, [*SHORT, *PAIRS[1:]], folder=tmp_path / "words")
    for row in rows(tmp_path / "pairs", "validation"):
        assert 0.0 <= row["follows_accuracy"] <= 1.0
    assert "follows_accuracy" not in rows(tmp_path / "words", "validation")[0]
    judged = evaluate_masked(tmp_path / "pairs")[0]
    assert 0.0 <= judged.follows_accuracy <= 1.0
    assert "next-sentence accuracy" in (tmp_path / "pairs" / "card.md").read_text()
    assert evaluate_masked(tmp_path / "words")[0].follows_accuracy is None


def test_what_follows_is_learned_where_it_can_be_told(tmp_path):
    """Every second line ends with a number, so a line without one follows nothing."""
    lines = []
    for number in range(150):
        lines += [SENTENCES[number % 42], f"{SENTENCES[number // 2 % 42]} {number}", ""]
    toy = write_toy(tmp_path / "toy", MASKED, lines)
    changes = ["training.steps=45", "training.validate_every=45", "batches.max_tokens=512"]
    train(toy, [*PAIRS, *changes, "optimizer.learning_rate=5e-3"], folder=tmp_path / "run")
    assert rows(tmp_path / "run", "validation")[-1]["follows_accuracy"] > 0.6


def test_evaluating_the_validation_text_gives_what_validation_found(toy, tmp_path):
    run = tmp_path / "run"
    train(toy, SHORT, folder=run)
    step = int(read_weights(run / "model.safetensors").notes["step"])
    found = next(row for row in rows(run, "validation") if row["step"] == step)
    (judged,) = evaluate_masked(run, [run / "data" / "valid.txt"])
    assert judged.nats_per_token == pytest.approx(found["loss"], rel=1e-6)
    assert judged.accuracy == found["accuracy"]
    assert json.loads((run / "scores.json").read_text())["valid"]["seed"] == 0


def test_samples_show_the_hidden_words(toy, tmp_path):
    train(toy, SHORT, folder=tmp_path / "run")
    samples = rows(tmp_path / "run", "validation")[-1]["samples"]
    assert 1 <= len(samples) <= 3
    assert len({sample["reference"] for sample in samples}) == len(samples)
    assert any("___" in sample["source"] for sample in samples)
    assert {sample["reference"] for sample in samples} <= set(SENTENCES)


def test_held_out_text_is_hidden_the_same_way_whenever_it_is_asked_for():
    vocabulary = WordTokenizer(sorted({word for line in SENTENCES for word in line.split()}))
    documents = [[line] for line in SENTENCES]
    settings = BatchSettings(max_tokens=64, max_length=16)
    both = [masked_batches(vocabulary, documents, MaskedTaskSettings(), settings) for _ in range(2)]
    for one, other in zip(*both, strict=True):
        assert (one.tokens == other.tokens).all()
        assert (one.labels == other.labels).all()
    hidden = sum(int((batch.tokens == MASK).sum()) for batch in both[0])
    asked = sum(int((batch.labels != PAD).sum()) for batch in both[0])
    assert 0.7 < hidden / asked < 0.9


def test_the_shipped_recipe_asks_for_what_its_network_has(tmp_path):
    from dragoman.tasks.masked_lm.task import check_network

    recipe = read_recipe(trainer.find_recipe("grammar-bert"))
    assert isinstance(recipe.task, MaskedTaskSettings)
    check_network(recipe.model_for(MaskedTaskSettings), recipe.task, recipe.batches.max_length)
