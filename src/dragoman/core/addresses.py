"""Names of machines and of pages as HTTP writes them, read strictly.

What is not plainly a name or an address is nothing: whoever asks gets None and can refuse.
"""

import re
from ipaddress import ip_address

Address = tuple[str, int | None]
"""A name or an address without brackets, in one spelling; and a port, where one is said."""

Origin = tuple[str, str, int]
"""Scheme, name and port of the server that a page comes from."""

_ADDRESS = re.compile(
    r"(?:\[([0-9a-f:.]{2,45})\]|([a-z0-9_](?:[a-z0-9_.-]{0,252})))(?::(\d{0,5}))?"
)
_PORTS = {"http": 80, "https": 443}


def read_address(text: str) -> Address | None:
    """Read `name`, `name:port` or `[address]:port`; None if it is none of these."""
    # Some letters outside ASCII become ASCII when they are made small.
    found = _ADDRESS.fullmatch(text.lower()) if text.isascii() else None
    if not found:
        return None
    bracketed, plain, digits = found.groups()
    port = int(digits) if digits else None
    if port is not None and port > 65535:
        return None
    name = _one_spelling(bracketed) if bracketed else (_one_spelling(plain) or plain)
    return (name.removesuffix("."), port) if name else None


def read_origin(text: str) -> Origin | None:
    """Read `https://name:port` as a browser's Origin header has it; None if it is no such thing."""
    scheme, between, rest = text.partition("://")
    scheme = scheme.lower() if scheme.isascii() else ""
    address = read_address(rest) if between and scheme in _PORTS else None
    return origin_of(scheme, address) if address else None


def origin_of(scheme: str, address: Address) -> Origin:
    """Return the origin of what is asked for at an address."""
    name, port = address
    return scheme, name, _PORTS.get(scheme, 0) if port is None else port


def is_loopback(name: str) -> bool:
    """Say whether a name or an address means this very machine, whoever says it."""
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


def _one_spelling(text: str) -> str | None:
    try:
        return ip_address(text).compressed
    except ValueError:
        return None
