"""A sentence and its translation with all attention weights, ready to be drawn."""

from collections.abc import Sequence

import numpy as np

from dragoman.data.corpus.tags import tagging
from dragoman.data.tokenizer.special_tokens import END, FIRST_BYTE, SPECIALS, START
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.plots.attention_page import AttentionSentence, Axis, Map
from dragoman.tasks.translation.attention import AttentionWeights, read_attention
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.subword_words import word_texts, words_of_subwords

LONGEST = 120
"""Subwords of the longest side that is drawn; more are too many to be looked at."""

TURN = "→"
"""Stands where a row turns from the source to the translation."""


def attention_report(
    translator: BareTranslator, source: str, target: str, to: str | None = None
) -> AttentionSentence | None:
    """Watch a network write a translation; nothing where a text is too long to be seen whole.

    A text longer than the network reads at once was translated in parts, so no one pass wrote it.
    """
    clean, tokenizers = " ".join(source.replace("\x00", "").split()), translator.tokenizer
    read = [*tokenizers.encode_source("".join(tagging(translator.corpus, to)(clean))), END]
    written = tokenizers.target.encode(target)
    if len(read) > translator.longest or max(len(read), len(written) + 1) > LONGEST:
        return None
    (seen,) = read_attention(translator.model, [read], [written])
    return AttentionSentence(source, target, _maps(translator, seen, read, written))


def _maps(
    translator: BareTranslator, seen: AttentionWeights, read: Sequence[int], written: Sequence[int]
) -> tuple[Map, ...]:
    """Put the subwords beside the maps that there are."""
    ours, theirs = translator.tokenizer.source, translator.tokenizer.target
    source, target = _axis(ours, read), _axis(theirs, [*written, END])
    maps = []
    if seen.across:
        width = seen.across[0].shape[-1]  # a row may leave out the end of its source
        maps.append(Map("across", target, _axis(ours, read[:width]), tuple(seen.across)))
    if seen.source:
        maps.append(Map("source", source, source, tuple(seen.source)))
    if seen.target:
        maps.append(Map("target", target, _axis(theirs, [START, *written]), tuple(seen.target)))
    if seen.row:
        maps.append(_row(seen.row, _axis(ours, [START, *read[:width]]), _axis(theirs, written)))
    return tuple(maps)


def _row(layers: list[np.ndarray], source: Axis, target: Axis) -> Map:
    """Join source and translation to one side, with the turn between them."""
    turn, first = len(source.pieces), source.words[-1] + 1
    axis = Axis(
        pieces=(*source.pieces, TURN, *target.pieces),
        words=(*source.words, first, *(first + 1 + word for word in target.words)),
        spelled=(*source.spelled, TURN, *target.spelled),
        marks=(*source.marks, turn),
    )
    return Map("row", axis, axis, tuple(layers))


def _axis(tokenizer: Tokenizer, ids: Sequence[int]) -> Axis:
    words = words_of_subwords(tokenizer, ids)
    return Axis(
        pieces=tuple(tokenizer.words(ids)),
        words=tuple(words),
        spelled=tuple(word_texts(tokenizer, ids, words)),
        marks=tuple(place for place, number in enumerate(ids) if _is_special_token(number)),
    )


def _is_special_token(number: int) -> bool:
    """Whether a subword is no text of its own: START, END, and the tags of languages."""
    return number < FIRST_BYTE and number != SPECIALS.index("<unk>")
