"""Tasks that a model trained on much text has met: sums, mixed-up letters, words of French.

5+8=13          sakne -> snake          thanks -> merci
7+2=9           fsih -> fish            water -> eau
3+4=            hosue ->                bread ->
"""

from collections.abc import Callable
from random import Random
from typing import NamedTuple

from dragoman.core.errors import DataError, nearest
from dragoman.data.corpus.generators.in_context import ARROW, FewShotPrompt

WORDS = (
    *("snake", "fish", "house", "table", "water", "bread", "horse", "green", "black", "white"),
    *("river", "cloud", "stone", "heart", "light", "night", "sugar", "music", "paper", "plant"),
    *("money", "chair", "mouse", "tiger", "apple", "lemon", "grape", "fruit", "world", "earth"),
    *("train", "plane", "truck", "smile", "dream", "sleep", "field", "beach", "ocean", "storm"),
    *("bird", "tree", "gold", "milk", "wind", "hand", "king", "ship", "wolf", "star", "rain"),
    *("friend", "garden", "window", "doctor", "school", "winter", "summer", "yellow", "butter"),
)

FRENCH = """
thanks merci    water eau        bread pain      house maison     cat chat         dog chien
milk lait       red rouge        blue bleu       green vert       white blanc      black noir
man homme       woman femme      king roi        queen reine      book livre       friend ami
school école    apple pomme      sun soleil      moon lune        sea mer          tree arbre
flower fleur    horse cheval     bird oiseau     fish poisson     hand main        head tête
heart cœur      night nuit       day jour        street rue       key clé          door porte
hello bonjour   yes oui          no non          one un           two deux         three trois
"""

MOST_SHOTS = 32


class EverydayQuestion(NamedTuple):
    """A question, up to and with the mark that calls for an answer, and the answer."""

    text: str
    answer: str


def _sum(random: Random) -> EverydayQuestion:
    a, b = random.randrange(10), random.randrange(10)
    return EverydayQuestion(f"{a}+{b}=", str(a + b))


def _spelling(random: Random) -> EverydayQuestion:
    """Mix up all letters of a word but the first and the last, until it is another."""
    word = random.choice(WORDS)
    mixed = word
    while mixed == word:
        mixed = word[0] + "".join(random.sample(word[1:-1], len(word) - 2)) + word[-1]
    return EverydayQuestion(mixed + ARROW, word)


def _translation(random: Random) -> EverydayQuestion:
    words = FRENCH.split()
    place = random.randrange(0, len(words), 2)
    return EverydayQuestion(words[place] + ARROW, words[place + 1])


FAMILIES: dict[str, Callable[[Random], EverydayQuestion]] = {
    "sums": _sum,
    "spelling": _spelling,
    "translation": _translation,
}


def draw_everyday(family: str, count: int, *, shots: int, seed: int) -> list[FewShotPrompt]:
    """Draw questions of a family after so many examples, a line each; no answer is given away."""
    if family not in FAMILIES:
        raise DataError(f"{family}: there is no such family. {nearest(family, FAMILIES)}")
    if not 0 <= shots <= MOST_SHOTS:
        raise DataError(f"shots {shots}: have 0 to {MOST_SHOTS} of them.")
    random = Random(f"everyday/{family}/{shots}/{seed}")
    return [_write(family, shots, random) for _ in range(count)]


def _write(family: str, shots: int, random: Random) -> FewShotPrompt:
    asked = FAMILIES[family](random)
    shown: dict[str, str] = {}
    while len(shown) < shots:
        question = FAMILIES[family](random)
        if question.text != asked.text and (family == "sums" or question.answer != asked.answer):
            shown[question.text] = question.answer
    lines = [question + answer for question, answer in shown.items()]
    return FewShotPrompt("\n".join([*lines, asked.text.rstrip()]), asked.answer, family, shots)
