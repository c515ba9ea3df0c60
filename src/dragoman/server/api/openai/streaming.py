"""Waiting for generated text, and sending it: at once, or streamed as server-sent events."""

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
from dragoman.server.api.openai.request import CompletionRequest
from dragoman.server.api.openai.response import Json, Shape
from dragoman.server.api.openai.text_stream import Chunk, Echo, Text, joined
from dragoman.server.deadlines import awaited
from dragoman.server.language_models import ServedWriter
from dragoman.server.refusal import Refusal, busy
from dragoman.server.scheduler.generation import GenerationTask
from dragoman.server.scheduler.jobs import Busy, Closed
from dragoman.tasks.language_model.requests import GenerationRequest

log = logging.getLogger("dragoman.server")

DONE = b"data: [DONE]\n\n"


def begun(served: ServedWriter, wishes: Sequence[GenerationRequest]) -> GenerationTask:
    """Have texts written; refuse what cannot be, now or ever."""
    try:
        for wish in wishes:
            _check_size(served, wish)
        return served.lane.ask(wishes)
    except DataError as error:
        raise Refusal(400, _capital(str(error)), code="context_length_exceeded") from None
    except Busy:
        raise busy() from None


class CompletionStream:
    """The texts of one request, in the shape that was asked for."""

    def __init__(
        self, served: ServedWriter, writing: GenerationTask, shape: Shape, echo: Echo
    ) -> None:
        self.writing, self.shape = writing, shape
        words = served.writer.tokenizer
        self.texts = [
            Text(number, shape.prompt_of(number), words, echo) for number in range(writing.texts)
        ]

    @property
    def written(self) -> int:
        """Tokens so far."""
        return sum(text.written for text in self.texts)

    async def whole(self, request: Request, settings: ServingSettings) -> Json:
        """Return the whole answer, as long as somebody waits for it."""
        task = asyncio.ensure_future(self._all(settings.deadline))
        try:
            chunks = await awaited(request, task, settings.deadline)
        finally:
            self.writing.cancel()
        return self.shape.whole([joined(own) for own in chunks], self.written)

    async def events(self, patience: float, number: str, usage: bool) -> AsyncIterator[bytes]:
        """Yield the events of a stream, each as soon as there is something to tell."""
        more: Json = {"usage": None} if usage else {}
        try:
            for choice in self.shape.openings():
                yield _event(self.shape.chunk([choice], more))
            async with aclosing(self._chunks(patience)) as chunks:
                async for chunk in chunks:
                    if choices := self.shape.told(chunk):
                        yield _event(self.shape.chunk(choices, more))
            if usage:
                yield _event(self.shape.chunk([], {"usage": self.shape.usage(self.written)}))
            yield DONE
        except Exception as error:
            yield _event({"error": _broken(error, number)})

    async def _chunks(self, patience: float) -> AsyncGenerator[Chunk]:
        async with aclosing(self.writing.pieces(patience)) as pieces:
            async for piece in pieces:
                yield self.texts[piece.row].take(piece)

    async def _all(self, patience: float) -> list[list[Chunk]]:
        told: list[list[Chunk]] = [[] for _ in self.texts]
        async with aclosing(self._chunks(patience)) as chunks:
            async for chunk in chunks:
                told[chunk.number].append(chunk)
        return told


class Events(StreamingResponse):
    """A stream of events; when it ends, however it ends, nothing more is written for it."""

    def __init__(self, events: AsyncIterator[bytes], writing: GenerationTask) -> None:
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        super().__init__(events, media_type="text/event-stream", headers=headers)
        self.writing = writing

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the events until there are no more, or nobody listens."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self.writing.cancel()


def sampling(asked: CompletionRequest, longest: int, settings: ServingSettings) -> SamplingSettings:
    """Return how a text is to be drawn."""
    if longest > settings.max_tokens:
        words = f"{longest} tokens are asked for; {settings.max_tokens} are the most."
        raise Refusal(400, words, param="max_tokens")
    top_p = 1.0 if asked.top_p is None else asked.top_p
    return SamplingSettings(
        temperature=1.0 if asked.temperature is None else asked.temperature,
        top_p=top_p or 1e-9,  # nothing but the likeliest
        top_k=asked.top_k or 0,
        repetition_penalty=asked.repetition_penalty or 1.0,
        min_tokens=min(longest, asked.min_tokens or 0),
        max_tokens=longest,
    )


def _check_size(served: ServedWriter, wish: GenerationRequest) -> None:
    """Refuse what the model has no positions for, or the server no memory."""
    room = served.writer.room(len(wish.tokens), wish.settings)
    needed, most = wish.choices * (len(wish.tokens) + room), served.lane.machine.most_tokens
    if needed > most:
        words = f"The prompt and its texts may come to {needed} tokens; {most} are the most."
        raise Refusal(400, words, code="context_length_exceeded")


def _event(told: Json) -> bytes:
    return f"data: {json.dumps(told, ensure_ascii=False)}\n\n".encode()


def _broken(error: Exception, number: str) -> Json:
    """Say in a stream why it breaks off; what went wrong inside is for the log alone."""
    if isinstance(error, TimeoutError):
        words, kind = "This took too long. Ask for less at a time.", "timeout_error"
    elif isinstance(error, Closed):
        words, kind = "The server is going down.", "server_error"
    else:
        log.error("%s: a stream broke off", number, exc_info=error)
        words, kind = "Something went wrong here.", "server_error"
    return {"message": words, "type": kind, "param": None, "code": None, "id": number}


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
