"""Protected spans, which a translation must keep: `%s`, `{name}`, addresses, numbers.

Every pattern is bounded or begins at the edge of a word, so that the time is linear in the text.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

UNITS = (
    "kB|KB|MB|GB|TB|KiB|MiB|GiB|TiB|bytes?|bits?|bps|kbps|Mbps|Hz|kHz|MHz|GHz|fps|dpi|px|pt|em|"
    "nm|mm|cm|dm|km|m|ft|mi|mg|kg|g|t|ml|l|ms|s|min|h|W|kW|V|A|mA|°C|°F|°|%|€|£|₹"
)
MONEY = "[$€£₹¥]"
FLAGS = r"(?:\d{1,2}\$|\(\w{1,40}\))?[-+#0']{0,3}(?:\d{1,4}|\*)?(?:\.(?:\d{1,4}|\*))?"

IN_ADDRESS = r"[^\s<>\"'｟｠]"
CONVERSION = "(?:hh?|ll?|[qjzt])?[diouxXeEfFgGaAcsprn@]"
PICTOGRAM = "[\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff]"

KINDS = {
    "symbol": r"｟\d{1,2}｠",
    "url": rf"(?:https?|ftp|file)://{IN_ADDRESS}{{1,2000}}(?<![.,;:!?)\]}}])"
    r"|(?<!\w)www\.[\w./-]{1,200}(?<=\w)",
    "email": r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,6}",
    "tag": r"</?[A-Za-z][^<>]{0,2000}>",
    "entity": r"&(?:\#\d{1,7}|\#x[0-9A-Fa-f]{1,6}|[A-Za-z]\w{1,30});",
    "printf": rf"(?<!\d)%{FLAGS}{CONVERSION}|%[1-9](?!\d)|%L[1-9]|%%",
    "brace": r"(?<!\{)[$\#%]?\{{1,3}[^{}\n]{0,200}\}{1,3}|\$\(\w{1,60}\)|(?<![\w%])%\w{2,40}%",
    "escape": r"\\(?:[nrt\"'\\]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})",
    "option": r"(?<![\w-])(?:--?[a-z][\w-]{2,40}|--[a-z]\w{0,40})(?![\w-])",
    "emoji": rf"(?:{PICTOGRAM}[\ufe0f\u200d\u20e3]{{0,3}}){{1,40}}",
    "number": rf"(?<![\w.,])(?:{MONEY} ?)?[-+]?\d{{1,20}}(?:[.,:/]\d{{1,20}}){{0,8}}"
    rf"(?: ?(?:{UNITS}))?(?!\w|[.,:/]\w)",
}
"""By kind, in order of precedence where two begin at one place."""

SOFT = frozenset(("number",))
"""Kinds that a model may be trusted with, and is checked on."""

POSITIONAL = re.compile(r"%(?!\d{1,2}\$|\(|L?\d\Z)[^%]")
"""One that takes its value by its place among its like, and so must keep its place; Qt's `%1` does
not."""

_PATTERN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in KINDS.items()))

_TELLTALE = re.compile(rf"[｟:@<&%{{$\\\d-]|www|{PICTOGRAM}")
"""Each kind has one of these; most texts have none, and are done with sooner."""

_OTHER_DIGIT = re.compile(r"(?![0-9])\d")


class ProtectedSpan(NamedTuple):
    """One thing that must survive."""

    kind: str
    begin: int
    end: int
    text: str

    @property
    def positional(self) -> bool:
        """Whether it may not change places with others."""
        return self.kind == "printf" and self.text != "%%" and bool(POSITIONAL.match(self.text))


def protected_spans(text: str) -> list[ProtectedSpan]:
    """Return what must survive, in the order of the text."""
    if not _TELLTALE.search(text):
        return []
    return [
        ProtectedSpan(found.lastgroup or "", found.start(), found.end(), found.group())
        for found in _PATTERN.finditer(text)
    ]


def split_protected(text: str) -> list[str]:
    """Cut a text so that what stands at odd places must survive, numbers aside."""
    parts, done = [], 0
    for thing in protected_spans(text):
        if thing.kind not in SOFT:
            parts += [text[done : thing.begin], thing.text]
            done = thing.end
    return [*parts, text[done:]]


def replace_spans(text: str, things: Sequence[ProtectedSpan], instead: Sequence[str]) -> str:
    """Put other words in the place of things that stand in a text, in its order."""
    parts, done = [], 0
    for thing, words in zip(things, instead, strict=True):
        parts += [text[done : thing.begin], words]
        done = thing.end
    return "".join([*parts, text[done:]])


def plain_digits(text: str) -> str:
    """Write digits of any script as 0 to 9: ४२ is 42."""
    return _OTHER_DIGIT.sub(lambda found: str(unicodedata.digit(found.group())), text)
