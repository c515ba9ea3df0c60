"""Reports are kept: used again for the same content, never for another, and never in the way."""

import errno
import json
import os
import random
import shutil
from pathlib import Path

import pytest

from dragoman.config.corpus import FilesCorpus
from dragoman.core.cache import cache_folder
from dragoman.core.errors import ReadError
from dragoman.data.corpus.doctor import report_cache
from dragoman.data.corpus.doctor.examine import examine
from dragoman.data.corpus.doctor.report import CorpusReport
from dragoman.data.corpus.doctor.report_cache import examine_once
from dragoman.data.corpus.doctor.symptoms import Symptom
from dragoman.data.formats import lines


@pytest.fixture(autouse=True)
def _empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def file(tmp_path):
    """Give a corpus with an empty side in line 8 and a copy in line 3."""
    draw = random.Random(1)
    rows = [[str(draw.randrange(10**9)) for _ in range(2)] for _ in range(30)]
    rows[7][1], rows[2] = " ", ["the same", "the same"]
    path = tmp_path / "a.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows))
    return path


def entries():
    folder = cache_folder() / "doctor"
    return sorted(folder.iterdir()) if folder.is_dir() else []


def mark_the_only_entry():
    """Change what the kept report says, so that it is known when it comes back."""
    (path,) = entries()
    record = json.loads(path.read_text())
    record["report"]["findings"][0]["count"] = 77
    path.write_text(json.dumps(record))
    return path


def counts(report):
    return [finding.count for finding in report.findings]


def test_a_report_comes_back_from_json_as_it_was(file):
    report = examine(FilesCorpus(train=file))
    assert len(report.findings) == 2
    assert CorpusReport.from_json(json.loads(json.dumps(report.to_json()))) == report


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 2},
        {"pairs": {"train": "30"}},
        {"pairs": None},
        {"findings": [{}]},
        {"findings": [None]},
        {"findings": 3},
        {"sampled_for_language": True},
    ],
)
def test_what_is_no_report_is_a_value_error(file, change):
    record = examine(FilesCorpus(train=file)).to_json()
    with pytest.raises(ValueError, match=r"."):
        CorpusReport.from_json(record | change)


@pytest.mark.parametrize(
    "change", [{"finding": "plague"}, {"treatment": "pray"}, {"count": 1.5}, {"lines": ["8"]}]
)
def test_a_finding_that_nobody_knows_is_a_value_error(file, change):
    record = examine(FilesCorpus(train=file)).to_json()
    record["findings"][0] |= change
    with pytest.raises(ValueError, match=r"."):
        CorpusReport.from_json(record)


def test_the_second_look_at_the_same_files_is_the_first_report(file):
    settings = FilesCorpus(train=file)
    first = examine_once(settings)
    assert first == examine(settings)
    assert examine_once(settings) == first
    mark_the_only_entry()
    assert counts(examine_once(settings)) == [77, 1]


def test_one_changed_byte_makes_a_new_examination(file):
    settings = FilesCorpus(train=file)
    examine_once(settings)
    mark_the_only_entry()
    content = file.read_bytes()
    file.write_bytes(content[:-2] + b"x\n")
    assert counts(examine_once(settings)) == [1, 1]
    assert len(entries()) == 2
    file.write_bytes(content)
    assert counts(examine_once(settings)) == [77, 1]


@pytest.mark.parametrize(
    "change",
    [{"max_characters": 5}, {"source_language": "en"}, {"repair": False}, {"format": "tsv"}],
)
def test_settings_that_matter_make_a_new_examination(file, change):
    examine_once(FilesCorpus(train=file))
    mark_the_only_entry()
    assert 77 not in counts(examine_once(FilesCorpus(train=file, **change)))


def test_settings_that_do_not_matter_do_not(file):
    examine_once(FilesCorpus(train=file))
    mark_the_only_entry()
    assert counts(examine_once(FilesCorpus(train=file, held_out=3, seed=4)))[0] == 77


def test_every_set_counts(file, tmp_path):
    other = tmp_path / "b.tsv"
    other.write_text("1\t2\n")
    for key in ("valid", "test", "extra"):
        examine_once(FilesCorpus(train=file, **{key: other}))
    assert len(entries()) == 3


def test_a_copy_elsewhere_shares_the_report_but_is_called_by_its_own_name(file, tmp_path):
    examine_once(FilesCorpus(train=file))
    mark_the_only_entry()
    copy = Path(shutil.copy(file, tmp_path / "copy.tsv"))
    report = examine_once(FilesCorpus(train=copy))
    assert counts(report)[0] == 77
    assert {finding.file for finding in report.findings} == {copy}


def test_a_refused_copy_elsewhere_is_looked_at_again_for_its_names(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.tsv").write_text("no tab\n" * 30)
        report = examine_once(FilesCorpus(train=tmp_path / f"{name}.tsv"))
        assert f"{name}.tsv" in report.findings[0].example


@pytest.mark.parametrize(
    "content", [b"", b"\xff\x00", b"null", b"[]", b"{}", b'{"files": [], "report": {}}']
)
def test_a_damaged_or_foreign_entry_is_ignored_and_mended(file, content):
    settings = FilesCorpus(train=file)
    first = examine_once(settings)
    (path,) = entries()
    whole = path.read_bytes()
    path.write_bytes(content)
    assert examine_once(settings) == first
    assert path.read_bytes() == whole


def test_a_cache_that_cannot_be_written_is_no_error(file, tmp_path, monkeypatch):
    (tmp_path / "in-the-way").write_text("")
    monkeypatch.setenv("DRAGOMAN_CACHE", str(tmp_path / "in-the-way"))
    assert counts(examine_once(FilesCorpus(train=file))) == [1, 1]


def test_files_that_cannot_be_read_are_not_kept(tmp_path):
    report = examine_once(FilesCorpus(train=tmp_path / "none.tsv"))
    assert [finding.symptom for finding in report.findings] == [Symptom.UNREADABLE]
    assert entries() == []


@pytest.mark.parametrize("reads", [1, 2])
def test_a_disk_that_fails_once_is_no_verdict_on_the_corpus(file, monkeypatch, reads):
    settings, real, begun = FilesCorpus(train=file), lines.open_bytes, []

    def fail(path):
        begun.append(path)
        if len(begun) == reads:  # the first pass over the file, or the second one for examples
            raise OSError(errno.EIO, "Input/output error", str(path))
        return real(path)

    with monkeypatch.context() as broken:
        broken.setattr(lines, "open_bytes", fail)
        with pytest.raises(ReadError, match=r"a.tsv: cannot be read \(Input/output error\)"):
            examine_once(settings)
    assert not examine_once(settings).refused


def test_a_pipe_is_not_waited_for(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("this system has no pipes with names")
    os.mkfifo(tmp_path / "pipe.tsv")
    assert examine_once(FilesCorpus(train=tmp_path / "pipe.tsv")).refused


def test_only_the_reports_used_last_are_kept(file, monkeypatch):
    monkeypatch.setattr(report_cache, "MOST", 3)
    for longest in (100, 101, 102, 103):
        examine_once(FilesCorpus(train=file, max_characters=longest))
        for path in entries():
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 10))
        examine_once(FilesCorpus(train=file, max_characters=100))  # used, so that it stays
    assert len(entries()) == 3
    stamps = {path: path.stat().st_mtime_ns for path in entries()}
    examine_once(FilesCorpus(train=file, max_characters=100))
    assert sum(path.stat().st_mtime_ns != stamps[path] for path in entries()) == 1
