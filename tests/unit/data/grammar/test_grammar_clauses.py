"""Trees built by hand, and what they must say."""

from dataclasses import replace

import pytest

from dragoman.data.grammar.lexicon.determiners import BARE, POSSESSIVES, THE, A, numerals
from dragoman.data.grammar.lexicon.lexicon import WHOLE
from dragoman.data.grammar.sample import realize
from dragoman.data.grammar.syntax.adjuncts import Extras
from dragoman.data.grammar.syntax.clauses import VerbClause
from dragoman.data.grammar.syntax.nominals import HE, SHE, WHO, I, Phrase
from dragoman.data.grammar.syntax.relatives import (
    Arrival,
    LastRelative,
    ObjectRelative,
    SubjectRelative,
)
from dragoman.data.grammar.syntax.sentences import Command, QuestionSentence, Statement
from dragoman.data.grammar.syntax.states import Quality
from dragoman.data.grammar.tenses import Tense

NOUNS = {
    noun.english: noun
    for noun in (
        *WHOLE.men,
        *WHOLE.women,
        *WHOLE.kin,
        *WHOLE.names,
        *WHOLE.titled,
        *WHOLE.things,
        *WHOLE.named,
    )
}
RAM, SITA = Phrase(NOUNS["Ram"]), Phrase(NOUNS["Sita"])
MY, HIS = POSSESSIVES[0], POSSESSIVES[3]


def verb(english, particle=""):
    """Give a verb of people, with an object if it can have one."""
    found = [v for v in WHOLE.verbs if (v.english, v.particle) == (english, particle)]
    return max(found, key=lambda v: (bool(v.objects), bool(v.subjects & {"people", "grown"})))


def adjective(english):
    return next(a for a in WHOLE.adjectives if a.english == english)


def the(noun, plural=False):
    return Phrase(NOUNS[noun], plural, THE)


def say(clause):
    example = realize(Statement("", clause))
    return example.source, example.target


EATEN = the("roti")


@pytest.mark.parametrize(
    ("tense", "english", "hindi"),
    [
        (Tense.USED_TO, "Sita used to eat the roti.", "सीता रोटी खाती थी।"),
        (Tense.PROGRESSIVE, "Sita is eating the roti.", "सीता रोटी खा रही है।"),
        (Tense.PAST_PROGRESSIVE, "Sita was eating the roti.", "सीता रोटी खा रही थी।"),
        (Tense.PAST, "Sita ate the roti.", "सीता ने रोटी खाई।"),
        (Tense.PERFECT, "Sita has eaten the roti.", "सीता ने रोटी खाई है।"),
        (Tense.PLUPERFECT, "Sita had eaten the roti.", "सीता ने रोटी खाई थी।"),
        (Tense.FUTURE, "Sita will eat the roti.", "सीता रोटी खाएगी।"),
        (Tense.CAN, "Sita can eat the roti.", "सीता रोटी खा सकती है।"),
        (Tense.WAS_ABLE, "Sita was able to eat the roti.", "सीता रोटी खा सकी।"),
        (Tense.WANT, "Sita wants to eat the roti.", "सीता रोटी खाना चाहती है।"),
        (Tense.HAVE_TO, "Sita has to eat the roti.", "सीता को रोटी खानी है।"),
        (Tense.HAD_TO, "Sita had to eat the roti.", "सीता को रोटी खानी पड़ी।"),
        (Tense.SHOULD, "Sita should eat the roti.", "सीता को रोटी खानी चाहिए।"),
        (Tense.BEGAN, "Sita began to eat the roti.", "सीता रोटी खाने लगी।"),
        (Tense.ALREADY, "Sita has already eaten the roti.", "सीता रोटी खा चुकी है।"),
    ],
)
def test_every_tense_is_said_in_both_languages(tense, english, hindi):
    assert say(VerbClause(SITA, verb("eat"), tense, EATEN)) == (english, hindi)


def test_the_perfective_of_a_transitive_verb_agrees_with_its_object():
    books = Phrase(NOUNS["book"], True, numerals[0])
    assert say(VerbClause(RAM, verb("buy"), Tense.PAST, books))[1] == "राम ने दो किताबें ख़रीदीं।"
    assert say(VerbClause(SITA, verb("buy"), Tense.PAST, the("shirt")))[1] == "सीता ने क़मीज़ ख़रीदी।"
    assert say(VerbClause(SITA, verb("buy"), Tense.PAST, the("toy")))[1] == "सीता ने खिलौना ख़रीदा।"


def test_a_marked_object_leaves_the_perfective_masculine_singular():
    clause = VerbClause(SITA, verb("see"), Tense.PAST, the("girl", True))
    assert say(clause)[1] == "सीता ने लड़कियों को देखा।"


def test_bringing_and_forgetting_take_no_ergative_and_speaking_a_language_does():
    assert say(VerbClause(SITA, verb("bring"), Tense.PAST, the("pen")))[1] == "सीता पेन लाई।"
    assert say(VerbClause(SITA, verb("forget"), Tense.PAST, the("song")))[1] == "सीता गाना भूल गई।"
    hindi = Phrase(NOUNS["Hindi"])
    assert say(VerbClause(RAM, verb("speak"), Tense.PAST, hindi))[1] == "राम ने हिंदी बोली।"
    assert say(VerbClause(RAM, verb("speak"), Tense.HAD_IF, hindi))[1] == "राम ने हिंदी बोली होती।"


def test_a_conjunct_verb_agrees_with_its_own_noun():
    assert say(VerbClause(RAM, verb("help"), Tense.PAST, SITA))[1] == "राम ने सीता की मदद की।"
    waiting = VerbClause(SITA, verb("wait", "for"), Tense.PAST, the("girl"))
    assert say(waiting)[1] == "सीता ने लड़की का इंतज़ार किया।"


def test_the_compound_verb_gives_way_to_the_simple_one_under_negation():
    closing = VerbClause(RAM, verb("close"), Tense.PAST, the("window"))
    assert say(closing)[1] == "राम ने खिड़की बंद कर दी।"
    assert say(replace(closing, negative=True))[1] == "राम ने खिड़की बंद नहीं की।"
    assert say(VerbClause(SITA, verb("go", "away"), Tense.PAST))[1] == "सीता चली गई।"


def test_a_thing_that_is_denied_is_any_thing():
    book = Phrase(NOUNS["book"], False, A)
    clause = VerbClause(RAM, verb("buy"), Tense.PAST, book, negative=True)
    assert say(clause) == ("Ram did not buy a book.", "राम ने कोई किताब नहीं ख़रीदी।")
    girl = VerbClause(RAM, verb("see"), Tense.PAST, Phrase(NOUNS["girl"], False, A), negative=True)
    assert say(girl)[1] == "राम ने किसी लड़की को नहीं देखा।"


def test_the_same_word_means_yesterday_or_tomorrow_and_the_tense_decides():
    yesterday = next(time for time in WHOLE.times if time.english == "yesterday")
    tomorrow = next(time for time in WHOLE.times if time.english == "tomorrow")
    came = VerbClause(RAM, verb("come"), Tense.PAST, extras=Extras(time=yesterday))
    will = VerbClause(RAM, verb("come"), Tense.FUTURE, extras=Extras(time=tomorrow))
    assert say(came) == ("Ram came yesterday.", "राम कल आया।")
    assert say(will) == ("Ram will come tomorrow.", "राम कल आएगा।")


def test_a_possessive_of_the_subject_is_reflexive():
    his = Phrase(NOUNS["book"], False, HIS)
    assert say(VerbClause(RAM, verb("read"), Tense.PAST, his))[1] == "राम ने अपनी किताब पढ़ी।"
    assert say(VerbClause(SITA, verb("read"), Tense.PAST, his))[1] == "सीता ने उसकी किताब पढ़ी।"


def test_a_relative_one_respects_takes_the_plural():
    father = Phrase(NOUNS["father"], False, MY)
    assert say(VerbClause(father, verb("come"), Tense.PAST)) == ("My father came.", "मेरे पिताजी आए।")
    mr = Phrase(NOUNS["Mr. Sharma"])
    assert say(VerbClause(mr, verb("come"), Tense.PERFECT))[1] == "शर्मा जी आए हैं।"


def test_first_person_is_masculine_by_convention_and_third_shows_its_gender():
    assert say(VerbClause(I, verb("come"), Tense.FUTURE)) == ("I will come.", "मैं आऊँगा।")
    assert say(VerbClause(HE, verb("come"), Tense.PAST))[1] == "वह आया।"
    assert say(VerbClause(SHE, verb("come"), Tense.PAST))[1] == "वह आई।"


def test_who_is_asked_in_the_case_of_the_subject():
    clause = VerbClause(WHO, verb("eat"), Tense.PAST, EATEN)
    asked = realize(QuestionSentence("wh-question", clause, "", "", "subject"))
    assert (asked.source, asked.target) == ("Who ate the roti?", "रोटी किसने खाई?")


def test_a_question_word_follows_the_noun_of_a_conjunct_verb():
    clause = VerbClause(WHO, verb("help"), Tense.PAST, SITA)
    asked = realize(QuestionSentence("wh-question", clause, "", "", "subject"))
    assert (asked.source, asked.target) == ("Who helped Sita?", "सीता की मदद किसने की?")
    clause = VerbClause(RAM, verb("wait", "for"), Tense.PROGRESSIVE, SITA)
    asked = realize(QuestionSentence("wh-question", clause, "why", "क्यों"))
    assert asked.target == "राम सीता का इंतज़ार क्यों कर रहा है?"


@pytest.mark.parametrize(
    ("name", "negative", "hindi"),
    [
        ("Little one", False, "मुन्ने, खड़ा हो जा।"),
        ("Ram", False, "राम, खड़े हो जाओ।"),
        ("Sir", False, "सर, खड़े हो जाइए।"),
        ("Madam", False, "मैडम, खड़ी हो जाइए।"),
        ("Ram", True, "राम, खड़े मत हो।"),
    ],
)
def test_the_vocative_decides_the_form_of_a_command(name, negative, hindi):
    vocative = next(v for v in WHOLE.vocatives if v.english == name)
    clause = VerbClause(HE, verb("stand", "up"), Tense.PERFECT, negative=negative)
    assert realize(Command(vocative, clause, False)).target == hindi


def test_a_relative_clause_stands_first_and_is_resumed():
    pulled = VerbClause(the("man"), verb("pull"), Tense.PAST, the("cart"))
    tired = Quality(the("man"), adjective("tired"), "past")
    arrival = Arrival(the("king"), verb("arrive"))
    example = realize(SubjectRelative(the("man"), pulled, tired, arrival))
    assert example.source == "The man who pulled the cart when the king arrived was tired."
    assert example.target == "जिस आदमी ने राजा के पहुँचने पर ठेला खींचा, वह थका हुआ था।"


def test_an_object_relative_agrees_with_its_head():
    bought = VerbClause(RAM, verb("buy"), Tense.PAST, the("book", True))
    example = realize(ObjectRelative(bought, Quality(RAM, adjective("new"), "present")))
    assert example.source == "The books that Ram bought are new."
    assert example.target == "जो किताबें राम ने ख़रीदीं, वे नई हैं।"


def test_a_late_relative_takes_the_case_of_its_own_clause():
    met = VerbClause(RAM, verb("meet"), Tense.PAST, the("woman"))
    sold = VerbClause(RAM, verb("sell"), Tense.PAST, Phrase(NOUNS["cart"], False, A))
    example = realize(LastRelative(met, sold))
    assert example.source == "Ram met the woman who sold a cart."
    assert example.target == "राम उस औरत से मिला, जिसने एक ठेला बेच दिया।"


def test_words_of_the_same_meaning_are_aligned():
    water = Phrase(NOUNS["water"], False, BARE)
    example = realize(Statement("", VerbClause(SITA, verb("drink"), Tense.PROGRESSIVE, water)))
    source, target = example.source.split(), example.target.split()
    said = {(source[i], target[j]) for i, j in example.alignment}
    assert {("Sita", "सीता"), ("water.", "पानी"), ("drinking", "पी"), ("is", "है।")} <= said
