"""Requests of the LibreTranslate API: as JSON, as a form, or in the query string."""

from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from fastapi import Request
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.datastructures import UploadFile

from dragoman.server.errors import ApiError

AUTO = "auto"


class LibreTranslateRequest(BaseModel):
    """The parameters of every request; others are ignored."""

    model_config = ConfigDict(extra="ignore", use_attribute_docstrings=True)

    api_key: str = ""
    """An API key, where the server needs one."""


class TranslateRequest(LibreTranslateRequest):
    """A request to /translate."""

    q: str | list[str]
    """One text, or several."""
    source: str
    """The source language, or "auto"."""
    target: str
    """The target language."""
    format: Literal["text", "html"] = "text"
    """Plain text, or HTML whose tags are kept."""
    alternatives: int = Field(0, ge=0)
    """How many alternative translations to return."""


class DetectRequest(LibreTranslateRequest):
    """A request to /detect."""

    q: str


class TranslateFileRequest(LibreTranslateRequest):
    """A request to /translate_file, besides the file."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Upload:
    """An uploaded file."""

    name: str
    data: bytes


RequestT = TypeVar("RequestT", bound=LibreTranslateRequest)


async def read_fields(request: Request) -> dict[str, Any]:
    """Return the parameters of a request, in whichever form they come."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    fields: dict[str, Any] = dict(request.query_params) if request.scope["query_string"] else {}
    if kind == "application/json":
        try:
            body = await request.json()
        except (ValueError, RecursionError):
            raise ApiError(400, "Invalid request: not valid JSON.") from None
        if not isinstance(body, dict):
            raise ApiError(400, "Invalid request: a JSON object is expected.")
        fields |= body
    elif kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
        async with request.form(max_files=1, max_fields=32) as form:
            for name, value in form.items():
                fields[name] = await _form_value(value)
    return fields


async def _form_value(value: UploadFile | str) -> "Upload | str":
    """Return the value of a form field; a file is read before the form is closed."""
    return value if isinstance(value, str) else Upload(value.filename or "", await value.read())


def validate(kind: type[RequestT], fields: dict[str, Any]) -> RequestT:
    """Validate the parameters of a request; the error names the first that is wrong."""
    plain = {name: value for name, value in fields.items() if not isinstance(value, Upload)}
    try:
        request = kind.model_validate(plain)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(map(str, first["loc"][:1])) or "request"
        if first["type"] == "missing":
            raise ApiError(400, f"Invalid request: missing {where} parameter") from None
        raise ApiError(400, f"Invalid request: {where}: {first['msg']}") from None
    return request


def schema(kind: type[LibreTranslateRequest], *, file: bool = False) -> dict[str, Any]:
    """Return the OpenAPI description of a request."""
    body = kind.model_json_schema()
    if file:
        body["properties"] = {"file": {"type": "string", "format": "binary"}} | body["properties"]
        body["required"] = ["file", *body["required"]]
        return {"requestBody": {"content": {"multipart/form-data": {"schema": body}}}}
    types = ("application/json", "application/x-www-form-urlencoded")
    return {"requestBody": {"content": {each: {"schema": body} for each in types}}}
