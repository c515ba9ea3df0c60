"""Changes made to training text on the way: what users type, and corpora seldom hold.

    as it stands   we know tom.     | wir kennen tom.
    upper          WE KNOW TOM.     | WIR KENNEN TOM.
    title          We Know Tom.     | Wir Kennen Tom.
    typos          we konw tom.     | wir kennen tom.
    punctuation    we know tom...   | wir kennen tom...     or without any mark
    placeholders   we know {name}.  | wir kennen {name}.    where both sides share the word
    symbols        we know ｟0｠.     | wir kennen ｟0｠.       for {name}, or a word both share

Each change is a function of source, target and chance; where it has nothing to do it returns both
as they were. What stands there for programs (`｟3｠`, `%s`, `{name}`, `<b>`, addresses) stays.
"""

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dragoman.config.augmentation import AugmentationSettings
from dragoman.data.batching.arrays import Ids
from dragoman.data.formats.accelerators import without_accelerator
from dragoman.data.formats.placeholders import EXTRA, placeholder
from dragoman.data.formats.protected_spans import (
    SOFT,
    ProtectedSpan,
    protected_spans,
    replace_spans,
    split_protected,
)
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.special_tokens import END, FIRST_BYTE, FIRST_PLACEHOLDER

Thing = TypeVar("Thing")
Random = np.random.Generator
Change = Callable[[str, str, Random], tuple[str, str]]

TAGS = range(FIRST_PLACEHOLDER + EXTRA, FIRST_BYTE)
"""Numbers of the symbols that may stand before a source, which no change sees."""

WHICH, HOW = 1, 2
"""What chance is drawn for: apart from each other, and from that of BPE dropout."""

MASK = "\x00"
WORD = re.compile(r"\S+")
WORD_BEGIN = re.compile(r"(?<=\s)[^\w\s]*\w")
MARKS = ".!?…。！？।॥؟۔։።"
AROUND = string.punctuation + MARKS + "«»‹›“”‘’„‚¿¡、，；：「」『』（）《》–—·،؛"
JOINERS = "\u200c\u200d"
SHORTEST = 4
"""Characters of the shortest word that is mistyped, and of the shortest that is shared in earnest
though it is neither a name nor a number: `a` and `no` mean different things in two languages.
"""

KEYS = {
    around[0]: around[1:]
    for around in WORD.findall(
        "qwa wqes ewrd retf tryg ytuh uyij iuok oipl po "
        "aqsz swadx desfc frdgv gtfhb hygjn juhkm kijl lok "
        "zax xzsc cxdv vcfb bvgn nbhm mnj"
    )
}
"""The keys around each letter of an English keyboard."""

STAND_INS = (
    *("%s", "%d", "%1$s", "%2$s", "%(file)s", "{name}", "{count}", "{0}", "{1}", "{{user}}"),
    *("${x}", "${path}", "<b>■</b>", "<i>■</i>", '<a href="●●">■</a>'),
    *("https://www.●●●●●●.com/●●●", "http://●●●●.org", "●●●●.●●●●@●●●●●.net", "●●●@●●●●●●.com"),
    *("○", "○○", "○○○○", "○.○○", "○○%", "○○:○○", "○○,○○○"),
)
"""What may stand for a word; ■ is the word itself, ● any letter, ○ any digit."""


class Augmentation:
    """Changes some examples of a store, others in every epoch, each in one way.

    Chance depends on seed, epoch and example alone, so a resumed run sees the same text. An example
    that is left alone keeps its tokens as they are.
    """

    def __init__(
        self, tokenizer: TokenizerPair, settings: AugmentationSettings, seed: int, examples: int
    ) -> None:
        self.tokenizer = tokenizer
        self.seed = seed
        self.examples = examples
        shares: dict[Change, float] = {
            upper: settings.upper,
            title: settings.title,
            typos: settings.typos,
            punctuation: settings.punctuation,
            placeholders: settings.placeholders,
            symbols: settings.symbols,
        }
        self.changes = list(shares)
        self.bounds = np.cumsum(list(shares.values()))
        self._drawn: tuple[int, NDArray[np.uint8]] = (-1, np.empty(0, np.uint8))

    def __call__(self, source: Ids, target: Ids, epoch: int, example: int) -> tuple[Ids, Ids]:
        """Return an example's tokens as this epoch sees them."""
        way = int(self._ways(epoch)[example])
        if way == len(self.changes):
            return source, target
        read, write = self.tokenizer.source, self.tokenizer.target
        tags = list(takewhile(TAGS.__contains__, source.tolist()))
        before = read.decode(source[len(tags) :]), write.decode(target)
        random = self._random([self.seed, epoch, example], HOW)
        after = self.changes[way](*before, random)
        return (
            source if after[0] == before[0] else np.array([*tags, *read.encode(after[0]), END]),
            target if after[1] == before[1] else np.array([*write.encode(after[1]), END]),
        )

    def changed(self, epoch: int) -> NDArray[np.intp]:
        """Return the examples that may be changed in an epoch."""
        return np.flatnonzero(self._ways(epoch) < len(self.changes))

    def _ways(self, epoch: int) -> NDArray[np.uint8]:
        """Draw for all examples at once, which is cheap, in which way each is to be changed."""
        drawn, ways = self._drawn
        if drawn != epoch:
            uniforms = self._random([self.seed, epoch], WHICH).random(self.examples)
            ways = np.searchsorted(self.bounds, uniforms, side="right").astype(np.uint8)
            self._drawn = epoch, ways
        return ways

    def _random(self, numbers: list[int], purpose: int) -> Random:
        sequence = np.random.SeedSequence(numbers, spawn_key=(purpose,))
        return np.random.Generator(np.random.Philox(sequence))


def augmentation(
    tokenizer: TokenizerPair, settings: AugmentationSettings, seed: int, examples: int
) -> Augmentation | None:
    """Return the changes for a `BatchStream`, or None where nothing is to be changed."""
    return None if settings.off else Augmentation(tokenizer, settings, seed, examples)


def upper(source: str, target: str, random: Random) -> tuple[str, str]:
    """WRITE BOTH SIDES LIKE THIS; a source in a script without capitals stays as it is."""
    loud = _outside(source, str.upper)
    return (loud, _outside(target, str.upper)) if loud != source else (source, target)


def title(source: str, target: str, random: Random) -> tuple[str, str]:
    """Write Both Sides Like This; a source that is so already stays as it is."""
    read = titled(source)
    return (read, titled(target)) if read != source else (source, target)


def typos(source: str, target: str, random: Random) -> tuple[str, str]:
    """Let the finger slip once or twice in the longer words of the source."""
    for _ in range(random.integers(1, 3)):
        source = _slip(source, random)
    return source, target


def punctuation(source: str, target: str, random: Random) -> tuple[str, str]:
    """Take the last mark of both sides away, or repeat it, where both have one."""
    sides = source, target
    bare = [side.rstrip(MARKS) for side in sides]
    for side, body in zip(sides, bare, strict=True):
        if body == side or not "".join(split_protected(body)[::2]).strip():
            return source, target
    if random.random() < 0.5:
        return bare[0].rstrip(), bare[1].rstrip()
    times = int(random.integers(2, 4))
    return bare[0] + source[-1] * times, bare[1] + target[-1] * times


def placeholders(source: str, target: str, random: Random) -> tuple[str, str]:
    """Put one stand-in on both sides for a word that stands once on each."""
    here, there = _words_once(source), _words_once(target)
    shared = [word for word in here if word in there and _means_the_same(word)]
    if not shared:
        return source, target
    word = _one_of(shared, random)
    instead = "".join(_filled(mark, word, random) for mark in _one_of(STAND_INS, random))
    return _with(source, here[word], instead), _with(target, there[word], instead)


def symbols(source: str, target: str, random: Random) -> tuple[str, str]:
    """Put symbols for what must survive and stands on both sides, else for a word both share.

    This is how a translator is shown `%s` or an address later. The mark of an accelerator is taken
    away, as it will be then.
    """
    (bare, pressed), (there, also_pressed) = map(without_accelerator, (source, target))
    if pressed and also_pressed:
        source, target = bare, there
    pairs = _shared(source, target, numbers=random.random() < 0.5) or _shared_word(
        source, target, random
    )
    pairs = pairs[:EXTRA]
    first = int(random.integers(EXTRA - len(pairs) + 1)) if random.random() < 0.3 else 0
    names = [placeholder(first + number) for number in range(len(pairs))]
    there_in_order = sorted(zip((there for _, there in pairs), names, strict=True))
    return (
        replace_spans(source, [here for here, _ in pairs], names),
        replace_spans(
            target, [one for one, _ in there_in_order], [name for _, name in there_in_order]
        ),
    )


def _shared(
    source: str, target: str, *, numbers: bool
) -> list[tuple[ProtectedSpan, ProtectedSpan]]:
    """Pair what must survive on one side with the same on the other, in the source's order."""
    sides = [
        [thing for thing in protected_spans(text) if numbers or thing.kind not in SOFT]
        for text in (source, target)
    ]
    if any(thing.kind == "symbol" for side in sides for thing in side):
        return []
    waiting: dict[str, list[ProtectedSpan]] = {}
    for thing in sides[1]:
        waiting.setdefault(thing.text, []).append(thing)
    counts = Counter(thing.text for thing in sides[0])
    return [
        (thing, waiting[thing.text].pop(0))
        for thing in sides[0]
        if counts[thing.text] == _count(sides[1], thing.text)
    ]


def _shared_word(
    source: str, target: str, random: Random
) -> list[tuple[ProtectedSpan, ProtectedSpan]]:
    here, there = _words_once(source), _words_once(target)
    shared = [word for word in here if word in there and _means_the_same(word)]
    if not shared or any("｟" in text for text in (source, target)):
        return []
    word = _one_of(shared, random)
    sides = (here[word], there[word])
    one, other = (ProtectedSpan("word", place.start, place.stop, word) for place in sides)
    return [(one, other)]


def _count(things: Sequence[ProtectedSpan], text: str) -> int:
    return sum(thing.text == text for thing in things)


def clusters(text: str) -> list[str]:
    """Cut a text into letters, each with the marks that belong to it."""
    found: list[str] = []
    for character in text:
        if found and (character in JOINERS or unicodedata.category(character)[0] == "M"):
            found[-1] += character
        else:
            found.append(character)
    return found


def _outside(text: str, change: Callable[[str], str]) -> str:
    """Change a text everywhere but in what stands there for programs."""
    parts = split_protected(text)
    parts[::2] = map(change, parts[::2])
    return "".join(parts)


def titled(text: str) -> str:
    """Write Each Word Like This, but for what programs put into a text."""
    parts = split_protected(text)
    for place in range(0, len(parts), 2):
        begins = place == 0 or parts[place - 1][-1] in "｠>"  # {name}'s does not begin a word
        lead = " " if begins else ""
        parts[place] = WORD_BEGIN.sub(_large, lead + parts[place]).removeprefix(lead)
    return "".join(parts)


def _large(begin: re.Match[str]) -> str:
    return begin[0][:-1] + begin[0][-1].title()


def _slip(text: str, random: Random) -> str:
    """Swap two letters inside a word, or drop, double or miss one; the first letter stays."""
    letters, words = _long_words(text)
    if not words:
        return text
    word = _one_of(words, random)
    place = int(random.integers(word.start + 1, word.stop))
    other = place + 1 if place + 1 < word.stop else place - 1
    letter = letters[place]
    near = KEYS.get(letter.lower(), "")
    match int(random.integers(4 if near else 3)):
        case 0 if letters[other] != letter:
            letters[place], letters[other] = letters[other], letter
        case 0 | 1:
            letters[place] = ""
        case 2:
            letters[place] = letter * 2
        case _:
            key = _one_of(near, random)
            letters[place] = key.upper() if letter.isupper() else key
    return "".join(letters)


def _long_words(text: str) -> tuple[list[str], list[range]]:
    """Cut a text into letters; say where the words are that are long enough for a slip."""
    letters: list[str] = []
    words: list[range] = []
    for place, part in enumerate(split_protected(text)):
        if place % 2:
            letters.append(part)
            continue
        begin = len(letters)
        for letter in [*clusters(part), " "]:
            if not letter[0].isalpha():
                word = letters[begin:]
                if sum(map(len, word)) >= SHORTEST and len(word) > 2:
                    words.append(range(begin, len(letters)))
                begin = len(letters) + 1
            letters.append(letter)
        letters.pop()
    return letters, words


def _words_once(text: str) -> dict[str, slice]:
    """Return where each word stands, without the punctuation around it, if it stands but once."""
    parts = split_protected(text)
    parts[1::2] = [MASK * len(part) for part in parts[1::2]]
    masked = "".join(parts)
    once: dict[str, slice] = {}
    often: set[str] = set()
    for match in WORD.finditer(masked):
        core = match[0].strip(AROUND)
        if core in once:
            often.add(core)
        elif core and MASK not in core:
            begin = match.start() + match[0].index(core)
            once[core] = slice(begin, begin + len(core))
    return {core: place for core, place in once.items() if core not in often}


def _means_the_same(word: str) -> bool:
    return len(word) >= SHORTEST or word[0].isupper() or any(map(str.isdigit, word))


def _filled(mark: str, word: str, random: Random) -> str:
    match mark:
        case "■":
            return word
        case "●":
            return _one_of(string.ascii_lowercase, random)
        case "○":
            return _one_of(string.digits, random)
    return mark


def _with(text: str, place: slice, instead: str) -> str:
    return text[: place.start] + instead + text[place.stop :]


def _one_of(things: Sequence[Thing], random: Random) -> Thing:
    return things[int(random.integers(len(things)))]
