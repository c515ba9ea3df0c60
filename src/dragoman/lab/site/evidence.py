"""The evidence on a claim as HTML: criteria, figures and plots."""

from collections.abc import Sequence
from html import escape

from dragoman.core.duration import written
from dragoman.core.figures import count_text
from dragoman.lab.evidence import EXACT
from dragoman.lab.records import ClaimRecord, CriterionGroup, CriterionRecord
from dragoman.plots.lab import Bars, HeatMap, Panel
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
    return (
        _finding(record)
        + _criteria(record.criteria, wrong)
        + _numbers(record)
        + _plots(record.plot)
    )


def demonstration_html(record: ClaimRecord) -> str:
    """Return the numbers that show what is wrong; what both readings share is left out."""
    mended = {(one.name, one.value) for one in record.criteria if one.group == "corrected"}
    telling = [
        one
        for one in record.criteria
        if one.group != "stated" or (one.name, one.value) not in mended
    ]
    return _finding(record) + _criteria(telling, True) + _numbers(record)


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


def _criteria(criteria: Sequence[CriterionRecord], wrong: bool) -> str:
    if not criteria:
        return ""
    bodies = "".join(_group(criteria, group, wrong) for group in GROUPS)
    head = (
        '<thead><tr><th scope="col">What is compared</th><th scope="col" class="end">Value</th>'
        '<th scope="col">Must be</th><th scope="col" class="holds">Holds</th></tr></thead>'
    )
    return f'<div class="evidence"><table>{head}{bodies}</table></div>'


def _group(criteria: Sequence[CriterionRecord], group: CriterionGroup, wrong: bool) -> str:
    rows = "".join(_criterion(one) for one in criteria if one.group == group)
    if not rows:
        return ""
    title = IN_THE_NOTES if wrong and group == "stated" else GROUPS[group]
    head = f'<tr><th scope="rowgroup" colspan="4">{title}</th></tr>'
    return f"<tbody>{head}{rows}</tbody>"


def _criterion(one: CriterionRecord) -> str:
    near = one.tolerance > EXACT and one.relation in "=≠"
    bound = count_text(one.bound) + (f" ± {count_text(one.tolerance)}" if near else "")
    holds = '<span class="yes">✓</span>' if one.holds else '<span class="no">✗</span>'
    said = "yes" if one.holds else "no"
    return (
        f'<tr><th scope="row">{escape(one.name)}</th>'
        f'<td class="end">{count_text(one.value)}</td>'
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
    table = f"<table>{head}<tbody>{rows}</tbody></table>"
    return f'<div class="evidence">{table}</div>'


def _figure(value: float | str) -> str:
    return escape(value) if isinstance(value, str) else count_text(value, 5)


def _plots(panels: Sequence[Panel | Bars | HeatMap]) -> str:
    drawn = "".join(map(panel_svg, panels))
    return f'<figure class="charts">{drawn}</figure>' if drawn else ""
