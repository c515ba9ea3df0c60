"""Glossary terms stand where their source words are attended to, or are refused and counted."""

from types import SimpleNamespace

import numpy as np
import pytest

from dragoman.data.documents.document import Segment
from dragoman.pipeline import term_placement
from dragoman.pipeline.files import FileReport, FileRequest, translate_document
from dragoman.pipeline.glossary import Glossary
from dragoman.pipeline.segments import translate_segments
from dragoman.pipeline.sentences import SentencePipeline
from dragoman.pipeline.term_forms import TermCounts, form_of
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.long_texts import count_sentences
from dragoman.tasks.translation.translation import Translation

PLAIN = "Mi casa es grande."
BOOK = Glossary({"house": ("hogar",)})


@pytest.fixture(scope="module")
def translator(tiny):
    return BareTranslator.load(tiny.run)


class Scripted(BareTranslator):
    """Says what a script has for the prefix and the terms it is asked with; each word costs 1."""

    script: dict[tuple[str, bool], str]
    asked: list[str]

    def candidates(self, texts, prefixes=None, terms=None, **options):
        self.asked.append(texts)  # shared with copies that search in another way
        prefixes, terms = prefixes or [""] * len(texts), terms or [()] * len(texts)
        asked = [(prefix, bool(held)) for prefix, held in zip(prefixes, terms, strict=True)]
        said = [self.script.get(one, one[0]) for one in asked]
        return [[Translation(text, -1.0, -len(text.split()), (5,))] for text in said]


def scripted(translator, script):
    one = Scripted(
        translator.model,
        translator.tokenizer,
        translator.decoding,
        longest=translator.longest,
        device=translator.device,
    )
    one.script, one.asked = {("", False): PLAIN} | script, []
    return one


@pytest.fixture
def diagonal(monkeypatch):
    """Let each word attend to the source word of the same number."""

    def weights(translator, pairs):
        return [np.eye(len(target.split()), len(source.split())) for source, target in pairs]

    monkeypatch.setattr(term_placement, "word_weights", weights)


@pytest.fixture
def blind(monkeypatch):
    """Let no attention be seen."""
    monkeypatch.setattr(term_placement, "word_weights", lambda _, pairs: [None for _ in pairs])


def translate(bare, book=BOOK, text="My house is big."):
    (one,) = translate_segments(SentencePipeline(bare, glossary=book), [Segment(text)])
    return one.answer.text, one.terms


@pytest.mark.usefixtures("diagonal")
def test_a_term_takes_the_place_of_the_words_that_attend_to_it(translator):
    bare = scripted(translator, {("Mi hogar", False): "Mi hogar es muy grande."})
    assert translate(bare) == ("Mi hogar es grande.", TermCounts(placed=1))
    bare = scripted(translator, {("Mi hogar", False): "Mi hogar grande."})
    assert translate(bare) == ("Mi hogar grande.", TermCounts(placed=1))


@pytest.mark.usefixtures("diagonal")
def test_a_term_at_the_beginning_has_a_capital_and_the_marks_of_the_word_it_replaces(translator):
    bare = scripted(translator, {("", False): "¿Casa grande?", ("", True): "¿Casa grande?"})
    assert translate(bare, text="House big?") == ("¿Hogar grande?", TermCounts(placed=1))


@pytest.mark.parametrize("plain", ["Mi hogar es grande.", "¡Hogar!"])
@pytest.mark.usefixtures("diagonal")
def test_what_the_network_says_anyway_is_not_searched_again(translator, plain):
    bare = scripted(translator, {("", False): plain})
    assert translate(bare) == (plain, TermCounts(placed=1))
    assert len(bare.asked) == 1


@pytest.mark.usefixtures("diagonal")
def test_an_inflected_form_at_its_place_is_left_alone(translator):
    bare = scripted(translator, {("", False): "Mis hogares son grandes."})
    assert translate(bare) == ("Mis hogares son grandes.", TermCounts(inflected=1))
    assert len(bare.asked) == 1


@pytest.mark.usefixtures("diagonal")
def test_a_word_like_the_term_at_another_place_is_none_of_its_forms(translator):
    bare = scripted(translator, {("", False): "Mi casa de hogares."})
    assert translate(bare) == ("Mi hogar de hogares.", TermCounts(placed=1))


@pytest.mark.parametrize(
    "appended",
    [
        "Mi casa es grande. hogar",
        "Mi casa es grande. Es un hogar.",
        "Mi casa es grande hogar",
        "Mi casa es grande hogar.",
        "Hogar. Mi casa es grande.",
        "hogar hogar hogar hogar hogar.",
        "Mi hogar es",
    ],
)
@pytest.mark.usefixtures("blind")
def test_a_term_that_would_damage_the_sentence_is_refused_and_said_so(translator, appended):
    bare = scripted(translator, {("", True): appended})
    assert translate(bare) == (PLAIN, TermCounts(refused=1))


@pytest.mark.usefixtures("blind")
def test_without_attention_the_search_finds_the_place(translator):
    bare = scripted(translator, {("", True): "Mi hogar es grande."})
    assert translate(bare) == ("Mi hogar es grande.", TermCounts(placed=1))


@pytest.mark.usefixtures("blind")
def test_a_term_may_not_cost_more_than_a_sentence_is_worth(translator, monkeypatch):
    bare = scripted(translator, {("", True): "Mi hogar es muy muy grande."})
    assert translate(bare)[1] == TermCounts(placed=1)
    monkeypatch.setattr(term_placement, "MOST_LOST", 0.5)
    assert translate(bare) == (PLAIN, TermCounts(refused=1))


@pytest.mark.usefixtures("diagonal")
def test_terms_come_from_left_to_right_and_none_drives_out_another(translator):
    book = Glossary({"house": ("hogar",), "big": ("enorme",)})
    bare = scripted(translator, {})
    assert translate(bare, book) == ("Mi hogar es enorme.", TermCounts(placed=2))
    forgets = {
        ("Mi casa es gigante", False): "Mi casa es gigante.",
        ("", False): "Mi hogar es gris.",
    }
    book = Glossary({"house": ("hogar",), "big": ("gigante",)})
    bare = scripted(translator, forgets | {("", True): "Mi casa es gigante."})
    assert translate(bare, book) == ("Mi hogar es gigante.", TermCounts(placed=2))


@pytest.mark.usefixtures("blind")
def test_the_summary_of_a_file_counts_placed_inflected_and_refused_terms(translator):
    book = Glossary({"house": ("hogar",), "my": ("mío",), "big": ("grandes",), "is": ("☃",)})
    bare = scripted(translator, {("", True): "Mi hogar es grande."})
    document = SimpleNamespace(
        segments=[Segment("My house is big.")], written=lambda answers: answers[0].text.encode()
    )
    pipeline = SentencePipeline(bare, glossary=book)
    data, report = translate_document(document, pipeline, FileRequest())
    assert data.decode() == "Mi hogar es grande."
    assert report == FileReport(texts=1, translated=1, placed=1, inflected=1, refused=2)


def test_a_glossary_adds_no_sentence_to_what_a_network_says(translator):
    book = Glossary({"sky": ("cat",), "sun": ("fish", "dog"), "moon": ("sea. bird",)})
    texts = ["Blue sky.", "sun %s."]
    plain = SentencePipeline(translator, symbols=True, beam=1)
    bound = SentencePipeline(translator, symbols=True, beam=1, glossary=book)
    segments = [Segment(text) for text in texts]
    before, after = translate_segments(plain, segments), translate_segments(bound, segments)
    for text, one, other in zip(texts, before, after, strict=True):
        if "in parts" not in [told.how for told in (*one.told, *other.told)]:
            assert count_sentences(one.answer.text) == count_sentences(other.answer.text)
        counts = other.terms
        assert counts.placed + counts.inflected + counts.refused == len(book.find(text))


@pytest.mark.parametrize(
    ("spelling", "text", "form"),
    [
        ("casa", "La Casa, grande", "placed"),
        ("casa", "las casas", "inflected"),
        ("casa", "la cama", None),
        ("canción", "dos canciones", "inflected"),
        ("tener", "tengo", "inflected"),
        ("gemelo", "gem", None),
        ("casa de campo", "casas de campo", "inflected"),
        ("casa de campo", "casa de la playa", None),
        ("परत", "परत।", "placed"),
        ("परत", "परतें", "inflected"),
        ("房子", "我的房子很大。", "placed"),
        ("", "anything", None),
    ],
)
def test_a_text_holds_a_term_as_it_is_spelled_or_in_another_form(spelling, text, form):
    assert form_of([spelling], text) == form
