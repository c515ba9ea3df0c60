"""Long texts, cut for a model: at sentence ends, else at spaces, never silently.

One pass over the text with no backtracking, so that the time is linear in its length.
"""

from collections.abc import Callable, Iterator

ENDS = frozenset(".!?।॥。！？…؟۔")
CLOSERS = frozenset("\"'”’»)]}」』")


def split_sentences(text: str) -> list[str]:
    """Cut a text after each sentence end that a space follows; the pieces join back by spaces."""
    return [piece for piece in _cut_at_ends(text) if piece]


def count_sentences(text: str) -> int:
    """Count the sentences of a text: one, and one more for each end that anything follows.

    Decimal points and abbreviations count as ends here, spaces or none.
    """
    sentences, ended = 1, False
    for character in text:
        if character in ENDS:
            ended = True
        elif character != " " and character not in CLOSERS:
            sentences, ended = sentences + ended, False
    return sentences


def fit(text: str, longest: int, length: Callable[[str], int]) -> list[str]:
    """Return pieces of a text of at most `longest` tokens each, whole sentences where possible."""
    if length(text) <= longest:
        return [text]
    pieces: list[str] = []
    for sentence in split_sentences(text):
        pieces += [sentence] if length(sentence) <= longest else _halves(sentence, longest, length)
    return pieces


def _cut_at_ends(text: str) -> Iterator[str]:
    start, ended = 0, False
    for place, character in enumerate(text):
        if ended and character == " ":
            yield text[start:place].strip(" ")
            start = place + 1
        ended = character in ENDS or (ended and character in CLOSERS)
    yield text[start:].strip(" ")


def _halves(text: str, longest: int, length: Callable[[str], int]) -> list[str]:
    if length(text) <= longest or len(text) <= 1:
        return [text]
    middle = len(text) // 2
    space = text.rfind(" ", 1, middle + 1)
    if space <= 0:
        space = text.find(" ", middle)
    cut, skip = (middle, 0) if space <= 0 else (space, 1)
    parts = (text[:cut], text[cut + skip :])
    return [piece for part in parts if part for piece in _halves(part, longest, length)]
