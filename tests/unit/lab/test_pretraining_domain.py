"""The domain of pretraining: equal texts, tensors that really came over, and the verdict."""

import pytest
import torch

from dragoman.config.encoder import EncoderSettings
from dragoman.core.errors import DataError, RunError
from dragoman.data.corpus.catalogue.store import FetchedCorpus
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.weights import read_weights, write_weights
from dragoman.lab.experiments.adaptation import data as adaptation_data
from dragoman.lab.experiments.adaptation.data import Reviews, review_corpus
from dragoman.lab.experiments.adaptation.verdicts import BAG
from dragoman.lab.experiments.pretraining_domain.data import (
    ARTICLES,
    FILMS,
    LONGEST,
    plain,
    sentences,
    some_words,
    write_domains,
)
from dragoman.lab.experiments.pretraining_domain.experiment import (
    ARMS,
    EXPERIMENT,
    SIZES,
    DomainSizes,
    PretrainingDomainTrial,
    PretrainingRuns,
    PretrainingSource,
    came_over,
    chosen_rate,
    pretrainings,
)
from dragoman.lab.experiments.pretraining_domain.verdicts import RANDOM, decide
from dragoman.lab.run import run_experiment

NETWORK = EncoderSettings(width=8, heads=2, ffn_width=8, layers=1, norm="pre", dropout=0.0)
NOISE = {1: 0.0, 2: 0.006, 3: -0.004}


def make_results(films, articles, random, seeds=(1, 2, 3)):
    """Make rows by hand, with a little noise of its own for each arm."""
    shares = {FILMS: films, ARTICLES: articles, RANDOM: random}
    return [
        {
            "name": arm,
            "seed": seed,
            "test_accuracy": share + NOISE[seed] * (1 + number / 3),
            "test_majority": 0.5,
            "tensors_pretrained": 0 if arm == RANDOM else 20,
            "encoder_tensors": 20,
            "share_pretrained": 0.0 if arm == RANDOM else 1.0,
        }
        for number, (arm, share) in enumerate(shares.items())
        for seed in seeds
    ]


@pytest.mark.parametrize(
    ("shares", "verdict"),
    [
        ((0.80, 0.74, 0.70), "confirmed"),
        ((0.80, 0.70, 0.70), "confirmed"),
        ((0.70, 0.80, 0.70), "refuted"),
        ((0.80, 0.80, 0.70), "corrected"),
        ((0.70, 0.70, 0.70), "undecided"),
        ((0.70, 0.70, 0.80), "undecided"),
        ((0.50, 0.45, 0.44), "undecided"),
    ],
)
def test_the_verdict_holds_the_kinds_of_text_against_each_other_and_a_random_start(shares, verdict):
    found = decide(make_results(*shares))
    assert found.verdict == verdict
    assert "20 of the encoder's 20 tensors" in found.because


def test_one_seed_decides_nothing():
    assert decide(make_results(0.9, 0.6, 0.5, seeds=(1,))).verdict == "undecided"


def test_texts_are_written_as_the_third_one_is():
    assert (
        plain("The game 's real @-@ time war, isn't it?") == "the game's real-time war , isn't it ?"
    )
    assert plain("It cost 1 @,@ 000 dollars .") == "it cost 1,000 dollars ."
    assert [*sentences(["One is here. Two is there! No.", "w " * (LONGEST + 5)])] == [
        "one is here .",
        "two is there !",
        " ".join("w" * LONGEST),
        " ".join("w" * 5),
    ]


def test_both_kinds_have_exactly_as_many_words_and_no_sentence_twice():
    texts = [f"sentence number {n} is this one." for n in range(50)]
    drawn = some_words([*texts, *texts], 101, 1)
    assert sum(len(line.split()) for line in drawn) == 101
    assert len(set(drawn)) == len(drawn)
    assert drawn != some_words(texts, 101, 2)
    with pytest.raises(DataError, match="350 words of the 351"):
        some_words(texts, 351, 1)


def test_the_arms_differ_by_their_text_alone(tmp_path):
    files = {name: tmp_path / name for name in (FILMS, ARTICLES, "both")}
    for path in files.values():
        path.write_text("some text\n", "utf-8")
    starts = pretrainings(SIZES["full"], files)
    assert [*starts] == [*ARMS]
    one, other = (starts[arm].recipe(tmp_path, files) for arm in (FILMS, ARTICLES))
    assert one.model_dump(exclude={"corpus"}) == other.model_dump(exclude={"corpus"})
    assert one.start is not None
    assert starts[FILMS].blank() == starts[ARTICLES].blank() == starts[RANDOM]
    assert len({one.folder(tmp_path) for one in starts.values()}) == 3


def test_the_rate_with_most_right_answers_is_chosen_and_of_equals_the_least_loss():
    tried = [
        {"name": arm, "rate": rate, "valid_loss": loss, "valid_accuracy": right}
        for arm, rate, loss, right in (
            (FILMS, 1.0, 0.4, 0.5),
            (FILMS, 2.0, 0.6, 0.7),
            (FILMS, 3.0, 0.5, 0.7),
            (RANDOM, 4.0, 0.1, 0.9),
        )
    ]
    assert chosen_rate(tried, FILMS, 9.0) == 3.0
    assert chosen_rate(tried, ARTICLES, 9.0) == 9.0


@pytest.fixture
def catalogue(tmp_path, monkeypatch):
    """Put a few made texts in the place of those that are fetched."""
    home = tmp_path / "fetched"
    (home / "wikitext").mkdir(parents=True)
    films = [f"this film number {n} was a great joy ." for n in range(60)]
    results = [f"{text}\t{('negative', 'positive')[n % 2]}\n" for n, text in enumerate(films)]
    (home / "films.tsv").write_text("".join(results), "utf-8")
    articles = ["= Town =", *(f"The town has {n} @-@ old houses and a river ." for n in range(60))]
    (home / "wikitext/train.txt").write_text("\n".join(articles), "utf-8")
    places = {"wikitext-2": home / "wikitext"}
    monkeypatch.setattr(
        adaptation_data,
        "present",
        lambda entry: [FetchedCorpus(places.get(entry.name, home / "films.tsv"), 1, {})],
    )
    monkeypatch.setattr("dragoman.engine.runtime.cores", lambda: 1)
    return home


def test_texts_are_written_once_and_equally_long(catalogue, tmp_path):
    files = write_domains(300, 80, 1, tmp_path / "texts")
    counts = {name: len(path.read_text("utf-8").split()) for name, path in files.items()}
    assert counts == {FILMS: 300, ARTICLES: 300, "both": 160}
    assert "= town" not in files[ARTICLES].read_text("utf-8")
    before = files[FILMS].stat().st_mtime_ns
    assert write_domains(300, 80, 1, tmp_path / "texts")[FILMS].stat().st_mtime_ns == before


@pytest.mark.slow
def test_tensors_that_did_not_come_over_are_an_error(catalogue, tmp_path):
    files = write_domains(300, 300, 1, tmp_path / "texts")
    runs = PretrainingRuns(tmp_path / "pretrained", files)
    start = PretrainingSource(
        name=FILMS, texts="", network=NETWORK, vocabulary=300, steps=2, tokens=256, rate=1e-2
    )
    base, drawn = runs.run(start), runs.run(start.blank())
    wanted = Reviews(train=10, valid=4, test=4)
    results = adaptation_data.read_reviews(catalogue / "films.tsv")
    trial = PretrainingDomainTrial(
        name=FILMS, pretraining=start, reviews=wanted, checksum="", rate=1.0, steps=1, seed=1
    )
    recipe = trial.recipe(base, review_corpus(results, wanted, 1, tmp_path / "reviews"))
    came = came_over(recipe, base, drawn, tmp_path / "one")
    assert came["tensors_pretrained"] == came["encoder_tensors"]
    assert came["share_pretrained"] == 1.0
    stored = read_weights(RunFolder(base).model)
    fresh = read_weights(RunFolder(drawn).model).tensors
    write_weights(RunFolder(base).model, fresh, stored.notes)
    with pytest.raises(RunError, match="none of its tensors differs"):
        came_over(recipe, base, drawn, tmp_path / "two")
    other = {name: torch.zeros_like(tensor) for name, tensor in fresh.items()}
    elsewhere = RunFolder(tmp_path / "elsewhere")
    elsewhere.path.mkdir()
    write_weights(elsewhere.model, other, stored.notes)
    with pytest.raises(RunError, match="tensors came over"):
        came_over(recipe, elsewhere.path, drawn, tmp_path / "three")


@pytest.mark.slow
def test_the_whole_experiment_runs_on_a_few_texts(catalogue, tmp_path, monkeypatch):
    few = DomainSizes(
        words=300,
        vocabulary=300,
        pretraining_steps=2,
        tokens=256,
        epochs=1,
        reviews=Reviews(train=16, valid=4, test=8),
        trials=False,
        network=NETWORK,
    )
    monkeypatch.setitem(SIZES, "quick", few)
    result = run_experiment(EXPERIMENT, "quick", tmp_path / "lab")
    assert [one["name"] for one in result.measurements] == [*ARMS, BAG]
    whole = result.measurements[0]["encoder_tensors"]
    assert [one["tensors_pretrained"] for one in result.measurements[:3]] == [whole, whole, 0]
    read = [one["tokens_read"] for one in result.summary["pretraining"][:2]]
    assert max(read) / min(read) < 1.2
    assert result.verdicts[0].verdict == "undecided"
    assert (tmp_path / "lab/picture.png").is_file()
