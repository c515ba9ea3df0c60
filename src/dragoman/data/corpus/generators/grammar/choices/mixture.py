"""How often each construction is drawn at each difficulty."""

from dragoman.data.corpus.generators.grammar.choices.sentences import Sentences
from dragoman.data.corpus.generators.grammar.choices.spaces import Space, Union
from dragoman.data.corpus.generators.grammar.lexicon.lexicon import Lexicon
from dragoman.data.corpus.generators.grammar.syntax.sentences import Sentence

# construction: the difficulty it comes in with, and its weight
CONSTRUCTIONS = {
    "habitual": (1, 4.0),
    "progressive": (1, 4.0),
    "simple past": (1, 6.0),
    "future": (1, 5.0),
    "quality": (1, 4.0),
    "identity": (1, 3.0),
    "location": (1, 3.0),
    "past habitual": (2, 2.0),
    "past progressive": (2, 2.5),
    "perfect": (2, 3.0),
    "existence": (2, 2.5),
    "possession": (2, 3.0),
    "imperative": (2, 5.0),
    "pluperfect": (3, 2.5),
    "ability": (3, 2.5),
    "past ability": (3, 1.5),
    "desire": (3, 2.0),
    "obligation": (3, 1.5),
    "past obligation": (3, 1.5),
    "advice": (3, 1.5),
    "inception": (3, 1.5),
    "completion": (3, 1.5),
    "dative": (3, 5.0),
    "comparative": (3, 2.5),
    "superlative": (3, 1.5),
    "yes-no question": (3, 4.0),
    "wh-question": (3, 5.0),
    "relative": (4, 7.2),
    "object relative": (4, 4.8),
    "late relative": (4, 4.8),
    "long-distance relative": (4, 3.2),
    "when": (4, 7.2),
    "condition": (4, 6.4),
    "unreal condition": (4, 2.4),
    "because": (4, 6.4),
    "that": (4, 8.0),
    "coordination": (4, 8.5),
    "sequence": (4, 4.0),
    "chain": (4, 22.0),
    "nested": (5, 20.0),
}
LONGER = 3.0  # at difficulty 5 the sentences of several clauses are this much more frequent


def mixture(lexicon: Lexicon, difficulty: int) -> Space[Sentence]:
    """Give the space of all sentences of a difficulty."""
    spaces = Sentences(lexicon, difficulty).constructions()
    weighted = []
    for name, (enters, weight) in CONSTRUCTIONS.items():
        if enters <= difficulty:
            stress = LONGER if difficulty == 5 and enters == 4 else 1.0
            weighted.append((weight * stress, spaces[name]()))
    return Union(*weighted)
