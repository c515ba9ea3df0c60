"""Claims on parallel sentences: the shipped English and Hindi, and what order does to glosses."""

from collections import Counter

from pydantic import Field

from dragoman.config.settings import Settings
from dragoman.data.grammar.lexicon.determiners import THE
from dragoman.data.grammar.lexicon.lexicon import WHOLE
from dragoman.data.grammar.phrasebook.book import lines
from dragoman.data.grammar.sample import Drawer, GrammarExample, draw_sets, familiar, realize
from dragoman.data.grammar.syntax.clauses import VerbClause
from dragoman.data.grammar.syntax.nominals import Phrase
from dragoman.data.grammar.syntax.sentences import Statement
from dragoman.data.grammar.tenses import Tense
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, below, equal

MEET, TURN = "Nice to meet you.", "Turn off the lights."
SPOKEN = "aap se mil kar achchha laga"
"""As the notes write it, in Latin letters."""
CAT = "The cat eats the mouse."

ROMAN = {
    "आ": "aa", "अ": "a", "प": "p", "स": "s", "े": "e", "म": "m", "ि": "i", "ल": "l", "क": "k",
    "र": "r", "च": "ch", "छ": "chh", "ा": "aa", "ग": "g", "्": "", "।": "", " ": "",
}  # fmt: skip
"""The Devanagari of one sentence."""


class GrammarDrawSettings(Settings):
    """Sentences drawn from the shipped grammar."""

    difficulty: int = Field(default=1, ge=1, le=2)
    """How winding the sentences are."""
    sentences: int = Field(default=200, ge=20, le=400)
    """How many are drawn."""
    seed: int = Field(default=1, ge=0, le=10_000)
    """Seed of the sentences."""


@claim(
    "B13",
    "A translator learns from pairs of sentences. Ours ship with English and Hindi, “Nice to meet "
    "you” and “Turn off the lights” among them, and a grammar that draws more, with test sentences "
    "that training does not show.",
)
def parallel_sentences(settings: GrammarDrawSettings) -> Evidence:
    """Look the examples up, compare the letters of one, and look for test sentences in training."""
    book = {phrase.english: phrase.hindi for phrase in lines()}
    spelt = "".join(ROMAN.get(letter, letter) for letter in book.get(MEET, ""))
    skeletons = [text.replace("a", "").replace(" ", "") for text in (spelt, SPOKEN)]
    sets = draw_sets(
        pairs=settings.sentences, held_out=20, difficulty=settings.difficulty, seed=settings.seed
    )
    shown = {one.source for one in sets.train}
    tested = [*sets.valid, *sets.unseen, *sets.combinations]
    letters = "".join(one.target for one in (*sets.train, *tested))
    foreign = sum(letter.isascii() and letter.isalpha() for letter in letters)
    return Evidence(
        stated=[
            equal("examples of the notes in the phrasebook", len({MEET, TURN} & book.keys()), 2),
            equal("letters of the first that differ", _differing(*skeletons), 0),
            equal("pairs drawn to train on", len(sets.train), settings.sentences),
            equal("test sentences that training shows", sum(o.source in shown for o in tested), 0),
            equal("Latin letters in the Hindi", foreign, 0),
            equal("pairs without words on one side", _empty([*sets.train, *tested]), 0),
        ],
        numbers={
            "lines of the phrasebook": len(book),
            MEET: book.get(MEET, ""),
            TURN: book.get(TURN, ""),
            "drawn": f"{sets.train[0].source} — {sets.train[0].target}",
        },
    )


def _differing(one: str, other: str) -> int:
    """Count letters that differ, place by place, and those that one has more."""
    return sum(a != b for a, b in zip(one, other, strict=False)) + abs(len(one) - len(other))


def _empty(examples: list[GrammarExample]) -> int:
    return sum(not one.source.split() or not one.target.split() for one in examples)


def gloss(example: GrammarExample) -> list[str]:
    """Translate word by word: each source word in turn gives the target words it stands for.

    The words are the right ones, for they are taken from the gold alignment. Target words that
    answer to nothing come last.
    """
    target = example.target.rstrip("।?!").split()
    order: list[int] = []
    for position in range(len(example.source.split())):
        order += [to for at, to in example.alignment if at == position and to not in order]
    order += [place for place in range(len(target)) if place not in order]
    return [target[place] for place in order]


def turned_pairs(words: list[str], wanted: list[str]) -> float:
    """Return the share of pairs of words that stand in the other order (Kendall's tau distance)."""
    places = [wanted.index(word) for word in words]
    pairs = [(a, b) for number, a in enumerate(places) for b in places[number + 1 :] if a != b]
    return sum(a > b for a, b in pairs) / len(pairs) if pairs else 0.0


@claim(
    "E112",
    "Word by word, even with the right word for every word, English does not become Hindi: the "
    "verb stands in the middle of the one and at the end of the other. “The cat eats the mouse” "
    "is, in the order of the Hindi, “cat mouse eats”.",
    r"\mathrm{SVO} \to \mathrm{SOV}",
)
def word_by_word(settings: GrammarDrawSettings) -> Evidence:
    """Gloss sentences of the grammar and compare words and order with the reference."""
    examples = Drawer(settings.difficulty, settings.seed).draw(
        "unseen", settings.sentences, familiar
    )
    glosses = [gloss(one) for one in examples]
    references = [one.target.rstrip("।?!").split() for one in examples]
    both = list(zip(glosses, references, strict=True))
    exact = sum(mine == right for mine, right in both) / len(both)
    words = sum(Counter(mine) == Counter(right) for mine, right in both) / len(both)
    turned = sum(turned_pairs(mine, right) for mine, right in both) / len(both)
    cat = _cat_and_mouse()
    said, right = gloss(cat), cat.target.rstrip("।").split()
    return Evidence(
        stated=[
            equal("share of glosses with the right words", words, 1.0, 0.0),
            below("share of glosses that are the reference", exact, 0.5),
            above("share of word pairs in the wrong order", turned, 0.0),
            equal("place of the verb in the gloss of the example", _place(said), 2, 0.0),
            equal("words behind the verb in its Hindi", len(right) - _place(right), 1, 0.0),
        ],
        numbers={
            "right glosses, %": 100 * exact,
            "pairs of words in the wrong order, %": 100 * turned,
            cat.source: " ".join(right),
            "word by word": " ".join(said),
        },
    )


def _cat_and_mouse() -> GrammarExample:
    """Let the grammar say the example of the notes."""
    animals = {noun.english: noun for noun in WHOLE.animals}
    eats = next(verb for verb in WHOLE.verbs if verb.english == "eat" and "=mouse" in verb.objects)
    cat, mouse = (Phrase(animals[name], False, THE) for name in ("cat", "mouse"))
    return realize(Statement("", VerbClause(cat, eats, Tense.HABITUAL, mouse)))


def _place(words: list[str]) -> int:
    """Return the place of “eats”, counted from 1; 0 where it is not said."""
    return words.index("खाती") + 1 if "खाती" in words else 0
