"""Draw sentence pairs from the grammar, and the sets a translator is trained and tested on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.grammar.choices.mixture import mixture
from dragoman.data.corpus.generators.grammar.choices.spaces import Space
from dragoman.data.corpus.generators.grammar.combinations import held_out as is_held_out
from dragoman.data.corpus.generators.grammar.lexicon.lexicon import Lexicon
from dragoman.data.corpus.generators.grammar.syntax.sentences import Sentence
from dragoman.data.corpus.generators.grammar.words import align, sentence

DEFAULT_DIFFICULTY = 4
DIFFICULTIES = range(1, 6)
PATIENCE = 200  # draws in vain, per pair wanted, before we say that there are no more


@dataclass(frozen=True, slots=True)
class Example:
    """One sentence in both languages."""

    source: str  # English
    target: str  # Hindi
    alignment: tuple[tuple[int, int], ...]  # (source word, target word)
    construction: str  # the top construction


@dataclass(frozen=True, slots=True)
class GrammarSets:
    """What to train on and the sentences to be tested on."""

    train: list[Example]
    valid: list[Example]
    unseen: list[Example]  # sentences training does not show
    combinations: list[Example]  # pairs of words training does not show


@lru_cache(maxsize=len(DIFFICULTIES))
def space(difficulty: int) -> Space[Sentence]:
    """Give the space of all sentences of a difficulty."""
    if difficulty not in DIFFICULTIES:
        raise DataError(f"There is no difficulty {difficulty}: choose one from 1 to 5.")
    return mixture(Lexicon(), difficulty)


def count(difficulty: int) -> int:
    """Count the distinct sentences of a difficulty, in closed form from its rules."""
    return space(difficulty).size


def realise(tree: Sentence) -> Example:
    """Say a tree in both languages and align the words."""
    english, hindi = tree.english(), tree.hindi()
    stop, danda = tree.stops
    pairs = align(english, hindi)
    return Example(sentence(english, stop), sentence(hindi, danda), pairs, tree.construction)


def draws(difficulty: int, random: Random) -> Iterator[tuple[Sentence, list[tuple[str, str]]]]:
    """Draw trees for ever, each with the pairs of lexemes it combines."""
    sentences = space(difficulty)
    while True:
        tree = sentences.draw(random)
        pairs: list[tuple[str, str]] = []
        tree.pairs(pairs)
        yield tree, pairs


def draw_sets(*, pairs: int, held_out: int, difficulty: int, seed: int) -> GrammarSets:
    """Draw distinct pairs for training and as many as asked for each of the other sets.

    The test sets depend on the seed alone, so that they stay the same as training grows.
    """
    available = count(difficulty)
    if pairs + 3 * held_out > available:
        raise DataError(
            f"Difficulty {difficulty} has only {available:,} sentences, "
            f"not {pairs + 3 * held_out:,}: ask for fewer, or for a higher difficulty."
        )
    seen: set[str] = set()
    drawer = Drawer(difficulty, seed, seen)
    valid = drawer.draw("valid", held_out, familiar)
    unseen = drawer.draw("unseen", held_out, familiar)
    combinations = drawer.draw("combinations", held_out, novel)
    train = drawer.draw("train", pairs, familiar)
    return GrammarSets(train, valid, unseen, combinations)


def familiar(pairs: list[tuple[str, str]]) -> bool:
    """Say that every pair may be shown in training."""
    return not any(is_held_out(*pair) for pair in pairs)


def novel(pairs: list[tuple[str, str]]) -> bool:
    """Say that some pair is kept from training."""
    return not familiar(pairs)


@dataclass(frozen=True, slots=True)
class Drawer:
    """Draws sets that share no sentence."""

    difficulty: int
    seed: int
    seen: set[str]

    def draw(
        self, name: str, wanted: int, fits: Callable[[list[tuple[str, str]]], bool]
    ) -> list[Example]:
        """Draw distinct examples whose pairs fit, none of them drawn before."""
        random = Random(f"{name}/{self.difficulty}/{self.seed}")
        examples: list[Example] = []
        vain = 0
        trees = draws(self.difficulty, random)
        while len(examples) < wanted:
            tree, pairs = next(trees)
            example = realise(tree) if fits(pairs) else None
            if example is None or example.source in self.seen:
                vain += 1
                if vain > PATIENCE * wanted + 10_000:
                    raise DataError(
                        f"Difficulty {self.difficulty} gave only {len(examples):,} of "
                        f"{wanted:,} {name} sentences: ask for fewer, or for a higher difficulty."
                    )
                continue
            self.seen.add(example.source)
            examples.append(example)
        return examples
