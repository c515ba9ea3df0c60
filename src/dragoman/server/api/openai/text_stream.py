"""Text streams: characters, tokens with log-probabilities, and the finish reason of each text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.server.api.openai.prompts import GenerationPrompt
from dragoman.tasks.common.lines import text_of
from dragoman.tasks.language_model.requests import FinishReason, GeneratedToken, TokenLogprob

Echo = Literal["first", "alone"] | None
"""Whether the prompt is part of the response: before the text, instead of it, or not."""

REPLACEMENT = "\ufffd"
"""U+FFFD, which stands for bytes that are no whole character."""


@dataclass(frozen=True, slots=True)
class StreamedToken:
    """A token with its log-probability and alternatives."""

    text: str
    log_probability: float
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of one text, as it is sent at once."""

    number: int
    text: str
    offset: int
    """Characters of all tokens before."""
    tokens: tuple[StreamedToken, ...] = ()
    finish_reason: FinishReason | None = None


class TextStream:
    """One text of a response while it is generated."""

    def __init__(
        self, number: int, prompt: GenerationPrompt, tokenizer: Tokenizer, echo: Echo = None
    ) -> None:
        self.number, self.prompt, self.tokenizer = number, prompt, tokenizer
        self.generated = 0
        """Tokens so far."""
        self._echo = echo
        self._last = prompt.tokens[-1]
        self._indented = prompt.indented
        self._offset = 0

    def take(self, step: GeneratedToken) -> Chunk:
        """Turn the output of a step into a chunk."""
        if self._echo is None:
            return self._next(step)
        before = self._echo_prompt(step)
        if self._echo == "alone":
            return replace(before, finish_reason="length")
        self._echo = None
        more = self._next(step)
        tokens = before.tokens + more.tokens
        return replace(
            before, text=before.text + more.text, tokens=tokens, finish_reason=more.finish_reason
        )

    def _echo_prompt(self, step: GeneratedToken) -> Chunk:
        """Return the prompt as a chunk."""
        tokens: list[StreamedToken] = []
        self._last = self.prompt.tokens[0]
        for one in step.prompt:
            tokens.append(self._token(one.token, one.log_probability, one.alternatives))
            self._last = one.token
        self._last = self.prompt.tokens[-1]
        self._offset = len(self.prompt.text)
        return Chunk(self.number, self.prompt.text, 0, tuple(tokens))

    def _next(self, step: GeneratedToken) -> Chunk:
        text, offset = step.text, self._offset
        if self._indented and text:
            text = text.lstrip()
            self._indented = not text
            self._offset -= len(step.text) - len(text)
        if step.token is None:
            return Chunk(self.number, text, offset, (), step.finish_reason)
        token = self._token(step.token, step.log_probability, step.alternatives)
        self._last = step.token
        self._offset += len(token.text)
        self.generated += 1
        return Chunk(self.number, text, offset, (token,), step.finish_reason)

    def _token(self, token: int, logprob: float, others: Sequence[TokenLogprob]) -> StreamedToken:
        spelled = tuple((self._spell(other), its) for other, its in others)
        return StreamedToken(self._spell(token), logprob, spelled)

    def _spell(self, token: int) -> str:
        """Return the characters that a token adds to the one before it."""
        before = text_of(self.tokenizer, [self._last])
        both = text_of(self.tokenizer, [self._last, token])
        return both[len(before) :] if both.startswith(before) else text_of(self.tokenizer, [token])


def join_chunks(chunks: Sequence[Chunk]) -> Chunk:
    """Make one of all chunks of a text, without the tokens of a stop string."""
    text = "".join(chunk.text for chunk in chunks)
    first, last = chunks[0], chunks[-1]
    end = first.offset + len(text)
    kept = [
        token
        for chunk in chunks
        for token in chunk.tokens
        if last.finish_reason != "stop" or chunk.offset < end
    ]
    return Chunk(first.number, text, first.offset, tuple(kept), last.finish_reason)


def completion_logprobs(chunk: Chunk, count: int) -> dict[str, Any]:
    """Return the log-probabilities of a completion, as four lists of equal length."""
    offsets, at = [], chunk.offset
    for token in chunk.tokens:
        offsets.append(at)
        at += len(token.text)
    top = [dict([*token.others, (token.text, token.log_probability)]) for token in chunk.tokens]
    return {
        "tokens": [token.text for token in chunk.tokens],
        "token_logprobs": [token.log_probability for token in chunk.tokens],
        "top_logprobs": top if count else None,
        "text_offset": offsets,
    }


def chat_logprobs(chunk: Chunk) -> dict[str, Any]:
    """Return the log-probabilities of a chat message."""
    content = [
        {
            **_token_logprob(token.text, token.log_probability),
            "top_logprobs": [_token_logprob(*other) for other in token.others],
        }
        for token in chunk.tokens
    ]
    return {"content": content, "refusal": None}


def _token_logprob(text: str, logprob: float) -> dict[str, Any]:
    own = None if REPLACEMENT in text else list(text.encode("utf-8"))
    return {"token": text, "logprob": logprob, "bytes": own}
