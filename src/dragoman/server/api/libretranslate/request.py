"""Requests of LibreTranslate's clients: as JSON, as a form, or in the address."""

from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import UploadFile

from dragoman.server.refusal import Refusal

AUTO = "auto"


class LibreTranslateRequest(BaseModel):
    """What every request may carry; what else it carries is passed over."""

    model_config = ConfigDict(extra="ignore", use_attribute_docstrings=True)

    api_key: str = ""
    """A key of this server, where it asks for one."""


class TranslateAsked(LibreTranslateRequest):
    """Texts to translate."""

    q: str | list[str]
    """One text, or several."""
    source: str
    """The language they are written in, or "auto"."""
    target: str
    """The language to write."""
    format: Literal["text", "html"] = "text"
    """Whether tags are to be kept as tags."""
    alternatives: int = Field(0, ge=0)
    """How many other translations are wanted."""


class DetectAsked(LibreTranslateRequest):
    """A text whose language is asked for."""

    q: str


class FileAsked(LibreTranslateRequest):
    """The languages of a file that comes along."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that came along."""

    name: str
    data: bytes


A = TypeVar("A", bound=LibreTranslateRequest)


async def fields_of(request: Request) -> dict[str, Any]:
    """Return what a request says, in whichever form it says it."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    said: dict[str, Any] = dict(request.query_params) if request.scope["query_string"] else {}
    if kind == "application/json":
        try:
            body = await request.json()
        except (ValueError, RecursionError):
            raise Refusal(400, "Invalid request: this is no JSON.") from None
        if not isinstance(body, dict):
            raise Refusal(400, "Invalid request: a JSON object is expected.")
        said |= body
    elif kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        async with request.form(max_files=1, max_fields=32) as form:
            for name, value in form.items():
                said[name] = await _kept(value)
    return said


async def _kept(value: UploadFile | str) -> "Upload | str":
    """Take a file out of a form before the form is closed."""
    return value if isinstance(value, str) else Upload(value.filename or "", await value.read())


def read_as(kind: type[A], said: dict[str, Any]) -> A:
    """Check what was said, and name the first thing that is wrong with it."""
    plain = {name: value for name, value in said.items() if not isinstance(value, Upload)}
    try:
        asked = kind.model_validate(plain)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"][:1])) or "request"
        if first["type"] == "missing":
            raise Refusal(400, f"Invalid request: missing {where} parameter") from None
        raise Refusal(400, f"Invalid request: {where}: {first['msg']}") from None
    return asked


def schema(kind: type[LibreTranslateRequest], *, file: bool = False) -> dict[str, Any]:
    """Describe a request for the interface's own description."""
    body = kind.model_json_schema()
    if file:
        body["properties"] = {"file": {"type": "string", "format": "binary"}} | body["properties"]
        body["required"] = ["file", *body["required"]]
        return {"requestBody": {"content": {"multipart/form-data": {"schema": body}}}}
    kinds = ("application/json", "application/x-www-form-urlencoded")
    return {"requestBody": {"content": {each: {"schema": body} for each in kinds}}}
