"""Markup inside a line of Markdown: emphasis, links, pictures, code, and the escapes of text."""

import re
import unicodedata
from collections.abc import Iterator
from html import unescape

from dragoman.data.documents.inline_markup import Mark, MarkedPart, text_pieces
from dragoman.data.documents.text_decoding import storable

TOKEN = re.compile(
    r"(?P<hard>\\\n|(?<! ) {2,}+\n)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`++)"
    r"|(?P<entity>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    r"|<(?P<address>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*+|[^\s<>@/]++@[^\s<>@]++)>"
    r"|<(?P<end>/?)(?P<tag>[A-Za-z][A-Za-z0-9-]*+)(?:\s[^<>]*+|/)?>"
    r"|(?P<comment><!--[^<>]*+-->)"
    r"|(?P<foot>\[\^[^\]\s]{1,100}\])"
    r"|(?P<open>!?\[)"
    r"|(?P<close>\])"
    r"|(?P<emphasis>\*++|_++|~~)"
)
TARGET = re.compile(
    r"\((?:\s*+(?:<[^<>\n]{0,999}>|[^\s()<>]{0,999}(?:\([^\s()]{0,99}\)[^\s()]{0,99}){0,3}))"
    r"""(?:\s++(?:"[^"]{0,300}"|'[^']{0,300}'))?\s*+\)"""
)
LABEL = re.compile(r"\[[^\[\]]{0,999}\]")
LONGEST_LABEL = 999
VOID = ("br", "hr", "img", "wbr", "input")
SPECIAL = re.compile(
    r"[\\`*\[\]]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?])|~(?=~)|(?<=~)~"
    r"|&(?=\#?[A-Za-z0-9]{1,31};)"
)
BREAKS = re.compile("[\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]+")
NOT_IN_ADDRESS = str.maketrans("", "", "<>")
BEGINNING = re.compile(r"(?:[-+>=#|~:$]|[0-9]{1,9}(?=[.)]))")


def labels_of(text: str) -> frozenset[str]:
    """Return the names of link targets a file defines."""
    found = re.finditer(r"^[ \t>]*+\[([^\[\]\n]{1,999})\]:", text, re.MULTILINE)
    return frozenset(_label(match.group(1)) for match in found)


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


def inline_pieces(text: str, labels: frozenset[str]) -> list[MarkedPart]:
    """Take a paragraph apart, its lines parted by line feeds."""
    return _Scanner(text, labels).scanned()


class _Scanner:
    """One pass over a paragraph."""

    def __init__(self, text: str, labels: frozenset[str]) -> None:
        self._text = text
        self._labels = labels
        self._pieces: list[MarkedPart] = []
        self._brackets: list[int] = []
        self._runs = _tick_runs(text)

    def scanned(self) -> list[MarkedPart]:
        """Return the pieces."""
        done = 0
        while found := TOKEN.search(self._text, done):
            self._pieces += text_pieces(done, self._text[done : found.start()], str)
            done = self._take(found, str(found.lastgroup))
        self._pieces += text_pieces(done, self._text[done:], str)
        return self._pieces

    def _take(self, found: re.Match[str], kind: str) -> int:
        begin, end = found.span()
        match kind:
            case "ticks":
                return self._code(begin, end)
            case "emphasis":
                self._pieces.append(self._emphasis(begin, end))
            case "open":
                self._brackets.append(len(self._pieces))
                self._pieces.append(MarkedPart(Mark.TEXT, begin, end, found.group()))
            case "close":
                return self._close(begin)
            case _:
                self._pieces += _simple(found, kind)
        return end

    def _code(self, begin: int, end: int) -> int:
        """Read code up to as many backticks as it began with; without such they are text."""
        places = self._runs.get(end - begin, [])  # none if an escaped one stands before these
        while places and places[-1] < end:
            places.pop()
        if not places:
            self._pieces.append(MarkedPart(Mark.TEXT, begin, end, self._text[begin:end]))
            return end
        close = places.pop()
        last = close + end - begin
        self._pieces += [
            MarkedPart(Mark.OPEN, begin, end, key=("code", begin), verbatim=True),
            MarkedPart(Mark.TEXT, end, close, self._text[end:close]),
            MarkedPart(Mark.CLOSE, close, last, key=("code", begin)),
        ]
        return last

    def _emphasis(self, begin: int, end: int) -> MarkedPart:
        """Say whether a run of stars or such opens or closes: by what stands before and after."""
        before, after = self._text[begin - 1 : begin] or " ", self._text[end : end + 1] or " "
        opens = _leans(before, after)
        closes = _leans(after, before)
        if self._text[begin] == "_":
            opens, closes = (
                opens and (not closes or _is_mark(before)),
                closes and (not opens or _is_mark(after)),
            )
        run = self._text[begin:end]
        if len(run) > 3 or not (opens or closes):
            return MarkedPart(Mark.TEXT, begin, end, run)
        if opens and closes:
            opened = sum(
                (piece.mark is Mark.OPEN) - (piece.mark is Mark.CLOSE)
                for piece in self._pieces[-20:]
                if piece.key == run
            )
            opens = opened <= 0
        return MarkedPart(Mark.OPEN if opens else Mark.CLOSE, begin, end, key=run)

    def _close(self, place: int) -> int:
        """Make a link or a picture of what stands in brackets, if a target follows."""
        text, pieces = self._text, self._pieces
        if not self._brackets:
            pieces.append(MarkedPart(Mark.TEXT, place, place + 1, "]"))
            return place + 1
        number = self._brackets.pop()
        opening = pieces[number]
        target = TARGET.match(text, place + 1) or LABEL.match(text, place + 1)
        inside = text[opening.end : place] if place - opening.end <= LONGEST_LABEL else ""
        named = bool(inside.strip()) and _label(inside) in self._labels
        own = not target or target.group() == "[]"
        if own and not named:
            pieces.append(MarkedPart(Mark.TEXT, place, place + 1, "]"))
            return place + 1
        end = target.end() if target else place + 1
        key = ("link", opening.begin)
        pieces[number] = MarkedPart(Mark.OPEN, *opening[1:3], key=key, verbatim=own)
        pieces.append(MarkedPart(Mark.CLOSE, place, end, key=key))
        return end


def _simple(found: re.Match[str], kind: str) -> Iterator[MarkedPart]:
    begin, end = found.span()
    match kind:
        case "escaped" | "entity":
            yield MarkedPart(
                Mark.TEXT, begin, end, found.group("escaped") or unescape(found.group())
            )
        case "address":
            yield MarkedPart(Mark.OPEN, begin, begin + 1, key=("address", begin), verbatim=True)
            yield MarkedPart(Mark.TEXT, begin + 1, end - 1, found.group("address"))
            yield MarkedPart(Mark.CLOSE, end - 1, end, key=("address", begin))
        case "tag":
            tag = found.group("tag").casefold()
            alone = tag in VOID or found.group().endswith("/>")
            mark = Mark.ALONE if alone else Mark.CLOSE if found.group("end") else Mark.OPEN
            yield MarkedPart(mark, begin, end, key=("tag", tag), breaks=tag == "br")
        case _:
            yield MarkedPart(Mark.ALONE, begin, end, breaks=kind == "hard")


def _tick_runs(text: str) -> dict[int, list[int]]:
    """Return where runs of backticks of each length stand, the last first."""
    runs: dict[int, list[int]] = {}
    for run in re.finditer("`+", text):
        runs.setdefault(len(run.group()), []).append(run.start())
    for places in runs.values():
        places.reverse()
    return runs


def _is_mark(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "PS"


def _leans(before: str, after: str) -> bool:
    """Whether a run between the two belongs to what comes after it."""
    return not after.isspace() and (not _is_mark(after) or before.isspace() or _is_mark(before))


def escape_markdown(text: str, around: str = "") -> str:
    """Write a text so that nothing in it is read as markup; line breaks become spaces.

    What stands `around` it may be the sign of code or of an address, where nothing is escaped.
    """
    text = BREAKS.sub(" ", storable(text))
    if around.startswith("`"):
        return re.sub("`+", lambda run: "'" if run.group() == around else run.group(), text)
    if around == "<":
        return "".join(text.translate(NOT_IN_ADDRESS).split())
    return SPECIAL.sub(r"\\\g<0>", text)


def safe_beginning(text: str) -> str:
    """Write what begins a line so that it does not begin a heading, a list or such."""
    text = text.strip(" \t")
    found = BEGINNING.match(text)
    if found is None:
        return text
    if found.group().isdecimal():
        return f"{found.group()}\\{text[found.end() :]}"
    return f"\\{text}"
