"""Learning a tokenizer from sentence pairs.

Everything is learned from counts of words, so that memory grows with the different words and not
with the text. At most `MOST_PAIRS` pairs are looked at.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import assert_never

from dragoman.config.tokenizer import (
    BpeTokenizerSettings,
    CharacterTokenizerSettings,
    TokenizerSettings,
    WordPieceTokenizerSettings,
    WordTokenizerSettings,
)
from dragoman.core.errors import DataError
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.bpe import BpeTokenizer
from dragoman.data.tokenizer.characters import CharacterTokenizer
from dragoman.data.tokenizer.escape import escape, normalize
from dragoman.data.tokenizer.learn import SEEN, learn_alphabet, learn_pieces, learn_words
from dragoman.data.tokenizer.learn_wordpiece import learn_word_pieces
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE, PLACEHOLDER, SPACE
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.wordpiece import WordPieceTokenizer
from dragoman.data.tokenizer.words import WordTokenizer

MOST_PAIRS = 1_000_000
"""Pairs that a tokenizer is learned from; more change it hardly at all."""


def train_tokenizer_pair(
    settings: TokenizerSettings, pairs: Iterable[Pair], total: int | None = None
) -> TokenizerPair:
    """Learn a tokenizer; the same pairs always give the same one.

    `total` is the number of pairs where it is known: of more than `MOST_PAIRS`, every third, fifth
    and so on is then looked at; otherwise the first ones are. Never every second: where a corpus
    is used both ways, those would be of one direction.
    """
    step = 1 if total is None else max(1, -(-total // MOST_PAIRS)) | 1
    split = _whole_words if isinstance(settings, WordTokenizerSettings) else marked_words
    source: Counter[str] = Counter()
    target: Counter[str] = Counter()
    for pair in islice(islice(pairs, 0, None, step), MOST_PAIRS):
        source.update(split(pair.source))
        target.update(split(pair.target))
    if not source:
        raise DataError("there are no sentence pairs to learn a tokenizer from.")
    findings: list[str] = []
    if settings.shared:
        both = _learn(settings, source + target, "both sides", findings)
        return TokenizerPair(both, both, findings)
    return TokenizerPair(
        _learn(settings, source, "source", findings),
        _learn(settings, target, "target", findings),
        findings,
    )


def train_tokenizer(
    settings: TokenizerSettings, lines: Iterable[str], findings: list[str]
) -> Tokenizer:
    """Learn one vocabulary from plain text, of which at most `MOST_PAIRS` lines are looked at."""
    split = _whole_words if isinstance(settings, WordTokenizerSettings) else marked_words
    counts: Counter[str] = Counter()
    for line in islice(lines, MOST_PAIRS):
        counts.update(split(line))
    if not counts:
        raise DataError("there is no text to learn a tokenizer from.")
    return _learn(settings, counts, "the text", findings)


def _whole_words(text: str) -> list[str]:
    return normalize(text).split(" ")


def marked_words(text: str) -> Iterator[str]:
    """Yield words with ▁ where a space stood; placeholders have numbers and are left out."""
    for place, part in enumerate(PLACEHOLDER.split(escape(normalize(text)))[::2]):
        first, *others = part.split(" ")
        yield first if place else SPACE + first
        for word in others:
            yield SPACE + word


def _learn(
    settings: TokenizerSettings, counts: Counter[str], side: str, findings: list[str]
) -> Tokenizer:
    room = settings.vocab_size - FIRST_PIECE
    rare = 0
    tokenizer: Tokenizer
    match settings:
        case BpeTokenizerSettings():
            learned, rare = learn_pieces(counts, room)
            tokenizer = BpeTokenizer(learned)
        case WordPieceTokenizerSettings():
            learned, rare = learn_word_pieces(counts, room, settings.rank)
            tokenizer = WordPieceTokenizer(learned)
        case WordTokenizerSettings():
            tokenizer = WordTokenizer(learn_words(counts, room))
        case CharacterTokenizerSettings():
            learned, rare = learn_alphabet(counts, room)
            tokenizer = CharacterTokenizer(learned)
        case _:
            assert_never(settings)
    less = tokenizer.size < settings.vocab_size
    asked = f"; the corpus holds no more ({settings.vocab_size:,} asked)" if less else ""
    findings.append(f"vocabulary of {side}: {tokenizer.size:,} entries{asked}")
    if rare:
        findings.append(
            f"{rare:,} characters of {side} are spelled in bytes: "
            f"seen fewer than {SEEN} times, or no room for them"
        )
    return tokenizer
