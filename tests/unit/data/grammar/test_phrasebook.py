"""The phrasebook: lines, templates, variants, and what it must not hold."""

import re
from itertools import product
from pathlib import Path
from random import Random
from unicodedata import is_normalized

import pytest

from dragoman.data.grammar.english.contractions import contract
from dragoman.data.grammar.phrasebook.book import (
    Template,
    draw,
    known,
    lines,
    near_variants,
    templates,
    variants,
)
from dragoman.data.grammar.sample import draw_sets

HUNDRED = next(up for up in Path(__file__).parents if (up / "golden").is_dir()) / "golden"


def normal(text):
    return re.sub(r"[^a-z0-9 ]", "", text.lower()).strip()


def filled():
    for template in templates():
        places = range(len(template.slots))
        for words in product(*[template.choices(place) for place in places]):
            yield template.fill(words)


def test_there_are_more_than_five_hundred_lines_and_templates_beside_them():
    assert len(lines()) >= 500
    assert len(templates()) >= 200
    assert len({phrase.english for phrase in lines()}) == len(lines())


def test_the_examples_of_the_course_are_among_them():
    book = {phrase.english: phrase.hindi for phrase in lines()}
    assert book["Nice to meet you."] == "आपसे मिलकर अच्छा लगा।"
    assert book["Turn off the lights."] == "बत्तियाँ बंद कर दो।"
    assert book["I am a good boy."] == "मैं एक अच्छा लड़का हूँ।"
    assert book["It is a piece of cake."] == "यह तो बाएँ हाथ का खेल है।"


def test_no_line_or_filled_template_is_one_of_the_hundred_sentences():
    rows = (HUNDRED / "everyday-100.tsv").read_text(encoding="utf-8").splitlines()
    hundred = {normal(row.split("\t")[0]) for row in rows}
    assert len(hundred) == 100
    for phrase in (*lines(), *variants(), *filled()):
        assert normal(phrase.english) not in hundred
        assert normal(contract(phrase.english)) not in hundred


def test_every_line_is_well_formed():
    for phrase in (*lines(), *variants(), *filled()):
        assert is_normalized("NFC", phrase.hindi)
        assert phrase.english[0].isupper() or phrase.english[0].isdigit()
        assert phrase.english[-1] in ".?!"
        assert phrase.hindi[-1] in "।?!"
        assert not re.search(r"[\[\]{}|]|  ", phrase.english + phrase.hindi)
        assert not re.search("[A-Za-z]", phrase.hindi)


def test_both_sides_of_a_template_have_the_same_slots():
    slot = re.compile(r"\{(\w+)")
    for template in templates():
        assert set(slot.findall(template.english)) == set(slot.findall(template.hindi))


def test_the_same_english_never_has_two_translations():
    book = {}
    for phrase in (*lines(), *variants()):
        assert book.setdefault(phrase.english, phrase.hindi) == phrase.hindi
    for phrase in filled():
        assert book.setdefault(phrase.english, phrase.hindi) == phrase.hindi, phrase.english


def test_a_slot_agrees_and_takes_its_oblique_form():
    how = Template("How is your {kin}?", "[आपका|आपकी|आपके|आपकी] {kin} [है|है|हैं|हैं]?")
    said = {fill.english: how.fill((fill,)).hindi for fill in how.choices(0)}
    assert said["brother"] == "आपका भाई है?"
    assert said["sister"] == "आपकी बहन है?"
    assert said["father"] == "आपके पिताजी हैं?"
    assert said["mother"] == "आपकी माँ हैं?"
    thing = Template("A {thing}, please.", "{thing.o} के लिए")
    said = {fill.english: thing.fill((fill,)) for fill in thing.choices(0)}
    assert said["umbrella"].english == "An umbrella, please."
    assert said["umbrella"].hindi == "छाते के लिए"


def test_training_shows_neither_variants_nor_held_out_words_and_the_test_shows_nothing_else():
    random = Random(1)
    drawn = [draw(random) for _ in range(5000)]
    assert not any(phrase.held_out for phrase in drawn)
    test, valid = (
        {phrase.english for phrase in near_variants(10_000, Random(2), validation=half)}
        for half in (False, True)
    )
    assert min(len(test), len(valid)) > 80
    assert not test & valid
    assert not (test | valid) & {phrase.english for phrase in drawn}
    assert len({phrase.english for phrase in variants()} & (test | valid)) > 50


def test_a_share_of_training_is_told_by_the_phrasebook_and_the_grammar_leaves_it_its_lines():
    sets = draw_sets(pairs=2000, held_out=20, difficulty=3, seed=4, phrasebook=0.25)
    told = [e for e in sets.train if e.construction == "phrasebook"]
    assert len(sets.train) == 2000
    assert 0.2 < len(told) / 2000 < 0.3
    assert sets.everyday
    others = [*sets.valid, *sets.unseen, *sets.combinations]
    others += [e for e in sets.train if e.construction != "phrasebook"]
    assert not {e.source for e in others} & known()
    assert not {e.source for e in sets.everyday} & {e.source for e in sets.train}


def test_training_grows_without_changing_what_it_had():
    wanted = {"held_out": 10, "difficulty": 2, "seed": 5, "phrasebook": 0.2}
    small, large = (draw_sets(pairs=pairs, **wanted) for pairs in (100, 300))
    assert small.train == large.train[:100]
    assert small.everyday == large.everyday


def test_some_pairs_are_typed_as_people_type():
    sets = draw_sets(pairs=3000, held_out=5, difficulty=3, seed=4, phrasebook=0.2)
    assert any("'" in e.source for e in sets.train)
    unpointed = [e for e in sets.train if e.source[-1] not in ".?!"]
    assert 0.05 < len(unpointed) / 3000 < 0.12
    assert all(e.source == e.source.lower() and e.target[-1] not in "।?!" for e in unpointed)


@pytest.mark.parametrize(
    ("long", "short"),
    [
        ("I am tired.", "I'm tired."),
        ("Do not go there.", "Don't go there."),
        ("She cannot swim.", "She can't swim."),
        ("It is hot.", "It's hot."),
        ("I have eaten.", "I've eaten."),
        ("I have a pen.", "I have a pen."),
        ("Ram slept.", "Ram slept."),
    ],
)
def test_english_is_contracted_where_it_can_be(long, short):
    assert contract(long) == short
