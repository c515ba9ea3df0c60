"""Markup in the encoding it says it has: by its byte order mark, or by a declaration inside."""

import codecs
import re

from dragoman.core.errors import DataError
from dragoman.data.documents.text_decoding import decode_text

MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
UNMARKED = {b"<\0?\0": "utf-16-le", b"\0<\0?": "utf-16-be"}
KNOWN = re.compile(
    r"ascii|big5|cp\d|euc_|gb|hz|iso8859|johab|koi8|mac-|shift_jis|tis-620|utf-(?:8|16)"
)
"""What text is kept in; other codecs of Python are slow on purpose, or no encodings at all."""
XML_DECLARATION = re.compile(rb"<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}[\"']([\w.:-]{1,40})")
TAG = re.compile(
    rb"<meta(?=[\s/])[^>]{0,300}?charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})"
    rb"|<!--.*?(?:-->|\Z)|<title\b.*?(?:</title|\Z)"
    rb"""|</?[a-z](?:[^>"']|"[^"]*+"|'[^']*+')*+>""",
    re.IGNORECASE | re.DOTALL,
)
"""A tag of a web page: one that declares an encoding, or another, in which nothing declares one."""
LATIN = {"ascii": "cp1252", "iso8859-1": "cp1252"}
"""Whoever says Latin-1 on a web page means what browsers take it for."""


def decode_xml(data: bytes, name: str) -> tuple[str, str]:
    """Return the text of an XML file and the encoding that gives back its bytes."""
    found = XML_DECLARATION.match(data)
    return _decoded(data, name, _known(found[1], name) if found else "utf-8")


def decode_html(data: bytes, name: str) -> tuple[str, str]:
    """Return the text of a web page and the encoding that gives back its bytes.

    A page in which nothing says what it is in is UTF-8.
    """
    tags = (found for found in TAG.finditer(data, 0, 4096) if found[1])
    found = next(tags, None) or XML_DECLARATION.match(data)
    encoding = _known(found[1], name) if found else "utf-8"
    if encoding.startswith("utf-16"):  # it could not have been read up to here
        encoding = "utf-8"
    return _decoded(data, name, LATIN.get(encoding, encoding))


def _known(label: bytes, name: str) -> str:
    try:
        encoding = codecs.lookup(label.decode("ascii", "replace")).name
    except LookupError:
        encoding = ""
    if not KNOWN.match(encoding):
        raise DataError(
            f"{name}:1: the encoding {label.decode('ascii', 'replace')!r} is not known. "
            "Save the file as UTF-8, and let it say so."
        )
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _decoded(data: bytes, name: str, encoding: str) -> tuple[str, str]:
    starts = {**MARKS, **UNMARKED}
    encoding = next((starts[start] for start in starts if data.startswith(start)), encoding)
    text = decode_text(data, name, encoding)
    if text.encode(encoding, "replace") != data:
        raise DataError(
            f"{name}:1: not every byte of the file is {encoding} as it is usually written. "
            "Save it as UTF-8."
        )
    return text, encoding
