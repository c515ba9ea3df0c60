"""The evidence on a claim as HTML: criteria, figures and plots."""

from collections.abc import Iterator
from html import escape

from dragoman.core.duration import written
from dragoman.core.figures import number_text
from dragoman.lab.records import ClaimRecord, CriterionGroup, CriterionRecord
from dragoman.plots.svg.panel import panel_svg

GROUPS: dict[CriterionGroup, str] = {
    "premises": "What the check rests on",
    "conventions": "Equally right if",
    "stated": "As stated",
    "corrected": "As corrected",
}
IN_THE_NOTES = "As the notes have it"


def evidence_html(record: ClaimRecord, *, wrong: bool) -> str:
    """Return what a check found; `wrong` says that the notes state something else."""
    return _finding(record) + _criteria(record, wrong) + _numbers(record) + _plots(record)


def _finding(record: ClaimRecord) -> str:
    found = record.finding
    if found is None:
        return ""
    seeds = ", ".join(map(str, found.seeds))
    plural = "" if len(found.seeds) == 1 else "s"
    told = f"seed{plural} {seeds}; {written(record.seconds)} of measuring"
    return (
        f'<p class="because">{escape(found.because)} <span class="faint">'
        f"(Experiment <code>{escape(found.experiment)}</code>, {escape(found.size)}; {told}.)"
        "</span></p>"
    )


def _criteria(record: ClaimRecord, wrong: bool) -> str:
    if not record.criteria:
        return ""
    bodies = "".join(_group(record, group, wrong) for group in GROUPS)
    head = (
        '<thead><tr><th scope="col">What is compared</th><th scope="col" class="end">Value</th>'
        '<th scope="col">Must be</th><th scope="col" class="holds">Holds</th></tr></thead>'
    )
    return _scrolled(f"<table>{head}{bodies}</table>", "Criteria")


def _group(record: ClaimRecord, group: CriterionGroup, wrong: bool) -> str:
    rows = "".join(_criterion(one) for one in record.criteria if one.group == group)
    if not rows:
        return ""
    title = IN_THE_NOTES if wrong and group == "stated" else GROUPS[group]
    head = f'<tr><th scope="rowgroup" colspan="4">{title}</th></tr>'
    return f"<tbody>{head}{rows}</tbody>"


def _criterion(one: CriterionRecord) -> str:
    near = one.tolerance > 0 and one.relation in "=≠"
    bound = number_text(one.bound) + (f" ± {number_text(one.tolerance, 2)}" if near else "")
    holds = '<span class="yes">✓</span>' if one.holds else '<span class="no">✗</span>'
    said = "yes" if one.holds else "no"
    return (
        f'<tr><th scope="row">{escape(one.name)}</th>'
        f'<td class="end">{number_text(one.value)}</td>'
        f"<td>{escape(one.relation)}&nbsp;{bound}</td>"
        f'<td class="holds" aria-label="{said}">{holds}</td></tr>'
    )


def _numbers(record: ClaimRecord) -> str:
    if not record.numbers:
        return ""
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td class="end">{_figure(value)}</td></tr>'
        for name, value in record.numbers.items()
    )
    head = (
        '<thead><tr><th scope="col">Figure</th><th scope="col" class="end">Value</th></tr></thead>'
    )
    return _scrolled(f"<table>{head}<tbody>{rows}</tbody></table>", "Figures")


def _figure(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else number_text(value, 5)


def _scrolled(table: str, name: str) -> str:
    return f'<div class="evidence" role="region" aria-label="{name}" tabindex="0">{table}</div>'


def _plots(record: ClaimRecord) -> str:
    drawn = "".join(_drawn(record))
    return f'<figure class="charts">{drawn}</figure>' if drawn else ""


def _drawn(record: ClaimRecord) -> Iterator[str]:
    for panel in record.plot:
        yield panel_svg(panel)
