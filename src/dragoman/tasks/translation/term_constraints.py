"""Term constraints: words that a translation must hold, as a vocabulary cuts them.

A term is a list of spellings, one of which must come: "house" or "houses", say. Each is cut as it
would be at the beginning of a word inside a sentence. A vocabulary may cut the same words in other
ways where they begin the text, or where a mark of punctuation follows at once, so these ways count
too. The last word may get an ending: whether it ends there is the model's affair, as with prefixes.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

from dragoman.core.errors import DataError
from dragoman.data.formats.placeholders import split_tags
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import END, PAD, START, UNKNOWN
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.neural.decoding.sentence_ends import SentenceEnds
from dragoman.tasks.translation.long_texts import CLOSERS, ENDS, count_sentences

Term = Sequence[str]
"""Spellings, one of which must come."""

FindTerms = Callable[[str], Sequence[Term]]
"""From a source, or a part of a long one, to the terms of its translation."""

Terms = Sequence[Sequence[Term]] | FindTerms
"""The terms of each text, or who finds them."""

AFTER_WORD = ".,;:?!…)]»”’\"'।。"
"""Marks that may stand right after a word."""

_BEFORE = "a"
_NEVER = frozenset((PAD, UNKNOWN, START, END))


def terms_of_parts(
    terms: Terms | None, parts: Sequence[Sequence[str]]
) -> list[list[Sequence[Term]]]:
    """Return the terms of each part of each text.

    Given for whole texts, they belong to the first part; who finds them is asked for every part.
    """
    if terms is None:
        return [[()] * len(each) for each in parts]
    if callable(terms):
        return [[terms(split_tags(part)[1]) for part in each] for each in parts]
    if len(terms) != len(parts):
        raise DataError(f"terms for {len(terms)} texts, but {len(parts)} texts. Give each a list.")
    return [
        [own if number == 0 else () for number in range(len(each))]
        for own, each in zip(terms, parts, strict=True)
    ]


def sentence_ends(tokenizer: TokenizerPair, sources: Sequence[Sequence[int]]) -> SentenceEnds:
    """Return where the translations of sources may come to an end for good."""
    texts = map(tokenizer.source.decode, sources)
    return replace(final_tokens(tokenizer.target), sentences=[*map(count_sentences, texts)])


@lru_cache(maxsize=16)
def final_tokens(tokenizer: Tokenizer) -> SentenceEnds:
    """Return the tokens after which a sentence has ended, and those that may close it."""
    texts = [tokenizer.decode([token]).strip() for token in range(tokenizer.size)]
    bare = [text.rstrip("".join(CLOSERS)) for text in texts]
    return SentenceEnds(
        finals=[token for token, text in enumerate(bare) if text and text[-1] in ENDS],
        closers=[token for token, text in enumerate(texts) if text and not bare[token]],
    )


def phrases_of(term: Term, tokenizer: Tokenizer) -> list[list[int]]:
    """Return the ways in which the spellings of a term may be written."""
    if isinstance(term, str):
        raise DataError(f"the term {term!r} is one string. Give a list of its spellings.")
    spellings = [" ".join(words.replace("\x00", "").split()) for words in term]
    ways = [way for words in spellings if words for way in _ways(words, tokenizer)]
    possible = [way for way in ways if way and _NEVER.isdisjoint(way[way[0] == START :])]
    if not possible:
        named = " | ".join(term)
        raise DataError(
            f"the term {named!r} cannot be written with the words that the model knows. "
            "Give another spelling."
        )
    return [list(way) for way in dict.fromkeys(map(tuple, possible))]


def _ways(words: str, tokenizer: Tokenizer) -> list[list[int]]:
    """Cut words inside a sentence, at its beginning, and before a mark, where that differs."""
    inside = _inside(words, tokenizer)
    first = tokenizer.encode(words)
    ways = [inside] if inside == first else [inside, [START, *first]]
    closed = (_inside(words + mark, tokenizer) for mark in AFTER_WORD)
    return ways + [way for way in closed if way[: len(inside)] != inside]


def _inside(words: str, tokenizer: Tokenizer) -> list[int]:
    before, whole = tokenizer.encode(_BEFORE), tokenizer.encode(f"{_BEFORE} {words}")
    if whole[: len(before)] != before:
        return tokenizer.encode(words)
    return whole[len(before) :]
