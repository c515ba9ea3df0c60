import json
import os
import subprocess
import sys

import numpy as np
import pytest

from dragoman.core.errors import ConfigError, DataError
from dragoman.metrics.bootstrap import resampled_scores
from dragoman.metrics.scores import (
    METRICS,
    SEED,
    build_metric,
    corpus_statistics,
    exact_match,
    score,
)

HYPOTHESES = [
    "यह एक छोटा सा घर है।",
    "मैं कल दिल्ली जाऊँगा।",
    "The cat sat on the mat.",
    "He said: \"It's 3.5 km away, isn't it?\"",
    "किताब मेज़ पर है।",
    "",
]
REFERENCES = [
    "यह एक छोटा घर है।",
    "मैं कल दिल्ली जाऊँगा।",
    "The cat is sitting on the mat.",
    'He said: "It is 3.5 km from here, isn\'t it?"',
    "पुस्तक मेज़ के ऊपर रखी है।",
    "Nothing came out.",
]


@pytest.fixture
def by_command(tmp_path):
    """Score the same files with sacrebleu's own command."""

    def run(*options):
        (tmp_path / "ref").write_text("\n".join(REFERENCES) + "\n", encoding="utf-8")
        (tmp_path / "hyp").write_text("\n".join(HYPOTHESES) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "sacrebleu", "ref", "-i", "hyp", "-w", "12"]
        command += ["-m", "bleu", "chrf", "ter", "--format", "json", *options]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, check=True, timeout=120, encoding="utf-8"
        )
        return json.loads(done.stdout)

    return run


def test_the_figures_and_signatures_are_those_of_the_sacrebleu_command(by_command):
    ours = score(HYPOTHESES, [REFERENCES])
    for mine, theirs in zip(ours.values(), by_command(), strict=True):
        assert mine.name == theirs["name"]
        assert mine.value == pytest.approx(theirs["score"], abs=1e-9)
        assert mine.signature == theirs["signature"]
        assert mine.low is mine.high is None


def test_the_resamples_are_those_of_the_sacrebleu_command(by_command):
    ours = score(HYPOTHESES, [REFERENCES], bootstrap=50)
    for mine, theirs in zip(
        ours.values(), by_command("--confidence", "--confidence-n", "50"), strict=True
    ):
        assert (mine.high - mine.low) / 2 == pytest.approx(theirs["confidence_var"], abs=1e-5)
        assert mine.signature == theirs["signature"]


@pytest.mark.parametrize("name", METRICS)
def test_the_mean_of_the_resamples_is_sacrebleu_s(name):
    metric = build_metric(name)
    statistics = corpus_statistics(metric, HYPOTHESES, [REFERENCES])
    drawn = resampled_scores(metric, statistics, 50, SEED)
    theirs = build_metric(name).corpus_score(HYPOTHESES, [REFERENCES], n_bootstrap=50)
    assert drawn.mean() == pytest.approx(float(theirs._mean), rel=1e-6)


@pytest.mark.parametrize("name", METRICS)
def test_the_interval_is_that_of_the_percentiles_of_an_independent_resampling(name):
    random = np.random.default_rng(7)
    drawn = []
    for row in random.choice(len(REFERENCES), size=(1000, len(REFERENCES)), replace=True):
        texts = [HYPOTHESES[i] for i in row], [[REFERENCES[i] for i in row]]
        drawn.append(build_metric(name).corpus_score(*texts).score)
    ends = np.percentile(drawn, [2.5, 97.5], method="nearest")
    found = score(HYPOTHESES, [REFERENCES], metrics=[name], bootstrap=1000, seed=7)[name]
    assert (found.low, found.high) == pytest.approx(tuple(ends), abs=1e-4)


def test_an_interval_stays_on_the_scale_of_its_metric():
    nearly = [*REFERENCES[:5], "Nothing at all came out."]
    for found in score(nearly, [REFERENCES], bootstrap=200).values():
        best, other = (found.low, found.high) if found.lower_is_better else (found.high, found.low)
        assert best == (0.0 if found.lower_is_better else 100.0)
        assert 0.0 <= other <= 100.0


def test_the_interval_depends_on_the_seed_and_on_nothing_else(monkeypatch):
    def interval(seed):
        found = score(HYPOTHESES, [REFERENCES], metrics=["chrf"], bootstrap=100, seed=seed)
        return found["chrf"].low, found["chrf"].high

    first = interval(1)
    monkeypatch.setenv("SACREBLEU_SEED", "99")
    assert interval(1) == first
    assert interval(2) != first
    assert os.environ["SACREBLEU_SEED"] == "99"


def test_only_an_error_rate_is_better_when_lower():
    scores = score(HYPOTHESES, [REFERENCES])
    assert {name: each.lower_is_better for name, each in scores.items()} == {
        "bleu": False,
        "chrf": False,
        "ter": True,
    }


def test_several_references_are_streams_side_by_side():
    scores = score(HYPOTHESES[:5], [REFERENCES[:5], HYPOTHESES[:5]])
    assert scores["bleu"].value == pytest.approx(100.0)
    assert scores["ter"].value == 0.0
    assert "nrefs:2" in scores["bleu"].signature


def test_an_output_matches_exactly_if_it_is_one_of_its_references():
    assert exact_match(["a", "b ", "c", "d"], [["a", "x", "x", "x"], ["x", "b", "x", "x"]]) == 50.0


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        (["a"], [["a", "b"]], "1 outputs but 2 references"),
        ([], [[]], "nothing to score"),
        (["a"], [], "nothing to score"),
    ],
)
def test_what_cannot_be_compared_is_refused(hypotheses, references, message):
    with pytest.raises(DataError, match=message):
        score(hypotheses, references)
    with pytest.raises(DataError, match=message):
        exact_match(hypotheses, references)


def test_an_unknown_metric_is_refused_with_the_nearest_name():
    with pytest.raises(ConfigError, match="Did you mean 'chrf'"):
        score(["a"], [["a"]], metrics=["chrff"])
