import json
import re
from hashlib import sha256

import pytest

from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.tasks.common.set_names import name_of_files, origin_of


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "run").mkdir()
    return RunFolder(tmp_path / "run")


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    return write


def store(folder, files, settings="", ending=""):
    """Store an evaluation as `evaluate` does, and return the name it got."""
    name = name_of_files(folder, files, ending=ending) + settings
    stored = json.loads(folder.scores.read_text()) if folder.scores.is_file() else {}
    folder.scores.write_text(json.dumps(stored | {name: origin_of(files)}))
    return name


def test_a_set_is_called_like_its_first_file(folder, write):
    assert store(folder, [write("a/few.tsv", "1")]) == "few"
    assert store(folder, [write("a/near.en.txt", "1"), write("a/near.es.txt", "2")]) == "near"


def test_it_never_takes_the_name_of_a_set_of_the_run(folder, write):
    assert store(folder, [write("mine/test.tsv", "1")]) == "mine-test"
    assert store(folder, [write("other/Test.tsv", "2")]) == "other-Test"
    assert name_of_files(folder, [write("mine/unseen.tsv", "3")], ["unseen"]) == "mine-unseen"
    assert name_of_files(folder, [write("mine/test.tsv", "1")], ()) == "test"


def test_files_of_one_name_in_several_folders_are_told_apart(folder, write):
    files = [write(f"{place}/few.tsv", place) for place in ("a", "b", "c/b", "d/b")]
    names = [store(folder, [file]) for file in files]
    assert names[:2] == ["few", "b-few"]
    assert all(re.fullmatch("few-[0-9a-f]{8}", name) for name in names[2:])
    assert len({*names}) == 4
    assert [store(folder, [file]) for file in files] == names


def test_the_same_file_keeps_its_name_when_it_has_changed_or_moved(folder, write, tmp_path):
    path = write("a/few.tsv", "1")
    assert store(folder, [path]) == "few"
    path.write_text("2")
    assert store(folder, [path]) == "few"
    (tmp_path / "b").mkdir()
    assert store(folder, [path.rename(tmp_path / "b" / "few.tsv")]) == "few"


def test_a_name_belongs_to_one_file_by_whatever_settings_it_was_judged(folder, write):
    one, other = write("a/few.tsv", "1"), write("b/few.tsv", "2")
    assert store(folder, [one], ",beam=1") == "few,beam=1"
    assert store(folder, [other], ",beam=1") == "b-few,beam=1"
    assert store(folder, [one]) == "few"
    assert store(folder, [write("c/few,beam=1.tsv", "3")]) == "few-beam=1"


def test_one_file_for_two_languages_is_two_sets(folder, write):
    path = write("a/few.tsv", "1")
    names = [store(folder, [path], ending=ending) for ending in ("", "_es", "_fr", "_es")]
    assert names == ["few", "few_es", "few_fr", "few_es"]
    assert store(folder, [write("b/few_es.tsv", "2")]) == "b-few_es"


@pytest.mark.parametrize("former", [{"sentences": 3}, 3, {"files": 3}, {"files": [3]}])
def test_former_scores_of_an_unknown_file_are_kept(folder, write, former):
    folder.scores.write_text(json.dumps({"few": former}))
    assert store(folder, [write("a/few.tsv", "1")]) == "a-few"


def test_a_file_without_a_name_before_its_ending_has_one_all_the_same(folder, write):
    assert store(folder, [write("a/.tsv", "1")]) == "file"


def test_a_folder_is_known_by_the_files_in_it(folder, write, tmp_path):
    one = write("v1.2/cats/one.txt", "1").parents[1]
    write("other/v1.2/cats/one.txt", "1")
    assert store(folder, [one]) == "v1.2"
    assert (
        origin_of([one])["files"][0]["sha256"]
        == (origin_of([tmp_path / "other/v1.2"])["files"][0]["sha256"])
    )
    before = origin_of([one])
    write("v1.2/cats/two.txt", "2")
    assert origin_of([one]) != before


def test_where_a_set_came_from_is_its_path_and_the_digest_of_its_content(write):
    path = write("a/few.tsv", "1")
    wanted = {"path": str(path), "sha256": sha256(b"1").hexdigest()}
    assert origin_of([path]) == {"files": [wanted]}
    assert origin_of([]) == {}
