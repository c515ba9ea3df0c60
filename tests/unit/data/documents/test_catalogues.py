"""The Hindi catalogues of the packages behind `software-strings`: as MO, and by msgunfmt as PO."""

import os
import shutil
import subprocess

import pytest

from dragoman.core.errors import DataError
from dragoman.data.corpus.catalogue.archives import read_members
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.catalogue.store import fetch
from dragoman.data.documents.document import SegmentTranslation
from dragoman.data.documents.mo import read_mo
from dragoman.data.documents.po import read_po
from dragoman.data.formats.languages import LanguagePair

pytestmark = pytest.mark.slow
WANTED = LanguagePair("en", "hi")


def left_out(reason):
    """Skip, but not in CI: there all that is needed can be had."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def catalogues():
    """Give the compiled Hindi catalogues by their names."""
    if not shutil.which("msgunfmt"):
        left_out("gettext is not installed")
    try:
        packages = fetch(find_entry("software-strings"))
    except DataError as error:
        left_out(f"apt-get cannot reach its packages: {error}")
    found = {
        f"{package.stem}{name}": data
        for package in packages
        for name, data in read_members(package, lambda name: "/hi/" in name and name.endswith("o"))
        if name.endswith(".mo")
    }
    assert len(found) > 20
    return found


def itself(document):
    return {
        number: SegmentTranslation(one.existing, sure=not one.unfinished)
        for number, one in enumerate(document.segments)
        if one.existing
    }


def marked(document):
    return {
        n: SegmentTranslation(f"{one.existing.rstrip()} ✓")
        for n, one in enumerate(document.segments)
    }


def check(read, data, name):
    """Check that nothing changes but what is answered; return how many texts there were."""
    document = read(data, name, WANTED)
    assert document.written({}) == document.written(itself(document)) == data, name
    answers = marked(document)
    changed = document.written(answers)
    again = read(changed, name, WANTED)
    assert [one.text for one in again.segments] == [one.text for one in document.segments]
    assert [one.existing.split() for one in again.segments] == [
        answers[number].text.split() for number in range(len(answers))
    ], name
    return changed, len(answers)


def test_compiled_catalogues_stay_and_take_answers(catalogues):
    counts = [check(read_mo, data, name)[1] for name, data in catalogues.items()]
    assert sum(counts) > 30_000


def test_the_same_catalogues_as_po_stay_and_take_answers_that_msgfmt_accepts(catalogues, tmp_path):
    texts = 0
    for name, compiled in catalogues.items():
        po = subprocess.run(["msgunfmt", "-"], input=compiled, capture_output=True, check=True)
        changed, count = check(read_po, po.stdout, name)
        texts += count
        (tmp_path / "a.po").write_bytes(changed)
        subprocess.run(["msgfmt", "-o", "a.mo", "a.po"], cwd=tmp_path, check=True)
        assert read_mo((tmp_path / "a.mo").read_bytes(), "a.mo", WANTED).segments
    assert texts > 30_000
