"""Rules to be found in a text itself: some examples, then a question of the same kind.

    a d c b -> b c d a ; f a j e -> e j a f ; c b h g ->        the answer: g h b c

A task is a family of rules and what it leaves open (which places, which letters). Of the families
that leave something open, about a fifth of the tasks is held out: no text to learn from shows them.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from random import Random
from typing import NamedTuple

from dragoman.core.errors import DataError

LETTERS = "abcdefghij"
MORE = "abcdefghijklmnopqrst"
SIZE = 4
"""Letters of a question, all different."""

ARROW, BREAK = " -> ", " ; "
HELD_OUT = 5
"""One task in so many is held out."""

KNOWN_BY_NAME = ("arrange 0123", "arrange 3210")
"""Tasks that texts to learn from show in any case, as `copy` and `reverse`."""

MOST_SHOTS = 1000


class FewShotPrompt(NamedTuple):
    """Some examples with their answers, a question, and the answer it should be given."""

    text: str
    answer: str
    task: str
    shots: int


class RuleFamily(NamedTuple):
    """Rules of one kind: what they leave open, and the answer when that is settled."""

    settle: Callable[[Random], str]
    """Draw what is open, as a text; an empty one where nothing is."""
    answer: Callable[[str, str], str]
    """Answer a question, told what was settled."""
    letters: str = LETTERS
    """That questions are made of …"""
    size: int = SIZE
    """… and how many each has."""


def _two_letters(random: Random) -> str:
    return "".join(random.sample(LETTERS, 2))


def _shifted(key: str, question: str) -> str:
    places = ((LETTERS.index(letter) + int(key)) % len(LETTERS) for letter in question)
    return "".join(LETTERS[place] for place in places)


FAMILIES: dict[str, RuleFamily] = {
    "copy": RuleFamily(lambda random: "", lambda key, question: question),
    "reverse": RuleFamily(lambda random: "", lambda key, question: question[::-1]),
    "sort": RuleFamily(lambda random: "", lambda key, question: "".join(sorted(question))),
    "double": RuleFamily(lambda random: "", lambda key, question: "".join(c + c for c in question)),
    "pick": RuleFamily(
        lambda random: "".join(random.sample("0123", 2)),
        lambda key, question: "".join(question[int(place)] for place in key),
    ),
    "arrange": RuleFamily(
        lambda random: "".join(random.sample("0123", SIZE)),
        lambda key, question: "".join(question[int(place)] for place in key),
    ),
    "add": RuleFamily(
        lambda random: random.choice(["before", "after"]) + " " + random.choice(LETTERS),
        lambda key, question: key[-1] + question if "before" in key else question + key[-1],
    ),
    "replace": RuleFamily(_two_letters, lambda key, question: question.replace(key[0], key[1])),
    "shift": RuleFamily(lambda random: str(random.randrange(1, len(LETTERS))), _shifted),
    "substitute": RuleFamily(
        lambda random: "".join(random.sample(LETTERS, len(LETTERS))),
        lambda key, question: question.translate(str.maketrans(LETTERS, key)),
    ),
}
OPEN = tuple(name for name, family in FAMILIES.items() if family.settle(Random(0)))
"""The families that leave something open."""


def _two_of_more(random: Random) -> str:
    return "".join(random.sample(MORE, 2))


FRAMES: dict[str, RuleFamily] = {
    "before": RuleFamily(_two_of_more, lambda key, question: key + question, MORE, 2),
    "around": RuleFamily(_two_of_more, lambda key, question: key[0] + question + key[1], MORE, 3),
    "after": RuleFamily(_two_of_more, lambda key, question: question + key, MORE, 4),
}
"""Two letters are put somewhere: 380 rules of each kind, so many that a small network finds the
letters in the examples sooner than it knows all rules by heart. The length of a question says which
kind it is of. Asked for by name only."""


class RuleTask(NamedTuple):
    """One rule to be found: a family, and what it leaves open settled."""

    family: str
    key: str

    def answer(self, question: str) -> str:
        """Answer a question."""
        return find_family(self.family).answer(self.key, question)

    @property
    def held_out(self) -> bool:
        """Whether no text to learn from shows this task."""
        name = f"{self.family} {self.key}"
        drawn = sha256(name.encode()).digest()[0]
        return bool(self.key) and drawn % HELD_OUT == 0 and name not in KNOWN_BY_NAME


def find_family(name: str) -> RuleFamily:
    """Return the family of a name."""
    return FAMILIES.get(name) or FRAMES[name]


def draw_task(random: Random, *, held_out: bool = False, family: str | None = None) -> RuleTask:
    """Draw a task to learn from, or one of those that are held out; each family as often."""
    if held_out and family in FAMILIES and family not in OPEN:
        raise DataError(f"{family}: this family leaves nothing open, so that none is held out.")
    name = family or random.choice(OPEN if held_out else tuple(FAMILIES))
    settle = find_family(name).settle
    task = RuleTask(name, settle(random))
    while task.held_out != held_out:
        task = RuleTask(name, settle(random))
    return task


def write_prompt(task: RuleTask, shots: int, random: Random) -> FewShotPrompt:
    """Write examples of a task and a question that is none of them."""
    if not 0 <= shots <= MOST_SHOTS:
        raise DataError(f"shots {shots}: have 0 to {MOST_SHOTS} of them.")
    family = find_family(task.family)
    questions: dict[str, None] = {}
    while len(questions) <= shots:
        questions["".join(random.sample(family.letters, family.size))] = None
    *shown, asked = questions
    examples = (f"{_spaced(q)}{ARROW}{_spaced(task.answer(q))}{BREAK}" for q in shown)
    text = "".join(examples) + _spaced(asked) + ARROW.rstrip()
    return FewShotPrompt(text, _spaced(task.answer(asked)), task.family, shots)


def draw_prompts(
    count: int, *, shots: int, seed: int, held_out: bool = True, family: str | None = None
) -> list[FewShotPrompt]:
    """Draw questions after so many examples, each of a task of its own."""
    kind = "held out" if held_out else "shown"
    random = Random(f"in context/{kind}/{shots}/{family}/{seed}")
    tasks = [draw_task(random, held_out=held_out, family=family) for _ in range(count)]
    return [write_prompt(task, shots, random) for task in tasks]


def draw_documents(
    count: int, *, shots: int, seed: int, families: Sequence[str] = tuple(FAMILIES)
) -> list[str]:
    """Draw texts to learn from: so many examples and one more, none of a task that is held out."""
    random = Random(f"in context/documents/{shots}/{seed}")
    tasks = (draw_task(random, family=random.choice(families)) for _ in range(count))
    prompts = (write_prompt(task, shots, random) for task in tasks)
    return [f"{prompt.text} {prompt.answer}" for prompt in prompts]


def _spaced(letters: str) -> str:
    return " ".join(letters)
