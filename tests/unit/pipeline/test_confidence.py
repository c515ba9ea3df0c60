"""How likely a translation is to be good: fitted, kept, checked and drawn."""

import json
import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from dragoman.core.errors import RunError
from dragoman.data.corpus.held_out import load_held_out
from dragoman.data.documents.document import Segment, SegmentTranslation
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE
from dragoman.data.tokenizer.words import WordTokenizer
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.metrics.chrf import sentence_chrf
from dragoman.pipeline.calibrate import (
    calibrate,
    check,
    fit_confidence,
    sets_to_calibrate,
    usable,
)
from dragoman.pipeline.confidence import FEATURES, GOOD, Confidence, are_good, features, missing
from dragoman.pipeline.load import load_pipeline
from dragoman.pipeline.pseudo_words import with_pseudo_words
from dragoman.pipeline.segments import SegmentResult, translate_segments
from dragoman.pipeline.sentences import TranslatedSentence
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.translation import Translation

WORDS = ["sun", "moon", "sea", "sky", "red", "blue"]


@pytest.fixture(scope="module")
def tokenizer():
    vocabulary = WordTokenizer(WORDS)
    return TokenizerPair(vocabulary, vocabulary)


def made(random):
    """Some translations of which the likelier are the better ones."""
    sources, found, references = [], [], []
    for _ in range(300):
        words = list(random.choice(WORDS, size=5))
        doubt = random.random()
        said = [word if random.random() > doubt else "blue" for word in words]
        tokens = tuple(FIRST_PIECE + WORDS.index(word) for word in said)
        sources.append(" ".join(words))
        references.append(" ".join(words))
        found.append(Translation(" ".join(said), -doubt, -6 * doubt, tokens))
    return sources, found, references


@pytest.fixture(scope="module")
def fitted(tokenizer):
    return learned(tokenizer)


def learned(tokenizer):
    sources, found, references = made(np.random.default_rng(1))
    return Confidence.fit(tokenizer, sources, found, are_good(texts_of(found), references))


def texts_of(found):
    return [one.text for one in found]


def interpreted(sources, found):
    """Give texts of one sentence each, as they come out of translating with care."""
    return [
        SegmentResult(
            SegmentTranslation(one.text),
            (TranslatedSentence(one.text, "at once", source, one),),
            (source,),
        )
        for source, one in zip(sources, found, strict=True)
    ]


def test_each_feature_is_what_its_name_says(tokenizer):
    one = Translation("sun sea", -1.0, -4.5, (FIRST_PIECE, FIRST_PIECE + 2), unmet=2)
    found = dict(zip(FEATURES, features("sun nowhere moon", one, tokenizer), strict=True))
    assert found["log_probability"] == -4.5
    assert found["log_probability_per_token"] == -1.5  # END counts
    assert found["log_source_tokens"] == pytest.approx(math.log(4))
    assert found["log_ratio_of_tokens"] == pytest.approx(math.log(3 / 4))
    assert found["log_ratio_of_characters"] == pytest.approx(math.log(8 / 17))
    assert found["copied_words"] == pytest.approx(1 / 3)
    assert found["strange_pieces"] == pytest.approx(1 / 3)
    assert found["unmet_terms"] == 2


def test_tags_before_a_source_are_no_text(tokenizer):
    one = Translation("sun", -1.0, -1.0, (FIRST_PIECE,))
    plain, tagged = (features(text, one, tokenizer) for text in ("sun", "｟31｠ sun"))
    places = {name: place for place, name in enumerate(FEATURES)}
    for name in ("log_ratio_of_characters", "copied_words"):
        assert plain[places[name]] == tagged[places[name]]


def test_a_joined_translation_without_tokens_has_features_too(tokenizer):
    one = Translation("sun sea", -1.0, -4.5, (FIRST_PIECE, FIRST_PIECE + 2))
    assert features("sun", replace(one, tokens=()), tokenizer) == features("sun", one, tokenizer)


def test_good_is_what_chrf_says():
    found = ["sun sea", "sun", "blue red"]
    expected = [sentence_chrf(text, "sun sea") >= GOOD for text in found]
    assert are_good(found, ["sun sea"] * 3) == expected == [True, False, False]


def test_what_was_learned_holds_for_translations_not_seen(fitted, tokenizer):
    sources, found, references = made(np.random.default_rng(2))
    said = np.array([fitted.of(*one) for one in zip(sources, found, strict=True)])
    good = np.array(are_good(texts_of(found), references))
    assert 0.2 < good.mean() < 0.8
    assert said[good].mean() > said[~good].mean() + 0.3
    pairs = load_pairs(sources, references)
    checked = check(fitted, pairs, interpreted(sources, found))
    assert checked.error < checked.by_chance + 0.05
    assert sum(point["count"] for point in checked.bins) == checked.pairs == 300
    base = good.mean() * (1 - good.mean())
    assert checked.brier < 0.7 * base  # always saying the mean share would have this


def load_pairs(sources, references):
    from dragoman.data.formats.pair import Pair

    return [Pair(*both) for both in zip(sources, references, strict=True)]


def test_fitting_twice_gives_the_same_numbers(fitted, tokenizer):
    assert learned(tokenizer).regression == fitted.regression


def test_it_is_fitted_and_checked_on_what_comes_out_of_translating_with_care(tokenizer):
    sources, found, references = made(np.random.default_rng(1))
    mended = interpreted(sources, found)
    for place in range(0, 300, 2):  # as if something had been put back: the answers are the best
        mended[place] = replace(mended[place], answer=SegmentTranslation(references[place]))
    for place in range(0, 300, 10):  # not of one sentence that was translated whole
        told = (TranslatedSentence(found[place].text, "in parts"),) * (1 + place % 20 // 10)
        mended[place] = replace(mended[place], told=told)
    fit = fit_confidence(tokenizer, usable(mended, references))
    assert fit.pairs == 270
    alone = fit_confidence(tokenizer, usable(interpreted(sources, found), references))
    assert fit.regression.bias > alone.regression.bias + 0.5
    checked = check(fit, load_pairs(sources, references), mended)
    assert checked.pairs == 300
    assert checked.good == pytest.approx(
        np.mean(are_good([one.answer.text for one in mended], references))
    )
    assert sum(point["count"] for point in checked.bins if point["said"] < 0.01) >= 30


def test_where_all_is_good_what_nobody_knows_is_doubted_for_all_that(tokenizer):
    """Without examples of what is bad, nothing is ever doubted."""
    random = np.random.default_rng(3)
    sources = [" ".join(random.choice(WORDS, size=5)) for _ in range(100)]
    found = [Translation(one, -0.1, -0.1 * random.random()) for one in sources]
    good = [True] * 100
    strange = [
        (made, Translation("sun moon sea sky red", -1.0, -6.0 - random.random()))
        for made in islice(with_pseudo_words(sources), missing(good))
    ]
    alone = Confidence.fit(tokenizer, sources, found, good)
    taught = Confidence.fit(tokenizer, sources, found, good, strange)
    unknown = "sun thunder sea red sky", Translation("sun moon sea red sky", -1.0, -5.6)
    assert alone.of(*unknown) > 0.9
    assert taught.of(*unknown) < 0.1
    assert min(taught.of(*one) for one in zip(sources, found, strict=True)) > 0.9
    assert taught.pairs == 100


def test_bad_examples_are_added_only_where_they_are_missing():
    assert missing([True] * 90) == 10
    assert missing([True] * 9 + [False]) == 0
    assert missing([False] * 10) == 0


def test_nothing_for_something_is_never_good_and_nothing_for_nothing_is(fitted):
    assert fitted.of("sun", Translation("", 0.0, 0.0)) == 0
    assert fitted.of(" ", Translation("", 0.0, 0.0)) == 1
    assert fitted.of("sun", Translation("sun", 0.0, -math.inf)) == 0


def test_whatever_comes_the_answer_is_a_probability(fitted):
    for text in ("a" * 10_000, "sun " * 3000, "東京"):
        for likely in (0.0, -1e9, -1e300):
            assert 0 <= fitted.of(text, Translation(text[::-1], 0.0, likely)) <= 1


def test_too_few_pairs_are_refused(tokenizer):
    with pytest.raises(RunError, match="9 validation pairs are too few"):
        Confidence.fit(tokenizer, ["sun"] * 9, [Translation("sun", 0, -1)] * 9, [True] * 9)


def test_it_is_read_back_as_it_was(fitted, tokenizer, tmp_path):
    fitted.save(RunFolder(tmp_path))
    loaded = Confidence.load(RunFolder(tmp_path), tokenizer)
    assert (loaded.regression, loaded.pairs) == (fitted.regression, 300)
    one = Translation("sun sea", -1.0, -1.5)
    assert loaded.of("sun", one) == fitted.of("sun", one)


def _without(record, *keys):
    for key in keys[:-1]:
        record = record[key]
    del record[keys[-1]]


DAMAGE = {
    "a format of another kind": lambda r: r.update(format="other"),
    "a newer version": lambda r: r.update(version=2),
    "other features": lambda r: r["features"].reverse(),
    "another threshold": lambda r: r.update(good=50.0),
    "no regression": lambda r: _without(r, "regression"),
    "no weights": lambda r: _without(r, "regression", "weights"),
    "too few weights": lambda r: r["regression"]["weights"].pop(),
    "a word for a number": lambda r: r["regression"].update(bias="high"),
    "a bool for a number": lambda r: r["regression"].update(bias=True),
    "no number": lambda r: r["regression"].update(bias=math.nan),
    "a deviation of nought": lambda r: r["regression"]["deviations"].__setitem__(0, 0),
    "no pairs": lambda r: r.update(pairs=-5),
}


@pytest.mark.parametrize("how", DAMAGE)
def test_a_file_that_was_tampered_with_is_refused_in_one_line(how, fitted, tokenizer, tmp_path):
    folder = RunFolder(tmp_path)
    fitted.save(folder)
    record = json.loads(folder.confidence.read_text())
    DAMAGE[how](record)
    folder.confidence.write_text(json.dumps(record))
    with pytest.raises(
        RunError, match=r"confidence\.json: cannot be used .* makes it anew"
    ) as told:
        Confidence.load(folder, tokenizer)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"null", b"[" * 100_000])
def test_a_file_that_is_none_is_refused_in_one_line(content, tokenizer, tmp_path):
    (tmp_path / "confidence.json").write_bytes(content)
    with pytest.raises(RunError, match="cannot be used"):
        Confidence.load(RunFolder(tmp_path), tokenizer)


def test_a_run_without_one_says_how_to_get_it(tmp_path, tokenizer):
    with pytest.raises(RunError, match="evaluate .* --confidence` makes it"):
        Confidence.load(RunFolder(tmp_path), tokenizer)


def test_only_what_the_network_is_unusually_unsure_of_is_warned_of(fitted, tokenizer, tmp_path):
    folder = RunFolder(tmp_path)
    fitted.save(folder)
    read = Confidence.load(folder, tokenizer)
    assert 0 < read.usual == fitted.usual <= 0.5
    sources, found, _ = made(np.random.default_rng(2))
    warned = [read.warning(*both) for both in zip(sources, found, strict=True)]
    assert sum(one is not None for one in warned) < 0.03 * len(warned)
    doubtful = replace(read, usual=0.5)
    assert doubtful.warning(sources[0], replace(found[0], log_probability=-0.1)) is None
    warning = doubtful.warning(sources[0], replace(found[0], log_probability=-60.0))
    assert warning is not None
    assert warning.kind == "domain"


def test_a_confidence_that_was_stored_without_its_usual_value_warns_of_nothing(
    fitted, tokenizer, tmp_path
):
    folder = RunFolder(tmp_path)
    fitted.save(folder)
    record = json.loads(folder.confidence.read_text())
    del record["usual"], record["checksum"]
    folder.confidence.write_text(json.dumps(record))
    former = Confidence.load(folder, tokenizer)
    assert former.warning("sun moon", Translation("blue", -9.0, -90.0, ())) is None


def test_a_run_is_calibrated_checked_drawn_and_told_on_its_card(run, dragoman):
    code, out, _ = dragoman("evaluate", run, "--confidence", "--json")
    assert code == 0
    told = json.loads(out)
    held_out = load_held_out(run / "data")
    assert {name: one["pairs"] for name, one in told.items()} == {
        name: len(pairs) for name, pairs in held_out.tests.items()
    }
    stored = json.loads((run / "confidence.json").read_text())
    assert stored["checked"] == told
    care = load_pipeline(run, BareTranslator.load(run))
    translated = translate_segments(care, [Segment(pair.source) for pair in held_out.valid])
    whole = [one for one in translated if one.told[0].translation is not None]
    assert stored["pairs"] == len(whole) > 0.9 * len(held_out.valid)
    assert (run / "reliability.png").read_bytes().startswith(b"\x89PNG")
    card = (run / "card.md").read_text()
    assert "## Confidence" in card
    assert "](reliability.png)" in card
    for name, one in told.items():
        assert f"| {name} | {one['pairs']} |" in card
        assert f"{one['error']:.3f}" in card
    assert Confidence.load(RunFolder(run)).pairs == len(whole)
    again = calibrate(run)
    assert {name: one.error for name, one in again.items()} == {
        name: one["error"] for name, one in told.items()
    }


def test_a_large_set_is_sampled_at_random_and_a_small_one_taken_whole(tiny):
    folder = RunFolder(tiny.run)
    held_out = load_held_out(folder.data)
    whole = sets_to_calibrate(folder)
    assert whole == (held_out.valid, held_out.tests)
    valid, tests = sets_to_calibrate(folder, most=8)
    for name, sample, pairs in (
        ("valid", valid, held_out.valid),
        ("test", tests["test"], held_out.tests["test"]),
    ):
        assert len({pair.source for pair in sample}) == len(sample) == 8, name
        assert {*sample} < {*pairs}
    assert tests["test"] != held_out.tests["test"][:8]
    assert sets_to_calibrate(folder, most=8) == (valid, tests)


def test_a_damaged_file_is_named_when_the_card_is_written(run, dragoman):
    (run / "confidence.json").write_text("{}")
    code, _, said = dragoman("evaluate", run, "--beam", "1")
    assert code == 2
    assert "confidence.json: cannot be read" in said


def test_what_the_run_s_own_sets_do_not_go_with_is_refused(run, dragoman, tmp_path):
    (tmp_path / "few.tsv").write_text("sun\tsun\n")
    for more in ([tmp_path / "few.tsv"], ["--beam", "1"], ["--against", run]):
        code, _, said = dragoman("evaluate", run, *more, "--confidence")
        assert code == 2
        assert "does not go with --confidence" in said


def test_too_small_a_validation_set_is_told(run):
    with pytest.raises(RunError, match="3 validation pairs are too few"):
        calibrate(run, most=3)
