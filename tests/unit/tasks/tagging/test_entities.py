"""Entities in BIO labels, beside a reference written as the script of CoNLL-2000 decides."""

import random

import pytest

from dragoman.tasks.tagging.entities import Entity, entities_of, is_bio, score_entities


def begins(before, label):
    """Whether an entity begins here, given the label before."""
    (sign_before, kind_before), (sign, kind) = before, label
    if sign == "B":
        return True
    return sign == "I" and (sign_before == "O" or kind_before != kind)


def ends(label, after):
    """Whether an entity that the first label is part of ends before the second."""
    (sign, kind), (sign_after, kind_after) = label, after
    return sign != "O" and (sign_after in ("B", "O") or kind != kind_after)


def counted(called, true):
    """Count right, called and true entities token by token, remembering only what is open."""
    right = said = are = 0
    for one, other in zip(called, true, strict=True):
        open_and_right = False
        rows = [[(label + "-").split("-")[:2] for label in side] for side in (one, other)]
        sides = [[("O", ""), *map(tuple, row), ("O", "")] for row in rows]
        for place in range(1, len(sides[0])):
            was, now = zip(*((side[place - 1], side[place]) for side in sides), strict=True)
            ended = [ends(a, b) for a, b in zip(was, now, strict=True)]
            began = [begins(a, b) for a, b in zip(was, now, strict=True)]
            if open_and_right:
                if all(ended):
                    right, open_and_right = right + 1, False
                elif any(ended):
                    open_and_right = False
            if all(began) and now[0][1] == now[1][1]:
                open_and_right = True
            elif any(began):
                open_and_right = False
            said, are = said + began[0], are + began[1]
    return right, said, are


@pytest.mark.parametrize("seed", range(40))
def test_the_figures_are_those_of_the_reference(seed):
    draw = random.Random(seed)
    labels = ["O", "B-X", "I-X", "B-Y", "I-Y"]
    true = [draw.choices(labels, k=draw.randint(1, 9)) for _ in range(20)]
    noisy = [[draw.choice(labels) if draw.random() < 0.3 else one for one in row] for row in true]
    for called in (true, noisy):
        found = score_entities(called, true)
        right, said, are = counted(called, true)
        assert (found.right, found.called, found.true) == (right, said, are)
        assert found.precision == pytest.approx(right / said)
        assert found.recall == pytest.approx(right / are)
        both = found.precision + found.recall
        assert found.f1 == pytest.approx(2 * found.precision * found.recall / both if both else 0)


def test_an_entity_is_right_only_as_a_whole():
    true = [["B-P", "I-P", "O", "B-L"]]
    assert score_entities(true, true).f1 == 1
    assert score_entities([["B-P", "O", "O", "B-L"]], true).right == 1
    assert score_entities([["B-L", "I-L", "O", "B-L"]], true).right == 1
    assert score_entities([["I-P", "I-P", "O", "I-L"]], true).f1 == 1


def test_two_entities_may_stand_side_by_side():
    assert entities_of(["B-P", "B-P", "I-P", "I-L"]) == [
        Entity(0, 1, "P"),
        Entity(1, 3, "P"),
        Entity(3, 4, "L"),
    ]


def test_of_nothing_the_shares_are_nothing():
    found = score_entities([["O", "O"]], [["O", "O"]])
    assert (found.precision, found.recall, found.f1) == (0, 0, 0)


@pytest.mark.parametrize(
    ("labels", "is_so"),
    [
        (("O", "B-PER", "I-PER"), True),
        (("B-PER", "I-PER-1"), True),
        (("O", "I-PER"), False),
        (("O", "B-PER", "NOUN"), False),
        (("O", "B-"), False),
        (("O",), False),
    ],
)
def test_labels_are_bio_where_each_is_one_of_three_and_some_begin(labels, is_so):
    assert is_bio(labels) == is_so
