"""Held-out pairs as people type them: cases that show how a translator takes what it is given.

    plain              we know tom.              as it stands
    capitals           WE KNOW TOM.              both sides in capitals
    title case         We Know Tom.              both sides
    typos              we konw tom.              one or two slips of the finger in the source
    repeated marks     we know tom!!!            the last mark of both sides, two or three times
    emoji              we know tom. 😀           before or after both sides
    mixed scripts      we know tom (東京).        a word in foreign letters, on both sides
    target's language  wir kennen tom.           is to come back as it is
    very long          several pairs in a row
    very short         two or three words
    single words       tom                       pairs of one word; if there are too few, words that
                                                 almost always come together in the held-out pairs

Everything follows from the seed. Each line names the pairs it was made of: their translation as
they stand is what its own is compared with, so that both have the same lines and, but for what was
changed, the same references. Short lines and words are pairs of their own, and have none: their
scores are those of other text, and can only be held against the plain case as a whole.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dragoman.core.errors import DataError
from dragoman.data.batching.augmentation import (
    AROUND,
    MARKS,
    Change,
    Random,
    punctuation,
    title,
    typos,
    upper,
)
from dragoman.data.formats.pair import Pair
from dragoman.data.formats.placeholders import split_tags

LINES = 200
LONG = 60
"""Words of the sources that are joined, at least."""

SHORT = range(2, 4)
"""Words of a very short source."""

UNSPACED = "\u2e80"
"""Where the characters begin of which words have no spaces between them."""

TRIES = 20
OFTEN, SURE = 3, 0.6
"""How often two words must come together to mean each other, and how surely (Dice 1945)."""

EMOJI = ("😀", "😂", "❤️", "👍", "🎉", "😢", "🙏", "🔥", "👩‍💻", "🇮🇳")
FOREIGN = {
    "LATIN": ("Zürich", "Łódź", "Søren"),
    "CYRILLIC": ("Москва", "Чехов", "Київ"),
    "GREEK": ("Αθήνα", "Σωκράτης"),
    "CJK": ("東京", "北京", "孔子"),
    "HANGUL": ("서울", "부산"),
    "ARABIC": ("القاهرة", "بغداد"),
    "HEBREW": ("חיפה", "ירושלים"),
    "DEVANAGARI": ("दिल्ली", "मुंबई"),
    "THAI": ("กรุงเทพ",),
}
"""Names in many scripts; those of the pairs' own are left out."""


@dataclass(frozen=True, slots=True)
class RobustnessLine:
    """A text to translate, what should come out, and the pairs it was made of."""

    source: str
    reference: str
    plain: tuple[Pair, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """Lines that are hard in one way."""

    name: str
    lines: tuple[RobustnessLine, ...]
    compared_with: str
    """What its score is held against, for people; empty for the plain case."""


SAME, APART, PARTS = "the same lines, plain", "plain, other lines", "the same lines, one by one"


def make_cases(pairs: Sequence[Pair], seed: int = 1, count: int = LINES) -> list[Case]:
    """Make every case of held-out pairs, `count` lines each, or as many as there are."""
    if not pairs:
        raise DataError("robustness: there are no held-out pairs to make cases of.")
    order = np.random.default_rng(seed).permutation(len(pairs))
    drawn = [pairs[place] for place in order if not _is_bare(pairs[place])]
    drawn = drawn or [pairs[place] for place in order]

    def changed(name: str, change: Change) -> Case:
        random = np.random.default_rng([seed, *name.encode()])
        return Case(name, _taken((_changed(pair, change, random) for pair in drawn), count), SAME)

    return [
        Case(
            "plain",
            _taken((RobustnessLine(pair.source, pair.target, (pair,)) for pair in drawn), count),
            "",
        ),
        changed("capitals", upper),
        changed("title case", title),
        changed("typos", typos),
        changed("repeated marks", _repeated),
        changed("emoji", _with_emoji),
        changed("mixed scripts", _with_foreign(_foreign(pairs))),
        Case("target's language", _taken(map(_in_target, drawn), count), SAME),
        Case("very long", _taken(_long(drawn, count), count), PARTS),
        Case("very short", _taken(_short(drawn), count), APART),
        Case("single words", _taken(_words(pairs), count), APART),
    ]


def _taken(lines: Iterable[RobustnessLine | None], count: int) -> tuple[RobustnessLine, ...]:
    """Return the first lines that are any, no source twice."""
    found: dict[str, RobustnessLine] = {}
    for line in lines:
        if len(found) == count:
            break
        if line is not None:
            found.setdefault(line.source, line)
    return tuple(found.values())


def _changed(pair: Pair, change: Change, random: Random) -> RobustnessLine | None:
    tags, bare = split_tags(pair.source)
    source, target = change(bare, pair.target, random)
    return None if source == bare else RobustnessLine(tags + source, target, (pair,))


def _repeated(source: str, target: str, random: Random) -> tuple[str, str]:
    """Repeat the last mark of both sides; `punctuation` may take it away, and is asked again."""
    for _ in range(TRIES):
        louder = punctuation(source, target, random)
        if len(louder[0]) > len(source):
            return louder
    return source, target


def _with_emoji(source: str, target: str, random: Random) -> tuple[str, str]:
    one = EMOJI[int(random.integers(len(EMOJI)))]
    if random.random() < 0.2:
        return f"{one} {source}", f"{one} {target}"
    return f"{source} {one}", f"{target} {one}"


def _with_foreign(words: Sequence[str]) -> Change:
    """Return a change that puts one of some words into brackets before the last mark."""

    def mixed(source: str, target: str, random: Random) -> tuple[str, str]:
        word = words[int(random.integers(len(words)))]
        sides = []
        for side in (source, target):
            body = side.rstrip(MARKS)
            sides.append(f"{body} ({word}){side[len(body) :]}")
        return sides[0], sides[1]

    return mixed


def _foreign(pairs: Sequence[Pair]) -> list[str]:
    """Return the words in scripts that the pairs do not use, or next to never."""
    letters = Counter(
        unicodedata.name(character, "?").split()[0]
        for pair in pairs
        for character in pair.source + pair.target
        if character.isalpha()
    )
    own = {name for name, count in letters.items() if count > 0.01 * letters.total()}
    return [word for name, words in FOREIGN.items() if name not in own for word in words]


def _in_target(pair: Pair) -> RobustnessLine | None:
    tags, bare = split_tags(pair.source)
    return None if bare == pair.target else RobustnessLine(tags + pair.target, pair.target, (pair,))


def _long(drawn: Sequence[Pair], count: int) -> Iterator[RobustnessLine | None]:
    """Join pairs of one tag till they are long; where too few are left, begin again, one later."""
    for round_ in range(min(count, len(drawn))):
        waiting: dict[str, list[Pair]] = {}
        for pair in [*drawn[round_:], *drawn[:round_]]:
            tags, _ = split_tags(pair.source)
            parts = waiting.setdefault(tags, [])
            parts.append(pair)
            bare = [split_tags(part.source)[1] for part in parts]
            if sum(map(_size, bare)) >= LONG:
                target = " ".join(part.target for part in parts)
                yield RobustnessLine(tags + " ".join(bare), target, tuple(parts))
                waiting[tags] = []


def _short(drawn: Sequence[Pair]) -> Iterator[RobustnessLine | None]:
    for pair in drawn:
        if _size(split_tags(pair.source)[1]) in SHORT:
            yield RobustnessLine(*pair)


def _words(pairs: Sequence[Pair]) -> Iterator[RobustnessLine | None]:
    """Return pairs of one word, then the words that mean each other, the commonest first."""
    for pair in pairs:
        if _is_bare(pair):
            yield RobustnessLine(*pair)
    tagged = {split_tags(pair.source)[0] for pair in pairs}
    if len(tagged) == 1:  # of several languages, words would be mixed up
        tags = tagged.pop()
        for source, target in common_words(pairs):
            yield RobustnessLine(tags + source, target)


def common_words(pairs: Sequence[Pair]) -> list[tuple[str, str]]:
    """Return words that mean each other, the commonest first.

    Each of the two must come with the other more than with any third: by Dice's measure, twice the
    pairs that hold both over the pairs that hold the one plus those that hold the other.
    """
    sides: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    both: Counter[tuple[str, str]] = Counter()
    for pair in pairs:
        here, there = _kept(split_tags(pair.source)[1]), _kept(pair.target)
        sides[0].update(here)
        sides[1].update(there)
        both.update((one, other) for one in here for other in there)
    like = {
        (one, other): 2 * n / (sides[0][one] + sides[1][other])
        for (one, other), n in both.items()
        if n >= OFTEN
    }
    sole = _best(like, 0) & _best(like, 1)
    return sorted((w for w in sole if like[w] >= SURE), key=lambda words: (-both[words], words))


def _best(like: Mapping[tuple[str, str], float], side: int) -> set[tuple[str, str]]:
    """Return for each word of a side the one it is most like, if there is one and no second."""
    best: dict[str, list[tuple[str, str]]] = {}
    for words, measure in like.items():
        known = best.setdefault(words[side], [words])
        if measure > like[known[0]]:
            best[words[side]] = [words]
        elif measure == like[known[0]] and words not in known:
            known.append(words)
    return {known[0] for known in best.values() if len(known) == 1}


def _kept(text: str) -> list[str]:
    """Return the words of a text, each once, without capitals and the marks around them."""
    words = (word.strip(AROUND).lower() for word in text.split())
    return list(dict.fromkeys(word for word in words if any(map(str.isalpha, word))))


def _size(text: str) -> int:
    """Count the words of a text; of Chinese and Japanese, two characters are one."""
    return sum(
        1 if character < UNSPACED else -(-len(word) // 2)
        for word in text.split()
        for character in word[:1]
    )


def _is_bare(pair: Pair) -> bool:
    """Say whether a pair's source is a single word."""
    return _size(split_tags(pair.source)[1].strip(AROUND + " ")) == 1
