"""More subwords for a vocabulary that has learned from other text.

What it has keeps its numbers, and is joined first: a text that holds none of the new subwords is
cut as before. New characters come first, the most frequent ones, then joins of what is there.
"""

from collections import Counter
from collections.abc import Iterable
from itertools import islice

from dragoman.core.errors import ConfigError
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.bpe import BpeTokenizer
from dragoman.data.tokenizer.learn import SEEN
from dragoman.data.tokenizer.merge_table import Neighbors
from dragoman.data.tokenizer.merges import segment
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import SPACE
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.data.tokenizer.train import MOST_PAIRS, marked_words


def grow_tokenizer_pair(
    tokenizer: TokenizerPair, pairs: Iterable[Pair], more: int
) -> TokenizerPair:
    """Add so many subwords of other pairs to a tokenizer, to each side of it if it has two."""
    source: Counter[str] = Counter()
    target: Counter[str] = Counter()
    for pair in islice(pairs, MOST_PAIRS):
        source.update(marked_words(pair.source))
        target.update(marked_words(pair.target))
    if tokenizer.shared:
        both = grow_tokenizer(tokenizer.source, source + target, more)
        return TokenizerPair(both, both, [_told(tokenizer.source, both)])
    sides = [
        grow_tokenizer(side, counts, more)
        for side, counts in ((tokenizer.source, source), (tokenizer.target, target))
    ]
    told = [_told(tokenizer.source, sides[0]), _told(tokenizer.target, sides[1])]
    return TokenizerPair(sides[0], sides[1], told)


def grow_tokenizer(tokenizer: Tokenizer, counts: Counter[str], more: int) -> BpeTokenizer:
    """Add up to so many subwords, learned from counted words."""
    if not isinstance(tokenizer, BpeTokenizer):
        raise ConfigError(
            f"start.new_tokens is for vocabularies of kind 'bpe', and this one is "
            f"{tokenizer.kind!r}. Leave it out."
        )
    known = dict(tokenizer.ids)
    letters = Counter[str]()
    for word, times in counts.items():
        letters.update({letter: times for letter in word if letter not in known})
    frequent = [letter for letter, times in letters.most_common(more) if times >= SEEN]
    added = [letter for letter in frequent if letter != SPACE]
    known |= {letter: len(known) + number for number, letter in enumerate(added)}
    words = ((segment(word, tokenizer.ids), times) for word, times in counts.items())
    neighbors = Neighbors(words)
    while len(added) < more:
        best = _best(neighbors, known)
        if best is None:
            break
        piece = "".join(best)
        neighbors.join(best, piece)
        if piece not in known:
            known[piece] = len(known)
            added.append(piece)
    return BpeTokenizer([*tokenizer.learned, *added])


def _best(neighbors: Neighbors, known: dict[str, int]) -> tuple[str, str] | None:
    """Return the pair that stands together most often, of those that can be a subword."""
    fitting = (
        (times, pair)
        for pair, times in neighbors.pairs.items()
        if times >= SEEN
        and pair[0] in known
        and pair[1] in known
        and len(pair[0]) + len(pair[1]) <= BpeTokenizer.longest_piece
        and SPACE not in "".join(pair)[1:]
    )
    found = max(fitting, key=lambda one: (one[0], one[1]), default=None)
    return found[1] if found else None


def _told(before: Tokenizer, after: Tokenizer) -> str:
    return f"vocabulary grown from {before.size:,} to {after.size:,} entries"
