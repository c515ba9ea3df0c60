"""Training to write what was cut out of a text."""

import json

import pytest
from tests.toy_texts import SPANS, write_toy

from dragoman import trainer
from dragoman.config.batches import BatchSettings
from dragoman.config.task import SpansTaskSettings
from dragoman.core.errors import ConfigError
from dragoman.data.batching.spans import SENTINELS
from dragoman.data.tokenizer.special_tokens import PAD
from dragoman.data.tokenizer.words import WordTokenizer
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.tasks.span_corruption.evaluate import RestoredSpans, exact_share, span_batches
from dragoman.trainer import train

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
REPEATED = [" ".join([word] * count) for word in WORDS for count in range(3, 13)]
A, B, C, *_ = SENTINELS


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """Train once on texts that repeat one word, so that what is cut out can be copied."""
    folder = tmp_path_factory.mktemp("spans")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
        train(write_toy(folder, SPANS, REPEATED), folder=folder / "run")
    return folder / "run"


def validations(run):
    whole = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [row for row in whole if row["kind"] == "validation"]


def test_a_span_that_can_be_copied_is_learned(learned):
    last = validations(learned)[-1]
    assert last["exact_spans"] > 0.5  # a word at random would be right in a tenth
    assert last["exact_spans"] > validations(learned)[0]["exact_spans"]


def test_samples_show_the_gap_what_was_written_and_the_text(learned):
    samples = validations(learned)[-1]["samples"]
    assert len({sample["reference"] for sample in samples}) == len(samples) == 3
    for sample in samples:
        assert "｟31｠" in sample["source"]
        assert "｟" not in sample["output"] + sample["reference"]
        assert sample["reference"] in REPEATED


def test_the_verb_judges_the_test_set_with_a_stated_seed(learned, dragoman):
    code, out, _ = dragoman("evaluate", learned, "--json")
    (judged,) = json.loads(out)
    assert (code, judged["name"], judged["seed"]) == (0, "test", 0)
    assert judged["exact_spans"] > 0.5
    code, out, _ = dragoman("evaluate", learned)
    assert code == 0
    assert "exact spans" in out
    assert "| spans restored exactly |" in (learned / "card.md").read_text()


def test_evaluating_the_validation_text_gives_what_validation_found(learned, dragoman):
    _, out, _ = dragoman("evaluate", learned, learned / "data" / "valid.txt", "--json")
    step = int(read_weights(learned / "model.safetensors").notes["step"])
    found = next(row for row in validations(learned) if row["step"] == step)
    (judged,) = json.loads(out)
    assert judged["nats_per_token"] == pytest.approx(found["loss"], rel=1e-5)
    assert judged["exact_spans"] == found["exact_spans"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            ["model.positions='learned'", "model.max_positions=16"],
            "batches.max_length = 32 is more than",
        ),
        (["model.initialization='dictionary'"], "is counted out of sentence pairs"),
    ],
)
def test_a_network_that_cannot_do_it_is_refused(tmp_path, changes, words):
    toy = write_toy(tmp_path / "toy", SPANS, REPEATED)
    with pytest.raises(ConfigError, match=words):
        train(toy, changes, folder=tmp_path / "run")


@pytest.mark.parametrize(
    ("written", "exact"),
    [
        ([A, 300, 301, B, 302, C], 2),
        ([A, 300, 301, B, 303, C], 1),
        ([A, 300, B, 302, C], 1),
        ([A, 300, 301, B, 302, 302, C], 1),
        ([B, 302, A, 300, 301], 2),
        ([A, 300, 301, B, 302], 2),
        ([300, 301, B, 302, C], 1),
        ([], 0),
        ([C, A, B], 0),
    ],
)
def test_a_span_is_exact_or_not(written, exact):
    one = RestoredSpans((350, A, 351, B), (A, 300, 301, B, 302, C), tuple(written))
    assert (one.spans, one.exact) == (2, exact)
    assert exact_share([one, one]) == exact / 2
    assert exact_share([]) == 0.0


def test_held_out_spans_are_the_same_whenever_they_are_asked_for():
    vocabulary = WordTokenizer(WORDS)
    settings = BatchSettings(max_tokens=64, max_length=16)
    documents = [[line] for line in REPEATED]
    both = [span_batches(vocabulary, documents, SpansTaskSettings(), settings) for _ in range(2)]
    for one, other in zip(*both, strict=True):
        assert (one.source == other.source).all()
        assert (one.target == other.target).all()
    fewer = span_batches(vocabulary, documents[:30], SpansTaskSettings(), settings)
    assert _questions(fewer) <= _questions(both[0])
    assert len(_questions(fewer)) == 30


def _questions(batches):
    """Gather numbers, sources and targets of the texts."""
    return {
        (int(number), *(tuple(ids[ids != PAD].tolist()) for ids in (source, target)))
        for batch in batches
        for number, source, target in zip(batch.examples, batch.source, batch.target, strict=True)
    }
