"""Nothing dropped: what comes out far too short is translated again in parts."""

import pytest

from dragoman.data.documents.document import Segment, TextSpan
from dragoman.metrics.hallucinations import UsualRatios
from dragoman.pipeline.segments import translate_segments
from dragoman.pipeline.sentence_splitting import ProtectedSentence
from dragoman.pipeline.sentences import SentencePipeline
from dragoman.pipeline.undertranslation import halves, is_undertranslated, join_parts
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.translation import Translation

USUAL = UsualRatios(least=0.6)
LONG = "the cat sat on the mat, the dog lay beside it and slept"


@pytest.fixture(scope="module")
def forgetful(tiny):
    """Give a translator that copies, but says no more than seven words."""
    translator = BareTranslator.load(tiny.run)

    class Forgetful(BareTranslator):
        def candidates(self, texts, **options):
            said = [" ".join(text.split()[:7]).capitalize() for text in texts]
            return [[Translation(f"{text.rstrip(',.')}.", 0.0, -1.0)] for text in said]

    return Forgetful(
        translator.model,
        translator.tokenizer,
        translator.decoding,
        longest=translator.longest,
        device=translator.device,
    )


def test_a_sentence_that_comes_out_far_too_short_is_translated_in_parts(forgetful):
    cut, whole = (
        translate_segments(SentencePipeline(forgetful, usual=usual), [Segment(LONG)])[0]
        for usual in (None, USUAL)
    )
    assert cut.answer.text == "The cat sat on the mat, the."
    assert whole.told[0].how == "in parts"
    assert whole.answer.text.casefold().replace(",", "") == LONG.replace(",", "")
    assert "." not in whole.answer.text


def test_what_must_survive_is_not_cut_through(forgetful):
    text = "one two three four five `six seven eight nine ten eleven` twelve thirteen"
    code = TextSpan(text.index("`"), text.rindex("`") + 1)
    split = halves(ProtectedSentence(text, (code,)))
    assert "".join(split.parts) == text
    (held,) = (one for one in split.sentences if one.verbatim)
    assert held.text[held.verbatim[0].begin : held.verbatim[0].end] == text[code.begin : code.end]


def test_what_cannot_be_cut_is_translated_once(forgetful):
    text = " ".join(["code"] * 12)
    whole = (TextSpan(0, len(text)),)
    pipeline = SentencePipeline(forgetful, usual=UsualRatios(least=9.0))
    (one,) = translate_segments(pipeline, [Segment(text, verbatim=whole)])
    assert one.answer.text == text


@pytest.mark.parametrize("words", [6, 7, 20, 61])
def test_halves_are_the_sentence_and_each_is_shorter(words):
    sentence = ProtectedSentence(" ".join(["word"] * words))
    split = halves(sentence)
    assert "".join(split.parts) == sentence.text
    assert 2 <= len(split.sentences) <= 3
    assert all(len(one.text) < len(sentence.text) for one in split.sentences)


def test_parts_begin_and_end_as_their_sources_do():
    split = halves(ProtectedSentence("When it rains, we stay at home."))
    told = [f"Part {number}." for number in range(len(split.sentences))]
    assert join_parts(split, told) == "Part 0 part 1."


def test_labels_and_what_is_usual_are_left_alone():
    assert not is_undertranslated(ProtectedSentence("Open the selected file"), "Auf", USUAL)
    assert not is_undertranslated(ProtectedSentence(LONG), "x" * 40, USUAL)
    assert is_undertranslated(ProtectedSentence(LONG), "x" * 20, USUAL)
    assert not is_undertranslated(ProtectedSentence(LONG), "", None)
