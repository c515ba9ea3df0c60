"""Responses of the OpenAI API: whole, or streamed as server-sent events."""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from dragoman.config.sampling import SamplingSettings
from dragoman.config.serving import ServingSettings
from dragoman.core.errors import DataError
from dragoman.server.api.openai.request import OpenAIRequest
from dragoman.server.api.openai.response import Json, ResponseFormat
from dragoman.server.api.openai.text_stream import Chunk, Echo, TextStream, join_chunks
from dragoman.server.deadlines import wait_for_result
from dragoman.server.errors import ApiError, busy
from dragoman.server.language_models import ServedLanguageModel
from dragoman.server.scheduler.generation import GenerationJob
from dragoman.server.scheduler.jobs import QueueFull, SchedulerStopped
from dragoman.tasks.language_model.requests import GenerationRequest

log = logging.getLogger("dragoman.server")

DONE = b"data: [DONE]\n\n"


def submit(served: ServedLanguageModel, requests: Sequence[GenerationRequest]) -> GenerationJob:
    """Submit requests to the queue of a model; refuse what does not fit."""
    try:
        for request in requests:
            _check_size(served, request)
        return served.queue.submit(requests)
    except DataError as error:
        raise ApiError(400, _capitalized(str(error)), code="context_length_exceeded") from None
    except QueueFull:
        raise busy() from None


class CompletionStream:
    """The texts of one request, as a response or as a stream of events."""

    def __init__(
        self, served: ServedLanguageModel, job: GenerationJob, layout: ResponseFormat, echo: Echo
    ) -> None:
        self.job, self.layout = job, layout
        tokenizer = served.model.tokenizer
        self.texts = [
            TextStream(number, layout.prompt_of(number), tokenizer, echo)
            for number in range(job.texts)
        ]

    @property
    def generated(self) -> int:
        """Tokens so far."""
        return sum(text.generated for text in self.texts)

    async def response(self, request: Request, settings: ServingSettings) -> Json:
        """Return the whole response; a client that disconnects cancels the job."""
        task = asyncio.ensure_future(self._all(settings.deadline))
        try:
            chunks = await wait_for_result(request, task, settings.deadline)
        finally:
            self.job.cancel()
        return self.layout.response([join_chunks(own) for own in chunks], self.generated)

    async def events(self, timeout: float, request_id: str, usage: bool) -> AsyncIterator[bytes]:
        """Yield server-sent events, each as soon as there is a token."""
        extra: Json = {"usage": None} if usage else {}
        try:
            for choice in self.layout.first_choices():
                yield _event(self.layout.chunk([choice], extra))
            async with aclosing(self._chunks(timeout)) as chunks:
                async for chunk in chunks:
                    if choices := self.layout.stream_choices(chunk):
                        yield _event(self.layout.chunk(choices, extra))
            if usage:
                yield _event(self.layout.chunk([], {"usage": self.layout.usage(self.generated)}))
            yield DONE
        except Exception as error:
            yield _event({"error": _stream_error(error, request_id)})

    async def _chunks(self, timeout: float) -> AsyncGenerator[Chunk]:
        async with aclosing(self.job.tokens(timeout)) as tokens:
            async for token in tokens:
                yield self.texts[token.row].take(token)

    async def _all(self, timeout: float) -> list[list[Chunk]]:
        found: list[list[Chunk]] = [[] for _ in self.texts]
        async with aclosing(self._chunks(timeout)) as chunks:
            async for chunk in chunks:
                found[chunk.number].append(chunk)
        return found


class EventStream(StreamingResponse):
    """A response of server-sent events; its end, for whatever reason, cancels the job."""

    def __init__(self, events: AsyncIterator[bytes], job: GenerationJob) -> None:
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self.job = job

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until there are no more, or the client disconnects."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.job.cancel()


def sampling_settings(
    body: OpenAIRequest, longest: int, settings: ServingSettings
) -> SamplingSettings:
    """Return the sampling settings of a request."""
    if longest > settings.max_tokens:
        message = f"{longest} tokens are requested; limit: {settings.max_tokens}."
        raise ApiError(400, message, param="max_tokens")
    top_p = 1.0 if body.top_p is None else body.top_p
    return SamplingSettings(
        temperature=1.0 if body.temperature is None else body.temperature,
        top_p=top_p or 1e-9,  # nothing but the likeliest
        top_k=body.top_k or 0,
        repetition_penalty=body.repetition_penalty or 1.0,
        min_tokens=min(longest, body.min_tokens or 0),
        max_tokens=longest,
    )


def _check_size(served: ServedLanguageModel, request: GenerationRequest) -> None:
    """Refuse what the model has no positions for, or the server no memory."""
    room = served.model.room(len(request.tokens), request.settings)
    needed, most = request.choices * (len(request.tokens) + room), served.queue.batch.max_tokens
    if needed > most:
        message = f"The prompt and its texts may come to {needed} tokens; limit: {most}."
        raise ApiError(400, message, code="context_length_exceeded")


def _event(data: Json) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _stream_error(error: Exception, request_id: str) -> Json:
    """Return the error event of a stream; the details of an internal error go to the log alone."""
    if isinstance(error, TimeoutError):
        message, kind = "This took too long. Ask for less at a time.", "timeout_error"
    elif isinstance(error, SchedulerStopped):
        message, kind = "The server is going down.", "server_error"
    else:
        log.error("%s: a stream broke off", request_id, exc_info=error)
        message, kind = "Something went wrong here.", "server_error"
    return {"message": message, "type": kind, "param": None, "code": None, "id": request_id}


def _capitalized(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
