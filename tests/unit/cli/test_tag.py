import io
import json
import shutil
import sys

import pytest
from tests.toy_tags import NETWORKS, write_marker

from dragoman import trainer

LINES = "the old cat\n\nthe oak sees the dog\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from dragoman.trainer import train

    folder = tmp_path_factory.mktemp("marker")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
        train(write_marker(folder), NETWORKS["bi-lstm"], folder=folder / "runs" / "marker")
    return folder / "runs" / "marker"


@pytest.fixture
def typed(monkeypatch):
    """Let stdin hold three lines, one of them empty."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LINES.encode())))


def test_each_line_comes_back_with_a_label_at_each_word(dragoman, folder, typed):
    code, out, _ = dragoman("tag", folder)
    assert code == 0
    assert out.splitlines() == [
        "the/B-ANIMAL old/I-ANIMAL cat/I-ANIMAL",
        "",
        "the/B-PLANT oak/I-PLANT sees/O the/B-ANIMAL dog/I-ANIMAL",
    ]


def test_files_are_read_as_stdin_is(dragoman, folder, typed, tmp_path):
    _, wanted, _ = dragoman("tag", folder)
    (tmp_path / "lines.txt").write_bytes(b"\xef\xbb\xbf" + LINES.replace("\n", "\r\n").encode())
    code, out, _ = dragoman("tag", folder, tmp_path / "lines.txt")
    assert (code, out) == (0, wanted)


def test_a_table_is_a_corpus_again(dragoman, folder, typed, tmp_path):
    folder = shutil.copytree(folder, tmp_path / "run")
    _, out, _ = dragoman("tag", folder, "--tsv")
    assert out.startswith("the\tB-ANIMAL\nold\tI-ANIMAL\ncat\tI-ANIMAL\n\n")
    (tmp_path / "own.tsv").write_text(out)
    code, out, _ = dragoman("evaluate", folder, tmp_path / "own.tsv", "--json")
    assert code == 0
    (found,) = json.loads(out)
    assert (found["sentences"], found["words"], found["accuracy"]) == (2, 8, 1.0)


def test_json_holds_everything(dragoman, folder, typed):
    _, out, _ = dragoman("tag", folder, "--json")
    first, empty, _ = map(json.loads, out.splitlines())
    assert first["words"] == ["the", "old", "cat"]
    assert first["labels"] == ["B-ANIMAL", "I-ANIMAL", "I-ANIMAL"]
    assert all(0 < share <= 1 for share in first["probabilities"])
    assert empty == {"words": [], "labels": [], "probabilities": []}


def test_mistakes_are_one_line_and_exit_code_2(dragoman, folder, tmp_path):
    (tmp_path / "bad.txt").write_bytes(b"the cat\n\xff\n")
    for arguments, words in (
        ((folder, "--tsv", "--json"), "--tsv and --json exclude each other"),
        ((folder, tmp_path / "bad.txt"), "bad.txt:2: not UTF-8"),
        ((folder, tmp_path / "none.txt"), "none.txt: no such file"),
        ((tmp_path / "nowhere",), "nowhere"),
    ):
        code, _, err = dragoman("tag", *arguments)
        assert code == 2
        (line,) = err.splitlines()
        assert words in line


@pytest.mark.parametrize("verb", ["classify", "translate", "fill", "generate", "score"])
def test_another_verb_names_this_one(dragoman, folder, verb, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a ___\n")))
    code, _, err = dragoman(verb, folder)
    assert code == 2
    assert "was made for task.kind = 'tagging'" in err
    assert "Use it with `dragoman tag`." in err


def test_evaluate_prints_the_labels_the_entities_and_what_is_cheap(dragoman, folder):
    code, out, _ = dragoman("evaluate", folder)
    assert code == 0
    assert out.startswith("test: 30 sentences, ")
    assert "\nentities: F1 " in out
    assert "\nbaselines: each word's most frequent label 0." in out
    assert "I-ANIMAL" in out
    _, out, _ = dragoman("evaluate", folder, "--json")
    (found,) = json.loads(out)
    assert sum(map(sum, found["confusion"])) == found["words"]
    code, _, err = dragoman("evaluate", folder, "--beam", "3")
    assert code == 2
    assert "--beam is for translators, not for task.kind = 'tagging'" in err


def test_runs_lists_it_with_its_score(dragoman, folder):
    dragoman("evaluate", folder)
    _, out, _ = dragoman("runs", folder.parent, "--json")
    (found,) = json.loads(out)
    assert (found["kind"], found["score"]["name"]) == ("tagging", "accuracy")
    scores = json.loads((folder / "scores.json").read_text())
    assert found["score"]["value"] == 100 * scores["test"]["accuracy"]


def test_it_is_not_served_and_the_refusal_says_what_is(dragoman, folder):
    code, _, err = dragoman("serve", folder, "--port", "0")
    assert code == 2
    assert "was trained for 'tagging', which is not served" in err


def test_the_verb_explains_itself_among_those_that_use_a_run(dragoman):
    code, out, _ = dragoman("tag", "--help")
    assert (code, "dragoman tag" in out) == (0, True)
    _, out, _ = dragoman("--help")
    use = out[out.index("Use") : out.index("Exchange")]
    assert " tag " in use
