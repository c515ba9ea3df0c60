"""A MathML tree as a line of plain Unicode, for the terminal: hₜ = tanh(W xₜ₋₁ + b)."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element

from dragoman.lab.mathml import SCRIPTS, is_opening

SUPERSCRIPTS = str.maketrans(
    "0123456789+−-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVW⊤",
    "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵀ",
)
SUBSCRIPTS = str.maketrans(
    "0123456789+−-=()aehijklmnoprstuvxβγρφχ",
    "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
)
AS_THEY_ARE = {"′", "″", "‴", "*", "∗", "†"}
COMBINING = {
    "^": "\u0302",
    "˜": "\u0303",
    "¯": "\u0304",
    "‾": "\u0305",
    "˙": "\u0307",
    "→": "\u20d7",
}
NAMES = {"^": "hat", "˜": "tilde", "¯": "mean", "‾": "mean", "˙": "dot", "→": "vec"}
LARGE = {"∑", "∏", "∫"}
CLOSE = {"/", "!", "∂", "∇", "|", "‖", ".", ":", "′", "⏟", "⏞", "¬", *LARGE}
"""Operators that stand close to what is around them."""
ROOTS = {"3": "∛", "4": "∜"}
WIDE = 0.9


def math_text(node: Element) -> str:
    """Return a tree as a line of text."""
    text = unicodedata.normalize("NFC", _text(node)).strip()
    return re.sub(r" {2,}", lambda run: "   " if len(run[0]) > 2 else " ", text)


def _text(node: Element) -> str:
    match node.tag:
        case "mi" | "mn" | "mtext" | "mo":
            return (node.text or "").replace("\xa0", " ")
        case "mspace":
            return _space(node)
        case "mfrac":
            return _fraction(node)
        case "msqrt":
            return f"√{_atom(_row(node))}"
        case "mroot":
            order = _text(node[1])
            return f"{ROOTS.get(order, order.translate(SUPERSCRIPTS) + '√')}{_atom(_text(node[0]))}"
        case "mtable":
            return _table(node)
        case tag if tag in SCRIPTS:
            return _scripts(node)
        case _:
            return _row(node)


def _space(node: Element) -> str:
    width = float(node.get("width", "0").removesuffix("em") or 0)
    return "   " if width > WIDE else " " if width > 0 else ""


def _row(nodes: Iterable[Element]) -> str:
    """Return the texts of nodes; operators between two things have room on both sides."""
    found = ""
    children = list(nodes)
    for place, child in enumerate(children):
        text = _text(child)
        if child.tag == "mfrac" and _beside_a_factor(children, place):
            text = f"({text})"
        found += _operator(text, found) if child.tag == "mo" else text
        if _is_large(child) and not found.endswith(" "):
            found += " "
    return found


def _is_large(node: Element) -> bool:
    """Say whether a node is a sum, a product or an integral, with its bounds or without."""
    return (node[0] if node.tag in SCRIPTS else node).text in LARGE


def _beside_a_factor(children: list[Element], place: int) -> bool:
    before, after = children[max(0, place - 1) : place], children[place + 1 : place + 2]
    factors = [one.tag not in ("mo", "mspace", "mtext") for one in before + after]
    return any(factors) or any(map(is_opening, after))


def _operator(text: str, before: str) -> str:
    if text in (",", ";"):
        return f"{text} "
    if text == "∣":
        return " | "
    if text in CLOSE or text in "()[]{}⟨⟩⌊⌋⌈⌉" or not text:
        return text
    first = not before or before.rstrip()[-1:] in tuple("([{=<>≤≥≈+−-·×,;|⟨∑∏/")
    return (
        text
        if first and text in ("−", "-", "+", "±", "∼", "<", ">", "=", "≤", "≥")
        else f" {text} "
    )


def _fraction(node: Element) -> str:
    above, below = _text(node[0]), _text(node[1])
    if node.get("linethickness") == "0":
        return f"{above} over {below}"
    return f"{_factor(above)}/{_factor(below)}"


def _factor(text: str) -> str:
    """Return a part of a fraction: in brackets unless it is one thing, such as ∂L."""
    single = re.fullmatch(
        r"[∂∇d]?[^\W\d_][\u0300-\u036f\u2080-\u209c\u1d62-\u1d6a′²³⁰-⁹]*|[\d.]+", text
    )
    return text if single else f"({text})"


def _atom(text: str) -> str:
    return text if len(text) == 1 or text.isdigit() else f"({text})"


def _base(node: Element) -> str:
    text = _text(node)
    closed = text.isalnum() or len(text) == 1 or node.tag != "mrow" or _is_closed(text)
    return text if closed else f"({text})"


def _is_closed(text: str) -> bool:
    """Say whether one pair of brackets holds the whole of a text."""
    pairs = {"(": ")", "[": "]", "{": "}", "‖": "‖", "|": "|", "⌊": "⌋", "⟨": "⟩"}
    return pairs.get(text[:1], "|") == text[-1:]


def _scripts(node: Element) -> str:
    parts = [_text(one) for one in node]
    base = _base(node[0])
    match node.tag:
        case "msub" | "munder":
            return base if parts[1] in ("⏟", "_") else base + _script(parts[1], SUBSCRIPTS, "_")
        case "msup":
            return base + _script(parts[1], SUPERSCRIPTS, "^")
        case "mover" if parts[1] in COMBINING:
            lone = len(base) == 1
            return base + COMBINING[parts[1]] if lone else f"{NAMES[parts[1]]}({parts[0]})"
        case "mover":
            return base if parts[1] == "⏞" else base + _script(parts[1], SUPERSCRIPTS, "^")
        case _:
            below = _script(parts[1], SUBSCRIPTS, "_")
            return base + below + _script(parts[2], SUPERSCRIPTS, "^")


def _script(text: str, letters: Mapping[int, int | str], mark: str) -> str:
    """Return a script in small letters where Unicode has them; with its mark, if it is a word."""
    close = text.replace(" ", "")
    if not close or close in AS_THEY_ARE:
        return close
    word = close.isalpha() and len(close) > 2
    if not word and all(ord(letter) in letters for letter in close):
        return close.translate(letters)
    return f"{mark}{text}" if len(text) == 1 else f"{mark}{{{text}}}"


def _table(node: Element) -> str:
    """Return the rows of a matrix; those of an aligned equation are one after the other."""
    aligned = node.get("displaystyle") == "true"
    if aligned:
        return "; ".join(_row(child for cell in row for child in cell).strip() for row in node)
    rows = [[_row(cell).strip() for cell in row] for row in node]
    return "; ".join(", ".join(filter(None, row)) for row in rows)
