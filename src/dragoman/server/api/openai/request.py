"""Requests of the OpenAI API, and which of its parameters are supported.

An unsupported parameter that would change the text is refused, never ignored. Those that change
nothing, such as `user`, are ignored; so is a parameter with the value that it has by default.
"""

from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dragoman.server.errors import ApiError

IGNORED = frozenset(
    (
        "metadata",
        "parallel_tool_calls",
        "prompt_cache_key",
        "prompt_cache_retention",
        "safety_identifier",
        "service_tier",
        "store",
        "user",
    )
)
"""Parameters that change nothing of the text."""

UNSUPPORTED: dict[str, tuple[Any, ...]] = {
    "audio": (),
    "best_of": (1,),
    "frequency_penalty": (0,),
    "function_call": ("none",),
    "functions": ([],),
    "logit_bias": ({},),
    "modalities": (["text"],),
    "prediction": (),
    "presence_penalty": (0,),
    "reasoning_effort": (),
    "response_format": ({"type": "text"},),
    "suffix": ("",),
    "tool_choice": ("none", "auto"),
    "tools": ([],),
    "verbosity": (),
    "web_search_options": (),
}
"""Unsupported parameters, and the values that change nothing; null is always one."""

MAX_STOPS, MAX_STOP_CHARACTERS = 4, 200


class StreamOptions(BaseModel):
    """Options of a stream."""

    include_usage: bool = False
    include_obfuscation: bool = False
    """Whether chunks are padded to even length; they are not, but this changes no text."""


class OpenAIRequest(BaseModel):
    """The parameters of every request for text."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True, allow_inf_nan=False)

    model: str = Field(max_length=200)
    """The name of a run."""
    temperature: float | None = Field(None, ge=0.0, le=2.0)
    """1 by default; 0 takes the likeliest token."""
    top_p: float | None = Field(None, ge=0.0, le=1.0)
    """1 by default."""
    top_k: int | None = Field(None, ge=0)
    """0, all tokens, by default. Not in OpenAI's interface."""
    repetition_penalty: float | None = Field(None, gt=0.0, le=100.0)
    """1, none, by default. Not in OpenAI's interface."""
    min_tokens: int | None = Field(None, ge=0)
    """Tokens that must come before a text may end; 0 by default. Not in OpenAI's interface."""
    seed: int | None = Field(None, ge=-(1 << 63), lt=1 << 63)
    """The same seed gives the same text."""
    n: int | None = Field(None, ge=1)
    """Texts to generate from each prompt; 1 by default."""
    stop: str | list[str] | None = None
    """Up to four strings that end a text and are left out."""
    stream: bool | None = None
    """Whether tokens are sent as they come."""
    stream_options: StreamOptions | None = None

    @property
    def stops(self) -> tuple[str, ...]:
        """The strings that end a text."""
        return (self.stop,) if isinstance(self.stop, str) else tuple(self.stop or ())

    @property
    def include_usage(self) -> bool:
        """Whether a stream ends with the numbers of tokens."""
        return self.stream_options is not None and self.stream_options.include_usage


class CompletionRequest(OpenAIRequest):
    """A request to /v1/completions."""

    prompt: str | list[str] | list[int] | list[list[int]] | None = None
    """One text or several, or the tokens of one or several."""
    max_tokens: int | None = Field(None, ge=0)
    """16 by default; 0 with `echo` scores the prompt alone."""
    logprobs: int | None = Field(None, ge=0, le=5)
    """How many of the likeliest tokens are listed for each token."""
    echo: bool | None = None
    """Whether the text begins with the prompt."""


class MessagePart(BaseModel):
    """A part of a message."""

    type: Literal["text"]
    text: str


class ChatMessage(BaseModel):
    """A message of a chat."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[MessagePart] | None = None

    @property
    def text(self) -> str:
        """All its parts as one."""
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""


class ChatRequest(OpenAIRequest):
    """A request to /v1/chat/completions."""

    messages: list[ChatMessage] = Field(min_length=1)
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    """As many as the server allows, by default."""
    logprobs: bool | None = None
    """Whether the log-probability of each token is given."""
    top_logprobs: int | None = Field(None, ge=0, le=20)
    """How many of the likeliest tokens are listed for each token."""


RequestT = TypeVar("RequestT", bound=OpenAIRequest)


def validate(kind: type[RequestT], body: bytes) -> RequestT:
    """Validate the body of a request; the error names the first parameter that is wrong."""
    try:
        request = kind.model_validate_json(body, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid" or not first["loc"]:
            raise ApiError(400, "Invalid request: a JSON object is expected.") from None
        where = str(first["loc"][0])
        raise ApiError(400, f"Invalid '{where}': {first['msg']}.", param=where) from None
    for name, value in (request.model_extra or {}).items():
        _check_extra(name, value)
    if len(request.stops) > MAX_STOPS:
        raise ApiError(400, f"Invalid 'stop': at most {MAX_STOPS} strings.", param="stop")
    if not all(0 < len(one) <= MAX_STOP_CHARACTERS for one in request.stops):
        message = f"Invalid 'stop': strings of 1 to {MAX_STOP_CHARACTERS} characters."
        raise ApiError(400, message, param="stop")
    return request


def schema(kind: type[OpenAIRequest]) -> dict[str, Any]:
    """Return the OpenAPI description of a request."""
    body = kind.model_json_schema()
    defined = body.pop("$defs", {})
    inlined = _inline_definitions(body, defined)
    return {"requestBody": {"content": {"application/json": {"schema": inlined}}}}


def _check_extra(name: str, value: Any) -> None:
    """Refuse an unsupported parameter, unless its value changes nothing."""
    if name in IGNORED or value is None:
        return
    if name not in UNSUPPORTED:
        raise ApiError(400, f"Unknown parameter: '{name[:60]}'.", param=name[:60])
    if not any(value == nothing and not isinstance(value, bool) for nothing in UNSUPPORTED[name]):
        raise ApiError(400, f"'{name}' is not supported by this server.", param=name)


def _inline_definitions(part: Any, defined: dict[str, Any]) -> Any:
    """Replace references by the definitions that they name."""
    if isinstance(part, list):
        return [_inline_definitions(one, defined) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _inline_definitions(defined[part["$ref"].rpartition("/")[2]], defined)
    return {name: _inline_definitions(one, defined) for name, one in part.items()}
