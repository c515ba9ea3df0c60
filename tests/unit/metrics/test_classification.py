import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.core.errors import DataError
from dragoman.metrics.classification import classification_scores, majority, table

TRUE = ["cat", "cat", "cat", "cat", "dog", "dog", "dog", "fox", "fox", "fox"]
CALLED = ["cat", "cat", "dog", "fox", "dog", "dog", "cat", "fox", "cat", "cat"]


def test_the_scores_of_an_example_worked_by_hand():
    result = classification_scores(CALLED, TRUE)
    assert result.labels == ("cat", "dog", "fox")
    assert result.confusion == ((2, 1, 1), (1, 2, 0), (2, 0, 1))
    assert [each.precision for each in result.classes] == pytest.approx([2 / 5, 2 / 3, 1 / 2])
    assert [each.recall for each in result.classes] == pytest.approx([2 / 4, 2 / 3, 1 / 3])
    assert [each.f1 for each in result.classes] == pytest.approx([4 / 9, 2 / 3, 2 / 5])
    assert [(each.texts, each.called) for each in result.classes] == [(4, 5), (3, 3), (3, 2)]
    assert result.accuracy == result.micro_f1 == 0.5
    assert result.macro_f1 == pytest.approx((4 / 9 + 2 / 3 + 2 / 5) / 3)


def by_definition(called, true, labels):
    """Compute what scikit-learn's user guide defines, text by text."""
    pairs = [*zip(called, true, strict=True)]
    scores = {}
    for label in labels:
        tp = sum(c == label and t == label for c, t in pairs)
        fp = sum(c == label and t != label for c, t in pairs)
        fn = sum(c != label and t == label for c, t in pairs)
        precision = tp / (tp + fp) if tp + fp else 0
        recall = tp / (tp + fn) if tp + fn else 0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0
        scores[label] = (precision, recall, f1, tp, fp, fn)
    tp, fp, fn = (sum(score[place] for score in scores.values()) for place in (3, 4, 5))
    p, r = tp / (tp + fp), tp / (tp + fn)
    micro = 2 * p * r / (p + r) if p + r else 0
    macro = sum(score[2] for score in scores.values()) / len(labels)
    return scores, micro, macro, sum(c == t for c, t in pairs) / len(pairs)


LABELS = st.integers(0, 3)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=30), st.booleans())
def test_any_answers_are_judged_by_the_published_definitions(pairs, all_named):
    called, true = zip(*pairs, strict=True)
    labels = [0, 1, 2, 3] if all_named else sorted({*called, *true})
    result = classification_scores(called, true, labels if all_named else None)
    scores, micro, macro, accuracy = by_definition(called, true, labels)
    assert result.labels == tuple(labels)
    for each in result.classes:
        assert (each.precision, each.recall, each.f1) == pytest.approx(scores[each.label][:3])
    assert result.micro_f1 == pytest.approx(micro)
    assert result.macro_f1 == pytest.approx(macro)
    assert result.accuracy == pytest.approx(accuracy) == pytest.approx(result.micro_f1)
    for row, label in zip(result.confusion, labels, strict=True):
        assert row == tuple(sum(c == column and t == label for c, t in pairs) for column in labels)


def test_a_share_of_nothing_is_nought():
    result = classification_scores(["a", "a"], ["a", "b"], ["a", "b", "c"])
    never_called, never_there = result.classes[1:]
    assert (never_called.precision, never_called.recall, never_called.f1) == (0, 0, 0)
    assert (never_there.precision, never_there.recall, never_there.f1) == (0, 0, 0)
    assert result.macro_f1 == pytest.approx((2 / 3) / 3)


def test_the_most_frequent_class_of_the_training_set_is_the_baseline():
    seen = ["dog"] * 5 + ["cat"] * 4
    baseline = majority(TRUE, seen)
    assert baseline.accuracy == 0.3
    assert baseline.labels == ("cat", "dog", "fox")
    assert majority(TRUE).accuracy == 0.4
    assert majority(["b", "a"]).confusion == ((1, 0), (1, 0))  # of two the first
    assert majority([1, 1], [0, 0]).accuracy == 0.0
    with pytest.raises(DataError, match="no texts to take the most frequent class from"):
        majority([1], [])


def test_the_order_of_the_texts_does_not_matter():
    pairs = [*zip(CALLED, TRUE, strict=True)]
    random.Random(1).shuffle(pairs)
    assert classification_scores(*zip(*pairs, strict=True)) == classification_scores(CALLED, TRUE)


def test_the_table_is_for_people():
    text = table(classification_scores(CALLED, TRUE), majority(TRUE))
    assert text == (
        "class  precision  recall     F1  texts  predicted\n"
        "cat        0.400   0.500  0.444      4          5\n"
        "dog        0.667   0.667  0.667      3          3\n"
        "fox        0.500   0.333  0.400      3          2\n"
        "\n"
        "accuracy: 0.500   macro-F1: 0.504   micro-F1: 0.500\n"
        "\n"
        "accuracy of the majority baseline: 0.400   macro-F1: 0.190   micro-F1: 0.400\n"
        "\n"
        "true class (rows), predicted class (columns)\n"
        "     cat  dog  fox\n"
        "cat    2    1    1\n"
        "dog    1    2    0\n"
        "fox    2    0    1\n"
    )
    assert "majority" not in table(classification_scores(CALLED, TRUE))


def test_numbers_and_words_may_name_classes():
    assert classification_scores([1, "b", 10], ["a", 2, 10]).labels == (1, 2, 10, "a", "b")


def test_answers_that_fit_no_text_are_refused():
    with pytest.raises(DataError, match="2 answers for 1 texts"):
        classification_scores(["a", "b"], ["a"])
    with pytest.raises(DataError, match="0 answers for 0 texts"):
        classification_scores([], [])
    with pytest.raises(DataError, match="these are not named: b, c"):
        classification_scores(["c"], ["b"], ["a"])
    with pytest.raises(DataError, match="named once each"):
        classification_scores(["a"], ["a"], ["a", "a"])
