"""Write the report: the site of the course into a folder."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from dragoman.core.files import explain_write_error, write_atomic
from dragoman.lab.catalogue import topics
from dragoman.lab.records import ClaimRecord
from dragoman.lab.site.course import Course
from dragoman.lab.site.pages import INDEX, pages
from dragoman.lab.topic import Topic


def build_report(output: Path, records: Mapping[str, ClaimRecord]) -> Path:
    """Write the site of all topics into a folder, and return its first page."""
    return write_site(output, list(topics().values()), records)


def write_site(folder: Path, topics: Sequence[Topic], records: Mapping[str, ClaimRecord]) -> Path:
    """Write the site of these topics, each file in one step, and return its first page."""
    written = pages(Course(topics, records))
    with explain_write_error(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in written.items():
        write_atomic(folder / name, content)
    return folder / INDEX
