"""How a claim is run and checked: its command, its parameters, the source of its check."""

import inspect
from collections.abc import Iterator
from html import escape
from typing import Any, Literal, get_args, get_origin

from pydantic.fields import FieldInfo

from dragoman.core.figures import number_text
from dragoman.lab.claims import Claim, ExactClaim, MeasuredClaim

BOUNDS = (("ge", "≥"), ("gt", ">"), ("le", "≤"), ("lt", "<"))


def command(claim: Claim) -> str:
    """Return the command that runs a claim; with one of its parameters, as an example."""
    if isinstance(claim, MeasuredClaim):
        return f"dragoman lab run {claim.experiment} --full"
    typed = f"dragoman lab run {claim.id}"
    if not isinstance(claim, ExactClaim):
        return typed
    fields = sorted(claim.parameters.model_fields.items(), key=lambda one: one[0] == "seed")
    return typed if not fields else f"{typed} {_option(fields[0][0])} {fields[0][1].default}"


def running_html(claim: Claim) -> str:
    """Return how to run a claim, with its parameters and the source of its check folded away."""
    run = f'<p class="run"><code>{escape(command(claim))}</code></p>'
    if not isinstance(claim, ExactClaim):
        return f'<div class="claim-foot">{run}</div>'
    return f'<div class="claim-foot">{run}{_parameters(claim)}{_source(claim)}</div>'


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _parameters(claim: ExactClaim[Any]) -> str:
    rows = "".join(_row(name, field) for name, field in claim.parameters.model_fields.items())
    if not rows:
        return ""
    columns = ("Option", "Default", "Bounds", "Meaning")
    head = "".join(f'<th scope="col">{one}</th>' for one in columns)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<details><summary>Parameters</summary><div class="evidence">{table}</div></details>'


def _row(name: str, field: FieldInfo) -> str:
    return (
        f'<tr><th scope="row"><code>{escape(_option(name))}</code></th>'
        f"<td>{escape(_value(field.default))}</td><td>{escape(_bounds(field))}</td>"
        f"<td>{escape(field.description or '')}</td></tr>"
    )


def _value(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return number_text(value, 6)


def _bounds(field: FieldInfo) -> str:
    if get_origin(field.annotation) is Literal:
        return ", ".join(map(str, get_args(field.annotation)))
    return ", ".join(_edges(field))


def _edges(field: FieldInfo) -> Iterator[str]:
    for one in field.metadata:
        for name, sign in BOUNDS:
            edge = getattr(one, name, None)
            if edge is not None:
                yield f"{sign} {_value(edge)}"


def _source(claim: ExactClaim[Any]) -> str:
    try:
        module, line = claim.source
        code = inspect.getsource(claim.check)
    except (OSError, TypeError):  # typed at a prompt, which keeps no source
        return ""
    inside = "src/" if module.startswith("dragoman.") else ""
    where = f"{inside}{module.replace('.', '/')}.py, line {line}"
    return (
        f"<details><summary>Source: <code>{escape(where)}</code></summary>"
        f'<pre tabindex="0"><code>{escape(code)}</code></pre></details>'
    )
