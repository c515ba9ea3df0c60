"""Selection restrictions: who does what to what, where and when."""

import re
from collections import Counter

import pytest

from dragoman.data.grammar.lexicon.lexicon import WHOLE
from dragoman.data.grammar.lexicon.tables import ontology
from dragoman.data.grammar.sample import draw_sets


@pytest.fixture(scope="module")
def sentences():
    return [e.source for e in draw_sets(pairs=16_000, held_out=5, difficulty=4, seed=12).train]


def test_every_word_of_the_tables_is_a_kind_or_a_noun():
    nouns = (
        *(*WHOLE.men, *WHOLE.women, *WHOLE.kin, *WHOLE.names, *WHOLE.titled, *WHOLE.animals),
        *(*WHOLE.things, *WHOLE.named, *WHOLE.places, *WHOLE.cities),
    )
    known = set().union(*(noun.sorts for noun in nouns))
    known |= {"people", "grown", "pronoun", "female-name"}
    for verb in WHOLE.verbs:
        assert verb.subjects | verb.objects <= known, verb.name
    for adjective in WHOLE.adjectives:
        assert adjective.suits <= known, adjective.english
    for liking in WHOLE.likings:
        assert liking.objects <= known, liking.english
    for event in WHOLE.events.values():
        assert event.objects | set(event.place[1:]) <= known, event.name
    assert {noun.kind for noun in nouns} - {"profession"} <= set(ontology())


def test_every_cause_and_sequence_names_events_that_have_their_words():
    verbs = {verb.name for verb in WHOLE.verbs}
    for link in (*WHOLE.causes, *WHOLE.sequences):
        for name in (link.cause, link.effect):
            event = WHOLE.events[name]
            assert event.kind != "verb" or event.word in verbs, name


@pytest.mark.parametrize(
    "absurd",
    [
        r"(broke|break|breaks|breaking) .*broken",
        r"(made|make|makes|making) .*\bold\b",
        r"(drive|drove|driven|driving) [^,]*(car|bus|truck) in the (library|kitchen|temple)",
        r"snakes? (will|can)? ?(not )?(run|walk)",
        r"burn",
        r"(sick|tired|sad) (\w+) (was|were|is|are) (sick|tired|sad)",
        r"old (student|schoolgirl|boy|girl|child)",
        r"(fat|greedy|ugly|lazy) (man|woman|farmer|tailor|driver|barber|carpenter|cook)",
        r"dirty (temple|mosque|church)",
        r"(eat|ate|eaten|eating).* (last|next) (year|month|week)",
        r"(servant|maid|washerman|milkmaid)",
        r"\b(he|Ram|Mohan|Ravi) (is|was) wearing .*(sari|skirt|dress)",
        r"(those|these) (fan|light|phone|computer)\b",
        r"(turn|turned|pick|picked|throw|threw) (on|off|up|away) it\b",
        r"(turn|turned|turning) (on|off) (two|three|four|five|some|many)",
        r"will not? ?(know|love|miss)\b",
        r"^(Do|Does|Did|Has|Have|Will|Can) (my|our) (brother|sister|son|mother|father)",
        r"(woman|man|nurse|farmer)s? used to (build|save|buy an? \w*(umbrella|car|house))",
        r"[Ww]hat (does|did|can|will) .* (spend|earn)\?",
        r"the (strong|weak|thin) (man|men|woman|women|boy|girl|lady|child|student)",
    ],
)
def test_what_careful_readers_found_absurd_is_not_said(sentences, absurd):
    pattern = re.compile(absurd, re.IGNORECASE)
    assert not [sentence for sentence in sentences if pattern.search(sentence)]


def test_no_occupation_is_over_represented(sentences):
    nouns = {
        form: noun for noun in (*WHOLE.men, *WHOLE.women) for form in (noun.english, noun.plural)
    }
    counted = Counter()
    for sentence in sentences:
        words = {word.strip(".,?") for word in sentence.split()}
        counted.update({nouns[word].english for word in words & nouns.keys()})
    share = {word: count / len(sentences) for word, count in counted.items()}
    assert share["king"] + share["queen"] < 0.01
    jobs = {
        noun.english for noun in (*WHOLE.men, *WHOLE.women) if noun.sorts & {"worker", "workeress"}
    }
    assert max(share[job] for job in jobs if job in share) < 0.03


def test_colored_flowers_bare_commands_and_plain_habits_are_drawn(sentences):
    text = "\n".join(sentences)
    assert re.search(r"(red|yellow|white|pink) (flower|rose)", text)
    assert re.search(r"^(Open|Close|Wash|Read|Come|Go|Bring|Give) [^,]*\.$", text, re.MULTILINE)
    assert re.search(r"^Please \w+", text, re.MULTILINE)
    assert re.search(
        r"^(He|She) (goes|comes|eats|drinks|reads|works|lives)[^,]*\.$", text, re.MULTILINE
    )
    assert re.search(r"^The (dog|cat|cow|tea|milk|coffee)s? (is|are|was|were) ", text, re.MULTILINE)
    assert re.search(r"is my (friend|brother|sister)", text)
