"""The pages of the site: each a whole file, with its style and without any address elsewhere."""

from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files

from dragoman.lab.markup import paragraphs, plain_text
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
from dragoman.lab.topic import Topic

INDEX, ERRATA, IDS = "index.html", "errata.html", "ids.html"
DESCRIPTION = "Claims about sequence models, each with the check that decides on it."


class FileLinks:
    """Links between the files of the site."""

    def index(self) -> str:
        """Return the file of the list of topics."""
        return INDEX

    def errata(self) -> str:
        """Return the file of the errata."""
        return ERRATA

    def ids(self) -> str:
        """Return the file of the list of claims."""
        return IDS

    def topic(self, topic: Topic, place: str = "") -> str:
        """Return the file of a topic, and a place in it."""
        return f"{topic.name}.html#{place}" if place else f"{topic.name}.html"


@dataclass(frozen=True)
class SitePage:
    """A page: the name of its file, its title, and what stands below that."""

    name: str
    title: str
    content: str
    description: str = DESCRIPTION


def pages(course: Course) -> dict[str, str]:
    """Return every file of the site by its name."""
    return {one.name: _whole(one) for one in _pages(course, FileLinks())}


def _pages(course: Course, links: FileLinks) -> Iterator[SitePage]:
    yield SitePage(INDEX, COURSE_TITLE, course_html(course, links))
    yield SitePage(ERRATA, ERRATA_TITLE, errata_html(course, links))
    yield SitePage(IDS, IDS_TITLE, ids_html(course, links))
    for number, topic in enumerate(course.topics):
        near = _neighbours(course, number, links)
        content = topic_html(topic, course, links) + near
        about = plain_text(next(iter(paragraphs(topic.introduction)), ""))
        yield SitePage(links.topic(topic), plain_text(topic.title), content, about)


def _neighbours(course: Course, number: int, links: FileLinks) -> str:
    """Return the links to the topics before and after one."""
    near = []
    for word, other in (("Before", number - 1), ("Next", number + 1)):
        if 0 <= other < len(course.topics):
            topic = course.topics[other]
            link = f'<a href="{escape(links.topic(topic))}">{escape(plain_text(topic.title))}</a>'
            near.append(f'<span class="{word.lower()}">{word}: {link}</span>')
    return f'<nav class="neighbours" aria-label="Topics">{"".join(near)}</nav>' if near else ""


def _whole(page: SitePage) -> str:
    """Return a page with its head, its navigation and its style."""
    title = page.title if page.name == INDEX else f"{page.title} – {COURSE_TITLE}"
    script = _asset("theme.js")
    digest = b64encode(sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="{escape(page.description)}">
<title>{escape(title)}</title>
<style>
{_style()}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="top">
<nav aria-label="Site">{_navigation(page.name)}</nav>
<button type="button" id="theme" aria-label="Switch between light and dark">◐</button>
</header>
<main id="main" class="lab" tabindex="-1">
<h1>{escape(page.title)}</h1>
{page.content}
</main>
<script>{script}</script>
</body>
</html>
"""


def _navigation(current: str) -> str:
    places = ((INDEX, "Course"), (ERRATA, "Errata"), (IDS, "All claims"))
    here = ' aria-current="page"'
    return "".join(
        f'<a href="{name}"{here if name == current else ""}>{label}</a>' for name, label in places
    )


def _style() -> str:
    tokens = files("dragoman.plots").joinpath("tokens.css").read_text(encoding="utf-8")
    return tokens + _asset("site.css") + _asset("claims.css")


@cache
def _asset(name: str) -> str:
    return files("dragoman.lab.site").joinpath(name).read_text(encoding="utf-8")
