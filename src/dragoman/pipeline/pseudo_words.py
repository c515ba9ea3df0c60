"""Pseudo-words: sentences with words of no language, whose translation cannot be good.

A network that translates nearly everything of its validation set well gives no examples of what a
bad translation looks like. These do: some words of a sentence are replaced by the front of one word
and the back of another (*stud* of student, *ower* of flower), which no training has shown.
"""

import re
from collections.abc import Iterator, Sequence
from random import Random

WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[^\w\s!-/:-@\[-`{-~।…])*")
"""A letter, and letters or the marks over and after them."""

SHORTEST = 4
"""Characters of a word that can be cut in two."""

REPLACED = 0.5
"""How many of the words that can be cut are replaced, and one at least."""

SPACELESS = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
"""Thai, Lao, Burmese, Khmer, Japanese, Chinese: between blanks there are sentences, not words."""


def with_pseudo_words(sentences: Sequence[str]) -> Iterator[str]:
    """Give sentences over and over, each time with other words replaced by pseudo-words.

    Ends at once where no sentence has a word to replace.
    """
    random = Random("pseudo-words")
    kept = [one for one in sentences if not SPACELESS.search(one)]
    known = {word.casefold() for one in kept for word in WORD.findall(one)}
    long = sorted(word for word in known if len(word) >= SHORTEST)
    able = [one for one in kept if any(len(word) >= SHORTEST for word in WORD.findall(one))]
    while able and len(long) > 1:
        for sentence in able:
            yield _replaced(sentence, known, long, random)


def _replaced(sentence: str, known: set[str], long: Sequence[str], random: Random) -> str:
    """Replace some of the longer words of a sentence."""
    words = [word for word in WORD.finditer(sentence) if len(word.group()) >= SHORTEST]
    chosen = [word for word in words if random.random() < REPLACED] or [random.choice(words)]
    for word in reversed(chosen):
        made = _pseudo_word(known, long, random)
        made = made.capitalize() if word.group()[0].isupper() else made
        sentence = sentence[: word.start()] + made + sentence[word.end() :]
    return sentence


def _pseudo_word(known: set[str], long: Sequence[str], random: Random) -> str:
    """Join halves of two words to one that is not known; doubled if chance finds none."""
    made = ""
    for _ in range(20):
        front, back = random.choice(long), random.choice(long)
        made = front[: len(front) // 2] + back[len(back) // 2 :]
        if made not in known:
            return made
    return made + made
