"""A text of several lines as tokens, and back."""

from collections.abc import Sequence
from itertools import chain

from dragoman.data.tokenizer.vocabulary import Vocabulary


def encode_lines(vocabulary: Vocabulary, text: str) -> list[int]:
    """Return the tokens of a text, each of its lines encoded as if it stood alone."""
    first, *others = (vocabulary.encode(line) for line in text.split("\n"))
    return [*first, *chain.from_iterable([vocabulary.newline, *line] for line in others)]


def text_of(vocabulary: Vocabulary, ids: Sequence[int]) -> str:
    """Return the text of tokens, a line for each run between two newlines."""
    lines: list[list[int]] = [[]]
    for number in ids:
        if number == vocabulary.newline:
            lines.append([])
        else:
            lines[-1].append(number)
    return "\n".join(vocabulary.decode(line) for line in lines)
