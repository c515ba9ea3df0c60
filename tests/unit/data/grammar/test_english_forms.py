import pytest

from dragoman.data.grammar.english.verbs import article, be, gerund, group, third
from dragoman.data.grammar.lexicon.lexicon import WHOLE
from dragoman.data.grammar.tenses import Tense


@pytest.mark.parametrize(
    ("base", "singular", "progressive"),
    [
        ("go", "goes", "going"),
        ("cry", "cries", "crying"),
        ("play", "plays", "playing"),
        ("wash", "washes", "washing"),
        ("sit", "sits", "sitting"),
        ("lie", "lies", "lying"),
        ("come", "comes", "coming"),
        ("see", "sees", "seeing"),
        ("forget", "forgets", "forgetting"),
        ("open", "opens", "opening"),
        ("listen", "listens", "listening"),
    ],
)
def test_english_spells_its_endings(base, singular, progressive):
    assert third(base) == singular
    assert gerund(base) == progressive


def test_the_article_follows_the_sound():
    words = ("apple", "honest", "old", "house", "book")
    assert [article(word) for word in words] == ["an", "an", "an", "a", "a"]


def test_to_be_agrees():
    assert [be(who) for who in ("I", "he", "they")] == ["am", "is", "are"]
    assert [be(who, past=True) for who in ("I", "he", "they")] == ["was", "was", "were"]


def test_questions_and_denials_get_an_auxiliary():
    eat = next(verb for verb in WHOLE.verbs if verb.english == "eat")
    assert group(eat, Tense.HABITUAL, "he", False) == ("", "", "eats")
    assert group(eat, Tense.HABITUAL, "he", True) == ("does", "", "eat")
    assert group(eat, Tense.PAST, "they", False) == ("", "", "ate")
    assert group(eat, Tense.PAST, "they", True) == ("did", "", "eat")
    assert group(eat, Tense.PERFECT, "they", True) == ("have", "", "eaten")
