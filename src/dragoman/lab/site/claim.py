"""A claim as HTML: its statement, its equation, what the notes say, and what was found."""

from html import escape

from dragoman.lab.claims import Claim, ExactClaim
from dragoman.lab.records import ClaimRecord
from dragoman.lab.site.course import Course, PageLinks, badge
from dragoman.lab.site.evidence import demonstration_html, evidence_html
from dragoman.lab.site.prose import equation_html, inline_html
from dragoman.lab.site.source import running_html
from dragoman.lab.topic import Topic


def claim_html(claim: Claim, topic: Topic, course: Course, links: PageLinks) -> str:
    """Return a claim with all that is known about it."""
    record = course.records.get(claim.id)
    found = "" if record is None else evidence_html(record, wrong=bool(claim.notes))
    return (
        f'<article class="claim" id="{escape(claim.id)}">'
        f"{_head(claim, topic, course, links, record)}"
        f'<p class="statement">{inline_html(claim.statement)}</p>'
        f"{equation_html(claim.equation)}{notes_html(claim)}{found}{running_html(claim)}</article>"
    )


def erratum_html(claim: Claim, topic: Topic, course: Course, links: PageLinks) -> str:
    """Return what the notes have wrong, what is right, and the numbers that show it."""
    record = course.records.get(claim.id)
    found = "" if record is None else demonstration_html(record)
    return (
        f'<article class="claim" id="{escape(claim.id)}">'
        f"{_head(claim, topic, course, links, None)}{notes_html(claim)}"
        f'<p class="statement right">{inline_html(claim.statement)}</p>'
        f"{equation_html(claim.equation)}{found}</article>"
    )


def notes_html(claim: Claim) -> str:
    """Return what the notes say where that is wrong or imprecise."""
    if not claim.notes:
        return ""
    said = inline_html(claim.notes.removesuffix("."))
    return f'<p class="notes">The notes say that {said}.</p>'


def _head(
    claim: Claim, topic: Topic, course: Course, links: PageLinks, record: ClaimRecord | None
) -> str:
    place = escape(links.topic(topic, claim.id))
    return (
        f'<div class="claim-head"><h3><a href="{place}">{escape(claim.id)}</a></h3>'
        f"{badge(course.outcome(claim))}{_chosen(claim, record)}</div>"
    )


def _chosen(claim: Claim, record: ClaimRecord | None) -> str:
    """Return the parameters of the last run that were not the defaults."""
    if record is None or not isinstance(claim, ExactClaim):
        return ""
    fields = claim.parameters.model_fields
    usual = {name: field.default for name, field in fields.items()}
    chosen = {name: value for name, value in record.parameters.items() if usual.get(name) != value}
    told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in chosen.items())
    return f'<span class="faint">with {escape(told)}</span>' if told else ""
