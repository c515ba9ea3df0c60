"""LaTeX as a MathML tree, in the small language that browsers draw (MathML Core).

latex2mathml reads LaTeX; what it returns is mended here. Letters in fonts become letters of
Unicode, names of functions get the room that TeX gives them, and nothing but known elements and
attributes passes, so that a formula cannot bring markup of its own into a page.
"""

import re
import unicodedata
from collections.abc import Iterator
from html import unescape
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element

from dragoman.core.errors import DataError

LEAVES = {"mi", "mn", "mo", "mtext"}
SCRIPTS = {"msub", "msup", "msubsup", "munder", "mover", "munderover"}
OTHERS = {"math", "mrow", "mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd", "mspace", "mstyle"}
ATTRIBUTES = {
    "display", "stretchy", "fence", "form", "minsize", "maxsize", "accent", "linethickness",
    "width", "displaystyle", "scriptlevel", "movablelimits", "lspace", "rspace",
}  # fmt: skip
VALUE = re.compile(r"[-+\w.%]*")
SPACES = {"negativethinmathspace": "-0.167em", "negativemediummathspace": "-0.222em"}
THIN, QUAD = "0.167em", 1.0
REWRITTEN = (
    (re.compile(r"\\(begin|end)\{(?:aligned|align)\}"), r"\\\1{align*}"),
    (re.compile(r"\\arg(?![a-zA-Z])"), r"\\operatorname{arg}"),
    (re.compile(r"(?<=\d)\{,\}(?=\d)"), r"\\text{,}"),
)
"""What the converter does not know, or takes for something else."""
LIMITED = {"max", "min", "sup", "inf", "lim", "argmax", "argmin", "arg max", "arg min"}
"""Names that carry what is below them under themselves, in an equation of its own line."""
ORDINARY = {"∞", "⊤", "∅", "…", "⋯", "⋮", "⋱"}
"""What the converter takes for operators; they stand as letters do."""
ACCENTS = {"^": "^", "~": "˜", "¯": "¯", "―": "‾", "˙": "˙", "→": "→", "ˇ": "ˇ"}
ALPHABETS = {
    "bold": (0x1D400, 0x1D41A, 0x1D6A8, 0x1D7CE),
    "italic": (0x1D434, 0x1D44E, 0x1D6E2, None),
    "bold-italic": (0x1D468, 0x1D482, 0x1D71C, None),
    "double-struck": (0x1D538, 0x1D552, None, 0x1D7D8),
    "monospace": (0x1D670, 0x1D68A, None, 0x1D7F6),
    "sans-serif": (0x1D5A0, 0x1D5BA, None, 0x1D7E2),
}
"""Of each font, where Unicode has A, a, Α and 0."""


def math_tree(latex: str, *, block: bool = False) -> Element:
    """Return a formula as a tree; with `block`, as one that has a line of its own."""
    text = latex
    for written, known in REWRITTEN:
        text = written.sub(known, text)
    try:
        found = convert_to_element(text, display="block" if block else "inline")
    except Exception as error:  # of many kinds, which have nothing in common
        raise _unreadable(latex, type(error).__name__) from error
    tree = _cleaned(found, latex, block)
    tree.set("xmlns", "http://www.w3.org/1998/Math/MathML")
    return tree


def math_blocks(latex: str) -> list[Element]:
    r"""Return an equation as blocks, one for each part between wide spaces such as `\qquad`."""
    whole = math_tree(latex, block=True)
    nodes = list(whole[0]) if len(whole) == 1 and whole[0].tag == "mrow" else list(whole)
    parts: list[list[Element]] = [[]]
    for node in nodes:
        if node.tag == "mspace" and float(node.get("width", "0").removesuffix("em")) >= QUAD:
            parts.append([])
        else:
            parts[-1].append(node)
    blocks = []
    for part in filter(None, parts):
        block = Element("math", dict(whole.items()))
        row = Element("mrow")
        row.extend(part)
        block.append(row)
        blocks.append(block)
    return blocks


def name_of(node: Element) -> str:
    """Return the name that a node stands for, with its scripts or without: log, softmax."""
    if node.tag in SCRIPTS:
        return name_of(node[0])
    text = node.text or ""
    return text if node.tag == "mi" and len(text) > 1 and text.isascii() else ""


def is_opening(node: Element) -> bool:
    """Say whether a node is an opening bracket."""
    return node.tag == "mo" and _category(node) == "Ps"


def is_ordinary(node: Element) -> bool:
    """Say whether a node is a thing and no operator; a closing bracket ends one."""
    if node.tag == "mo":
        return _category(node) == "Pe" or node.text in ("‖", "|")
    return node.tag in LEAVES - {"mtext"} | SCRIPTS | {"mfrac", "msqrt", "mroot", "mrow"}


def _category(node: Element) -> str:
    text = node.text or ""
    return unicodedata.category(text) if len(text) == 1 else ""


def _unreadable(latex: str, why: str) -> DataError:
    return DataError(f"{latex}: not a formula that can be converted ({why}). Write it in LaTeX.")


def _cleaned(node: Element, latex: str, block: bool) -> Element:
    """Return a copy of a node in MathML Core."""
    if node.tag in LEAVES and not len(node):
        return _leaf(node, latex)
    known = node.tag in SCRIPTS | OTHERS
    new = Element(node.tag if known else "mrow", dict(_attributes(node)))
    children = [_cleaned(one, latex, block) for one in node]
    if new.tag in SCRIPTS:
        _set_scripts(new, children, block)
    else:
        new.extend(_spaced(one for one in children if not _is_void(one)))
    if new.tag == "mrow" and new.get("href") is None and len(new) == 1:
        return new[0]
    joined = _joined(new) if new.tag == "mrow" else None
    return new if joined is None else joined


def _attributes(node: Element) -> Iterator[tuple[str, str]]:
    for name, value in node.items():
        value = SPACES.get(value, value)
        if name == "columnalign" and node.tag == "mtd" and value in ("left", "right"):
            yield "style", f"text-align: {value}"
        elif name in ATTRIBUTES and VALUE.fullmatch(value):
            yield name, value


def _is_void(node: Element) -> bool:
    return node.tag in ("mi", "mtext") and not node.text and not len(node)


def _leaf(node: Element, latex: str) -> Element:
    """Return a token with its text as it is shown, and as the kind of token that it is."""
    written = node.text or ""
    text = unescape(written)
    if text.startswith("\\") or (text == "&" and written == "&"):
        raise _unreadable(latex, f"{text} is not known here")
    new = Element(node.tag, dict(_attributes(node)))
    variant = node.get("mathvariant", "")
    upright = variant == "normal" or (written != text and len(text) == 1 and text.isascii())
    if new.tag == "mi" and upright and text.isalpha():
        new.set("mathvariant", "normal")
    if variant in ALPHABETS and new.tag != "mtext":
        text = "".join(_in_font(letter, variant) for letter in text)
    new.text = text
    if new.tag == "mo" and (text in ORDINARY or (len(text) > 1 and text[0].isalpha())):
        new.tag = "mi"
        new.attrib.pop("movablelimits", None)
    elif new.tag == "mi" and _category(new) in ("Ps", "Pe", "Sm") and text not in ORDINARY:
        new.tag = "mo"
    if new.tag == "mo" and _category(new) in ("Ps", "Pe") and new.get("stretchy") is None:
        new.set("stretchy", "true")
    if new.tag == "mo" and text == "/":
        new.attrib.update(lspace="0", rspace="0")
    return new


def _in_font(letter: str, variant: str) -> str:
    upper, lower, greek, digit = ALPHABETS[variant]
    for first, last, begin in (("A", "Z", upper), ("a", "z", lower), ("0", "9", digit)):
        if first <= letter <= last and begin is not None:
            moved = chr(begin + ord(letter) - ord(first))
            return moved if unicodedata.category(moved) != "Cn" else letter
    if greek is not None and "α" <= letter <= "ω":
        return chr(greek + 26 + ord(letter) - ord("α"))
    if greek is not None and "Α" <= letter <= "Ω":
        return chr(greek + ord(letter) - ord("Α"))
    return letter


def _set_scripts(node: Element, children: list[Element], block: bool) -> None:
    """Put a base and its scripts into a node; below max and its like, or as an accent."""
    node.extend(children)
    if block and node.tag == "msub" and name_of(node[0]) in LIMITED:
        node.tag = "munder"
    if node.tag == "mover" and len(node) == 2 and node[1].text in ACCENTS:
        node.set("accent", "true")
        node[1].text = ACCENTS[node[1].text or ""]


def _joined(row: Element) -> Element | None:
    """Return letters set upright one by one as the one name that they spell, if they do."""
    letters = [one.text or "" for one in row if one.get("mathvariant") == "normal"]
    if len(letters) < 2 or len(letters) != len(row):
        return None
    name = Element("mi")
    name.text = "".join(letters)
    return name


def _spaced(nodes: Iterator[Element]) -> Iterator[Element]:
    """Yield nodes with a thin space between the name of a function and its neighbours."""
    before: Element | None = None
    for node in nodes:
        beside = before is not None and is_ordinary(before)
        if beside and before is not None and is_ordinary(node):
            after_name = name_of(before) and not is_opening(node)
            if after_name or name_of(node):
                yield Element("mspace", {"width": THIN})
        yield node
        before = node
