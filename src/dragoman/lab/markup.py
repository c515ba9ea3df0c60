"""The markup of the texts of topics and claims: paragraphs, `$…$`, `*emphasis*` and backquotes."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from dragoman.lab.equations import to_text

SpanKind = Literal["text", "math", "code", "emphasis"]
SPAN = re.compile(
    r"\$(?P<math>[^$]+)\$|`(?P<code>[^`]+)`|\*(?P<emphasis>[^\s*](?:[^*]*[^\s*])?)\*", re.DOTALL
)
GAP = re.compile(r"\n[ \t]*\n\s*")


@dataclass(frozen=True)
class MarkupSpan:
    """A stretch of a paragraph; the text of an emphasis may hold spans itself."""

    kind: SpanKind
    text: str


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, which blank lines part."""
    return [" ".join(one.split()) for one in GAP.split(text.strip()) if one.strip()]


def spans(text: str) -> Iterator[MarkupSpan]:
    """Yield the stretches of a paragraph; what is no markup is text."""
    at = 0
    for match in SPAN.finditer(text):
        if match.start() > at:
            yield MarkupSpan("text", text[at : match.start()])
        kinds: tuple[SpanKind, ...] = ("math", "code", "emphasis")
        for kind in kinds:
            if match[kind] is not None:
                yield MarkupSpan(kind, match[kind])
        at = match.end()
    if at < len(text):
        yield MarkupSpan("text", text[at:])


def plain_text(text: str) -> str:
    """Return a paragraph without its markup, for the terminal: formulas as Unicode text."""
    return "".join(_plain(one) for one in spans(text))


def _plain(span: MarkupSpan) -> str:
    match span.kind:
        case "math":
            return to_text(span.text)
        case "emphasis":
            return plain_text(span.text)
        case _:
            return span.text
