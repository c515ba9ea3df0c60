"""The pipeline's difference on a test set, which evaluate reports."""

import json

import pytest

from dragoman.data.corpus.held_out import load_held_out
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.pipeline.difference import pipeline_difference
from dragoman.pipeline.translator import Translator


@pytest.fixture(scope="module")
def judged(tiny):
    pairs = load_held_out(RunFolder(tiny.run).data).tests["test"]
    sources, references = ([*side] for side in zip(*pairs, strict=True))
    sources[0] = "Sun moon. Red cat {name}."
    loaded = Translator.load(tiny.run)
    return loaded, sources, loaded.bare.translate(sources), references


def test_it_is_that_of_translating_through_the_pipeline(judged):
    loaded, sources, translations, references = judged
    found = pipeline_difference(loaded, "test", sources, translations, references)
    piped = loaded.translate(sources)
    assert found.changed == sum(a != b for a, b in zip(piped, translations, strict=True)) > 0
    again = pipeline_difference(loaded, "test", sources, piped, references)
    assert again.bare == found.piped
    assert "test, through the pipeline as users translate: BLEU" in found.text()


def test_evaluate_says_it_once_for_each_set(run, dragoman):
    code, out, _ = dragoman("evaluate", run)
    assert code == 0
    assert out.count("test, through the pipeline as users translate: BLEU") == 1
    code, out, _ = dragoman("evaluate", run, "--json")
    (told,) = json.loads(out)
    assert set(told["pipeline"]["scores"]) == {"BLEU", "chrF2"}
    assert 0 <= told["pipeline"]["changed"] <= told["sentences"]
