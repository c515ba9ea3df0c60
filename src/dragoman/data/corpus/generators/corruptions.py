"""Wrong sentences made of right ones, for learning to tell them apart; and words taken out.

    right       The man was pulling the cart.
    swap        The was man pulling the cart.       two neighbours change places
    drop        The man pulling the cart.           a word is taken out
    repeat      The man man was pulling the cart.   a word comes twice
    replace     The man was yellow the cart.        a word gives way to another
    agreement   The man were pulling the cart.      a verb takes the wrong number

Some changes leave a right sentence behind, as when "old" is dropped. So, unless told otherwise, the
first four kinds are used only where they put two words side by side that stand so in no sentence
of the corpus.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Literal, NamedTuple

Kind = Literal["swap", "drop", "repeat", "replace", "agreement"]

KINDS: tuple[Kind, ...] = ("swap", "drop", "repeat", "replace", "agreement")
TRIES = 30
"""How often a kind of corruption is tried on a sentence before another kind is."""

NUMBERS = (("is", "are"), ("was", "were"), ("has", "have"), ("does", "do"))
OTHER_NUMBER = {one: other for pair in NUMBERS for one, other in (pair, pair[::-1])} | {"am": "is"}
PLAIN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
"""A word that may be moved, taken out or put in: letters, with no mark at its end."""

STOP = re.compile(r"[.!?…।]*$")


class CorruptedSentence(NamedTuple):
    """A sentence, whether it is right, and what was done to it."""

    text: str
    label: Literal["right", "wrong"]
    kind: Kind | None = None


class Missing(NamedTuple):
    """A sentence without one of its words."""

    text: str
    place: int
    """The gap where the word stood, from 0: before the first word that is left."""
    word: str
    whole: str


class SentenceWords(NamedTuple):
    """The words of a sentence, the first as it would stand inside, and its last mark."""

    words: tuple[str, ...]
    stop: str
    capital: bool

    def __str__(self) -> str:
        text = " ".join(self.words)
        if not (text.endswith(".") and self.stop.startswith(".")):  # one full stop does for "Mr."
            text += self.stop
        return text[:1].upper() + text[1:] if self.capital else text


class Corrupter:
    """Spoils sentences by what it knows of a corpus: its words, its names and its neighbours."""

    def __init__(self, sentences: Iterable[str]) -> None:
        split = [sentence.split() for sentence in sentences]
        inner = {_unmarked(word) for words in split for word in words[1:]}
        self._names = {word for word in inner if word[:1].isupper()}
        phrases = [self.read(" ".join(words)) for words in split]
        self._words = [word for phrase in phrases for word in phrase.words if _is_plain(word)]
        self._neighbors = {pair for phrase in phrases for pair in _neighbors(phrase)}

    def read(self, sentence: str) -> SentenceWords:
        """Take a sentence apart."""
        stop = STOP.search(sentence)
        mark = stop[0] if stop else ""
        words = sentence.removesuffix(mark).split()
        capital = sentence[:1].isupper()
        if words and capital and _unmarked(words[0]) not in self._names:
            words[0] = words[0][:1].lower() + words[0][1:]
        return SentenceWords(tuple(words), mark, capital)

    def corrupt(
        self, sentence: str, random: Random, kinds: Sequence[Kind] = KINDS, *, surely: bool = True
    ) -> CorruptedSentence | None:
        """Spoil a sentence in one of these ways, any of those that can be; None where none can."""
        good = self.read(sentence)
        for kind in random.sample(kinds, len(kinds)):
            for _ in range(TRIES):
                words = self._changed(list(good.words), kind, random)
                if words is None:
                    break
                bad = good._replace(words=tuple(words))
                sure = kind == "agreement" or not surely or self._is_strange(bad)
                if sure and bad != good:
                    return CorruptedSentence(str(bad), "wrong", kind)
        return None

    def take_word(self, sentence: str, random: Random) -> Missing | None:
        """Take one word out of a sentence, and keep which it was and where it stood."""
        good = self.read(sentence)
        found = []
        for place, word in enumerate(good.words if len(good.words) > 1 else ()):
            rest = str(good._replace(words=good.words[:place] + good.words[place + 1 :]))
            if _is_plain(word) and self.put_word(rest, place, word) == sentence:
                found.append(Missing(rest, place, word, sentence))
        return random.choice(found) if found else None

    def put_word(self, sentence: str, place: int, word: str) -> str:
        """Put a word into a gap of a sentence."""
        found = self.read(sentence)
        return str(found._replace(words=(*found.words[:place], word, *found.words[place:])))

    def _is_strange(self, phrase: SentenceWords) -> bool:
        return any(pair not in self._neighbors for pair in _neighbors(phrase))

    def _changed(self, words: list[str], kind: Kind, random: Random) -> list[str] | None:
        """Change words in one way; None where nothing can be changed so."""
        places = _places(words, kind)
        if not places:
            return None
        at = random.choice(places)
        match kind:
            case "swap":
                words[at : at + 2] = reversed(words[at : at + 2])
            case "drop":
                del words[at]
            case "repeat":
                words.insert(at, words[at])
            case "replace":
                words[at] = random.choice(self._words)
            case "agreement":
                words[at] = OTHER_NUMBER[words[at]]
        return words


def correct_and_corrupted(
    sentences: Sequence[str], *, seed: int, kinds: Sequence[Kind] = KINDS, surely: bool = True
) -> Iterator[CorruptedSentence]:
    """Give each sentence as it is and spoilt; one that cannot be spoilt is left out."""
    corrupter = Corrupter(sentences)
    for number, sentence in enumerate(sentences):
        random = Random(f"corruptions/{seed}/{number}")
        bad = corrupter.corrupt(sentence, random, kinds, surely=surely)
        if bad is not None:
            yield CorruptedSentence(sentence, "right")
            yield bad


def make_missing(sentences: Sequence[str], *, seed: int) -> Iterator[Missing]:
    """Give each sentence without one of its words."""
    corrupter = Corrupter(sentences)
    for number, sentence in enumerate(sentences):
        found = corrupter.take_word(sentence, Random(f"missing/{seed}/{number}"))
        if found is not None:
            yield found


def _places(words: Sequence[str], kind: Kind) -> list[int]:
    """Find where words can be changed in a way."""
    plain = [place for place, word in enumerate(words) if _is_plain(word)]
    match kind:
        case "swap":
            after = set(plain)
            return [at for at in plain if at + 1 in after and words[at] != words[at + 1]]
        case "agreement":
            return [at for at in plain if words[at] in OTHER_NUMBER]
        case "drop":
            return plain if len(words) > 1 else []
        case _:
            return plain


def _neighbors(phrase: SentenceWords) -> Iterator[tuple[str, str]]:
    """Pair each word with the next; before the first and after the last there is nothing."""
    yield from pairwise(("", *phrase.words, ""))


def _unmarked(word: str) -> str:
    return word.rstrip(".,;:!?…।")


def _is_plain(word: str) -> bool:
    return PLAIN.fullmatch(word) is not None
