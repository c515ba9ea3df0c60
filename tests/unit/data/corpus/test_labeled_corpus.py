from collections import Counter

import numpy as np
import pytest

from dragoman.config.corpus import GeneratedLabels, LabeledCorpus
from dragoman.core.errors import DataError
from dragoman.data.corpus.held_out_labeled import load_held_out_labeled, save_held_out_labeled
from dragoman.data.corpus.labeled import MOST_CLASSES, open_labeled, sizes
from dragoman.data.corpus.split import TEST, TRAIN, VALID
from dragoman.data.corpus.stratified import hold_out
from dragoman.data.formats.labeled import LabeledText

SIZES = {"rare": 10, "some": 40, "many": 150}


def rows_of(counts):
    return [
        f"{label} {number}\t{label}" for label, count in counts.items() for number in range(count)
    ]


@pytest.fixture
def write(tmp_path):
    def writing(lines, name="train.tsv"):
        path = tmp_path / name
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return path

    return writing


@pytest.fixture
def open_rows(write):
    """Give a function that opens rows, each TEXT, tab, CLASS."""

    def opening(lines, seed=1, **settings):
        return open_labeled(LabeledCorpus(train=(write(lines),), **settings), seed)

    return opening


def counts(rows):
    return dict(Counter(row.label for row in rows))


def test_every_set_has_the_same_share_of_each_class(open_rows):
    texts = open_rows(rows_of(SIZES))
    assert counts(texts.valid) == counts(texts.test) == {"rare": 1, "some": 4, "many": 15}
    assert counts(texts.train()) == texts.classes == {"rare": 8, "some": 32, "many": 120}


def test_every_row_is_in_one_set_and_none_is_lost(open_rows):
    lines = rows_of(SIZES)
    texts = open_rows(lines)
    whole = [f"{row.text}\t{row.label}" for row in (*texts.train(), *texts.valid, *texts.test)]
    assert sorted(whole) == sorted(lines)


def test_the_sets_follow_the_text_and_the_seed_and_not_the_order(open_rows):
    lines = rows_of(SIZES)
    one, other = open_rows(lines), open_rows(lines[::-1])
    assert {*one.valid} == {*other.valid}
    assert {*one.test} == {*other.test}
    assert {*open_rows(lines, seed=2).valid} != {*one.valid}


def test_a_seed_of_the_corpus_comes_before_that_of_the_recipe(write):
    settings = LabeledCorpus(train=(write(rows_of(SIZES)),), seed=7)
    assert open_labeled(settings, 1).valid == open_labeled(settings, 2).valid


def test_equal_texts_never_straddle_even_with_other_classes_and_blanks(open_rows):
    double = [f"text {n}\t{label}" for n in range(60) for label in ("a", "b")]
    blanks = [f" text {n} \ta" for n in range(60)]
    texts = open_rows([*double, *blanks])
    sets = [{row.text for row in part} for part in (texts.train(), texts.valid, texts.test)]
    assert sum(map(len, sets)) == len(set.union(*sets)) == 60
    assert any("60 rows dropped: the same text and class" in line for line in texts.findings)
    assert any("60 texts have more than one class" in line for line in texts.findings)


def test_texts_of_own_held_out_files_are_not_trained_on(write):
    train, valid = write(rows_of(SIZES)), write(["some 3\tsome", "rare 2\trare"], "valid.tsv")
    texts = open_labeled(LabeledCorpus(train=(train,), valid=(valid,)), 1)
    assert sorted(texts.valid) == [LabeledText("rare 2", "rare"), LabeledText("some 3", "some")]
    seen = {row.text for row in (*texts.train(), *texts.test)}
    assert not seen & {"some 3", "rare 2"}
    assert any("2 rows dropped from training" in line for line in texts.findings)
    assert texts.files == (train, valid)


def test_several_tables_are_read_one_after_the_other(write):
    files = (write(rows_of({"a": 20}), "a.tsv"), write(rows_of({"b": 20}), "b.tsv"))
    texts = open_labeled(LabeledCorpus(train=files), 1)
    assert texts.classes == {"a": 16, "b": 16}


def test_the_smallest_classes_are_trained_on_and_told(open_rows):
    texts = open_rows(rows_of({"many": 30, "two": 2, "three": 3}))
    assert texts.classes == {"many": 24, "three": 1, "two": 2}
    assert counts(texts.valid) == {"many": 3, "three": 1}
    assert "1 classes are too small to be held out for each set" in texts.findings


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["x\ta", "y\ta"], r"train.tsv:1: 'a' is the class of this text and of all others"),
        ([*rows_of(SIZES), "odd\tonly"], r"train.tsv:201: the class 'only' has one text only"),
        (["text\tlabel", *rows_of(SIZES)], r"train.tsv:1: the class 'label' .* a header"),
        (["  \ta", "x\t"], r"train.tsv: holds no text with a class"),
        (
            [f"x{n}\tc{n}" for n in range(MOST_CLASSES + 1)],
            r"train.tsv:1001: 'c1000' is class number 1,001, and 1,000 is the most",
        ),
        (["x\ta", "y\ta", "z\tb", "w\tb"], r"train.tsv: no class has texts enough"),
        (["x\ta", "y"], r"train.tsv:2: no tab"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_one_line(open_rows, lines, said):
    with pytest.raises(DataError, match=said) as error:
        open_rows(lines)
    assert "\n" not in str(error.value)


def test_a_held_out_class_that_is_never_trained_on_is_refused(write):
    train, valid = write(rows_of(SIZES)), write(["x\tsome", "y\tsmoe"], "valid.tsv")
    with pytest.raises(DataError, match=r"valid.tsv:2: the class 'smoe' .* Did you mean 'some'"):
        open_labeled(LabeledCorpus(train=(train,), valid=(valid,)), 1)
    empty = write([" \t "], "empty.tsv")
    with pytest.raises(DataError, match=r"empty.tsv: holds no text with a class"):
        open_labeled(LabeledCorpus(train=(train,), test=(empty,)), 1)


def test_a_class_whose_texts_are_all_held_out_by_the_user_is_refused(write):
    train = write([*rows_of(SIZES), "x\tgone", "y\tgone"])
    valid = write(["x\tgone", "y\tgone"], "valid.tsv")
    with pytest.raises(DataError, match=r"train.tsv:201: no text of the class 'gone' is left"):
        open_labeled(LabeledCorpus(train=(train,), valid=(valid,)), 1)


@pytest.mark.parametrize("wanted", [[VALID], [VALID, TEST]])
@pytest.mark.parametrize("share", [0.01, 0.3, 0.49])
def test_something_of_each_class_always_stays_to_train_on(wanted, share):
    random = np.random.default_rng(3)
    texts = random.integers(0, 2**63, 200, dtype=np.uint64)
    labels = random.integers(0, 40, 200).astype(np.uint16)
    sets = hold_out(texts, labels, np.full(200, TRAIN, np.uint8), wanted, share)
    assert {*labels[sets == TRAIN].tolist()} == {*labels.tolist()}
    sizes_ = [int((sets == which).sum()) for which in wanted]
    assert len({*sizes_}) == 1
    assert sizes_[0] >= 30


def test_held_out_rows_come_back_from_plain_tables(open_rows, tmp_path):
    texts = open_rows([*rows_of(SIZES), "“quoted” | | ｟3｠ \u2028 odd\tmany"])
    save_held_out_labeled(texts, tmp_path / "data")
    back = load_held_out_labeled(tmp_path / "data")
    assert (back.valid, back.test, back.findings) == (texts.valid, texts.test, texts.findings)
    assert list(back.classes.items()) == list(texts.classes.items())
    first = (tmp_path / "data/valid.tsv").read_text(encoding="utf-8").split("\n")[0]
    assert first.split("\t") == list(texts.valid[0])


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "test.tsv").unlink(),
        lambda folder: (folder / "valid.tsv").write_text("a\tb\n"),
        lambda folder: (folder / "valid.tsv").write_text("a\n" * 20),
        lambda folder: (folder / "split.json").write_text("[]"),
        lambda folder: (folder / "split.json").write_text("{"),
    ],
)
def test_a_damaged_split_is_refused(open_rows, tmp_path, damage):
    save_held_out_labeled(open_rows(rows_of(SIZES)), tmp_path / "data")
    damage(tmp_path / "data")
    with pytest.raises(DataError, match="Prepare the corpus again"):
        load_held_out_labeled(tmp_path / "data")


@pytest.mark.parametrize(
    ("task", "classes"),
    [
        ("agreement", {"plural", "singular"}),
        ("correctness", {"right", "wrong"}),
        ("lag", {"A", "B", "C", "D"}),
    ],
)
def test_drawn_texts_are_distinct_and_follow_the_seed(task, classes):
    settings = GeneratedLabels(task=task, texts=80, held_out=20)
    one, other = open_labeled(settings, 3), open_labeled(settings, 3)
    parts = [[*one.train()], one.valid, one.test]
    assert parts == [[*other.train()], other.valid, other.test]
    assert {*one.classes} == classes
    assert [len(part) for part in parts] == [80, 20, 20]
    texts = [row.text for part in parts for row in part]
    assert len(texts) == len({*texts})
    assert {*open_labeled(settings, 4).train()} != {*one.train()}


def test_the_arithmetic_is_the_grid_of_the_course():
    texts = open_labeled(GeneratedLabels(), 1)
    assert (texts.train_rows, len(texts.valid), len(texts.test)) == (448, 192, 160)
    assert counts(texts.valid)["positive"] == 143


def test_many_classes_are_told_by_the_largest():
    said = sizes({f"c{n}": n + 1 for n in range(30)})
    assert said.startswith("30 classes to train on: c29 30, c28 29, ")
    assert said.endswith("…, c0 1")
