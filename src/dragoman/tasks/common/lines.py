"""A text of several lines as tokens, and back.

Our vocabularies encode each line as if it stood alone, with a newline between two. One that came
with a model cuts a whole text as that model learned it: its pieces may reach across lines.
"""

from collections.abc import Sequence
from itertools import chain

from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.data.tokenizer.tokenizer import Tokenizer


def encode_document(tokenizer: Tokenizer, lines: Sequence[str]) -> list[list[int]]:
    """Return the tokens of a document's lines, between which newlines belong."""
    if isinstance(tokenizer, ImportedTokenizer):
        return [tokenizer.encode("\n".join(lines))]
    return tokenizer.encode_batch(lines)


def encode_lines(tokenizer: Tokenizer, text: str) -> list[int]:
    """Return the tokens of a text, with a newline between two lines."""
    first, *others = encode_document(tokenizer, text.split("\n"))
    return [*first, *chain.from_iterable([tokenizer.newline, *line] for line in others)]


def text_of(tokenizer: Tokenizer, ids: Sequence[int]) -> str:
    """Return the text of tokens, a line for each run between two newlines."""
    if isinstance(tokenizer, ImportedTokenizer):
        return tokenizer.decode(ids)
    lines: list[list[int]] = [[]]
    for number in ids:
        if number == tokenizer.newline:
            lines.append([])
        else:
            lines[-1].append(number)
    return "\n".join(tokenizer.decode(line) for line in lines)
