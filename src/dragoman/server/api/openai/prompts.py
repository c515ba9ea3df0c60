"""Prompts: from the request of a client to the tokens that a language model continues.

A chat becomes one text. A model whose vocabulary has the special tokens of ChatML, as SmolLM2's
has, reads it in the chat template that such models have learned:

    <|im_start|>system⏎…<|im_end|>⏎<|im_start|>user⏎…<|im_end|>⏎<|im_start|>assistant⏎

Any other reads a transcript, and stops before it would write the line of another role:

    user: …⏎assistant:

Only these are special tokens; one that a message spells out is text like any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.server.api.openai.request import ChatMessage
from dragoman.server.errors import ApiError, check_text
from dragoman.tasks.common.lines import encode_lines, text_of
from dragoman.tasks.language_model.language_model import LanguageModel

IM_START, IM_END = "<|im_start|>", "<|im_end|>"

TURN_STOPS = ("\nuser:", "\nsystem:")
"""Stop strings of a transcript: the next line of another role."""


@dataclass(frozen=True, slots=True)
class GenerationPrompt:
    """A prompt: its tokens, and its text."""

    tokens: tuple[int, ...]
    text: str
    stop: tuple[str, ...] = ()
    """Stop strings besides those of the request."""
    indented: bool = False
    """Whether the text begins with white space that belongs to the prompt."""


def completion_prompts(
    model: LanguageModel, prompt: str | list[str] | list[int] | list[list[int]] | None, limit: int
) -> list[GenerationPrompt]:
    """Return the prompts of a request, in one of four forms; none is the empty text."""
    prompts: Sequence[object] = prompt if isinstance(prompt, list) and prompt else [prompt or ""]
    if all(isinstance(one, int) for one in prompts):
        prompts = [prompt]
    _check_length(sum(len(one) for one in prompts if isinstance(one, str | list)), limit)
    return [_completion_prompt(model, one) for one in prompts]


def chat_prompt(
    model: LanguageModel, messages: Sequence[ChatMessage], limit: int
) -> GenerationPrompt:
    """Return the prompt of a chat, which ends where the assistant's message begins."""
    _check_length(sum(len(message.text) for message in messages), limit)
    turns = [
        ("system" if one.role == "developer" else one.role, check_text(one.text))
        for one in messages
    ]
    tokenizer = model.tokenizer
    if isinstance(tokenizer, ImportedTokenizer) and {IM_START, IM_END} <= tokenizer.ids.keys():
        return _chatml_prompt(tokenizer, turns)
    transcript = "".join(f"{role}: {text}\n" for role, text in turns) + "assistant:"
    tokens = (model.special_tokens.start, *encode_lines(tokenizer, transcript))
    return GenerationPrompt(tokens, transcript, TURN_STOPS, indented=True)


def _chatml_prompt(
    tokenizer: ImportedTokenizer, turns: Sequence[tuple[str, str]]
) -> GenerationPrompt:
    begin, end, line = tokenizer.ids[IM_START], tokenizer.ids[IM_END], tokenizer.encode("\n")
    tokens: list[int] = []
    for role, text in turns:
        tokens += [begin, *tokenizer.encode(f"{role}\n{text}"), end, *line]
    tokens += [begin, *tokenizer.encode("assistant\n")]
    return GenerationPrompt(tuple(tokens), "")


def _completion_prompt(model: LanguageModel, prompt: object) -> GenerationPrompt:
    tokenizer, start = model.tokenizer, model.special_tokens.start
    if isinstance(prompt, str):
        text = check_text(prompt)
        return GenerationPrompt((start, *encode_lines(tokenizer, text)), text)
    numbers = [one for one in prompt if isinstance(one, int)] if isinstance(prompt, list) else []
    if not all(0 <= one < tokenizer.size for one in numbers):
        message = f"Invalid 'prompt': a token is a number from 0 to {tokenizer.size - 1}."
        raise ApiError(400, message, param="prompt")
    return GenerationPrompt((start, *numbers), text_of(tokenizer, numbers))


def _check_length(count: int, limit: int) -> None:
    if count > limit:
        message = f"The prompt has {count} characters or tokens; limit: {limit}."
        raise ApiError(400, message, code="context_length_exceeded")
