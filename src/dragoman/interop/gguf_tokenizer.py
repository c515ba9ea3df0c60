"""The vocabulary inside a GGUF file: byte-level pieces and merges."""

from collections.abc import Mapping
from typing import Any

from dragoman.core.errors import DataError
from dragoman.data.tokenizer.imported import ImportedTokenizer, SpecialTokenNames
from dragoman.data.tokenizer.imported_files import byte_level_tokenizer

CONTROL, USER_DEFINED = 3, 4
KEY = "tokenizer.ggml"
CUTS = {"default": False, "gpt-2": False, "smollm": True}
"""How text may be cut before merging, and whether numbers are cut into their digits then."""


def gguf_tokenizer(fields: Mapping[str, Any], where: str) -> ImportedTokenizer:
    """Return the vocabulary that a file's metadata describes."""
    kind, cut = fields.get(f"{KEY}.model"), fields.get(f"{KEY}.pre", "default")
    if kind != "gpt2":
        raise DataError(
            f"{where}: its tokenizer is of kind {kind!r}; only byte-level BPE ('gpt2') is known."
        )
    if not isinstance(cut, str) or cut not in CUTS:
        raise DataError(f"{where}: its tokenizer cuts text as {cut!r}. Known: {', '.join(CUTS)}.")
    words, kinds = _words(fields, where)
    numbers = {word: number for number, word in enumerate(words)}
    if len(numbers) != len(words):
        raise DataError(f"{where}: its tokenizer names an entry twice.")
    special_tokens = SpecialTokenNames(
        pad=_mark(fields, "padding", words),
        unknown=_mark(fields, "unknown", words),
        start=_mark(fields, "bos", words),
        end=_mark(fields, "eos", words),
    )
    special = [w for w, k in zip(words, kinds, strict=True) if k in (CONTROL, USER_DEFINED)]
    merges = fields.get(f"{KEY}.merges") or []
    if not isinstance(merges, list) or not all(isinstance(line, str) for line in merges):
        raise DataError(f"{where}: holds no list of merges.")
    try:
        return byte_level_tokenizer(
            numbers,
            merges,
            special_tokens,
            further=special,
            single_digits=CUTS[cut],
            put_first=fields.get(f"{KEY}.add_bos_token") is True,
        )
    except DataError as error:
        raise DataError(f"{where}: {error}") from None


def _words(fields: Mapping[str, Any], where: str) -> tuple[list[str], list[int]]:
    words = fields.get(f"{KEY}.tokens")
    if not isinstance(words, list) or not words or not all(isinstance(w, str) for w in words):
        raise DataError(f"{where}: holds no list of words.")
    kinds = fields.get(f"{KEY}.token_type") or [1] * len(words)
    if not isinstance(kinds, list) or len(kinds) != len(words):
        raise DataError(f"{where}: has {len(words)} words, but not a kind for each.")
    return words, kinds


def _mark(fields: Mapping[str, Any], name: str, words: list[str]) -> str | None:
    number = fields.get(f"{KEY}.{name}_token_id")
    return words[number] if isinstance(number, int) and 0 <= number < len(words) else None
