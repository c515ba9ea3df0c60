"""Texts of topics and claims as HTML. Everything is escaped; only our own markup becomes markup."""

from html import escape

from dragoman.lab.equations import to_blocks, to_mathml
from dragoman.lab.markup import MarkupSpan, paragraphs, spans


def inline_html(text: str) -> str:
    """Return a paragraph's formulas, emphasis and code as HTML."""
    return "".join(_span(one) for one in spans(" ".join(text.split())))


def paragraphs_html(text: str, look: str = "") -> str:
    """Return the paragraphs of a text as HTML."""
    opened = f'<p class="{escape(look)}">' if look else "<p>"
    return "".join(f"{opened}{inline_html(one)}</p>" for one in paragraphs(text))


def equation_html(latex: str) -> str:
    """Return an equation as a block of its own."""
    if not latex.strip():
        return ""
    return f'<div class="equation">{to_blocks(latex)}</div>'


def _span(span: MarkupSpan) -> str:
    match span.kind:
        case "math":
            return to_mathml(span.text)
        case "code":
            return f"<code>{escape(span.text)}</code>"
        case "emphasis":
            return f"<em>{inline_html(span.text)}</em>"
        case "text":
            return escape(span.text)
