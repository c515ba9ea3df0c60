"""XML, read an element at a time, with everything off that a hostile file could use.

No DOCTYPE, hence no entities; no network; the depth and the text of a node bounded by libxml2.
"""

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from dragoman.core.errors import DataError, ReadError
from dragoman.data.formats.compression import open_bytes
from dragoman.data.formats.lines import one_line

LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
Element = Any
"""An element of lxml, which has no types."""


HARMLESS: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "huge_tree": False,
    "load_dtd": False,
    "dtd_validation": False,
    "attribute_defaults": False,
}
"""What keeps a hostile file from reading others, from the network and from filling the memory."""


def read_elements(path: Path, root: str, names: tuple[str, ...]) -> Iterator[Element]:
    """Yield the root when it opens and each element of these names when it is complete.

    An element is emptied once the caller asks for the next, and so are those before it: memory
    does not grow with the file.
    """
    begun = False
    tags = [f"{{*}}{name}" for name in (root, *names)]
    try:
        with open_bytes(path) as stream:
            for event, element in _events(stream, tags):
                if event == "start":
                    if not begun and local_name(element) == root:
                        _refuse_doctype(element, path)
                        begun = True
                        yield element
                elif begun and local_name(element) != root:
                    yield element
                    _release(element)
    except etree.XMLSyntaxError as error:
        raise xml_error(str(path), error.lineno, error.msg) from error
    except (OSError, LookupError) as error:
        failure = ReadError if getattr(error, "errno", None) == errno.EIO else DataError
        raise failure(f"{path}: cannot be read ({' '.join(str(error).split())}).") from error
    if not begun:
        raise DataError(f"{path}:1: not a file with <{root}> in it, though its name says so.")


def xml_error(name: str, line: int | None, said: str | None) -> DataError:
    """Say in one line why a file is not XML, and where; the words of lxml may have several."""
    reason = " ".join((said or "nothing in it").split())
    return DataError(f"{name}:{line or 1}: not valid XML ({reason}).")


def _events(stream: object, tags: list[str]) -> Iterator[tuple[str, Element]]:
    return etree.iterparse(
        stream, events=("start", "end"), tag=tags, **HARMLESS, remove_comments=True, remove_pis=True
    )


def _refuse_doctype(root: Element, path: Path) -> None:
    if root.getroottree().docinfo.internalDTD is not None:
        raise DataError(
            f"{path}:1: the file has a DOCTYPE, which can be made to read other files or to fill "
            "the memory. Take the <!DOCTYPE ...> out; nothing is lost."
        )


def _release(element: Element) -> None:
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def local_name(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]  # QName refuses odd namespaces


def child(element: Element, name: str) -> Element | None:
    """Return the first direct child of this name, in whatever namespace."""
    return element.find(f"{{*}}{name}")


def text_of(element: Element | None) -> str:
    """Return all text inside an element on one line, its inline tags flattened."""
    return "" if element is None else one_line("".join(element.itertext()))
