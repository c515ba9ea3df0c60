"""Routes of the OpenAI API: /v1/models, /v1/completions and /v1/chat/completions."""

import secrets
from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse

from dragoman.config.serving import ServingSettings
from dragoman.server.api.openai.prompts import GenerationPrompt, chat_prompt, completion_prompts
from dragoman.server.api.openai.request import (
    ChatRequest,
    CompletionRequest,
    OpenAIRequest,
    schema,
    validate,
)
from dragoman.server.api.openai.response import ChatResponse, CompletionResponse, ResponseFormat
from dragoman.server.api.openai.streaming import (
    CompletionStream,
    EventStream,
    sampling_settings,
    submit,
)
from dragoman.server.api.openai.text_stream import Echo
from dragoman.server.errors import ApiError
from dragoman.server.language_models import ServedLanguageModel
from dragoman.server.middleware.error_responses import request_id_of
from dragoman.tasks.language_model.requests import GenerationRequest

router = APIRouter(prefix="/v1", tags=["OpenAI"])

DEFAULT_MAX_TOKENS = 16
"""`max_tokens` of a completion that does not give it, as OpenAI has it."""


@router.get("/models", summary="List the language models")
async def models(request: Request) -> dict[str, Any]:
    """List the language models that are served."""
    language_models = request.app.state.models.language_models
    return {"object": "list", "data": [_model_json(one) for one in language_models.values()]}


@router.get("/models/{name}", summary="Describe a language model")
async def model(request: Request, name: str) -> dict[str, Any]:
    """Describe one of them."""
    return _model_json(_find_model(request, name))


@router.post("/completions", openapi_extra=schema(CompletionRequest), summary="Continue texts")
async def completions(request: Request) -> Response:
    """Continue each prompt; the response comes whole or as a stream of tokens."""
    settings: ServingSettings = request.app.state.settings
    body = validate(CompletionRequest, await request.body())
    served = _find_model(request, body.model)
    prompts = completion_prompts(served.model, body.prompt, settings.max_prompt_characters)
    longest = DEFAULT_MAX_TOKENS if body.max_tokens is None else body.max_tokens
    if not longest and not body.echo:
        raise ApiError(400, "Invalid 'max_tokens': 0 needs 'echo'.", param="max_tokens")
    requests = _generation_requests(body, prompts, max(1, longest), body.logprobs or 0, settings)
    return await _respond(request, body, served, requests, CompletionResponse(body, prompts))


@router.post("/chat/completions", openapi_extra=schema(ChatRequest), summary="Answer in a chat")
async def chat(request: Request) -> Response:
    """Write the assistant's next message; it comes whole or as a stream of tokens."""
    settings: ServingSettings = request.app.state.settings
    body = validate(ChatRequest, await request.body())
    if body.top_logprobs is not None and not body.logprobs:
        raise ApiError(400, "'top_logprobs' needs 'logprobs' to be true.", param="top_logprobs")
    served = _find_model(request, body.model)
    prompt = chat_prompt(served.model, body.messages, settings.max_prompt_characters)
    longest = body.max_completion_tokens or body.max_tokens or settings.max_tokens
    requests = _generation_requests(body, [prompt], longest, body.top_logprobs or 0, settings)
    return await _respond(request, body, served, requests, ChatResponse(body, prompt))


def _generation_requests(
    body: OpenAIRequest,
    prompts: Sequence[GenerationPrompt],
    longest: int,
    alternatives: int,
    settings: ServingSettings,
) -> list[GenerationRequest]:
    """Return the generation requests of a body; refuse what exceeds the limits of the server."""
    choices = body.n or 1
    if choices > settings.max_choices:
        raise ApiError(400, f"Invalid 'n'; limit: {settings.max_choices}.", param="n")
    if len(prompts) * choices > settings.max_batch_rows:
        message = f"{len(prompts) * choices} texts are requested; limit: {settings.max_batch_rows}."
        raise ApiError(400, message, param="prompt")
    sampling = sampling_settings(body, longest, settings)
    scored = isinstance(body, CompletionRequest) and bool(body.echo) and body.logprobs is not None
    seed = secrets.randbits(63) if body.seed is None else body.seed % (1 << 63)
    return [
        GenerationRequest(
            prompt.tokens, sampling, seed, body.stops + prompt.stop, alternatives, choices, scored
        )
        for prompt in prompts
    ]


async def _respond(
    request: Request,
    body: OpenAIRequest,
    served: ServedLanguageModel,
    requests: Sequence[GenerationRequest],
    layout: ResponseFormat,
) -> Response:
    settings: ServingSettings = request.app.state.settings
    echo: Echo = None
    if isinstance(body, CompletionRequest) and body.echo:
        echo = "alone" if body.max_tokens == 0 else "first"
    job = submit(served, requests)
    stream = CompletionStream(served, job, layout, echo)
    if not body.stream:
        return JSONResponse(await stream.response(request, settings))
    request_id = request_id_of(request.scope)
    return EventStream(stream.events(settings.deadline, request_id, body.include_usage), job)


def _find_model(request: Request, name: str) -> ServedLanguageModel:
    language_models: dict[str, ServedLanguageModel] = request.app.state.models.language_models
    if name not in language_models:
        message = f"The model '{name[:100]}' does not exist. Those that do: GET /v1/models."
        raise ApiError(404, message, param="model", code="model_not_found")
    return language_models[name]


def _model_json(served: ServedLanguageModel) -> dict[str, Any]:
    return {"id": served.name, "object": "model", "created": served.created, "owned_by": "dragoman"}
