import pytest

from dragoman.core.errors import DataError
from dragoman.data.batching.robustness import EMOJI, FOREIGN, LONG, SHORT, common_words, make_cases
from dragoman.data.formats.pair import Pair

SUBJECTS = {
    **{"the cat": "die katze", "the bird": "die meise"},
    **{"the dog": "der hund", "the old man": "der alte mann"},
}
VERBS = {"sleeps": "schläft", "sings": "singt", "reads a long letter": "liest einen langen brief"}
PLACES = {"here": "hier", "in the garden": "im garten", "today": "heute", "again": "wieder"}
PAIRS = [
    Pair(f"{a} {b} {c}.", f"{d} {e} {f}!")
    for a, d in SUBJECTS.items()
    for b, e in VERBS.items()
    for c, f in PLACES.items()
] + [Pair("stop!", "halt!"), Pair("come in!", "herein!"), Pair("go home.", "geh heim.")]
COUNT = 12


@pytest.fixture(scope="module")
def cases():
    return {case.name: case for case in make_cases(PAIRS, seed=4, count=COUNT)}


def test_every_case_has_its_lines_or_as_many_as_there_are(cases):
    few = {"very short": 2, "single words": len(cases["single words"].lines)}
    assert len(cases) == 11
    for name, case in cases.items():
        assert len(case.lines) == few.get(name, COUNT)
        assert len({line.source for line in case.lines}) == len(case.lines)


def test_the_seed_decides_everything():
    assert make_cases(PAIRS, 4, COUNT) == make_cases(PAIRS, 4, COUNT)
    one, other = (make_cases(PAIRS, seed, COUNT) for seed in (4, 5))
    assert all(a.lines != b.lines for a, b in zip(one[:9], other[:9], strict=True))


def test_each_changed_line_names_the_pair_it_was_made_of(cases):
    for name in ("capitals", "title case", "typos", "repeated marks", "emoji", "mixed scripts"):
        for line in cases[name].lines:
            (pair,) = line.plain
            assert pair in PAIRS
            assert line.source != pair.source
        assert cases[name].compared_with == "the same lines, plain"


def test_plain_lines_stand_as_they_are(cases):
    assert all(Pair(line.source, line.reference) in PAIRS for line in cases["plain"].lines)
    assert cases["plain"].compared_with == ""


def test_each_case_is_what_its_name_says(cases):
    for line in cases["capitals"].lines:
        assert (line.source, line.reference) == tuple(map(str.upper, line.plain[0]))
    for line in cases["title case"].lines:
        assert all(word[0].isupper() for word in line.source.split()[1:])
    for line in cases["typos"].lines:
        assert line.reference == line.plain[0].target
        assert abs(len(line.source) - len(line.plain[0].source)) <= 2
    for line in cases["repeated marks"].lines:
        for side, plain in zip((line.source, line.reference), line.plain[0], strict=True):
            assert side.rstrip(".!") == plain.rstrip(".!")
            assert len(side) - len(plain) in (1, 2)
            assert side[-1] == side[-2] == plain[-1]
    for line in cases["emoji"].lines:
        assert any(one in line.source and one in line.reference for one in EMOJI)
    for line in cases["target's language"].lines:
        assert line.source == line.reference == line.plain[0].target


def test_a_foreign_word_is_in_a_script_that_the_pairs_do_not_use(cases):
    strange = {word for name, words in FOREIGN.items() for word in words if name != "LATIN"}
    for line in cases["mixed scripts"].lines:
        (word,) = [word for word in strange if f"({word})" in line.source]
        assert line.reference.replace(f" ({word})", "") == line.plain[0].target
        assert line.source.replace(f" ({word})", "") == line.plain[0].source


def test_foreign_words_of_a_russian_corpus_are_not_russian():
    pairs = [Pair(f"дом номер {n}.", f"house number {n}.") for n in "абвгдежзик"]
    case = next(one for one in make_cases(pairs, 1, 10) if one.name == "mixed scripts")
    own = "".join(FOREIGN["CYRILLIC"] + FOREIGN["LATIN"])
    assert not any(word in own for line in case.lines for word in line.source.split("(")[1:])


def test_long_lines_are_pairs_in_a_row(cases):
    for line in cases["very long"].lines:
        assert line.source == " ".join(pair.source for pair in line.plain)
        assert line.reference == " ".join(pair.target for pair in line.plain)
        assert LONG <= len(line.source.split()) < LONG + 10


def test_short_lines_and_words_are_pairs_of_their_own(cases):
    for line in cases["very short"].lines:
        assert len(line.source.split()) in SHORT
        assert not line.plain
    words = {(line.source, line.reference) for line in cases["single words"].lines}
    assert ("stop!", "halt!") in words
    assert ("cat", "katze") in words
    assert all(len(source.split()) == 1 for source, _ in words)


def test_words_that_come_together_mean_each_other():
    found = dict(common_words(PAIRS))
    assert found["cat"] == "katze"
    assert found["sleeps"] == "schläft"
    assert found["again"] == "wieder"
    assert "the" not in found  # der as often as die
    assert "old" not in found  # alte as often as mann
    assert common_words([Pair("sun", "sonne")] * 2) == []


def test_tags_stay_before_what_is_changed():
    tagged = [Pair(f"｟30｠ {source}", target) for source, target in PAIRS]
    for case in make_cases(tagged, 4, COUNT):
        for line in case.lines:
            assert line.source.startswith("｟30｠ ")
            assert line.source.count("｟") == 1
            assert "｟" not in line.reference


def test_chinese_lines_are_no_single_words():
    pairs = [
        Pair(f"我们认识{n}老师很多年了。", f"we have known {n} for years.")
        for n in "王李张刘陈杨黄赵吴周徐孙"
    ]
    found = {case.name: case for case in make_cases(pairs, 1, 5)}
    assert len(found["plain"].lines) == 5
    assert len(found["very long"].lines) > 0
    assert not found["single words"].lines or all(
        len(line.source) < 5 for line in found["single words"].lines
    )


def test_without_pairs_there_is_nothing_to_make():
    with pytest.raises(DataError, match="no held-out pairs"):
        make_cases([])


def test_a_single_pair_is_enough():
    (plain, *others) = make_cases([Pair("hi", "hallo")], 1, 5)
    assert len(plain.lines) == 1
    assert all(len(case.lines) <= 5 for case in others)
