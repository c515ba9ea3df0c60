"""Plain text: documents, held-out sets, and what bad files do."""

import pytest

from dragoman.config.corpus import GrammarText, TextCorpus
from dragoman.core.errors import DataError
from dragoman.data.corpus.held_out_texts import load_held_out_texts, save_held_out_texts
from dragoman.data.corpus.text import open_texts


def write(path, documents):
    path.write_text("\n\n".join("\n".join(one) for one in documents) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def documents():
    return [[f"title {n}", f"a first line {n}", f"नमस्ते {n}"] for n in range(100)]


def opened(path, seed=1, **more):  # noqa: ANN003
    return open_texts(TextCorpus(train=(path,), **more), seed)


def test_documents_are_held_out_whole_and_nothing_is_lost(tmp_path, documents):
    texts = opened(write(tmp_path / "a.txt", documents))
    train = list(texts.train())
    assert len(texts.valid) == len(texts.test) == 5
    assert len(train) == texts.train_documents == 90
    assert sorted([*train, *texts.valid, *texts.test]) == sorted(documents)
    assert list(texts.train()) == train


def test_which_are_held_out_depends_on_the_seed_and_not_on_the_order(tmp_path, documents):
    here = opened(write(tmp_path / "a.txt", documents))
    turned = opened(write(tmp_path / "b.txt", documents[::-1]))
    other = opened(tmp_path / "a.txt", seed=2)
    assert sorted(here.valid) == sorted(turned.valid)
    assert sorted(here.test) == sorted(turned.test)
    assert sorted(here.valid) != sorted(other.valid)


def test_a_repeated_document_is_read_once_and_counted(tmp_path, documents):
    texts = opened(write(tmp_path / "a.txt", [*documents, documents[3], documents[4]]))
    assert texts.train_documents + len(texts.valid) + len(texts.test) == 100
    assert any("2 documents dropped: the same text stands earlier" in f for f in texts.findings)


def test_what_a_test_file_holds_is_not_trained_on(tmp_path, documents):
    test = write(tmp_path / "t.txt", documents[:7])
    texts = opened(write(tmp_path / "a.txt", documents), test=(test,))
    train = list(texts.train())
    assert texts.test == documents[:7]
    assert not any(one in train for one in documents[:7])
    assert any("7 documents dropped from training" in finding for finding in texts.findings)


def test_each_line_can_be_a_document(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("".join(f"line {n}\n\n" for n in range(50)))
    texts = opened(path, documents="lines")
    assert sorted(line for (line,) in [*texts.train(), *texts.valid, *texts.test]) == sorted(
        f"line {n}" for n in range(50)
    )


def test_lines_of_one_file_do_not_run_into_the_next(tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"only {name}")
    files = tuple(tmp_path / f"{name}.txt" for name in "ab")
    one = tmp_path / "v.txt"
    one.write_text("other\n")
    corpus = TextCorpus(train=files, valid=(one,), test=(one,))
    assert list(open_texts(corpus, 1).train()) == [["only a"], ["only b"]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "the file is empty"),
        (b"\n\n \n", "only 0 different documents"),
        (b"one\n\ntwo\n", "only 2 different documents"),
        (b"good\n\nba\xffd\n", "a.txt:3: not UTF-8"),
        (b"\xff\xfeo\0n\0", "UTF-16"),
    ],
)
def test_text_that_cannot_be_used_is_refused_with_its_place(tmp_path, content, said):
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        opened(path)


def test_marks_line_ends_and_nul_are_repaired_and_counted(tmp_path, documents):
    whole = "\r\n\r\n".join("\r\n".join(one) for one in documents)
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbf" + whole.encode().replace(b"title", b"ti\0tle"))
    texts = opened(tmp_path / "a.txt")
    assert sorted([*texts.train(), *texts.valid, *texts.test]) == sorted(documents)
    assert len(texts.findings) == 3


def test_held_out_documents_come_back_from_disk(tmp_path, documents):
    texts = opened(write(tmp_path / "a.txt", documents))
    save_held_out_texts(texts, tmp_path / "data")
    back = load_held_out_texts(tmp_path / "data")
    assert (back.valid, back.test) == (texts.valid, texts.test)
    (tmp_path / "data" / "valid.txt").write_text("gone\n\n")
    with pytest.raises(DataError, match=r"valid\.txt: 1 documents"):
        load_held_out_texts(tmp_path / "data")


@pytest.mark.parametrize(("language", "letter"), [("en", "e"), ("hi", "क")])
def test_one_side_of_the_grammar_is_text(language, letter):
    texts = open_texts(GrammarText(language=language, sentences=50, held_out=10), 1)
    assert (texts.train_documents, len(texts.valid), len(texts.test)) == (50, 10, 10)
    assert any(letter in line for (line,) in texts.train())
