"""Response formats of the OpenAI API: whole, or as the chunks of a stream."""

import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dragoman.server.api.openai.prompts import GenerationPrompt
from dragoman.server.api.openai.request import ChatRequest, CompletionRequest
from dragoman.server.api.openai.text_stream import Chunk, chat_logprobs, completion_logprobs

Json = dict[str, Any]


class ResponseFormat(ABC):
    """The JSON of a response, and of the events of a stream."""

    response_object: str
    chunk_object: str

    def __init__(
        self, prefix: str, model: str, prompts: Sequence[GenerationPrompt], choices: int
    ) -> None:
        self.prompts, self.choices = prompts, choices
        self._head = {
            "id": f"{prefix}-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": model,
            "system_fingerprint": None,
        }

    @abstractmethod
    def full_choice(self, chunk: Chunk) -> Json:
        """Return a choice of a whole response, but for its number and finish reason."""

    @abstractmethod
    def delta_choice(self, chunk: Chunk) -> Json | None:
        """Return a choice of a stream, but for number and finish reason; None without content."""

    @abstractmethod
    def first_choices(self) -> Iterator[Json]:
        """Return the choices with which a stream begins."""

    def prompt_of(self, number: int) -> GenerationPrompt:
        """Return the prompt of a text."""
        return self.prompts[number // self.choices]

    def response(self, chunks: Sequence[Chunk], generated: int) -> Json:
        """Return the whole response."""
        choices = [
            _choice(self.full_choice(chunk), chunk.number, chunk.finish_reason) for chunk in chunks
        ]
        usage = self.usage(generated)
        return {**self._head, "object": self.response_object, "choices": choices, "usage": usage}

    def chunk(self, choices: Sequence[Json], more: Mapping[str, Any]) -> Json:
        """Return one event of a stream."""
        return {**self._head, "object": self.chunk_object, "choices": [*choices], **more}

    def stream_choices(self, chunk: Chunk) -> list[Json]:
        """Return the choice of an event, if it has content or a finish reason."""
        delta = self.delta_choice(chunk)
        if delta is None and chunk.finish_reason is None:
            return []
        return [_choice(delta or self.empty_choice(), chunk.number, chunk.finish_reason)]

    @abstractmethod
    def empty_choice(self) -> Json:
        """Return a choice of a stream without content, to carry a finish reason."""

    def usage(self, generated: int) -> Json:
        """Return how many tokens were read and generated."""
        read = sum(len(prompt.tokens) for prompt in self.prompts)
        return {
            "prompt_tokens": read,
            "completion_tokens": generated,
            "total_tokens": read + generated,
        }


class CompletionResponse(ResponseFormat):
    """The format of /v1/completions."""

    response_object = chunk_object = "text_completion"

    def __init__(self, body: CompletionRequest, prompts: Sequence[GenerationPrompt]) -> None:
        super().__init__("cmpl", body.model, prompts, body.n or 1)
        self.top = body.logprobs

    def full_choice(self, chunk: Chunk) -> Json:
        """Return the text."""
        return {"text": chunk.text, "logprobs": self._logprobs(chunk)}

    def delta_choice(self, chunk: Chunk) -> Json | None:
        """Return more of a text."""
        if not chunk.text and (self.top is None or not chunk.tokens):
            return None
        return {"text": chunk.text, "logprobs": self._logprobs(chunk)}

    def first_choices(self) -> Iterator[Json]:
        """Return nothing: a text begins with its first token."""
        yield from ()

    def empty_choice(self) -> Json:
        """Return no text."""
        return {"text": "", "logprobs": None}

    def _logprobs(self, chunk: Chunk) -> Json | None:
        return None if self.top is None else completion_logprobs(chunk, self.top)


class ChatResponse(ResponseFormat):
    """The format of /v1/chat/completions."""

    response_object, chunk_object = "chat.completion", "chat.completion.chunk"

    def __init__(self, body: ChatRequest, prompt: GenerationPrompt) -> None:
        super().__init__("chatcmpl", body.model, [prompt], body.n or 1)
        self.with_logprobs = bool(body.logprobs)

    def full_choice(self, chunk: Chunk) -> Json:
        """Return a message."""
        message = {"role": "assistant", "content": chunk.text, "refusal": None}
        return {"message": message, "logprobs": self._logprobs(chunk)}

    def delta_choice(self, chunk: Chunk) -> Json | None:
        """Return more of a message."""
        if not chunk.text and not (self.with_logprobs and chunk.tokens):
            return None
        return {"delta": {"content": chunk.text}, "logprobs": self._logprobs(chunk)}

    def first_choices(self) -> Iterator[Json]:
        """Return the role of each message."""
        for number in range(self.choices):
            delta = {"role": "assistant", "content": ""}
            yield _choice({"delta": delta, "logprobs": None}, number, None)

    def empty_choice(self) -> Json:
        """Return no message."""
        return {"delta": {}, "logprobs": None}

    def _logprobs(self, chunk: Chunk) -> Json | None:
        return chat_logprobs(chunk) if self.with_logprobs else None


def _choice(choice: Json, number: int, finish_reason: str | None) -> Json:
    return {"index": number, **choice, "finish_reason": finish_reason}
