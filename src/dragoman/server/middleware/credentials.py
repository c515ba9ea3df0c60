"""API keys in requests: in the headers; for clients of LibreTranslate in more places."""

import base64
import binascii
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope

from dragoman.server.middleware.request_bodies import content_type, replay_body
from dragoman.server.middleware.request_headers import headers

FIELD = "api_key"
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
MAX_FIELDS = 64


def header_keys(scope: Scope) -> Iterator[bytes]:
    """Yield the possible keys in the headers of a request: X-Api-Key, Bearer and Basic."""
    for value in headers(scope, b"x-api-key"):
        yield value.strip().encode("latin-1")
    for value in headers(scope, b"authorization"):
        scheme, _, rest = value.strip().partition(" ")
        if scheme.lower() == "bearer":
            yield rest.strip().encode("latin-1")
        elif scheme.lower() == "basic":
            yield from _password(rest.strip())


def _password(encoded: str) -> Iterator[bytes]:
    try:
        pair = base64.b64decode(encoded.encode("latin-1"), validate=True)
    except binascii.Error:
        return
    _, colon, password = pair.partition(b":")
    if colon:
        yield password


def pop_query_keys(scope: Scope) -> list[bytes]:
    """Remove keys from the query string, so that they get into no log; return them."""
    query = scope["query_string"]
    if FIELD.encode("ascii") not in query and b"%" not in query:
        return []
    try:
        fields = parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=1000)
    except ValueError:  # too many fields; a route refuses or ignores them
        return []
    keys = [value.encode("utf-8", "replace") for name, value in fields if name == FIELD]
    if keys:
        rest = [(name, value) for name, value in fields if name != FIELD]
        scope["query_string"] = urlencode(rest).encode("ascii")
    return keys


async def body_keys(scope: Scope, body: bytes, receive: Receive) -> list[bytes]:
    """Return the possible keys in a JSON or form body; none, if it cannot be parsed."""
    kind = content_type(scope)
    if kind in FORMS:
        return await _keys_in_form(Request(dict(scope), replay_body(body, receive)))
    try:
        tree: Any = json.loads(body) if kind.endswith("json") else None
    except (ValueError, RecursionError):
        return []
    key = tree.get(FIELD) if isinstance(tree, dict) else None
    return [key.encode("utf-8", "replace")] if isinstance(key, str) else []


async def _keys_in_form(request: Request) -> list[bytes]:
    try:
        async with request.form(max_files=4, max_fields=MAX_FIELDS) as form:
            return _texts(form)
    except (HTTPException, MultiPartException, ClientDisconnect, ValueError, KeyError):
        return []


def _texts(form: FormData) -> list[bytes]:
    found = form.getlist(FIELD)
    return [value.encode("utf-8", "replace") for value in found if isinstance(value, str)]
