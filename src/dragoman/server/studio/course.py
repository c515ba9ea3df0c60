"""The course of the lab, for the studio: the pages of the report, with the studio's links."""

import asyncio
import logging
from functools import lru_cache
from pathlib import Path
from urllib.parse import quote

from fastapi import APIRouter, Request

from dragoman.core.errors import RunError
from dragoman.lab.catalogue import claims, topics
from dragoman.lab.execution import RECORDS
from dragoman.lab.markup import plain_text
from dragoman.lab.measured_records import measured_records
from dragoman.lab.records import ClaimRecord, read_records
from dragoman.lab.site.contents import (
    COURSE_TITLE,
    ERRATA_TITLE,
    IDS_TITLE,
    course_html,
    errata_html,
    ids_html,
    topic_html,
)
from dragoman.lab.site.course import Course
from dragoman.lab.state import published_records
from dragoman.lab.topic import Topic
from dragoman.server.errors import ApiError
from dragoman.server.studio.experiments import RESULT
from dragoman.server.studio.json_response import JsonResponse
from dragoman.server.studio.safe_reading import file_stat, folders_in

router = APIRouter(prefix="/studio/api/course", tags=["studio"])
log = logging.getLogger("dragoman.server")

CoursePage = dict[str, str]
Stamp = tuple[tuple[str, int, int], ...]


class StudioLinks:
    """Links to the places of the studio."""

    def index(self) -> str:
        """Return the place of the list of topics."""
        return "#lab"

    def errata(self) -> str:
        """Return the place of the errata."""
        return "#lab/page/errata"

    def ids(self) -> str:
        """Return the place of the list of claims."""
        return "#lab/page/claims"

    def topic(self, topic: Topic, place: str = "") -> str:
        """Return the place of a topic, or a place on its page."""
        whole = f"#lab/topic/{quote(topic.name, safe='')}"
        return f"{whole}/{quote(place, safe='')}" if place else whole


@router.get("", summary="List the topics of the course")
async def show_course(request: Request) -> JsonResponse:
    """Return the topics with the verdicts on their claims, as HTML."""
    return await _page(request, "index")


@router.get("/errata", summary="What the course notes have wrong")
async def show_errata(request: Request) -> JsonResponse:
    """Return the claims that the notes have wrong, as HTML."""
    return await _page(request, "errata")


@router.get("/claims", summary="List all claims")
async def show_claims(request: Request) -> JsonResponse:
    """Return all claims by their ids, as HTML."""
    return await _page(request, "claims")


@router.get("/topics/{name}", summary="Describe a topic")
async def show_topic(request: Request, name: str) -> JsonResponse:
    """Return a topic with its claims, as HTML."""
    return await _page(request, "topic", name)


async def _page(request: Request, kind: str, name: str = "") -> JsonResponse:
    page = await asyncio.to_thread(_current, request.app.state.lab_folder, kind, name)
    if page is None:
        raise ApiError(404, "There is no topic of this name.")
    return JsonResponse(page)


def _current(folder: Path | None, kind: str, name: str) -> CoursePage | None:
    return _rendered(folder, kind, name, _stamp(folder))


def _stamp(folder: Path | None) -> Stamp:
    """Return what changes when any result does."""
    if folder is None:
        return ()
    paths = [folder / RECORDS, *(path / RESULT for path in folders_in(folder).values())]
    found = ((str(path), file_stat(path)) for path in paths)
    return tuple((path, one.st_mtime_ns, one.st_size) for path, one in found if one is not None)


@lru_cache(maxsize=64)
def _rendered(folder: Path | None, kind: str, name: str, stamp: Stamp) -> CoursePage | None:
    """Render a page; again only if a result has changed."""
    course, links = Course(list(topics().values()), _records(folder)), StudioLinks()
    match kind:
        case "errata":
            return {"title": ERRATA_TITLE, "html": errata_html(course, links)}
        case "claims":
            return {"title": IDS_TITLE, "html": ids_html(course, links)}
        case "index":
            return {"title": COURSE_TITLE, "html": course_html(course, links)}
    found = next((topic for topic in course.topics if topic.name == name), None)
    if found is None:
        return None
    return {"title": plain_text(found.title), "html": topic_html(found, course, links)}


def _records(folder: Path | None) -> dict[str, ClaimRecord]:
    """Read the records of a folder; damaged ones are told in the log, and left out."""
    found = dict(published_records())
    if folder is None:
        return found
    found |= measured_records(folder, claims().values(), damaged=_tell)
    if file_stat(folder / RECORDS) is not None:
        try:
            found |= read_records(folder / RECORDS)
        except RunError as error:
            _tell(error)
    return found


def _tell(error: RunError) -> None:
    log.warning("%s", error)
