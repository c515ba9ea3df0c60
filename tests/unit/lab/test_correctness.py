"""Right and wrong sentences: what is drawn, and verdicts that can fall every way."""

import pytest

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.data.corpus.generators.homophones import frames
from dragoman.engine.build import for_classes
from dragoman.lab.experiments.correctness import experiment as correctness
from dragoman.lab.experiments.correctness.data import CorrectnessSampling, draw_sentences
from dragoman.lab.experiments.correctness.experiment import EXPERIMENT, MODELS, VOCABULARY
from dragoman.lab.experiments.correctness.verdicts import (
    CLAIMS,
    ENCODER,
    FREQUENCY,
    GPT,
    LSTM,
    N_GRAM,
    NAMES,
    RNN_1,
    RNN_2,
    RNN_WIDE,
    decide,
)
from dragoman.lab.run import run_experiment
from dragoman.neural.models.encoder import Encoder
from dragoman.neural.models.recurrent_classifier import RecurrentClassifier

ALIKE, BLANK, SPOILT, DEPTH = CLAIMS
FEW = CorrectnessSampling(train=60, held_out=12, homophones=20, pairs=8, seed=1)


def make_results(key, **values):
    """Make rows of three seeds by hand; every judge but those named is at 0.8, and the one that
    knows the frequency of words alone at 0.5."""
    short = {"one": RNN_1, "two": RNN_2, "wide": RNN_WIDE, "best": ENCODER, "gpt": GPT}
    short |= {"frequent": FREQUENCY, "counted": N_GRAM}
    given = {FREQUENCY: 0.5} | {short[name]: value for name, value in values.items()}
    results = []
    for name in NAMES:
        for seed, noise in ((1, 0.0), (2, 0.004), (3, -0.005)):
            usual = 0.5 if name == FREQUENCY else 0.8
            result = {"name": name, "seed": seed}
            result |= dict.fromkeys(("auc", "seen", "unseen"), usual + noise / 10)
            result["valid_auc"] = 0.9 if name in (ENCODER, GPT) else 0.8
            noisy = noise * (1 + NAMES.index(name) / 10)
            results.append(result | {one: given.get(name, 0.8) + noisy for one in key.split()})
    return results


def verdict(results, claim):
    return next(one.verdict for one in decide(results) if one.hypothesis is claim)


@pytest.mark.parametrize(
    ("seen", "unseen", "frequent", "counted", "said"),
    [
        (0.9, 0.7, 0.5, 0.6, "confirmed"),
        (0.9, 0.7, 0.6, 0.6, "confirmed"),
        (0.9, 0.7, 0.5, 0.7, "corrected"),  # above chance, but no better than three words in a row
        (0.9, 0.4, 0.5, 0.6, "corrected"),
        (0.9, 0.65, 0.5, 0.6, "confirmed"),
        (0.7, 0.7, 0.8, 0.6, "refuted"),  # above chance, but worse than the frequent word
        (0.3, 0.7, 0.5, 0.6, "refuted"),
        (0.5, 0.9, 0.5, 0.6, "undecided"),
    ],
)
@pytest.mark.parametrize(("name", "claim"), [("best", BLANK), ("gpt", ALIKE)])
def test_a_blank_is_filled_where_the_right_one_of_two_is_ranked_first(
    name, claim, seen, unseen, frequent, counted, said
):
    results = make_results("seen", **{name: seen}, frequent=frequent)
    others = make_results("unseen", **{name: unseen}, counted=counted)
    for result, other in zip(results, others, strict=True):
        result["unseen"] = other["unseen"]
    assert verdict(results, claim) == said


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"best": 0.9, "gpt": 0.7}, "confirmed"),
        ({"best": 0.7, "gpt": 0.7}, "confirmed"),
        ({"best": 0.7, "gpt": 0.9}, "corrected"),
        ({"best": 0.3}, "refuted"),
        ({"best": 0.7, "frequent": 0.75}, "refuted"),
        ({"best": 0.5}, "undecided"),
    ],
)
def test_spoilt_sentences_must_teach_more_than_frequency_and_no_less_than_right_ones(values, said):
    assert verdict(make_results("auc", **values), SPOILT) == said


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"one": 0.8, "two": 0.9}, "confirmed"),
        ({"one": 0.8, "two": 0.9, "wide": 0.9}, "corrected"),
        ({"one": 0.9, "two": 0.8}, "refuted"),
        ({"one": 0.8, "two": 0.8}, "undecided"),
        ({"one": 0.5, "two": 0.55}, "undecided"),
        ({"one": 0.8, "two": 0.9, "frequent": 0.8}, "undecided"),
    ],
)
def test_layers_help_where_two_beat_one_and_one_of_as_many_weights(values, said):
    assert verdict(make_results("auc", **values), DEPTH) == said


def test_one_seed_decides_nothing():
    results = [result for result in make_results("auc", one=0.7, two=0.9) if result["seed"] == 1]
    assert {finding.verdict for finding in decide(results)} == {"undecided"}


def weights_outside_the_embeddings(settings):
    match settings:
        case RecurrentClassifierSettings():
            model = RecurrentClassifier(settings, VOCABULARY, 2)
        case EncoderSettings():
            model = Encoder(for_classes(settings, 2), VOCABULARY)
    return sum(w.numel() for w in model.parameters() if VOCABULARY not in w.shape)


def test_the_networks_that_are_compared_have_as_many_weights():
    names = (RNN_2, RNN_WIDE, LSTM, ENCODER)
    counts = [weights_outside_the_embeddings(MODELS[name]) for name in names]
    assert max(counts) / min(counts) < 1.05, counts
    assert isinstance(MODELS[GPT], DecoderOnlySettings)
    assert N_GRAM not in MODELS


def test_half_of_each_set_is_right_and_no_text_stands_in_two(tmp_path):
    drawn = draw_sentences(FEW, tmp_path)
    texts = []
    for name in ("train", "valid", "test"):
        rows = drawn.read_corruptions(name)
        assert sum(row.label == "right" for row in rows) == len(rows) / 2 > 0
        assert drawn.text(name).read_text("utf-8").splitlines() == [
            row.text for row in rows if row.label == "right"
        ]
        texts += [row.text for row in rows]
    assert len(set(texts)) == len(texts)
    before = drawn.table("train").stat().st_mtime_ns
    assert draw_sentences(FEW, tmp_path).table("train").stat().st_mtime_ns == before


def test_frames_that_are_kept_back_are_not_learned_from(tmp_path):
    drawn = draw_sentences(FEW, tmp_path)
    learned = drawn.text("train").read_text("utf-8")
    seen, unseen = drawn.pairs("seen"), drawn.pairs("unseen")
    assert len(seen) == len(unseen) == 8
    assert not any(pair.good in learned or pair.bad in learned for pair in (*seen, *unseen))
    ends = [frame.text.rpartition("}")[0].rpartition("_")[2] for frame in frames()[1::2]]
    for pair in unseen:
        assert any(end.partition("{")[0] in pair.good for end in ends)


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_sentences(tmp_path, monkeypatch):
    monkeypatch.setitem(correctness.SIZES, "quick", FEW)
    monkeypatch.setitem(correctness.STEPS, "quick", 2)
    monkeypatch.setattr(correctness, "VOCABULARY", 400)
    monkeypatch.setattr("dragoman.engine.runtime.cores", lambda: 1)
    small = {"width": 8, "embedding_width": 8}
    for name, model in correctness.MODELS.items():
        keys = {key: value for key, value in small.items() if hasattr(model, key)}
        monkeypatch.setitem(correctness.MODELS, name, model.model_copy(update=keys))
    result = run_experiment(EXPERIMENT, "quick", tmp_path)
    assert [one["name"] for one in result.measurements] == list(NAMES)
    assert {finding.verdict for finding in result.verdicts} == {"undecided"}
    assert all(one["majority"] == 0.5 for one in result.measurements)
    assert (tmp_path / "picture.png").is_file()
