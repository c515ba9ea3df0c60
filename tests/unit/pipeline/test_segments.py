"""Segments translated by a real, barely trained network, which loses whatever it can lose."""

import random
import re
from collections import Counter
from dataclasses import replace

import pytest

from dragoman.core.errors import DataError
from dragoman.data.documents.document import Segment, TextSpan
from dragoman.data.documents.inline import parents_of
from dragoman.data.documents.subtitles import read_subtitles
from dragoman.data.formats.accelerators import without_accelerator
from dragoman.data.formats.languages import LanguagePair
from dragoman.metrics.loops import loop
from dragoman.pipeline.files import FileRequest, translate_document
from dragoman.pipeline.glossary import Glossary
from dragoman.pipeline.load import PipelineOptions, languages, load_pipeline
from dragoman.pipeline.memory import TranslationMemory
from dragoman.pipeline.punctuation import Punctuation
from dragoman.pipeline.segments import translate_segments
from dragoman.pipeline.sentences import SentencePipeline
from dragoman.pipeline.term_forms import TermCounts
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.translation import Translation


@pytest.fixture(scope="module")
def translator(tiny):
    return BareTranslator.load(tiny.run)


@pytest.fixture(scope="module", params=[True, False], ids=["with symbols", "without"])
def care(request, translator):
    return SentencePipeline(translator, symbols=request.param, beam=1)


WORDS = ["blue", "cat sky", "%s", "%d", "{name}", "<b>", "</b>", "7 km", "a@b.org", "12", "sun."]
PLACEHOLDER = re.compile(r"%[sd]|\{\w+\}|</?b>|a@b\.org")
NUMBER = re.compile(r"\d+")


def kept(source, answer):
    """Say whether an answer has what its source has, seen without the code that is tested."""
    ours, theirs = (Counter(PLACEHOLDER.findall(text)) for text in (source, answer))
    numbers, found = (Counter(NUMBER.findall(text)) for text in (source, answer))
    ordered = [re.findall("%[sd]", text) for text in (source, answer)]
    return ours == theirs and not numbers - found and ordered[0] == ordered[1]


def drawn(count):
    """Draw sentences, the same ones every time."""
    chance = random.Random(1)
    return [" ".join(chance.choices(WORDS, k=chance.randint(1, 8))) for _ in range(count)]


def test_nothing_that_must_survive_is_ever_lost(care):
    texts = drawn(12)
    for text, one in zip(texts, translate_segments(care, [Segment(t) for t in texts]), strict=True):
        assert kept(text, one.answer.text)
        assert loop(one.answer.text, text) is None
        assert one.answer.text


def test_more_things_than_there_are_symbols_survive_too(care):
    text = " and ".join(f"{{name{number}}}" for number in range(40))
    (one,) = translate_segments(care, [Segment(text)])
    assert kept(text, one.answer.text)


def test_a_search_that_cannot_insist_loses_nothing_either(translator):
    drawing = translator.decoding.model_copy(update={"search": "sample"})
    care = SentencePipeline(translator.searching(drawing), symbols=True)
    (one,) = translate_segments(care, [Segment("blue %s at 12 {name}")])
    assert kept("blue %s at 12 {name}", one.answer.text)


def test_a_label_keeps_its_accelerator(care):
    (one,) = translate_segments(care, [Segment("Blue _cat…")])
    _, pressed = without_accelerator(one.answer.text)
    assert pressed is not None
    assert pressed.mark == "_"


def test_white_space_between_sentences_and_around_them_stays(care):
    text = "\n  Blue sky.  Cat sun.\n\nSky. \t"
    (one,) = translate_segments(care, [Segment(text)])
    assert one.answer.text.startswith("\n  ")
    assert one.answer.text.endswith(" \t")
    assert one.answer.text.count("\n\n") == 1
    assert len(one.told) == 3


def test_inline_markup_comes_out_nested_as_it_went_in(care):
    text = "blue cat sky sun. blue sun."
    inlines = (TextSpan(0, 17), TextSpan(5, 12), TextSpan(5, 8), TextSpan(17, 17), TextSpan(18, 22))
    (one,) = translate_segments(care, [Segment(text, inlines=inlines)])
    found = one.answer.inlines
    assert len(found) == len(inlines)
    around = {number for number, span in enumerate(found) if span.begin < span.end}

    def outer(parents, number):
        """Go up to what still surrounds a word; markup around nothing has no inside."""
        parent = parents[number]
        return parent if parent < 0 or parent in around else outer(parents, parent)

    before, after = parents_of(inlines), parents_of(found)
    assert around
    assert [outer(after, number) for number in around] == [outer(before, n) for n in around]
    assert all(0 <= each.begin <= each.end <= len(one.answer.text) for each in found)


def test_code_comes_out_as_it_went_in(care):
    (one,) = translate_segments(care, [Segment("blue ls -l sky", verbatim=(TextSpan(5, 10),))])
    assert "ls -l" in one.answer.text


def test_what_is_remembered_is_taken_as_it_is(translator):
    care = SentencePipeline(
        translator, memory=TranslationMemory({"Blue sky.": "बस", "Sun.": "कल"}), beam=1
    )
    whole, part = translate_segments(care, [Segment("Blue\nsky."), Segment("Sun. Blue sky.")])
    assert whole.answer.text == "बस"
    assert part.answer.text == "कल बस"


def test_terms_are_there_and_names_stay(translator):
    book = Glossary({"sky": ("cat", "dog"), "sun": ()})
    sure = SentencePipeline(lossy(translator, "bird"), symbols=True, glossary=book)
    for one in translate_segments(sure, [Segment("blue sky"), Segment("Skys are blue")]):
        assert one.answer.text == "cat bird"
        assert one.terms == TermCounts(placed=1)
    care = SentencePipeline(translator, symbols=True, glossary=book, beam=4)
    (one,) = translate_segments(care, [Segment("blue sun")])
    assert "sun" in one.answer.text


def lossy(translator, answer):
    """Give a translator that says the same of everything, after its terms if it is told any."""

    class Lossy(BareTranslator):
        def candidates(self, texts, **options):
            terms = options.get("terms") or [[] for _ in texts]
            said = [" ".join([*(one[0] for one in each), answer]) for each in terms]
            return [[Translation(text, 0.0, -1.0)] for text in said]

    return Lossy(
        translator.model,
        translator.tokenizer,
        translator.decoding,
        longest=translator.longest,
        device=translator.device,
    )


@pytest.mark.parametrize("symbols", [True, False])
@pytest.mark.parametrize("answer", ["made up %d", "made <b>up</b> %s %s", "{x} made up ｟3｠"])
def test_what_a_network_makes_up_does_not_come_out(translator, answer, symbols):
    care = SentencePipeline(lossy(translator, answer), symbols=symbols)
    texts = ["blue", "blue %s", "cat 12 {name} sky"]
    for text, one in zip(texts, translate_segments(care, [Segment(t) for t in texts]), strict=True):
        assert kept(text, one.answer.text)
        assert "made up" in one.answer.text.replace("<b>", "")


def test_terms_are_insisted_on_in_parts_too_and_counted_where_they_are_missing(translator):
    book = Glossary({"sky": ("cat",), "red sun": ("dog",)})
    care = SentencePipeline(lossy(translator, "bird"), glossary=book)
    (one,) = translate_segments(care, [Segment("blue sky %s at {name} night")])
    assert one.told[0].how == "in parts"
    assert "cat" in one.answer.text
    assert one.terms == TermCounts(placed=1)
    mute = SentencePipeline(lossy(translator, "bird"), glossary=Glossary({"sky": ("☃",)}))
    (one,) = translate_segments(mute, [Segment("blue sky %s at {name} night")])
    assert one.terms.refused == ("☃" not in one.answer.text)


def test_sentences_that_make_a_loop_together_are_not_put_together(translator):
    care = SentencePipeline(lossy(translator, "go on"))
    text = "Run now. Walk far. Sing well. Eat more. Sleep."
    (one,) = translate_segments(care, [Segment(text)])
    assert loop(one.answer.text, text) is None
    assert one.answer.text.startswith("go on")
    assert "in parts" in [told.how for told in one.told]
    again = "Go on. Go on. Go on. Go on. Go on."
    (one,) = translate_segments(care, [Segment(again)])
    assert one.answer.text == "go on go on go on go on go on"


def test_list_marks_dashes_and_final_marks_stay_as_in_the_source(translator):
    marks = Punctuation([("Go.", "Vete."), ("Go", "Vete")] * 5)
    care = SentencePipeline(lossy(translator, "ven."), punctuation=marks)
    texts = ["- Hello. - Hi", "1. Open it:", "• Red car", "(a) Stop!"]
    found = [one.answer.text for one in translate_segments(care, [Segment(t) for t in texts])]
    assert found == ["- ven. - ven", "1. ven:", "• ven", "(a) ven!"]


def test_a_cue_of_two_speakers_keeps_both_dashes_at_the_start_of_lines(translator):
    cue = "1\n00:00:01,000 --> 00:00:02,000\n- Where are you?\n- <i>Here.</i>\n"
    document = read_subtitles(cue.encode(), "a.srt", LanguagePair())
    care = SentencePipeline(lossy(translator, "ven y verás"))
    written, _ = translate_document(document, care, FileRequest())
    assert written.decode().splitlines()[2:] == ["- ven y verás", "- <i>ven y verás</i>"]


def test_markup_after_a_list_mark_stays_around_its_words(care):
    inlines = (TextSpan(2, 6), TextSpan(14, 17))
    (one,) = translate_segments(care, [Segment("- Blue.\n- Cat sun.", inlines=inlines)])
    first, second = (one.answer.text[part.begin : part.end] for part in one.answer.inlines)
    assert "-" not in first + second


def test_text_in_another_script_is_warned_of_and_not_only_echoed(tiny, translator):
    care = load_pipeline(tiny.run, translator, PipelineOptions(beam=1))
    strange, plain, mixed = translate_segments(
        care, [Segment("Привет, мир"), Segment("blue sky"), Segment("Blue sky. Привет всем.")]
    )
    assert strange.answer.text == "Привет, мир"
    assert [one.kind for one in strange.warnings] == ["script"]
    assert plain.warnings == ()
    assert [one.kind for one in mixed.warnings] == ["script"]
    assert [len(one.warnings) for one in mixed.told] == [0, 1]


def test_what_is_remembered_is_not_warned_of(tiny, translator):
    care = replace(
        load_pipeline(tiny.run, translator), memory=TranslationMemory({"Привет.": "hello"})
    )
    found = translate_segments(care, [Segment("Привет."), Segment("Привет. 12")])
    assert [one.warnings for one in found] == [(), ()]


def test_text_without_letters_stays(tiny, translator):
    care = load_pipeline(tiny.run, translator, PipelineOptions(beam=1))
    texts = ["12 — 14", "…"]
    assert [
        one.answer.text for one in translate_segments(care, [Segment(t) for t in texts])
    ] == texts


def test_a_run_says_whether_it_knows_symbols_and_which_words(tiny, translator):
    care = load_pipeline(tiny.run, translator)
    assert not care.symbols
    assert care.mend is not None
    assert "blue" in care.mend.words
    assert languages(translator, None) == LanguagePair()


def test_a_missing_glossary_is_refused(tiny, translator, tmp_path):
    with pytest.raises(DataError, match="no such file"):
        load_pipeline(tiny.run, translator, PipelineOptions(glossary=tmp_path / "none.tsv"))
