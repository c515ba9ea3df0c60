"""Where a request may carry a key: in its headers; for LibreTranslate's clients in more places."""

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

from dragoman.server.middleware.request_bodies import content_type, replayed
from dragoman.server.middleware.request_head import headers

FIELD = "api_key"
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
MOST_FIELDS = 64


def keys_in_headers(scope: Scope) -> Iterator[bytes]:
    """Yield what may be keys in the headers of a request."""
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


def taken_from_query(scope: Scope) -> list[bytes]:
    """Take keys out of a request's address, so that they come into no log; return them."""
    query = scope["query_string"]
    if FIELD.encode("ascii") not in query and b"%" not in query:
        return []
    try:
        fields = parse_qsl(query.decode("latin-1"), keep_blank_values=True, max_num_fields=1000)
    except ValueError:  # too many fields; routes will refuse it or not care
        return []
    keys = [value.encode("utf-8", "replace") for name, value in fields if name == FIELD]
    if keys:
        rest = [(name, value) for name, value in fields if name != FIELD]
        scope["query_string"] = urlencode(rest).encode("ascii")
    return keys


async def keys_in_body(scope: Scope, body: bytes, receive: Receive) -> list[bytes]:
    """Return what may be keys in a body of JSON or of a form; of what cannot be read, none."""
    kind = content_type(scope)
    if kind in FORMS:
        return await _keys_in_form(Request(dict(scope), replayed(body, receive)))
    try:
        tree: Any = json.loads(body) if kind.endswith("json") else None
    except (ValueError, RecursionError):
        return []
    key = tree.get(FIELD) if isinstance(tree, dict) else None
    return [key.encode("utf-8", "replace")] if isinstance(key, str) else []


async def _keys_in_form(request: Request) -> list[bytes]:
    try:
        async with request.form(max_files=4, max_fields=MOST_FIELDS) as form:
            return _texts(form)
    except (HTTPException, MultiPartException, ClientDisconnect, ValueError, KeyError):
        return []


def _texts(form: FormData) -> list[bytes]:
    found = form.getlist(FIELD)
    return [value.encode("utf-8", "replace") for value in found if isinstance(value, str)]
