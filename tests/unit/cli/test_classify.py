import io
import json
import sys

import pytest

from dragoman import trainer

RECIPE = """
name = "signs"
task.kind = "text-classification"
corpus = {kind = "generated-labels", task = "lag", texts = 60, held_out = 20}
tokenizer.kind = "words"
batches = {max_tokens = 512, max_length = 24}
model = {kind = "text-cnn", embedding_width = 8, filters = 8, kernel_sizes = [1]}
optimizer.learning_rate = 0.05
schedule.warmup_steps = 1
training = {steps = 40, threads = 1, device = "cpu", best_metric = "accuracy"}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    from dragoman.trainer import train

    folder = tmp_path_factory.mktemp("signs")
    (folder / "signs.toml").write_text(RECIPE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trainer, "draw_curves", lambda rows, path, title: path.write_bytes(b""))
        train(folder / "signs.toml", folder=folder / "run")
    return folder / "run"


TEXTS = ("a B c d", "a c D d", "A b d c", "b c a C", "c d B a", "D a a b", "b A c c", "d C b b")


def test_every_text_gets_a_line_with_its_class_and_how_sure_that_is(dragoman, folder):
    """The class is the one capital; a network that gives all texts one class finds two of eight."""
    code, out, _ = dragoman("classify", folder, *TEXTS)
    assert code == 0
    lines = [line.split("\t") for line in out.splitlines()]
    assert [line[2] for line in lines] == [*TEXTS]
    for label, share, text in lines:
        assert label == next(filter(str.isupper, text))
        assert 0.3 < float(share) <= 1


def test_lines_of_stdin_are_texts_and_an_empty_one_is_one_too(dragoman, folder, monkeypatch):
    _, given, _ = dragoman("classify", folder, "a B c d", "", "a c D d")
    typed = io.TextIOWrapper(io.BytesIO(b"a B c d\n\na c D d\n"))
    monkeypatch.setattr(sys, "stdin", typed)
    _, read, _ = dragoman("classify", folder)
    assert read == given
    assert len(read.splitlines()) == 3


def test_all_classes_are_shown_the_likeliest_first(dragoman, folder):
    _, out, _ = dragoman("classify", folder, "a B c d", "--all")
    first, *others = out.splitlines()
    shares = [(float(line.split("\t")[0]), line.split("\t")[1]) for line in others]
    assert sorted(label for _, label in shares) == ["A", "B", "C", "D"]
    assert [share for share, _ in shares] == sorted((s for s, _ in shares), reverse=True)
    assert first.split("\t")[:2] == [shares[0][1], f"{shares[0][0]:.4f}"]


def test_json_holds_everything(dragoman, folder):
    _, out, _ = dragoman("classify", folder, "a B c d", "--json")
    found = json.loads(out)
    assert found["text"] == "a B c d"
    assert found["probability"] == max(found["probabilities"].values())
    assert found["probabilities"][found["label"]] == found["probability"]


def test_evaluate_prints_the_classes_and_what_is_cheap(dragoman, folder):
    code, out, _ = dragoman("evaluate", folder)
    assert code == 0
    assert out.startswith("test: 20 texts, accuracy ")
    assert "; majority baseline (always '" in out
    assert "true class (rows), predicted class (columns)" in out
    _, out, _ = dragoman("evaluate", folder, "--json")
    (found,) = json.loads(out)
    assert found["name"] == "test"
    assert sum(map(sum, found["confusion"])) == found["texts"] == 20


def test_options_for_translators_are_refused(dragoman, folder):
    code, _, err = dragoman("evaluate", folder, "--beam", "3")
    assert code == 2
    assert "--beam is for translators, not for task.kind = 'text-classification'" in err


def test_bad_rows_are_one_line_with_file_and_line(dragoman, folder, tmp_path):
    (tmp_path / "bad.tsv").write_text("a B\tB\nnothing\n")
    code, _, err = dragoman("evaluate", folder, tmp_path / "bad.tsv")
    assert code == 2
    (line,) = err.splitlines()
    assert "bad.tsv:2: no tab" in line


def test_the_verb_explains_itself(dragoman):
    code, out, _ = dragoman("classify", "--help")
    assert (code, "dragoman classify" in out) == (0, True)
