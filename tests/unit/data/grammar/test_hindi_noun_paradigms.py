import pytest

from dragoman.data.grammar.hindi.adjectives import inflect
from dragoman.data.grammar.hindi.nouns import decline
from dragoman.data.grammar.lexicon.lexicon import WHOLE

# word, feminine, inflects: direct singular, oblique singular, direct plural, oblique plural
PARADIGMS = [
    ("लड़का", False, True, "लड़का लड़के लड़के लड़कों"),
    ("कौआ", False, True, "कौआ कौए कौए कौओं"),
    ("कुआँ", False, True, "कुआँ कुएँ कुएँ कुओं"),
    ("घर", False, True, "घर घर घर घरों"),
    ("गाँव", False, True, "गाँव गाँव गाँव गाँवों"),
    ("आदमी", False, True, "आदमी आदमी आदमी आदमियों"),
    ("भाई", False, True, "भाई भाई भाई भाइयों"),
    ("बढ़ई", False, True, "बढ़ई बढ़ई बढ़ई बढ़इयों"),
    ("कवि", False, True, "कवि कवि कवि कवियों"),
    ("भालू", False, True, "भालू भालू भालू भालुओं"),
    ("राजा", False, False, "राजा राजा राजा राजाओं"),
    ("नेता", False, False, "नेता नेता नेता नेताओं"),
    ("रेडियो", False, True, "रेडियो रेडियो रेडियो रेडियो"),
    ("लड़की", True, True, "लड़की लड़की लड़कियाँ लड़कियों"),
    ("मिठाई", True, True, "मिठाई मिठाई मिठाइयाँ मिठाइयों"),
    ("चिड़िया", True, True, "चिड़िया चिड़िया चिड़ियाँ चिड़ियों"),
    ("किताब", True, True, "किताब किताब किताबें किताबों"),
    ("मेज़", True, True, "मेज़ मेज़ मेज़ें मेज़ों"),
    ("गाय", True, True, "गाय गाय गायें गायों"),
    ("कविता", True, True, "कविता कविता कविताएँ कविताओं"),
    ("महिला", True, True, "महिला महिला महिलाएँ महिलाओं"),
    ("नाव", True, True, "नाव नाव नावें नावों"),
]


@pytest.mark.parametrize(("word", "feminine", "inflects", "forms"), PARADIGMS)
def test_a_noun_declines_by_number_and_case(word, feminine, inflects, forms):
    made = [
        decline(word, feminine, inflects, plural, oblique)
        for plural in (False, True)
        for oblique in (False, True)
    ]
    assert made == forms.split()


@pytest.mark.parametrize(
    ("word", "forms"),
    [
        ("अच्छा", "अच्छा अच्छे अच्छी"),
        ("बूढ़ा", "बूढ़ा बूढ़े बूढ़ी"),
        ("नया", "नया नए नई"),
        ("लाल", "लाल लाल लाल"),
        ("भारी", "भारी भारी भारी"),
        ("मेरा", "मेरा मेरे मेरी"),
        ("का", "का के की"),
    ],
)
def test_an_adjective_in_aa_agrees_and_no_other_does(word, forms):
    made = [inflect(word, False, False), inflect(word, False, True), inflect(word, True, False)]
    assert made == forms.split()


def test_both_words_of_a_participle_agree():
    assert inflect("थका हुआ", True, False) == "थकी हुई"
    assert inflect("थका हुआ", False, True) == "थके हुए"


def test_the_lexicon_has_its_genders_right_where_the_ending_misleads():
    gender = {noun.hindi: noun.feminine for noun in (*WHOLE.things, *WHOLE.places)}
    assert not gender["पानी"]  # masculine in ी
    assert not gender["आलू"]
    assert gender["किताब"]  # feminine in a consonant
    assert gender["मेज़"]
    assert gender["चाय"]
    assert gender["पत्रिका"]  # feminine in ा
