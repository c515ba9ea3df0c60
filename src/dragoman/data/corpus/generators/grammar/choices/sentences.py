"""Which sentences there are, construction by construction, and how often each is drawn."""

from collections.abc import Callable
from functools import partial

from dragoman.data.corpus.generators.grammar.choices.clauses import Clauses, Mode, allows
from dragoman.data.corpus.generators.grammar.choices.complexes import Complexes
from dragoman.data.corpus.generators.grammar.choices.phrases import POOL_WEIGHTS, POOLS, Phrases
from dragoman.data.corpus.generators.grammar.choices.spaces import (
    Build,
    Items,
    Space,
    Union,
    either,
    just,
)
from dragoman.data.corpus.generators.grammar.choices.states import States
from dragoman.data.corpus.generators.grammar.lexicon.determiners import HOW_MANY
from dragoman.data.corpus.generators.grammar.lexicon.entries import Verb, Vocative
from dragoman.data.corpus.generators.grammar.lexicon.lexicon import Lexicon
from dragoman.data.corpus.generators.grammar.syntax.clauses import Clause, VerbClause
from dragoman.data.corpus.generators.grammar.syntax.nominals import (
    WHAT,
    WHO,
    YOU,
    Nominal,
    Phrase,
)
from dragoman.data.corpus.generators.grammar.syntax.sentences import (
    Command,
    Question,
    Sentence,
    Statement,
    Superlative,
)
from dragoman.data.corpus.generators.grammar.tenses import Tense

BEING = ("present", "past", "future")
ASKED_TENSES = (Tense.PROGRESSIVE, Tense.PAST, Tense.PERFECT, Tense.FUTURE, Tense.CAN)
CIRCUMSTANCES = (("where", "कहाँ"), ("when", "कब"), ("why", "क्यों"))


def simple(name: str, clauses: Space[Clause] | Space[VerbClause]) -> Space[Sentence]:
    """Make a statement of every clause."""
    return Build(partial(Statement, name), clauses)


class Sentences:
    """The sentences of one lexicon at one difficulty."""

    def __init__(self, lexicon: Lexicon, difficulty: int) -> None:
        self.lexicon = lexicon
        self.phrases = Phrases(lexicon, difficulty)
        self.clauses = Clauses(self.phrases, difficulty)
        self.states = States(self.phrases, self.clauses, difficulty)
        self.complexes = Complexes(self.phrases, self.clauses, self.states)

    def tensed(self, tense: Tense) -> Space[Sentence]:
        """Give the statements of a verb tense."""
        return simple(tense.value, self.clauses.either_way(tense))

    def constructions(self) -> dict[str, Callable[[], Space[Sentence]]]:
        """Name every construction and how to make its space."""
        states = self.states
        table: dict[str, Callable[[], Space[Sentence]]] = {
            tense.value: partial(self.tensed, tense)
            for tense in Tense
            if tense not in (Tense.IF_PRESENT, Tense.REPORTED_FUTURE, Tense.HAD_IF)
            and tense is not Tense.WOULD_HAVE
        }
        table |= {
            "quality": lambda: self.over("quality", states.qualities, (*BEING, "become")),
            "identity": lambda: self.over("identity", states.identities, (*BEING, "become")),
            "location": lambda: self.over("location", states.locations, BEING),
            "existence": lambda: self.over("existence", states.existences, ("present", "past")),
            "possession": lambda: self.over("possession", states.possessions, BEING),
            "dative": self.datives,
            "comparative": lambda: self.over("comparative", states.comparisons, BEING[:2]),
            "superlative": self.superlatives,
            "imperative": self.commands,
            "yes-no question": self.yes_no,
            "wh-question": self.asking,
        }
        return table | self.complexes.constructions()

    def over(
        self, name: str, make: Callable[[str], Space[Clause]], tenses: tuple[str, ...]
    ) -> Space[Sentence]:
        """Join the statements of several tenses of being."""
        return simple(name, either([make(tense) for tense in tenses]))

    def datives(self) -> Space[Sentence]:
        """Give likings and feelings."""
        likings = [self.states.all_experiences(tense) for tense in BEING]
        feelings = [self.states.all_feelings(tense) for tense in BEING[:2]]
        return simple("dative", Union((3, either(likings)), (2, either(feelings))))

    def superlatives(self) -> Space[Sentence]:
        """Give the best of a place, said of a man or of a woman."""
        spots = either([self.phrases.place(noun) for noun in self.states.nouns(("place", "area"))])
        made: list[Space[Sentence]] = []
        for pool, nouns in (("male name", self.lexicon.men), ("female name", self.lexicon.women)):
            for noun in nouns:
                graded = [
                    a for a in self.lexicon.adjectives if noun.kind in a.suits and a.superlative
                ]
                parts = (self.phrases.subjects(pool), Items(graded), just(noun), spots)
                made.append(Build(Superlative, *parts, Items(("present", "past"))))
        return either(made)

    def commands(self) -> Space[Sentence]:
        """Give what somebody is told to do; only an आप is asked with "please"."""
        told = either([self.command(verb) for verb in self.lexicon.verbs if verb.commands])
        polite = [v for v in self.lexicon.vocatives if v.address == "आप"]
        familiar = [v for v in self.lexicon.vocatives if v.address != "आप"]
        return Union(
            (1, Build(tell, Items(polite), told, Items((True, False)))),
            (1, Build(tell, Items(familiar), told, just(False))),
        )

    def command(self, verb: Verb) -> Space[VerbClause]:
        """Give what one may be told to do with a verb."""
        subject: Space[Nominal] = just(YOU)
        pool = "pronoun"
        return Union(
            (
                0 if verb.unkind else 3,
                self.clauses.of_verb(verb, Mode(Tense.PERFECT), pool, subject),
            ),
            (1, self.clauses.of_verb(verb, Mode(Tense.PERFECT, negative=True), pool, subject)),
        )

    def yes_no(self) -> Space[Sentence]:
        """Give questions that yes or no answers."""
        asked = either([self.clauses.any(Mode(tense)) for tense in (Tense.HABITUAL, *ASKED_TENSES)])
        return Build(ask_whether, asked)

    def asking(self) -> Space[Sentence]:
        """Give questions after who, what, whom, how many, where, when and why."""
        subjects: Space[Nominal] = just(WHO)
        who = either([self.clauses.spoken_of("who", subjects, Mode(t)) for t in ASKED_TENSES])
        return Union(
            (2, Build(partial(ask, about="subject"), who)),
            (2, self.asking_objects()),
            (3, self.asking_circumstances()),
        )

    def asking_circumstances(self) -> Space[Sentence]:
        """Give where, when and why, of verbs without adjuncts of their own."""
        spaces: list[Space[Sentence]] = []
        for english, hindi in CIRCUMSTANCES:
            for tense in ASKED_TENSES:
                if (english, tense) == ("when", Tense.PERFECT):  # nobody asks "when has he come"
                    continue
                verbs = [v for v in self.bare_verbs(english) if allows(v, tense)]
                made = either([self.bare(verb, tense) for verb in verbs])
                spaces.append(Build(partial(ask, english, hindi), made))
        return either(spaces)

    def bare_verbs(self, word: str) -> list[Verb]:
        """Give the verbs one can ask where, when or why about."""
        places = {"in", "goal", "on"}
        if word == "where":
            return [v for v in self.lexicon.verbs if places & v.extras]
        return [v for v in self.lexicon.verbs if not v.settled]

    def bare(self, verb: Verb, tense: Tense) -> Space[VerbClause]:
        """Give the clauses of a verb without adjuncts."""
        spaces = []
        for pool, weight in zip(POOLS, POOL_WEIGHTS, strict=True):
            subjects = self.phrases.subjects(pool)
            if subjects.size:
                parts = (self.clauses.objects(verb, pool), self.clauses.recipients(verb, pool))
                made = Build(VerbClause, subjects, just(verb), just(tense), *parts)
                spaces.append((weight, made))
        return Union(*spaces)

    def asking_objects(self) -> Space[Sentence]:
        """Give what, whom and how many."""
        spaces: list[Space[Sentence]] = []
        for verb in self.lexicon.verbs:
            if not verb.objects or verb.recipient:
                continue
            kinds = [kind for kind in verb.objects if kind != "person"]
            asked: list[Space[Nominal]] = []
            if "person" in verb.objects:
                asked.append(just(WHO))
            elif verb.marker is None and not {"sport", "language", "subject"} & set(kinds):
                asked += [just(WHAT), self.counted(kinds)]
            for objects in asked:
                for tense in ASKED_TENSES:
                    if objects.size and allows(verb, tense):
                        spaces.append(self.asking_object(verb, tense, objects))
        return either(spaces)

    def counted(self, kinds: list[str]) -> Space[Nominal]:
        """Give "how many" of the things of some kinds."""
        made: Space[Phrase] = self.phrases.how_many(kinds, HOW_MANY)
        return made

    def asking_object(self, verb: Verb, tense: Tense, objects: Space[Nominal]) -> Space[Sentence]:
        """Give the questions after the object of one verb in one tense."""
        spaces = []
        for pool, weight in zip(POOLS, POOL_WEIGHTS, strict=True):
            subjects = self.phrases.subjects(pool)
            if subjects.size:
                made = Build(VerbClause, subjects, just(verb), just(tense), objects)
                spaces.append((weight, made))
        return Build(partial(ask, about="object"), Union(*spaces))


def tell(vocative: Vocative, clause: VerbClause, please: bool) -> Command:
    """Put a command together."""
    return Command(vocative, clause, please)


def ask_whether(clause: VerbClause) -> Question:
    """Put a yes-no question together."""
    return Question("yes-no question", clause, "", "क्या")


def ask(*words: object, about: str = "") -> Question:
    """Put a wh-question together: its words, if any, then its clause."""
    *pair, clause = words
    english, hindi = (str(pair[0]), str(pair[1])) if pair else ("", "")
    return Question("wh-question", clause, english, hindi, about)  # type: ignore[arg-type]
