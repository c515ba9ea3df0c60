"""The contents of pages below their titles: the course, a topic, the errata, all claims."""

import re
from html import escape

from dragoman.core.duration import written
from dragoman.lab.site.claim import claim_html, erratum_html
from dragoman.lab.site.course import NOT_RUN, Course, PageLinks, badge, look_of, ways
from dragoman.lab.site.prose import inline_html, paragraphs_html
from dragoman.lab.topic import Section, Topic

COURSE_TITLE = "The course, checked"
ERRATA_TITLE = "What the notes have wrong"
IDS_TITLE = "All claims"
ABOUT = (
    "The notes of the course state many things about sequence models: some right, some almost, "
    "some wrong. Each of them is a claim here, with a check that decides on it by computing, or "
    "with an experiment that trains models. No verdict is written by hand: it follows from the "
    "numbers."
)
NUMBERED = re.compile(r"(\D*)(\d{0,9})(.*)", re.DOTALL)


def course_html(course: Course, links: PageLinks) -> str:
    """Return the list of topics, and the state of the last run."""
    wrong = [one for one in course.claims if one.notes]
    topics = "".join(_topic_row(one, course, links) for one in course.topics)
    return (
        f"{paragraphs_html(ABOUT, 'lead')}{_facts(course)}"
        f'<section aria-labelledby="topics"><h2 id="topics">Topics</h2><ul class="topics">{topics}'
        '</ul></section><section aria-labelledby="lists"><h2 id="lists">Lists</h2>'
        f'<p><a href="{escape(links.errata())}">{ERRATA_TITLE}</a>: {len(wrong)} claims, with what '
        f'is right instead.</p><p><a href="{escape(links.ids())}">{IDS_TITLE}</a> by their ids.</p>'
        "</section>"
    )


def topic_html(topic: Topic, course: Course, links: PageLinks) -> str:
    """Return a topic: introduction, sections, and in each of them its claims."""
    outline = "".join(
        f'<li><a href="{escape(links.topic(topic, _place(number)))}">'
        f"{inline_html(section.title)}</a></li>"
        for number, section in enumerate(topic.sections, start=1)
    )
    sections = "".join(
        _section(number, section, topic, course, links)
        for number, section in enumerate(topic.sections, start=1)
    )
    return (
        f"{paragraphs_html(topic.introduction, 'lead')}"
        f'<nav aria-label="Sections"><ol class="outline">{outline}</ol></nav>{sections}'
    )


def errata_html(course: Course, links: PageLinks) -> str:
    """Return every claim that the notes have wrong, topic by topic."""
    parts = [
        '<p class="lead">What they say, what is right, and the numbers that show it. A criterion '
        "under <em>As the notes have it</em> that does not hold is the demonstration.</p>",
    ]
    for topic in course.topics:
        wrong = [one for one in topic.claims if one.notes]
        if wrong:
            name = f"topic-{escape(topic.name)}"
            shown = "".join(erratum_html(one, topic, course, links) for one in wrong)
            link = f'<a href="{escape(links.topic(topic))}">{inline_html(topic.title)}</a>'
            parts.append(
                f'<section aria-labelledby="{name}"><h2 id="{name}">{link}</h2>{shown}</section>'
            )
    return "".join(parts)


def ids_html(course: Course, links: PageLinks) -> str:
    """Return the list of all claims in the order of their ids."""
    placed = [(claim, topic) for topic in course.topics for claim in topic.claims]
    rows = "".join(
        f'<tr><th scope="row"><a href="{escape(links.topic(topic, claim.id))}">{escape(claim.id)}'
        f"</a></th><td>{badge(course.outcome(claim))}</td><td>{inline_html(claim.statement)}</td>"
        f'<td><a href="{escape(links.topic(topic))}">{inline_html(topic.title)}</a></td></tr>'
        for claim, topic in sorted(placed, key=lambda one: id_order(one[0].id))
    )
    head = "".join(f'<th scope="col">{one}</th>' for one in ("Id", "Verdict", "Claim", "Topic"))
    return (
        '<p class="lead">By their ids; those that were not run say so.</p>'
        f'<div class="wide-table"><table><thead><tr>{head}</tr></thead><tbody>{rows}'
        "</tbody></table></div>"
    )


def id_order(id_: str) -> tuple[str, int, str]:
    """Return what ids are sorted by: A2 comes before A10."""
    found = NUMBERED.fullmatch(id_)
    return (found[1], int(found[2] or 0), found[3]) if found else (id_, 0, "")


def _place(number: int) -> str:
    return f"section-{number}"


def _section(number: int, section: Section, topic: Topic, course: Course, links: PageLinks) -> str:
    claims = "".join(claim_html(one, topic, course, links) for one in section.claims)
    return (
        f'<section id="{_place(number)}" aria-labelledby="{_place(number)}-title">'
        f'<h2 id="{_place(number)}-title">{inline_html(section.title)}</h2>'
        f'<div class="text">{paragraphs_html(section.text)}</div>{claims}</section>'
    )


def _topic_row(topic: Topic, course: Course, links: PageLinks) -> str:
    outcomes = course.outcomes(topic.claims)
    bar = "".join(
        f'<i class="{look_of(one)}" style="flex-grow: {count}"></i>'
        for one, count in outcomes.items()
    )
    told = ", ".join(f"{count} {one}" for one, count in outcomes.items())
    return (
        f'<li><span class="id">{escape(topic.id)}</span>'
        f'<a href="{escape(links.topic(topic))}">{inline_html(topic.title)}</a>'
        f'<span class="about">{_first_sentence(topic.introduction)}</span>'
        f'<div class="tally"><div class="share" aria-hidden="true">{bar}</div>'
        f"<small>{told}</small></div></li>"
    )


def _first_sentence(text: str) -> str:
    """Return the first sentence of a text, as long as no formula is cut by that."""
    sentence = re.split(r"(?<=[.!?])\s", " ".join(text.split()), maxsplit=1)[0]
    return inline_html(sentence) if sentence.count("$") % 2 == 0 else inline_html(text)


def _facts(course: Course) -> str:
    """Return the counts, and when, with what and how long the last run was."""
    outcomes = course.outcomes(course.claims)
    facts = [(one, str(count)) for one, count in outcomes.items() if one != NOT_RUN]
    facts.append((NOT_RUN, str(outcomes.get(NOT_RUN, 0))))
    counts = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    return f'<dl class="facts">{counts}</dl><p class="state">{_last_run(course)}</p>'


def _last_run(course: Course) -> str:
    exact, measured = ways(course.claims)
    told = f"{len(course.claims)} claims: {exact} checked by computing, {measured} by experiments."
    done = course.checked
    if not done:
        return f"{told} None has been run yet."
    latest = max(done, key=lambda one: one.when)
    computed = sum(one.seconds for one in done if one.finding is None)
    used = ", ".join(f"{name} {version}" for name, version in latest.versions.items())
    when = f"{latest.when:%d %B %Y, %H:%M} UTC".lstrip("0")
    return f"{told} Last run: {when}, with {escape(used)}; computing took {written(computed)}."
