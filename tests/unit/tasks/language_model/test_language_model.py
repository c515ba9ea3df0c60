"""A language model from a recipe: trained, resumed, scored, and made to write."""

import json
import math

import pytest
import torch

from dragoman.config.sampling import SamplingSettings
from dragoman.core.errors import ConfigError, DataError
from dragoman.tasks.language_model.evaluate import evaluate_texts
from dragoman.tasks.language_model.language_model import Detokenizer, LanguageModel
from dragoman.trainer import train

RECIPE = """
name = "tiny"
[task]
kind = "language-model"
[corpus]
kind = "text"
train = "text.txt"
documents = "lines"
[tokenizer]
vocab_size = 330
[batches]
max_tokens = 64
max_length = 16
[model]
{model}
dropout = 0.1
[objective]
label_smoothing = 0.0
[optimizer]
learning_rate = 0.01
[schedule]
kind = "constant"
warmup_steps = 5
[training]
steps = {steps}
threads = 1
device = "cpu"
log_every = 5
validate_every = 20
checkpoint_every = 7
"""
MODELS = {
    "gpt": "kind = 'decoder-only'\nwidth = 16\nheads = 2\nlayers = 1\npositions = 'learned'\n"
    "max_positions = 40",
    "lstm": "kind = 'recurrent-language'\nembedding_width = 16\nwidth = 16",
}
WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]


def write_recipe(folder, model, steps=40):
    """Lines in which the next word is certain: they count on, from any number, round and round."""
    lines = [" ".join(WORDS[(n + k) % 10] for k in range(6 + n % 5)) for n in range(60)]
    (folder / "text.txt").write_text("\n".join(dict.fromkeys(lines)) + "\n")
    path = folder / "recipe.toml"
    path.write_text(RECIPE.format(model=MODELS[model], steps=steps))
    return path


@pytest.fixture(scope="module", params=MODELS)
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    train(write_recipe(folder, request.param, 160), folder=folder / "run")
    return folder / "run"


def test_it_learns_what_comes_next(run):
    writer = LanguageModel.load(run)
    likely, unlikely = writer.score(["two three four five six", "two four three six five"])
    assert likely.total > unlikely.total + 3
    (text,) = writer.generate(["three four five"], SamplingSettings(temperature=0.0, max_tokens=3))
    assert text.startswith(" six")


def test_a_text_scores_the_same_alone_and_among_others(run):
    writer = LanguageModel.load(run)
    texts = ["one two", "five six seven eight nine zero one", "nine zero one two three", ""]
    together = writer.score(texts)
    for text, one in zip(texts, together, strict=True):
        (alone,) = writer.score([text])
        assert alone.pieces == one.pieces
        assert alone.log_probabilities == pytest.approx(one.log_probabilities, abs=1e-5)
        assert one.bits_per_byte >= 0


def test_what_it_writes_is_as_likely_as_it_says(run):
    """The cache and the whole pass agree: greedy text follows the scores of the whole pass."""
    writer = LanguageModel.load(run)
    prompt = "one two"
    (text,) = writer.generate([prompt], SamplingSettings(temperature=0.0, max_tokens=4))
    ids = [2, *writer.tokenizer.encode(prompt)]
    for _ in range(4):
        scores = writer.model.output(writer.model.read(torch.tensor([ids])))[0, -1]
        scores[[0, 1, 2]] = -math.inf
        if int(scores.argmax()) == 3:
            break
        ids.append(int(scores.argmax()))
    assert writer.tokenizer.decode(ids) == prompt + text


def test_prompts_of_different_length_do_not_disturb_each_other(run):
    writer = LanguageModel.load(run)
    settings = SamplingSettings(temperature=0.0, max_tokens=5)
    prompts = ["one", "three four five six seven", ""]
    assert writer.generate(prompts, settings) == [
        writer.generate([prompt], settings)[0] for prompt in prompts
    ]


def test_the_same_seed_writes_the_same_and_another_seed_another(run):
    writer = LanguageModel.load(run)
    settings = SamplingSettings(temperature=3.0, max_tokens=12)
    one, again, other = (writer.generate(["one"], settings, seed=s) for s in (1, 1, 2))
    assert one == again != other


def test_evaluation_counts_every_token_once(run, tmp_path):
    (judged,) = evaluate_texts(run)
    writer = LanguageModel.load(run)
    documents = (run / "data" / "test.txt").read_text().split("\n\n")[:-1]
    scored = writer.score(documents)
    assert judged.tokens == sum(len(one.pieces) for one in scored)
    assert judged.nats_per_token * judged.tokens == pytest.approx(-sum(o.total for o in scored))
    stored = json.loads((run / "scores.json").read_text())
    assert stored["test"]["perplexity"] == pytest.approx(math.exp(judged.nats_per_token))
    assert "bits per byte" in (run / "card.md").read_text()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("task.kind=translation", "corpus: kind 'text' is not for task.kind = 'translation'"),
        ("corpus.kind=grammar", "corpus"),
        ("batches.max_length=50", "batches.max_length = 50 is more than model.max_positions = 40"),
        ("task.kind=poetry", "task.kind: unknown kind 'poetry'"),
    ],
)
def test_what_does_not_fit_the_task_is_refused(tmp_path, change, said):
    with pytest.raises(ConfigError) as error:
        train(write_recipe(tmp_path, "gpt"), [change], folder=tmp_path / "run")
    assert said in str(error.value)


def test_a_prompt_that_fills_all_positions_is_refused(tmp_path):
    train(write_recipe(tmp_path, "gpt", 1), folder=tmp_path / "run")
    writer = LanguageModel.load(tmp_path / "run")
    with pytest.raises(DataError, match="knows 40 positions"):
        writer.generate(["x" * 60], SamplingSettings())
    drawn = list(writer.stream(["x"], SamplingSettings(max_tokens=200, min_tokens=100)))
    assert 0 < len(drawn) <= 40


class Letters:
    """A vocabulary in which a number is a byte."""

    newline = 10

    def decode(self, ids):
        return bytes(ids).decode("utf-8", "replace")


def test_stop_strings_end_a_text_even_across_tokens_and_are_left_out():
    told = Detokenizer(Letters(), [*b"a"], ["</x>"])
    said = "".join(told.take(letter) for letter in b"bc</x>de"[:6])
    assert told.ended
    assert said + told.rest() == "bc"


def test_half_a_character_waits_for_the_rest_of_it():
    told = Detokenizer(Letters(), [], [])
    said = [told.take(byte) for byte in "aé√".encode()]
    assert [*said, told.rest()] == ["a", "", "é", "", "", "√", ""]


def test_however_long_a_text_it_is_told_whole():
    """Characters of one to four bytes, cut anywhere, and stop strings longer than what is kept."""
    text = "aé√😀 b" * 90
    for stop in ([], ["x" * 150], ["😀 b" * 90]):
        told = Detokenizer(Letters(), [*b"of old " * 40], stop)
        said = "".join(told.take(byte) for byte in text.encode())
        assert said + told.rest() == text
