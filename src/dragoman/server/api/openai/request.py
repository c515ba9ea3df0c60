"""What a client of OpenAI's interface asks, and what of it is understood here.

A parameter that would change the answer and is not understood is refused, never passed over. Those
that change nothing, such as `user`, are; so is a parameter that is given the value it has anyway.
"""

from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dragoman.server.refusal import Refusal

HARMLESS = frozenset(
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
"""What changes nothing of the text."""

NOT_HERE: dict[str, tuple[Any, ...]] = {
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
"""What is not understood here, and the values by which it asks for nothing; null is always one."""

MOST_STOPS, LONGEST_STOP = 4, 200


class StreamOptions(BaseModel):
    """How a stream is told."""

    include_usage: bool = False
    include_obfuscation: bool = False
    """Whether chunks are to be of even length; they are not, but this changes no text."""


class CompletionRequest(BaseModel):
    """What every request to write may carry."""

    model_config = ConfigDict(extra="allow", use_attribute_docstrings=True, allow_inf_nan=False)

    model: str = Field(max_length=200)
    """The name of a run."""
    temperature: float | None = Field(None, ge=0.0, le=2.0)
    """1 unless said otherwise; 0 takes the likeliest token."""
    top_p: float | None = Field(None, ge=0.0, le=1.0)
    """1 unless said otherwise."""
    top_k: int | None = Field(None, ge=0)
    """0, all tokens, unless said otherwise. Not in OpenAI's interface."""
    repetition_penalty: float | None = Field(None, gt=0.0, le=100.0)
    """1, none, unless said otherwise. Not in OpenAI's interface."""
    min_tokens: int | None = Field(None, ge=0)
    """Tokens that must come before a text may end; 0 unless said otherwise. Not in OpenAI's
    interface."""
    seed: int | None = Field(None, ge=-(1 << 63), lt=1 << 63)
    """The same seed writes the same text."""
    n: int | None = Field(None, ge=1)
    """Texts to write from each prompt; 1 unless said otherwise."""
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
    def tells_usage(self) -> bool:
        """Whether a stream is to end with the numbers of tokens."""
        return self.stream_options is not None and self.stream_options.include_usage


class CompletionAsked(CompletionRequest):
    """A text to go on with."""

    prompt: str | list[str] | list[int] | list[list[int]] | None = None
    """One text or several, or the tokens of one or several."""
    max_tokens: int | None = Field(None, ge=0)
    """16 unless said otherwise; 0 with `echo` tells of the prompt alone."""
    logprobs: int | None = Field(None, ge=0, le=5)
    """How many of the likeliest tokens are told for each that came."""
    echo: bool | None = None
    """Whether the text begins with the prompt."""


class MessagePart(BaseModel):
    """A part of a message."""

    type: Literal["text"]
    text: str


class ChatMessage(BaseModel):
    """What somebody has said."""

    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[MessagePart] | None = None

    @property
    def text(self) -> str:
        """All its parts as one."""
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""


class ChatAsked(CompletionRequest):
    """A conversation to go on with."""

    messages: list[ChatMessage] = Field(min_length=1)
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    """As much as the server allows, unless said otherwise."""
    logprobs: bool | None = None
    """Whether the log-probability of each token is told."""
    top_logprobs: int | None = Field(None, ge=0, le=20)
    """How many of the likeliest tokens are told for each that came."""


A = TypeVar("A", bound=CompletionRequest)


def read_as(kind: type[A], body: bytes) -> A:
    """Check what was said, and name the first thing that is wrong with it."""
    try:
        asked = kind.model_validate_json(body, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        if first["type"] == "json_invalid" or not first["loc"]:
            raise Refusal(400, "Invalid request: a JSON object is expected.") from None
        where = str(first["loc"][0])
        raise Refusal(400, f"Invalid '{where}': {first['msg']}.", param=where) from None
    for name, value in (asked.model_extra or {}).items():
        _check_other(name, value)
    if len(asked.stops) > MOST_STOPS:
        raise Refusal(400, f"Invalid 'stop': at most {MOST_STOPS} strings.", param="stop")
    if not all(0 < len(one) <= LONGEST_STOP for one in asked.stops):
        words = f"Invalid 'stop': strings of 1 to {LONGEST_STOP} characters."
        raise Refusal(400, words, param="stop")
    return asked


def schema(kind: type[CompletionRequest]) -> dict[str, Any]:
    """Describe a request for the interface's own description."""
    body = kind.model_json_schema()
    defined = body.pop("$defs", {})
    told = _inlined(body, defined)
    return {"requestBody": {"content": {"application/json": {"schema": told}}}}


def _check_other(name: str, value: Any) -> None:
    """Refuse a parameter that is not understood, unless it asks for nothing."""
    if name in HARMLESS or value is None:
        return
    if name not in NOT_HERE:
        raise Refusal(400, f"Unknown parameter: '{name[:60]}'.", param=name[:60])
    if not any(value == nothing and not isinstance(value, bool) for nothing in NOT_HERE[name]):
        raise Refusal(400, f"'{name}' is not supported by this server.", param=name)


def _inlined(part: Any, defined: dict[str, Any]) -> Any:
    """Put definitions where they are meant: elsewhere their names mean nothing."""
    if isinstance(part, list):
        return [_inlined(one, defined) for one in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _inlined(defined[part["$ref"].rpartition("/")[2]], defined)
    return {name: _inlined(one, defined) for name, one in part.items()}
