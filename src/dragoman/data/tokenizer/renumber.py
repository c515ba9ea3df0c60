"""An imported vocabulary under the numbers that translators here have for what is no text.

A translator knows PAD 0, UNKNOWN 1, START 2 and END 3, in its batches and in its searches. Another
library has these marks anywhere, and often one token for two of them: most decoders there begin
with padding. So the tokens are put in another order, and a mark that has none of its own is given
one. The network's rows are put in the same order, and it stays the network that it was.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tokenizers import Tokenizer as Library
from tokenizers import processors

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.imported import ImportedTokenizer, SpecialTokenNames, explain_errors

NEW = ("<no padding>", "<no unknown>", "<decoder start>")
"""Names of marks that had no token of their own; no text that is cut at spaces spells them."""


@dataclass(frozen=True)
class Order:
    """The order of the new vocabulary: which token of theirs each of ours is."""

    rows: tuple[int | None, ...]
    """Their number of each token; None where they have nothing like it."""

    added: frozenset[int]
    """Our numbers of tokens that they do not have, or have under another number as well."""

    @property
    def same(self) -> bool:
        """Whether all numbers stay."""
        return self.rows == tuple(range(len(self.rows)))

    def numbers(self) -> dict[int, int]:
        """Return our number of each of theirs."""
        kept = [(n, row) for n, row in enumerate(self.rows) if n not in self.added]
        return {row: n for n, row in kept if row is not None}

    def names(self, theirs: Sequence[str]) -> list[str]:
        """Return the names of all tokens."""
        return [
            NEW[n] if row is None or n in self.added else theirs[row]
            for n, row in enumerate(self.rows)
        ]


def special_token_order(
    size: int, *, pad: int | None, unknown: int | None, start: int | None, end: int
) -> Order:
    """Return the order that gives marks of theirs our numbers; `start` is None on the source side.

    Padding that also ends texts, and a start that is something else as well, become two tokens.
    """
    special_tokens = (pad, unknown, start, end)
    if wrong := [mark for mark in special_tokens if mark is not None and not 0 <= mark < size]:
        raise DataError(f"the marks {wrong} are not among the {size:,} entries of the network.")
    pad = None if pad == end else pad
    unknown = None if unknown in (pad, end) else unknown
    added = {n for n, mark in enumerate((pad, unknown, start)) if mark is None}
    if start is not None and start in (pad, unknown, end):
        added.add(2)
    first = (pad, unknown, start, end)
    rest = [n for n in range(size) if n not in first]
    return Order((*first, *rest), frozenset(added))


def renumber(tokenizer: ImportedTokenizer, order: Order) -> ImportedTokenizer:
    """Return a vocabulary that cuts text alike, but has the numbers of an order."""
    names = order.names(tokenizer.pieces)
    numbers = {name: number for number, name in enumerate(names)}
    if len(numbers) != len(names):
        raise DataError("the tokenizer has an entry without a name, or two with one.")
    record: dict[str, Any] = json.loads(tokenizer.text)
    record |= {"padding": None, "truncation": None, "post_processor": None}
    _renumber_model(record["model"], names, numbers)
    special_tokens = [
        {**mark, "id": numbers[mark["content"]]}
        for mark in record.get("added_tokens") or ()
        if mark["content"] in numbers
    ]
    special_tokens += [_mark(n, names[n]) for n in sorted(order.added)]
    record["added_tokens"] = sorted(special_tokens, key=lambda mark: mark["id"])
    with explain_errors():
        library = Library.from_str(json.dumps(record, ensure_ascii=False))
        library.post_processor = processors.TemplateProcessing(
            single=["$A", names[3]], special_tokens=[(names[3], 3)]
        )
        text = library.to_str()
    return ImportedTokenizer(text, SpecialTokenNames(*names[:4]))


def _renumber_model(model: dict[str, Any], names: list[str], numbers: dict[str, int]) -> None:
    """Give every token its number; all of them become the model's own, marks included."""
    entries = model.get("vocab")
    if isinstance(entries, dict):
        model["vocab"] = numbers
        return
    if not isinstance(entries, list):
        raise DataError("the tokenizer.json has a model without a list of entries.")
    scores: dict[str, float] = {piece: score for piece, score in entries}
    rarest = min(scores.values(), default=0.0)
    model["vocab"] = [[name, scores.get(name, rarest)] for name in names]
    model["unk_id"] = 1


def _mark(number: int, name: str) -> dict[str, Any]:
    return {
        "id": number,
        "content": name,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": True,
    }
