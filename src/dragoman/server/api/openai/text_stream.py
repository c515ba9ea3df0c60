"""Texts as they are told to a client: characters, tokens with their log-probabilities, the end."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.server.api.openai.prompts import GenerationPrompt
from dragoman.tasks.common.lines import text_of
from dragoman.tasks.language_model.requests import Ending, GeneratedToken, Likely

Echo = Literal["first", "alone"] | None
"""Whether the prompt is told: before the text, instead of it, or not."""

HALF = "\ufffd"
"""What stands for bytes that are no whole character."""


@dataclass(frozen=True, slots=True)
class StreamedToken:
    """A token that came, and what else could have come."""

    text: str
    log_probability: float
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """What came of one text at once."""

    number: int
    text: str
    offset: int
    """Characters of all tokens before."""
    tokens: tuple[StreamedToken, ...] = ()
    ended: Ending | None = None


class Text:
    """One text of an answer while it is written."""

    def __init__(
        self, number: int, prompt: GenerationPrompt, words: Tokenizer, echo: Echo = None
    ) -> None:
        self.number, self.prompt, self.words = number, prompt, words
        self.written = 0
        """Tokens so far."""
        self._echo = echo
        self._last = prompt.tokens[-1]
        self._indented = prompt.indented
        self._offset = 0

    def take(self, piece: GeneratedToken) -> Chunk:
        """Turn a piece into what is told of it."""
        if self._echo is None:
            return self._more(piece)
        before = self._repeated(piece)
        if self._echo == "alone":
            return replace(before, ended="length")
        self._echo = None
        more = self._more(piece)
        tokens = before.tokens + more.tokens
        return replace(before, text=before.text + more.text, tokens=tokens, ended=more.ended)

    def _repeated(self, piece: GeneratedToken) -> Chunk:
        """Return the prompt, with what is told of its tokens."""
        tokens: list[StreamedToken] = []
        self._last = self.prompt.tokens[0]
        for said in piece.said:
            tokens.append(self._token(said.token, said.log_probability, said.alternatives))
            self._last = said.token
        self._last = self.prompt.tokens[-1]
        self._offset = len(self.prompt.text)
        return Chunk(self.number, self.prompt.text, 0, tuple(tokens))

    def _more(self, piece: GeneratedToken) -> Chunk:
        text, offset = piece.text, self._offset
        if self._indented and text:
            text = text.lstrip()
            self._indented = not text
            self._offset -= len(piece.text) - len(text)
        if piece.token is None:
            return Chunk(self.number, text, offset, (), piece.ended)
        token = self._token(piece.token, piece.log_probability, piece.alternatives)
        self._last = piece.token
        self._offset += len(token.text)
        self.written += 1
        return Chunk(self.number, text, offset, (token,), piece.ended)

    def _token(self, token: int, likely: float, others: Sequence[Likely]) -> StreamedToken:
        told = tuple((self._spelled(other), its) for other, its in others)
        return StreamedToken(self._spelled(token), likely, told)

    def _spelled(self, token: int) -> str:
        """Return the characters that a token adds to the one before it."""
        before = text_of(self.words, [self._last])
        both = text_of(self.words, [self._last, token])
        return both[len(before) :] if both.startswith(before) else text_of(self.words, [token])


def joined(chunks: Sequence[Chunk]) -> Chunk:
    """Make one of all chunks of a text; tokens of a stop string, which is left out, are too."""
    text = "".join(chunk.text for chunk in chunks)
    first, last = chunks[0], chunks[-1]
    end = first.offset + len(text)
    told = [
        token
        for chunk in chunks
        for token in chunk.tokens
        if last.ended != "stop" or chunk.offset < end
    ]
    return Chunk(first.number, text, first.offset, tuple(told), last.ended)


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
    """Return the log-probabilities of an answer in a chat."""
    told = [
        {
            **_told(token.text, token.log_probability),
            "top_logprobs": [_told(*other) for other in token.others],
        }
        for token in chunk.tokens
    ]
    return {"content": told, "refusal": None}


def _told(text: str, likely: float) -> dict[str, Any]:
    own = None if HALF in text else list(text.encode("utf-8"))
    return {"token": text, "logprob": likely, "bytes": own}
