"""Error responses: a refusal as each interface writes its errors, with the request id."""

import json
import secrets
from http import HTTPStatus
from typing import Any

from starlette.types import Scope, Send

from dragoman.server.middleware.security_headers import CAREFUL
from dragoman.server.refusal import Refusal


def new_identity() -> str:
    """Return an id for a request; two do not meet in one log."""
    return secrets.token_hex(6)


def identity_of(scope: Scope) -> str:
    """Return the id of a request."""
    identity: str = scope.get("state", {}).get("id", "")
    return identity


def refusal_body(path: str, refusal: Refusal, identity: str) -> dict[str, Any]:
    """Return the JSON that tells a client of a path why it is refused."""
    if path == "/v1" or path.startswith("/v1/"):
        error = {"message": refusal.message, "type": refusal.kind, "id": identity}
        return {"error": {**error, "param": refusal.param, "code": refusal.code}}
    return {"error": refusal.message, "id": identity}


async def send_refusal(scope: Scope, send: Send, refusal: Refusal) -> None:
    """Answer a request with a refusal."""
    body = json.dumps(refusal_body(scope["path"], refusal, identity_of(scope))).encode("ascii")
    headers = _raw({"Content-Type": "application/json", **refusal.headers}, body)
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def bare_answer(refusal: Refusal) -> bytes:
    """Return a whole answer as it goes over the wire, for who never became a request."""
    identity = new_identity()
    body = json.dumps(refusal_body("", refusal, identity)).encode("ascii")
    said = {"Content-Type": "application/json", "X-Request-Id": identity, "Connection": "close"}
    headers = [*_raw({**said, **refusal.headers}, body), *CAREFUL.items()]
    lines = b"".join(name + b": " + value + b"\r\n" for name, value in headers)
    status = f"HTTP/1.1 {refusal.status} {HTTPStatus(refusal.status).phrase}\r\n"
    return status.encode("ascii") + lines + b"\r\n" + body


def _raw(headers: dict[str, str], body: bytes) -> list[tuple[bytes, bytes]]:
    named = {**headers, "Content-Length": str(len(body))}
    return [(name.lower().encode("ascii"), value.encode("ascii")) for name, value in named.items()]
