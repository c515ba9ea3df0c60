"""Error responses in the format of each API, with the request id."""

import json
import secrets
from http import HTTPStatus
from typing import Any

from starlette.types import Scope, Send

from dragoman.server.errors import ApiError
from dragoman.server.middleware.security_headers import SECURITY_HEADERS


def new_request_id() -> str:
    """Return a random id for a request."""
    return secrets.token_hex(6)


def request_id_of(scope: Scope) -> str:
    """Return the id of a request."""
    request_id: str = scope.get("state", {}).get("id", "")
    return request_id


def error_body(path: str, error: ApiError, request_id: str) -> dict[str, Any]:
    """Return the JSON of an error, in the format of the API that a path belongs to."""
    if path == "/v1" or path.startswith("/v1/"):
        head = {"message": error.message, "type": error.kind, "id": request_id}
        return {"error": {**head, "param": error.param, "code": error.code}}
    return {"error": error.message, "id": request_id}


async def send_error(scope: Scope, send: Send, error: ApiError) -> None:
    """Send an error response."""
    body = json.dumps(error_body(scope["path"], error, request_id_of(scope))).encode("ascii")
    headers = _raw({"Content-Type": "application/json", **error.headers}, body)
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def raw_response(error: ApiError) -> bytes:
    """Return a whole error response as bytes, for a connection without a valid request."""
    request_id = new_request_id()
    body = json.dumps(error_body("", error, request_id)).encode("ascii")
    own = {"Content-Type": "application/json", "X-Request-Id": request_id, "Connection": "close"}
    headers = [*_raw({**own, **error.headers}, body), *SECURITY_HEADERS.items()]
    lines = b"".join(name + b": " + value + b"\r\n" for name, value in headers)
    status = f"HTTP/1.1 {error.status} {HTTPStatus(error.status).phrase}\r\n"
    return status.encode("ascii") + lines + b"\r\n" + body


def _raw(headers: dict[str, str], body: bytes) -> list[tuple[bytes, bytes]]:
    named = {**headers, "Content-Length": str(len(body))}
    return [(name.lower().encode("ascii"), value.encode("ascii")) for name, value in named.items()]
