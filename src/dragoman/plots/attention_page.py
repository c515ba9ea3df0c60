"""Attention weights as a page to explore: one self-contained file that needs no network.

The page, its looks and its behaviour stand beside this file (.html, .css, .js); what they show is
put in as data. A policy in the page's head lets run only what was written here, by its checksum:
whatever the sentences say, they stay text.
"""

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dragoman.core.errors import DataError
from dragoman.core.files import write_atomic

if TYPE_CHECKING:
    import numpy as np

PARTS = Path(__file__).with_suffix("")
SCALE = 1000
"""Weights are written in thousandths."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The pieces along one side of a map."""

    pieces: tuple[str, ...]
    words: tuple[int, ...]
    """The number of the word that each piece belongs to, from 0 and rising."""

    spelled: tuple[str, ...]
    """Each word."""

    marks: tuple[int, ...] = ()
    """Which pieces are marks such as START and END, and no text."""


@dataclass(frozen=True, slots=True)
class Map:
    """One kind of looking: weights (heads, rows, columns) for each layer."""

    kind: str
    """`across`, `source`, `target` or `row`."""

    rows: Axis
    columns: Axis
    layers: "tuple[np.ndarray, ...]"


@dataclass(frozen=True, slots=True)
class AttentionSentence:
    """One sentence, its translation and all that was looked at."""

    source: str
    target: str
    maps: tuple[Map, ...]


def draw_attention_page(sentences: Sequence[AttentionSentence], path: Path, title: str) -> None:
    """Write the page of some sentences."""
    if not sentences:
        raise DataError("attention page: there is no sentence to plot.")
    style, script = (PARTS.with_suffix(end).read_text("utf-8") for end in (".css", ".js"))
    data = {"title": title, "scale": SCALE, "sentences": [sentence_data(one) for one in sentences]}
    page = PARTS.with_suffix(".html").read_text("utf-8")
    parts = {
        "POLICY": (
            f"default-src 'none'; style-src '{_checksum(style)}'; "
            f"script-src '{_checksum(script)}'; base-uri 'none'; form-action 'none'"
        ),
        "STYLE": style,
        "SCRIPT": script,
        "TITLE": escape(title),
        "DATA": _harmless(data),
    }
    # In one pass, so that nothing that is put in is taken for a place to fill.
    page = re.sub(f"@({'|'.join(parts)})@", lambda place: parts[place[1]], page)
    write_atomic(path, page)


def sentence_data(sentence: AttentionSentence) -> dict[str, Any]:
    """Return a sentence as plain values: weights in units of 1 / SCALE, row after row."""
    return {
        "source": sentence.source,
        "target": sentence.target,
        "maps": [
            {
                "kind": one.kind,
                "rows": _axis(one.rows),
                "columns": _axis(one.columns),
                "layers": [_layer(weights, one) for weights in one.layers],
            }
            for one in sentence.maps
        ],
    }


def _axis(axis: Axis) -> dict[str, Any]:
    return {
        "pieces": axis.pieces,
        "words": axis.words,
        "spelled": axis.spelled,
        "marks": axis.marks,
    }


def _layer(weights: "np.ndarray", one: Map) -> list[list[int]]:
    """Return each head's weights row after row, in thousandths."""
    if weights.shape[1:] != (len(one.rows.pieces), len(one.columns.pieces)):
        raise DataError(
            f"attention page: weights of shape {weights.shape} do not fit "
            f"{len(one.rows.pieces)} rows and {len(one.columns.pieces)} columns."
        )
    return [[int(w) for w in (head * SCALE).round().ravel()] for head in weights]


def _harmless(data: Any) -> str:
    """Write JSON in which no character can end the element that holds it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _checksum(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode('utf-8')).digest()).decode('ascii')}"
