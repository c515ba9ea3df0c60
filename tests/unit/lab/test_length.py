"""Length: sentences, models of equal size, and a verdict that can fall either way."""

import pytest

from dragoman.data.formats.pair import Pair
from dragoman.lab.experiment import Result
from dragoman.lab.experiments.length import experiment as length
from dragoman.lab.experiments.length.data import (
    EDGES,
    LengthSampling,
    bucket_of,
    draw_sentences,
    level,
    mean_words,
    read_test,
)
from dragoman.lab.experiments.length.experiment import (
    ATTENTION,
    EXPERIMENT,
    FIXED,
    MODELS,
    TRANSFORMER,
    VOCABULARY,
    LengthTrial,
    decide,
    decide_summary,
    draw,
    half_lost,
    slopes,
    tables,
)
from dragoman.lab.run import run_experiment

PLACES = (8.0, 13.0, 18.0, 23.0, 28.0, 34.0)
NAMES = ("≤ 10", "11–15", "16–20", "21–25", "26–30", "31–40")
FLAT = (60.0, 60.0, 60.0, 60.0, 60.0, 60.0)
AT_25 = (60.0, 58.0, 50.0, 40.0, 25.0, 10.0)
EARLY = (60.0, 20.0, 15.0, 10.0, 5.0, 2.0)
GENTLE = (60.0, 58.0, 56.0, 54.0, 52.0, 50.0)


def make_results(**scores):
    """Make rows of three seeds by hand; every model but those named stays at 60 BLEU."""
    select = {"fixed": FIXED, "attention": ATTENTION, "transformer": TRANSFORMER}
    results = []
    for short, name in select.items():
        for seed, noise in ((1, 0.0), (2, 0.4), (3, -0.5)):
            values = [value * (1 + noise / 50) for value in scores.get(short, FLAT)]
            buckets = [
                {"bucket": bucket, "words": words, "bleu": bleu, "chrf": bleu, "exact": bleu / 2}
                for bucket, words, bleu in zip(NAMES, PLACES, values, strict=True)
            ]
            results.append({"name": name, "seed": seed, "parameters": 1000, "buckets": buckets})
    return results


@pytest.mark.parametrize(
    ("scores", "verdict"),
    [
        ({"fixed": AT_25}, "confirmed"),
        ({"fixed": EARLY}, "corrected"),
        ({"fixed": GENTLE}, "corrected"),
        ({"attention": AT_25}, "refuted"),
        ({"fixed": AT_25, "attention": AT_25}, "undecided"),
    ],
)
def test_the_verdict_goes_by_the_slopes_and_by_where_half_is_lost(scores, verdict):
    assert decide(make_results(**scores)).verdict == verdict


@pytest.mark.parametrize(
    ("scores", "verdict"),
    [
        ({"fixed": GENTLE}, "confirmed"),
        ({"attention": GENTLE}, "refuted"),
        ({"fixed": GENTLE, "attention": GENTLE}, "undecided"),
        ({"fixed": tuple(score / 20 for score in AT_25)}, "undecided"),
    ],
)
def test_a_fixed_summary_is_judged_by_its_slope_against_that_of_attention(scores, verdict):
    assert decide_summary(make_results(**scores)).verdict == verdict


def test_a_model_that_has_learned_nothing_is_not_called_steady():
    nothing = tuple(score / 20 for score in AT_25)
    assert decide(make_results(fixed=nothing)).verdict == "undecided"
    poor = tuple(score / 3 for score in AT_25)
    assert decide(make_results(fixed=poor)).verdict == "confirmed"


def test_one_seed_decides_nothing():
    results = [result for result in make_results(fixed=AT_25) if result["seed"] == 1]
    assert decide(results).verdict == "undecided"


def test_slopes_and_the_place_where_half_is_lost_are_exact():
    line = tuple(100 - 2 * words for words in PLACES)
    wanted = -200 / (100 - 2 * min(PLACES))
    assert slopes(make_results(fixed=line), FIXED)[0] == pytest.approx(wanted)
    low = tuple(score / 4 for score in line)
    assert slopes(make_results(fixed=low), FIXED)[0] == pytest.approx(wanted)
    assert half_lost(make_results(fixed=AT_25), FIXED) == "26–30"
    assert half_lost(make_results(fixed=EARLY), FIXED) == "11–15"
    assert half_lost(make_results(fixed=GENTLE), FIXED) is None


def test_tables_and_picture_show_every_model_and_bucket(tmp_path):
    results = make_results(fixed=AT_25)
    bleu, _, exact = tables(results)
    assert bleu.header == ("model", "parameters", *NAMES)
    assert [line[0] for line in bleu.rows] == list(MODELS)
    assert exact.rows[1][2].startswith("29.9") or exact.rows[1][2].startswith("30.0")
    draw(Result(results, [], []), tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_the_models_have_equal_parameters():
    from dragoman.neural.models.recurrent.model import RecurrentTranslator
    from dragoman.neural.models.transformer import Transformer

    kinds = {"recurrent": RecurrentTranslator, "transformer": Transformer}
    counts = [
        sum(w.numel() for w in kinds[one.kind](one, VOCABULARY, VOCABULARY).parameters())
        for one in MODELS.values()
    ]
    assert max(counts) / min(counts) < 1.05


def test_the_test_has_equally_many_of_each_length_and_none_too_long():
    pairs = [Pair("w " * (1 + n % 50), str(n)) for n in range(500)]
    kept = level(pairs, 7)
    assert {bucket_of(pair.source) for pair in kept} == set(EDGES)
    for edge in EDGES:
        assert sum(bucket_of(pair.source) == edge for pair in kept) == 7
    assert mean_words(["a b", "a b c d", "w " * 12]) == [3.0, 12.0]


def test_sentences_are_drawn_once_and_training_shows_none_of_the_test(tmp_path):
    wanted = LengthSampling(train=60, valid=5, drawn=40, tested=4)
    drawn = draw_sentences(wanted, tmp_path)
    before = drawn.train.stat().st_mtime_ns
    assert draw_sentences(wanted, tmp_path).train.stat().st_mtime_ns == before
    shown = {line.split("\t")[0] for line in drawn.train.read_text("utf-8").splitlines()}
    assert len(shown) == 60
    assert not shown & {pair.source for pair in read_test(drawn)}
    draw_sentences(LengthSampling(train=61, valid=5, drawn=40, tested=4), tmp_path)
    assert len(drawn.train.read_text("utf-8").splitlines()) == 61


def test_every_model_sees_the_same_batches(tmp_path):
    sentences = length.SENTENCES["full"]
    drawn = draw_sentences(LengthSampling(train=20, valid=5, drawn=5, tested=1), tmp_path)
    recipes = [
        LengthTrial(name=name, model=model, sentences=sentences, steps=9, seed=2).recipe(drawn)
        for name, model in MODELS.items()
    ]
    same = [recipe.model_dump(exclude={"model"}) for recipe in recipes]
    assert same[0] == same[1] == same[2]


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_sentences(tmp_path, monkeypatch):
    few = LengthSampling(train=60, valid=4, drawn=300, tested=1)
    monkeypatch.setitem(length.SENTENCES, "quick", few)
    monkeypatch.setitem(length.STEPS, "quick", 2)
    monkeypatch.setattr("dragoman.engine.runtime.cores", lambda: 1)
    result = run_experiment(EXPERIMENT, "quick", tmp_path)
    assert [one["name"] for one in result.measurements] == list(MODELS)
    assert result.verdicts[0].verdict == "undecided"
    assert (tmp_path / "picture.png").is_file()
