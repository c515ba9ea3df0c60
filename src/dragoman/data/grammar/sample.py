"""Draw sentence pairs from the grammar, and the sets a translator is trained and tested on."""

import gc
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from dragoman.core.errors import DataError
from dragoman.data.grammar.choices.mixture import mixture
from dragoman.data.grammar.choices.spaces import Space
from dragoman.data.grammar.combinations import held_out as is_held_out
from dragoman.data.grammar.english.contractions import contract
from dragoman.data.grammar.lexicon.lexicon import WHOLE
from dragoman.data.grammar.phrasebook.book import PhrasePair, known, near_variants
from dragoman.data.grammar.phrasebook.book import draw as draw_phrase
from dragoman.data.grammar.syntax.nominals import Pairs
from dragoman.data.grammar.syntax.sentences import GrammarSentence
from dragoman.data.grammar.words import align, sentence

DEFAULT_DIFFICULTY = 4
DIFFICULTIES = range(1, 6)
CONTRACTED, UNPOINTED = 0.1, 0.08  # shares of the training pairs, beside a phrasebook
PATIENCE = 200  # draws per pair wanted before we say that there are no more


@dataclass(frozen=True, slots=True)
class GrammarExample:
    """One sentence in both languages."""

    source: str  # English
    target: str  # Hindi
    alignment: tuple[tuple[int, int], ...]  # (source word, target word)
    construction: str  # the top construction


@dataclass(frozen=True, slots=True)
class GrammarSets:
    """Training and test sentences of the grammar."""

    train: list[GrammarExample]
    valid: list[GrammarExample]
    unseen: list[GrammarExample]  # sentences training does not show
    combinations: list[GrammarExample]  # pairs of words training does not show
    everyday: list[GrammarExample]  # near variants of what the phrasebook teaches


@lru_cache(maxsize=len(DIFFICULTIES))
def space(difficulty: int) -> Space[GrammarSentence]:
    """Give the space of all sentences of a difficulty."""
    if difficulty not in DIFFICULTIES:
        raise DataError(f"There is no difficulty {difficulty}: choose one from 1 to 5.")
    collecting = gc.isenabled()
    gc.disable()  # half a million small objects, none of them garbage
    try:
        return mixture(WHOLE, difficulty)
    finally:
        if collecting:
            gc.enable()


def count(difficulty: int) -> int:
    """Count the distinct sentences of a difficulty, in closed form from its rules."""
    return space(difficulty).size


def realize(tree: GrammarSentence) -> GrammarExample:
    """Say a tree in both languages and align the words."""
    english, hindi = tree.english(), tree.hindi()
    stop, danda = tree.stops
    pairs = align(english, hindi)
    return GrammarExample(sentence(english, stop), sentence(hindi, danda), pairs, tree.construction)


def draw_sets(
    *, pairs: int, held_out: int, difficulty: int, seed: int, phrasebook: float = 0.0
) -> GrammarSets:
    """Draw pairs for training and as many distinct ones as asked for each of the other sets.

    Validation and unseen sentences depend on the seed alone, so that they stay the same as
    training grows; a combination is of words that training does show, each on its own. A share
    of the training pairs comes from the phrasebook, whose lines are learned by repetition; the
    others are distinct.
    """
    available = count(difficulty)
    if pairs + 3 * held_out > available:
        raise DataError(
            f"Difficulty {difficulty} has only {available:,} sentences, "
            f"not {pairs + 3 * held_out:,}: ask for fewer, or for a higher difficulty."
        )
    drawer = Drawer(difficulty, seed)
    valid = drawer.draw("valid", held_out, familiar)
    unseen = drawer.draw("unseen", held_out, familiar)
    shown: set[str] = set()
    told = _told(pairs, seed, phrasebook)
    train = drawer.draw("train", pairs - len(told), familiar, shown)
    combinations = drawer.draw("combinations", held_out, lambda found: novel(found, shown))
    everyday = near_variants(held_out, Random(f"everyday/{seed}")) if phrasebook else []
    mixed = _mixed(train, told)
    if phrasebook:
        random = Random(f"typed/{seed}")
        mixed = [typed(example, random) for example in mixed]
    return GrammarSets(mixed, valid, unseen, combinations, [_example(one) for one in everyday])


def typed(example: GrammarExample, random: Random) -> GrammarExample:
    """Write an example now and then as people type: contracted, or in small letters, unpointed."""
    chance = random.random()
    if chance < CONTRACTED:
        return replace(example, source=contract(example.source))
    if chance < CONTRACTED + UNPOINTED:
        source, target = contract(example.source).lower(), example.target
        return replace(example, source=source.rstrip(".?!"), target=target.rstrip("।?!"))
    return example


def _told(pairs: int, seed: int, share: float) -> dict[int, GrammarExample]:
    """Draw what the phrasebook tells, by its place in training."""
    placing, telling = Random(f"places/{seed}"), Random(f"phrasebook/{seed}")
    places = [place for place in range(pairs) if placing.random() < share]
    return {place: _example(draw_phrase(telling)) for place in places}


def _example(phrase: PhrasePair) -> GrammarExample:
    """Make an example of a phrase, whose words have no alignment."""
    return GrammarExample(phrase.english, phrase.hindi, (), "phrasebook")


def _mixed(train: list[GrammarExample], told: dict[int, GrammarExample]) -> list[GrammarExample]:
    """Put each phrase in its place among the sentences of the grammar."""
    sentences = iter(train)
    return [told.get(place) or next(sentences) for place in range(len(train) + len(told))]


def familiar(found: Pairs) -> bool:
    """Say that every pair may be shown in training."""
    return not any(is_held_out(*pair) for pair in found)


def novel(found: Pairs, shown: set[str]) -> bool:
    """Say that some pair is kept from training, and that training shows the parts of each."""
    kept = [pair for pair in found if is_held_out(*pair)]
    return bool(kept) and all(part in shown for pair in kept for part in pair)


class Drawer:
    """Draws sets that share no sentence."""

    def __init__(self, difficulty: int, seed: int) -> None:
        self.difficulty = difficulty
        self.seed = seed
        self.seen: set[str] = set()

    def draw(
        self, name: str, wanted: int, fits: Callable[[Pairs], bool], shown: set[str] | None = None
    ) -> list[GrammarExample]:
        """Draw distinct examples whose pairs fit; note in `shown` the parts of their pairs."""
        random = Random(f"{name}/{self.difficulty}/{self.seed}")
        sentences = space(self.difficulty)
        examples: list[GrammarExample] = []
        for _ in range(PATIENCE * wanted + 10_000):
            if len(examples) == wanted:
                return examples
            tree = sentences.draw(random)
            found: Pairs = []
            tree.pairs(found)
            example = realize(tree) if fits(found) else None
            if example is None or example.source in self.seen or example.source in known():
                continue
            self.seen.add(example.source)
            examples.append(example)
            if shown is not None:
                shown.update(part for pair in found for part in pair)
        raise DataError(
            f"Difficulty {self.difficulty} gave only {len(examples):,} of {wanted:,} "
            f"{name} sentences: ask for fewer, or for a higher difficulty."
        )
