"""The gold alignments: every content word is linked, and inside its own clause."""

import re

import pytest

from dragoman.data.grammar.choices.mixture import CONSTRUCTIONS
from dragoman.data.grammar.choices.sentences import SentenceSpaces
from dragoman.data.grammar.lexicon.lexicon import WHOLE
from dragoman.data.grammar.sample import draw_sets, realize
from dragoman.data.grammar.syntax.adjuncts import Extras
from dragoman.data.grammar.syntax.clauses import VerbClause
from dragoman.data.grammar.syntax.feelings import Weather
from dragoman.data.grammar.syntax.joined import Joined, Subordination
from dragoman.data.grammar.syntax.nominals import I, Phrase
from dragoman.data.grammar.syntax.sentences import Statement
from dragoman.data.grammar.tenses import Tense

# Words of grammar, which need not answer to a word of the other language.
ENGLISH = frozenset(
    [
        "the",
        "a",
        "an",
        "to",
        "of",
        "that",
        "who",
        "whom",
        "that's",
        "please",
        "is",
        "are",
        "was",
        "were",
        "am",
        "be",
        "been",
        "do",
        "does",
        "did",
        "not",
        "there",
        "it",
        "with",
        "for",
        "from",
        "in",
        "on",
        "at",
        "by",
        "near",
        "under",
        "behind",
        "above",
        "outside",
        "front",
        "and",
        "or",
        "if",
        "when",
        "so",
        "but",
        "because",
        "than",
        "all",
        "as",
    ]
)
HINDI = frozenset(
    [
        "ने",
        "को",
        "से",
        "में",
        "पर",
        "का",
        "के",
        "की",
        "है",
        "हैं",
        "हूँ",
        "था",
        "थे",
        "थी",
        "थीं",
        "हो",
        "एक",
        "क्या",
        "वह",
        "वे",
        "तब",
        "तो",
        "कि",
        "और",
        "या",
        "न",
        "मत",
        "नहीं",
        "कोई",
        "किसी",
        "हुआ",
        "हुए",
        "हुई",
        "जो",
        "उस",
        "उन",
        "उसने",
        "उन्होंने",
        "उसे",
        "उन्हें",
        "उसका",
        "उसकी",
        "उसके",
        "उनका",
        "उनकी",
        "उनके",
        "लिए",
        "साथ",
        "पास",
        "नीचे",
        "ऊपर",
        "पीछे",
        "सामने",
        "बाहर",
        "ज़्यादा",
        "सबसे",
    ]
)
NAMES = {noun.english: noun.hindi.split() for noun in (*WHOLE.names, *WHOLE.cities)}


@pytest.fixture(scope="module")
def sets():
    return draw_sets(pairs=4000, held_out=10, difficulty=5, seed=21)


def words(text):
    return [re.sub("[.,?।]", "", word) for word in text.split()]


def test_every_content_word_of_either_side_is_linked(sets):
    for example in sets.train:
        source, target = words(example.source), words(example.target)
        linked_source = {i for i, _ in example.alignment}
        linked_target = {j for _, j in example.alignment}
        lost = {w for i, w in enumerate(source) if i not in linked_source} - ENGLISH
        lost = {w for w in lost if w.lower() not in ENGLISH}
        lost |= {w for j, w in enumerate(target) if j not in linked_target} - HINDI
        assert not lost, (example.source, example.target, lost)


def test_a_name_is_linked_to_its_own_name_and_its_postposition_alone(sets):
    markers = set(
        [
            "ने",
            "को",
            "से",
            "का",
            "के",
            "की",
            "में",
            "पर",
            "तक",
            "साथ",
            "लिए",
            "पास",
            "पीछे",
            "सामने",
            "नीचे",
            "बाहर",
            "और",
        ]
    )
    met = 0
    for example in sets.train:
        source, target = words(example.source), words(example.target)
        for i, word in enumerate(source):
            if word in NAMES:
                found = {target[j] for s, j in example.alignment if s == i}
                met += 1
                assert set(NAMES[word]) <= found <= {*NAMES[word], *markers}, example
    assert met > 1000


def test_no_clause_shares_its_tags_with_another(sets):
    """A word before "because" is never linked to a word behind it."""
    for example in sets.train:
        if example.construction in ("chain", "nested", "because", "so", "and", "when", "condition"):
            middle = clause_border(example)
            if middle is None:
                continue
            english, hindi = middle
            crossing = [(i, j) for i, j in example.alignment if (i < english) != (j < hindi)]
            assert not crossing, (example.source, example.target, crossing)


def clause_border(example):
    """Where "because" and क्योंकि or "so" and इसलिए part a sentence of two or three clauses."""
    source, target = words(example.source), words(example.target)
    for english, hindi in (("because", "क्योंकि"), ("so", "इसलिए")):
        if source.count(english) == 1 and target.count(hindi) == 1:
            return source.index(english), target.index(hindi)
    return None


def say(clause):
    example = realize(clause)
    source, target = words(example.source), words(example.target)
    return {(source[i], target[j]) for i, j in example.alignment}


def verb(name):
    return next(v for v in WHOLE.verbs if v.name == name and not v.objects)


def test_the_clauses_of_a_joined_main_clause_keep_their_words():
    ram, sita = (Phrase(noun) for noun in WHOLE.names if noun.english in ("Ram", "Sita"))
    main = Joined(
        VerbClause(ram, verb("sleep"), Tense.PAST),
        VerbClause(sita, verb("sing"), Tense.PAST),
        "and",
        "और",
    )
    sentence = Subordination("chain", Weather("rain", "event"), main, "when", "जब", "तब", False)
    links = say(sentence)
    assert ("slept", "सोया") in links
    assert ("sang", "गाया") in links
    assert ("rained", "हुई") in links
    assert ("and", "और") in links
    assert ("When", "जब") in links
    assert not {("slept", "गाया"), ("rained", "सोया"), ("and", "तब"), ("sang", "सोया")} & links


def test_cannot_never_and_would_have_are_linked_whole():
    going = verb("go home")
    can = say(Statement("", VerbClause(I, going, Tense.CAN, negative=True)))
    assert {("cannot", "नहीं"), ("cannot", "सकता")} <= can
    never = next(adverb for adverb in WHOLE.frequencies if adverb.negates)
    habit = VerbClause(I, going, Tense.HABITUAL, extras=Extras(frequency=never))
    assert {("never", "कभी"), ("never", "नहीं")} <= say(Statement("", habit))
    would = say(Statement("", VerbClause(I, going, Tense.WOULD_HAVE)))
    assert {("have", "होता"), ("gone", "गया")} <= would


@pytest.mark.parametrize("name", [n for n, (enters, _) in CONSTRUCTIONS.items() if enters == 4])
def test_every_construction_of_several_clauses_has_been_looked_at(sets, name):
    assert any(example.construction == name for example in sets.train)
    assert name in SentenceSpaces(WHOLE, 4).complexes.constructions()
