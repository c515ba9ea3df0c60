"""/v1/models, /v1/completions and /v1/chat/completions, as OpenAI has them."""

import secrets
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from dragoman.config.serving import ServingSettings
from dragoman.server.api.openai.prompts import GenerationPrompt, conversation, prompts_of
from dragoman.server.api.openai.request import (
    ChatAsked,
    CompletionAsked,
    CompletionRequest,
    read_as,
    schema,
)
from dragoman.server.api.openai.response import Chat, Completion, Shape
from dragoman.server.api.openai.streaming import CompletionStream, Events, begun, sampling
from dragoman.server.api.openai.text_stream import Echo
from dragoman.server.language_models import ServedWriter
from dragoman.server.refusal import Refusal
from dragoman.tasks.language_model.requests import GenerationRequest

router = APIRouter(prefix="/v1", tags=["OpenAI"])

USUAL_TOKENS = 16
"""How many tokens a completion has at most, if nobody says."""


@router.get("/models", summary="List the language models")
async def models(request: Request) -> dict[str, Any]:
    """List the language models that are served."""
    writers = request.app.state.shelf.writers
    return {"object": "list", "data": [_model(one) for one in writers.values()]}


@router.get("/models/{name}", summary="Describe a language model")
async def model(request: Request, name: str) -> dict[str, Any]:
    """Describe one of them."""
    return _model(_found(request, name))


@router.post("/completions", openapi_extra=schema(CompletionAsked), summary="Go on with texts")
async def completions(request: Request) -> Response:
    """Write what follows each prompt, at once or token by token."""
    settings: ServingSettings = request.app.state.settings
    asked = read_as(CompletionAsked, await request.body())
    served = _found(request, asked.model)
    prompts = prompts_of(served.writer, asked.prompt, settings.max_prompt_characters)
    longest = USUAL_TOKENS if asked.max_tokens is None else asked.max_tokens
    if not longest and not asked.echo:
        raise Refusal(400, "Invalid 'max_tokens': 0 needs 'echo'.", param="max_tokens")
    wishes = _wishes(asked, prompts, max(1, longest), asked.logprobs or 0, settings)
    shape = Completion(asked, prompts)
    return await _answered(request, asked, served, wishes, shape)


@router.post("/chat/completions", openapi_extra=schema(ChatAsked), summary="Answer in a chat")
async def chat(request: Request) -> Response:
    """Write what the assistant says next, at once or token by token."""
    settings: ServingSettings = request.app.state.settings
    asked = read_as(ChatAsked, await request.body())
    if asked.top_logprobs is not None and not asked.logprobs:
        raise Refusal(400, "'top_logprobs' needs 'logprobs' to be true.", param="top_logprobs")
    served = _found(request, asked.model)
    prompt = conversation(served.writer, asked.messages, settings.max_prompt_characters)
    longest = asked.max_completion_tokens or asked.max_tokens or settings.max_tokens
    wishes = _wishes(asked, [prompt], longest, asked.top_logprobs or 0, settings)
    return await _answered(request, asked, served, wishes, Chat(asked, prompt))


def _wishes(
    asked: CompletionRequest,
    prompts: Sequence[GenerationPrompt],
    longest: int,
    alternatives: int,
    settings: ServingSettings,
) -> list[GenerationRequest]:
    """Return what is to be written, within the limits of the server."""
    choices = asked.n or 1
    if choices > settings.max_choices:
        raise Refusal(400, f"Invalid 'n': {settings.max_choices} is the most.", param="n")
    if len(prompts) * choices > settings.max_batch_rows:
        words = (
            f"{len(prompts) * choices} texts are asked for; {settings.max_batch_rows} are the most."
        )
        raise Refusal(400, words, param="prompt")
    drawing = sampling(asked, longest, settings)
    told = isinstance(asked, CompletionAsked) and bool(asked.echo) and asked.logprobs is not None
    seed = secrets.randbits(63) if asked.seed is None else asked.seed % (1 << 63)
    return [
        GenerationRequest(
            prompt.tokens, drawing, seed, (*asked.stops, *prompt.stop), alternatives, choices, told
        )
        for prompt in prompts
    ]


async def _answered(
    request: Request,
    asked: CompletionRequest,
    served: ServedWriter,
    wishes: Sequence[GenerationRequest],
    shape: Shape,
) -> Response:
    settings: ServingSettings = request.app.state.settings
    echo: Echo = None
    if isinstance(asked, CompletionAsked) and asked.echo:
        echo = "alone" if asked.max_tokens == 0 else "first"
    writing = begun(served, wishes)
    answer = CompletionStream(served, writing, shape, echo)
    if not asked.stream:
        return JSONResponse(await answer.whole(request, settings))
    number = str(request.scope.get("state", {}).get("id", ""))
    return Events(answer.events(settings.deadline, number, asked.tells_usage), writing)


def _found(request: Request, name: str) -> ServedWriter:
    writers: dict[str, ServedWriter] = request.app.state.shelf.writers
    if name not in writers:
        words = f"The model '{name[:100]}' does not exist. Those that do: GET /v1/models."
        raise Refusal(404, words, param="model", code="model_not_found")
    return writers[name]


def _model(served: ServedWriter) -> dict[str, Any]:
    return {"id": served.name, "object": "model", "created": served.created, "owned_by": "dragoman"}
