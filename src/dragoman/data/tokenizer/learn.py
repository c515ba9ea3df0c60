"""Training of the vocabulary of each kind of tokenizer on counted words.

Counted words have ▁ in front where a space or the beginning of the sentence stood.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

from tokenizers import Tokenizer as Library
from tokenizers import models, pre_tokenizers, trainers

from dragoman.data.tokenizer.escape import MARK
from dragoman.data.tokenizer.library import explain_panics
from dragoman.data.tokenizer.special_tokens import FIXED, SPACE

SEEN = 3
"""Times a character must be seen to get a number of its own; rarer ones are spelled in bytes."""

LONGEST_PIECE = 16
"""Characters of the longest subword."""

TOGETHER = 1000

Counts = Mapping[str, int]


def learn_alphabet(counts: Counts, room: int) -> tuple[list[str], int]:
    """Return the characters worth a number, most frequent first, and how many are not."""
    seen: Counter[str] = Counter({SPACE: SEEN})
    for word, count in counts.items():
        for character in word:
            seen[character] += count
    del seen[MARK]
    ordered = sorted(seen, key=lambda character: (-seen[character], character))
    chosen = [character for character in ordered if seen[character] >= SEEN][:room]
    if SPACE not in chosen:
        chosen[-1] = SPACE
    return chosen, len(seen) - len(chosen)


def learn_pieces(counts: Counts, room: int) -> tuple[list[str], int]:
    """Return byte-pair subwords, first learned first, and how many characters were left to bytes.

    Only pairs seen at least twice are joined, so a small corpus gives fewer subwords than there is
    room for. At most half of the room goes to single characters.
    """
    alphabet, rare = learn_alphabet(counts, room // 2)
    library = Library(models.BPE())
    library.pre_tokenizer = pre_tokenizers.Split(" ", "removed")
    trainer = trainers.BpeTrainer(
        vocab_size=room,
        min_frequency=2,
        max_token_length=LONGEST_PIECE,
        initial_alphabet=[SPACE],
        show_progress=False,
    )
    with explain_panics():
        library.train_from_iterator(_fragments(counts, frozenset(alphabet)), trainer)
    learned = sorted((number, piece) for piece, number in library.get_vocab().items())
    return _reachable([piece for _, piece in learned]), rare


def learn_words(counts: Counts, room: int) -> list[str]:
    """Return the most frequent words, most frequent first."""
    known = frozenset(FIXED)
    words = (word for word in counts if word and word not in known)
    return sorted(words, key=lambda word: (-counts[word], word))[:room]


def _fragments(counts: Counts, alphabet: frozenset[str]) -> Iterator[str]:
    """Yield each word as often as it was counted, cut where a character is left to bytes.

    Cut, not joined over the gap: neighbours there never meet in an encoded text.
    """
    for word, count in counts.items():
        if not alphabet.issuperset(word):
            word = "".join(c if c in alphabet else " " for c in word)
        for begin in range(0, count, TOGETHER):
            yield " ".join([word] * min(TOGETHER, count - begin))


def _reachable(pieces: list[str]) -> list[str]:
    """Leave out what looks like a fixed symbol, and what could only be joined from such."""
    reserved = frozenset(FIXED)
    kept: dict[str, None] = {}
    for piece in pieces:
        splits = ((piece[:at], piece[at:]) for at in range(1, len(piece)))
        possible = len(piece) == 1 or any(a in kept and b in kept for a, b in splits)
        if possible and piece not in reserved:
            kept[piece] = None
    return list(kept)
