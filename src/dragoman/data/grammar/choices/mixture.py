"""The frequency of each construction at each difficulty."""

from dragoman.data.grammar.choices.sentences import SentenceSpaces
from dragoman.data.grammar.choices.spaces import Space, Union
from dragoman.data.grammar.lexicon.lexicon import Lexicon
from dragoman.data.grammar.syntax.sentences import GrammarSentence

# construction: the difficulty it comes in with, and its weight
CONSTRUCTIONS = {
    "habitual": (1, 6.0),
    "progressive": (1, 5.0),
    "simple past": (1, 10.0),
    "future": (1, 5.0),
    "quality": (1, 6.0),
    "identity": (1, 5.0),
    "location": (1, 4.0),
    "weather": (1, 0.6),
    "past habitual": (2, 1.5),
    "past progressive": (2, 2.0),
    "perfect": (2, 2.5),
    "existence": (2, 2.0),
    "possession": (2, 3.5),
    "imperative": (2, 7.0),
    "pluperfect": (3, 0.7),
    "ability": (3, 2.5),
    "past ability": (3, 1.0),
    "desire": (3, 2.5),
    "obligation": (3, 2.0),
    "past obligation": (3, 1.2),
    "necessity": (3, 1.2),
    "advice": (3, 1.5),
    "inception": (3, 1.2),
    "completion": (3, 1.2),
    "dative": (3, 6.0),
    "comparative": (3, 1.5),
    "superlative": (3, 1.0),
    "yes-no question": (3, 7.0),
    "wh-question": (3, 8.0),
    "relative": (4, 3.5),
    "object relative": (4, 3.0),
    "late relative": (4, 2.0),
    "long-distance relative": (4, 1.5),
    "when": (4, 3.5),
    "condition": (4, 4.0),
    "unreal condition": (4, 1.5),
    "because": (4, 4.5),
    "so": (4, 3.0),
    "but": (4, 3.0),
    "that": (4, 5.0),
    "coordination": (4, 4.0),
    "sequence": (4, 3.0),
    "chain": (4, 5.0),
    "nested": (5, 36.0),
}
LONGER = 3.0  # at difficulty 5 the sentences of several clauses are this much more frequent


def mixture(lexicon: Lexicon, difficulty: int) -> Space[GrammarSentence]:
    """Give the space of all sentences of a difficulty."""
    spaces = SentenceSpaces(lexicon, difficulty).constructions()
    weighted = []
    for name, (enters, weight) in CONSTRUCTIONS.items():
        if enters <= difficulty:
            stress = LONGER if difficulty == 5 and enters == 4 else 1.0
            weighted.append((weight * stress, spaces[name]()))
    return Union(*weighted)
