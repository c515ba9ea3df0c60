"""From what a client asks to the tokens that a text goes on from.

A conversation becomes one text. A model whose vocabulary has the marks of ChatML, as SmolLM2's has,
reads it as such models have learned to:

    <|im_start|>system⏎…<|im_end|>⏎<|im_start|>user⏎…<|im_end|>⏎<|im_start|>assistant⏎

Any other reads it as a play, and ends its own line before it would speak for somebody else:

    user: …⏎assistant:

Only the marks that stand here are marks; one that a message spells is text like any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.server.api.openai.request import ChatMessage
from dragoman.server.refusal import Refusal
from dragoman.server.text import checked
from dragoman.tasks.common.lines import encode_lines, text_of
from dragoman.tasks.language_model.language_model import LanguageModel

BEGIN, END = "<|im_start|>", "<|im_end|>"

OTHERS = ("\nuser:", "\nsystem:")
"""What a play goes on with when the assistant has spoken."""


@dataclass(frozen=True, slots=True)
class GenerationPrompt:
    """What a text goes on from."""

    tokens: tuple[int, ...]
    text: str
    stop: tuple[str, ...] = ()
    """Strings that end the text besides those that were asked for."""
    indented: bool = False
    """Whether the text begins with white space that belongs to the prompt."""


def prompts_of(
    writer: LanguageModel, given: str | list[str] | list[int] | list[list[int]] | None, most: int
) -> list[GenerationPrompt]:
    """Return the prompts that were given, in one of four ways; none is the empty text."""
    some: Sequence[object] = given if isinstance(given, list) and given else [given or ""]
    if all(isinstance(one, int) for one in some):
        some = [given]
    _check_length(sum(len(one) for one in some if isinstance(one, str | list)), most)
    return [_prompt(writer, one) for one in some]


def conversation(
    writer: LanguageModel, messages: Sequence[ChatMessage], most: int
) -> GenerationPrompt:
    """Return the prompt after which the assistant speaks."""
    _check_length(sum(len(message.text) for message in messages), most)
    said = [
        ("system" if one.role == "developer" else one.role, checked(one.text)) for one in messages
    ]
    words = writer.tokenizer
    if isinstance(words, ImportedTokenizer) and BEGIN in words.ids and END in words.ids:
        return _marked(words, said)
    play = "".join(f"{role}: {text}\n" for role, text in said) + "assistant:"
    tokens = (writer.special_tokens.start, *encode_lines(words, play))
    return GenerationPrompt(tokens, play, OTHERS, indented=True)


def _marked(words: ImportedTokenizer, said: Sequence[tuple[str, str]]) -> GenerationPrompt:
    begin, end, line = words.ids[BEGIN], words.ids[END], words.encode("\n")
    tokens: list[int] = []
    for role, text in said:
        tokens += [begin, *words.encode(f"{role}\n{text}"), end, *line]
    tokens += [begin, *words.encode("assistant\n")]
    return GenerationPrompt(tuple(tokens), "")


def _prompt(writer: LanguageModel, given: object) -> GenerationPrompt:
    words, start = writer.tokenizer, writer.special_tokens.start
    if isinstance(given, str):
        text = checked(given)
        return GenerationPrompt((start, *encode_lines(words, text)), text)
    numbers = [one for one in given if isinstance(one, int)] if isinstance(given, list) else []
    if not all(0 <= one < words.size for one in numbers):
        words_of_it = f"Invalid 'prompt': a token is a number from 0 to {words.size - 1}."
        raise Refusal(400, words_of_it, param="prompt")
    return GenerationPrompt((start, *numbers), text_of(words, numbers))


def _check_length(count: int, most: int) -> None:
    if count > most:
        words = f"The prompt has {count} characters or tokens; {most} are the most."
        raise Refusal(400, words, code="context_length_exceeded")
