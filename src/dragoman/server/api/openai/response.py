"""Responses in the shapes that OpenAI's interface gives them, whole or chunk by chunk."""

import time
import uuid
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dragoman.server.api.openai.prompts import GenerationPrompt
from dragoman.server.api.openai.request import ChatAsked, CompletionAsked
from dragoman.server.api.openai.text_stream import Chunk, chat_logprobs, completion_logprobs

Json = dict[str, Any]


class Shape(ABC):
    """The form of an answer."""

    whole_kind: str
    chunk_kind: str

    def __init__(
        self, letters: str, model: str, prompts: Sequence[GenerationPrompt], choices: int
    ) -> None:
        self.prompts, self.choices = prompts, choices
        self._head = {
            "id": f"{letters}-{uuid.uuid4().hex}",
            "created": int(time.time()),
            "model": model,
            "system_fingerprint": None,
        }

    @abstractmethod
    def wholes(self, chunk: Chunk) -> Json:
        """Return a whole choice, but for its number and its end."""

    @abstractmethod
    def parts(self, chunk: Chunk) -> Json | None:
        """Return a choice of a stream, but for its number and its end; None where it has none."""

    @abstractmethod
    def openings(self) -> Iterator[Json]:
        """Return the choices with which a stream begins."""

    def prompt_of(self, number: int) -> GenerationPrompt:
        """Return what a text goes on from."""
        return self.prompts[number // self.choices]

    def whole(self, chunks: Sequence[Chunk], written: int) -> Json:
        """Return the answer to a client that has waited for all of it."""
        choices = [_numbered(self.wholes(chunk), chunk.number, chunk.ended) for chunk in chunks]
        usage = self.usage(written)
        return {**self._head, "object": self.whole_kind, "choices": choices, "usage": usage}

    def chunk(self, choices: Sequence[Json], more: Mapping[str, Any]) -> Json:
        """Return one event of a stream."""
        return {**self._head, "object": self.chunk_kind, "choices": [*choices], **more}

    def told(self, chunk: Chunk) -> list[Json]:
        """Return the choice of an event, if there is anything to tell."""
        part = self.parts(chunk)
        if part is None and chunk.ended is None:
            return []
        return [_numbered(part or self.nothing(), chunk.number, chunk.ended)]

    @abstractmethod
    def nothing(self) -> Json:
        """Return a choice of a stream that says only that it has ended."""

    def usage(self, written: int) -> Json:
        """Return how many tokens were read and written."""
        read = sum(len(prompt.tokens) for prompt in self.prompts)
        return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


class Completion(Shape):
    """Texts that go on from prompts."""

    whole_kind = chunk_kind = "text_completion"

    def __init__(self, asked: CompletionAsked, prompts: Sequence[GenerationPrompt]) -> None:
        super().__init__("cmpl", asked.model, prompts, asked.n or 1)
        self.count = asked.logprobs

    def wholes(self, chunk: Chunk) -> Json:
        """Return the text."""
        return {"text": chunk.text, "logprobs": self._logprobs(chunk)}

    def parts(self, chunk: Chunk) -> Json | None:
        """Return more of a text."""
        if not chunk.text and (self.count is None or not chunk.tokens):
            return None
        return {"text": chunk.text, "logprobs": self._logprobs(chunk)}

    def openings(self) -> Iterator[Json]:
        """Return nothing: a text begins when its first token comes."""
        yield from ()

    def nothing(self) -> Json:
        """Return no text."""
        return {"text": "", "logprobs": None}

    def _logprobs(self, chunk: Chunk) -> Json | None:
        return None if self.count is None else completion_logprobs(chunk, self.count)


class Chat(Shape):
    """What the assistant says."""

    whole_kind, chunk_kind = "chat.completion", "chat.completion.chunk"

    def __init__(self, asked: ChatAsked, prompt: GenerationPrompt) -> None:
        super().__init__("chatcmpl", asked.model, [prompt], asked.n or 1)
        self.likely = bool(asked.logprobs)

    def wholes(self, chunk: Chunk) -> Json:
        """Return a message."""
        message = {"role": "assistant", "content": chunk.text, "refusal": None}
        return {"message": message, "logprobs": self._logprobs(chunk)}

    def parts(self, chunk: Chunk) -> Json | None:
        """Return more of a message."""
        if not chunk.text and not (self.likely and chunk.tokens):
            return None
        return {"delta": {"content": chunk.text}, "logprobs": self._logprobs(chunk)}

    def openings(self) -> Iterator[Json]:
        """Say who speaks."""
        for number in range(self.choices):
            delta = {"role": "assistant", "content": ""}
            yield _numbered({"delta": delta, "logprobs": None}, number, None)

    def nothing(self) -> Json:
        """Return no message."""
        return {"delta": {}, "logprobs": None}

    def _logprobs(self, chunk: Chunk) -> Json | None:
        return chat_logprobs(chunk) if self.likely else None


def _numbered(choice: Json, number: int, ended: str | None) -> Json:
    return {"index": number, **choice, "finish_reason": ended}
