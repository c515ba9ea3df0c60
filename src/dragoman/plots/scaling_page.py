"""A scaling study as a self-contained page: its plots and tables in one file without scripts."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from io import BytesIO
from pathlib import Path

from dragoman.core.files import write_atomic
from dragoman.plots.scaling import ScalingPlot, scaling_figure

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #24292f; max-width: 70rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
p.about, td.note { color: #6e7781; }
img { width: 100%; height: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #e4e8ec; }
th:first-child, td:first-child { text-align: left; }
.wide { overflow-x: auto; }
"""


@dataclass(frozen=True)
class PageTable:
    """A table of a page."""

    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def draw_scaling_page(
    plot: ScalingPlot, tables: Sequence[PageTable], notes: Sequence[str], path: Path
) -> None:
    """Write the page of a scaling study: figure as SVG, tables, notes; it needs no network."""
    buffer = BytesIO()
    figure = scaling_figure(plot, path, headed=False)
    figure.savefig(buffer, format="svg", bbox_inches="tight", metadata={"Date": None})
    image = b64encode(buffer.getvalue()).decode("ascii")
    title = escape(plot.title)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{title}</title><style>{STYLE}</style></head><body>",
        f'<h1>{title}</h1><p class="about">{escape(plot.subtitle)}</p>',
        f'<img alt="Loss against FLOPs, isoFLOP profiles and compute-optimal lines" '
        f'src="data:image/svg+xml;base64,{image}">',
        *(_table(one) for one in tables),
        *(f"<p>{escape(note)}</p>" for note in notes),
        "</body></html>",
    ]
    write_atomic(path, "\n".join(parts) + "\n")


def _table(table: PageTable) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.header)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    return (
        f"<h2>{escape(table.title)}</h2><div class='wide'><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )
