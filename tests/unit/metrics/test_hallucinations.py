import pytest

from dragoman.metrics.hallucinations import UsualRatios, hallucination_reason

PAIRS = [("i see the red house", "मैं लाल घर देखता हूँ"), ("it is good", "यह अच्छा है")] * 20


@pytest.mark.parametrize(
    ("source", "target", "why"),
    [
        ("we know tom", "", "empty"),
        ("we know tom", "  ", "empty"),
        ("we know tom", "wir wir wir wir wir", "loop"),
        ("no", "a long tale of many other things that nobody has said, and more of it, and "
         "still more of that which was never there, going on and on", "longer"),
        ("a long tale of many other things that somebody has really said, and more of it, and "
         "still more of that which was there, going on and on", "no", "shorter"),
        ("", "something", "longer"),
        ("", "", None),
        ("we know tom", "wir kennen tom", None),
        ("ha ha ha ha", "ja, ja, ja, ja", None),
    ],
)  # fmt: skip
def test_what_cannot_be_a_translation_is_told_why(source, target, why):
    assert hallucination_reason(source, target) == why


def test_a_copy_in_the_wrong_script_is_told_where_scripts_are_known():
    usual = UsualRatios.of(PAIRS)
    assert usual.scripts == {"DEVANAGARI"}
    assert hallucination_reason("the house is red", "the house is red", usual) == "script"
    assert hallucination_reason("the house is red", "घर लाल है", usual) is None
    assert hallucination_reason("GNU", "GNU", usual) is None  # too short to tell: a name
    assert hallucination_reason("the house is red", "the house is red") is None


def test_lengths_are_judged_by_the_pairs():
    even = UsualRatios.of([("a" * n, "b" * n) for n in range(1, 80)])
    double = UsualRatios.of([("a" * n, "b" * 3 * n) for n in range(1, 80)])
    source, tripled = "x y z " * 10, "p q r s t " * 18
    target = " ".join(f"w{n}" for n in range(len(tripled) // 3))
    assert hallucination_reason(source, target, even) == "longer"
    assert hallucination_reason(source, target, double) is None


@pytest.mark.parametrize("pair", PAIRS[:2])
def test_no_pair_that_was_learned_from_is_strange(pair):
    assert hallucination_reason(*pair, UsualRatios.of(PAIRS)) is None


def test_of_no_pairs_nothing_is_learned():
    assert UsualRatios.of([]) == UsualRatios()
