"""The space of sentences, construction by construction, and how often each is sampled."""

from collections.abc import Callable
from functools import partial

from dragoman.data.grammar.choices.clauses import Clauses, Mode, allows, weighted_pools
from dragoman.data.grammar.choices.complexes import Complexes
from dragoman.data.grammar.choices.namings import Namings
from dragoman.data.grammar.choices.phrases import Phrases
from dragoman.data.grammar.choices.spaces import Build, Items, Space, Union, either, just
from dragoman.data.grammar.choices.states import MOVABLES, States
from dragoman.data.grammar.lexicon.determiners import HOW_MANY
from dragoman.data.grammar.lexicon.entries import Adjective, Noun, Verb, Vocative
from dragoman.data.grammar.lexicon.lexicon import Lexicon
from dragoman.data.grammar.syntax.adjuncts import Extras
from dragoman.data.grammar.syntax.clauses import Clause, VerbClause
from dragoman.data.grammar.syntax.nominals import WHAT, WHO, YOU, Nominal, Phrase
from dragoman.data.grammar.syntax.sentences import (
    Command,
    GrammarSentence,
    Inquiry,
    QuestionSentence,
    StateClause,
    Statement,
    StateQuestion,
    Superlative,
)
from dragoman.data.grammar.tenses import Tense

BEING = ("present", "past", "future")
ASKED_TENSES = (
    Tense.HABITUAL,
    Tense.PROGRESSIVE,
    Tense.PAST,
    Tense.PERFECT,
    Tense.FUTURE,
    Tense.CAN,
)
# Nobody asks "when has he come" or "why can he come".
UNASKED = {"when": (Tense.PERFECT, Tense.PROGRESSIVE, Tense.CAN), "why": (Tense.CAN,)}
CIRCUMSTANCES = (("where", "कहाँ"), ("when", "कब"), ("why", "क्यों"))
HIDDEN = frozenset(
    {Tense.IF_PRESENT, Tense.REPORTED_FUTURE, Tense.HAD_IF, Tense.WOULD_HAVE}
)  # said only beside another clause


def simple(name: str, clauses: Space[Clause] | Space[VerbClause]) -> Space[GrammarSentence]:
    """Make a statement of every clause."""
    return Build(partial(Statement, name), clauses)


class SentenceSpaces:
    """The sentences of one lexicon at one difficulty."""

    def __init__(self, lexicon: Lexicon, difficulty: int) -> None:
        self.lexicon = lexicon
        self.phrases = Phrases(lexicon, difficulty)
        self.clauses = Clauses(self.phrases, difficulty)
        self.states = States(self.phrases, self.clauses, difficulty)
        self.asked = States(self.phrases, self.clauses, difficulty, denies=False)
        self.namings = Namings(self.phrases)
        self.complexes = Complexes(self.phrases, self.clauses, self.states)

    def tensed(self, tense: Tense) -> Space[GrammarSentence]:
        """Give the statements of a verb tense."""
        return simple(tense.value, self.clauses.either_way(tense))

    def constructions(self) -> dict[str, Callable[[], Space[GrammarSentence]]]:
        """Name every construction and how to make its space."""
        states = self.states
        table: dict[str, Callable[[], Space[GrammarSentence]]] = {
            tense.value: partial(self.tensed, tense) for tense in Tense if tense not in HIDDEN
        }
        table |= {
            "quality": lambda: self.over("quality", states.qualities, (*BEING, "become")),
            "identity": self.identities,
            "location": lambda: self.over("location", states.locations, BEING),
            "existence": lambda: self.over("existence", states.existences, ("present", "past")),
            "possession": lambda: self.over("possession", states.possessions, BEING[:2]),
            "weather": lambda: self.over("weather", states.weather, (*BEING, "event")),
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
    ) -> Space[GrammarSentence]:
        """Join the statements of several tenses of being, the first the most likely."""
        return simple(name, Union(*[(3.0 / (i + 1), make(t)) for i, t in enumerate(tenses)]))

    def identities(self) -> Space[GrammarSentence]:
        """Give professions, relatives, and what this is."""
        denied = self.states.flags("present")
        professions = either([self.states.identities(t) for t in (*BEING[:2], "become")])
        named = Union(
            (2, professions),
            (1.5, self.namings.namings(denied)),
            (2, self.namings.presentations(denied)),
        )
        return simple("identity", named)

    def datives(self) -> Space[GrammarSentence]:
        """Give likings and feelings."""
        likings = [self.states.all_experiences(tense) for tense in BEING]
        feelings = [self.states.all_feelings(tense) for tense in BEING[:2]]
        return simple("dative", Union((3, either(likings)), (2, either(feelings))))

    def superlatives(self) -> Space[GrammarSentence]:
        """Give the best of a place, said of a man or of a woman: children of their school."""
        school, towns = (
            either([self.phrases.place(noun) for noun in self.phrases.nouns(names)])
            for names in (("=school",), ("=village", "=city"))
        )
        made: list[Space[GrammarSentence]] = []
        for pool, nouns in (("male name", self.lexicon.men), ("female name", self.lexicon.women)):
            for noun in nouns:
                if noun.sorts & {"=woman", "=lady", "=man", "=guest", "=king", "=queen"}:
                    continue
                graded = [a for a in self.phrases.adjectives(noun) if flattering(a)]
                if not noun.honorific and graded:
                    spots = school if "young" in noun.sorts else towns
                    parts = (self.phrases.anybody(pool), Items(graded), just(noun), spots)
                    made.append(Build(Superlative, *parts, Items(("present", "past"))))
        return either(made)

    def commands(self) -> Space[GrammarSentence]:
        """Give what somebody is told to do; only an आप is asked with "please"."""
        verbs = [verb for verb in self.lexicon.verbs if verb.commands]
        told = Union(*[(verb.weight, self.command(verb)) for verb in verbs])
        seemly = Union(*[(v.weight, self.command(v)) for v in verbs if not v.lively])
        polite = [v for v in self.lexicon.vocatives if v.address == "आप"]
        familiar = [v for v in self.lexicon.vocatives if v.address != "आप"]
        return Union(
            (3, Build(tell, just(None), told, Items((True, False)))),
            (1, Build(tell, Items(polite), seemly, Items((True, False)))),
            (1, Build(tell, Items(familiar), told, just(False))),
        )

    def command(self, verb: Verb) -> Space[VerbClause]:
        """Give what one may be told to do with a verb."""
        subject: Space[Nominal] = just(YOU)
        if not verb.subjects & {"people", "grown", "pronoun"}:
            return Union()
        positive, negative = (Mode(Tense.CAN, negative=no, timed=False) for no in (False, True))
        told = self.clauses.of_verb(verb, positive, "pronoun", subject)
        if verb.settled or "kind" in verb.flags:
            return told
        parts = (self.clauses.objects(verb, "pronoun", negative), just(None), just(Extras()))
        clause = (subject, just(verb), just(Tense.CAN), *parts, just(True))
        forbidden: Space[VerbClause] = Build(VerbClause, *clause)
        if verb.recipient:
            return told
        return Union((0 if verb.unkind else 3, told), (1, forbidden))

    def yes_no(self) -> Space[GrammarSentence]:
        """Give questions that yes or no answers, of deeds and of states."""
        asked = either([self.clauses.any(Mode(tense, asked=True)) for tense in ASKED_TENSES])
        states, plain = self.asked, just(False)
        being: list[Space[StateClause]] = []
        for tense in BEING[:2]:
            being += [states.qualities(tense), states.locations(tense), states.possessions(tense)]
            being += [states.all_experiences(tense), states.all_feelings(tense)]
        being += [self.namings.presentations(plain), self.namings.namings(plain)]
        being += [states.identities("present")]
        name = "yes-no question"
        return Union(
            (3, Build(ask_whether, asked)), (2, Build(partial(StateQuestion, name), either(being)))
        )

    def asking(self) -> Space[GrammarSentence]:
        """Give questions after who, what, whom, how many, where, when, why and how."""
        subjects: Space[Nominal] = just(WHO)
        active = partial(self.clauses.spoken_of, "who", subjects, wanted=lambda v: not v.stative)
        who = [active(Mode(tense, asked=True)) for tense in ASKED_TENSES[1:-1]]
        return Union(
            (2, Build(partial(ask, about="subject"), either(who))),
            (2, self.asking_objects()),
            (3, self.asking_circumstances()),
            (3, self.inquiries()),
            (1, self.asking_why()),
        )

    def inquiries(self) -> Space[GrammarSentence]:
        """Give where somebody or something is, how and who somebody is."""
        people = Union(*[(w, s) for w, s in self.asked.anybody()])
        known = [(n.weight, self.phrases.known(n)) for n in self.phrases.nouns(MOVABLES)]
        places = [(n.weight, self.phrases.place(n)) for n in self.phrases.nouns(("place",))]
        things: Space[Nominal] = Union((1, Union(*known)), (1, Union(*places)))
        spaces = [
            (2, Build(partial(Inquiry, "where", "कहाँ"), things, Items((True, False)))),
            (1, Build(partial(Inquiry, "where", "कहाँ"), people, Items((True, False)))),
            (1, Build(partial(Inquiry, "how", "कैसा"), people)),
        ]
        return Union(*spaces)

    def asking_why(self) -> Space[GrammarSentence]:
        """Give why somebody is sad, tired, hungry."""
        moods = [a for a in self.lexicon.adjectives if a.sort == "mood" and a.comparative]
        being = [
            (w, self.asked.quality(s, Items(moods), tense))
            for w, s in self.asked.anybody()
            for tense in BEING[:2]
        ]
        return Build(partial(StateQuestion, "wh-question", why=True), Union(*being))

    def asking_circumstances(self) -> Space[GrammarSentence]:
        """Give where, when and why, of verbs without adjuncts of their own."""
        spaces: list[Space[GrammarSentence]] = []
        for english, hindi in CIRCUMSTANCES:
            for tense in ASKED_TENSES:
                if tense in UNASKED.get(english, ()):
                    continue
                verbs = [v for v in self.bare_verbs(english) if asks(v, tense)]
                made = either([self.bare(verb, tense) for verb in verbs])
                spaces.append(Build(partial(ask, english, hindi), made))
        return either(spaces)

    def bare_verbs(self, word: str) -> list[Verb]:
        """Give the verbs one can ask where, when or why about."""
        if word == "where":
            goals = {"goal", "on-furniture", "on-bed"}
            found = [v for v in self.lexicon.verbs if v.places or goals & v.adjuncts]
            return [
                v
                for v in found
                if not (v.settled and "goal" in v.adjuncts) and "private" not in v.flags
            ]
        found = [v for v in self.lexicon.verbs if not v.settled]
        if word == "why":  # nobody asks why one does what one has to, or sits down
            return [v for v in found if not v.flags & {"duty", "posture", "punctual", "kind"}]
        return found

    def bare(self, verb: Verb, tense: Tense) -> Space[VerbClause]:
        """Give the clauses of a verb without adjuncts."""
        spaces = []
        mode = Mode(Tense.PROGRESSIVE)
        for pool, weight in weighted_pools(False, asked=True):
            doers = self.phrases.people_of(pool, verb.subjects, verb.lively)
            parts = (self.clauses.objects(verb, pool, mode), self.clauses.recipients(verb, pool))
            spaces.append((weight, Build(VerbClause, doers, just(verb), just(tense), *parts)))
        return Union(*spaces)

    def asking_objects(self) -> Space[GrammarSentence]:
        """Give what, whom and how many."""
        spaces: list[Space[GrammarSentence]] = []
        names = [verb.name for verb in self.lexicon.verbs if verb.objects]
        for verb in self.lexicon.verbs:
            if not verb.objects or not verb.subjects & {"people", "grown"} or unasked(verb):
                continue
            asked: list[Space[Nominal]] = []
            if "person" in verb.objects:
                asked.append(just(WHO))
            elif verb.marker is None and not verb.objects & {"sport", "language", "subject"}:
                one = names.count(verb.name) == 1  # lights are turned on in other words than fans
                asked += [just(WHAT) if one else Items(()), self.counted(verb)]
            for objects in asked:
                for tense in ASKED_TENSES[:-1]:  # nobody asks what one can close
                    habit = tense is Tense.HABITUAL and objects is asked[-1]
                    if objects.size and asks(verb, tense) and not habit:
                        spaces.append(self.asking_object(verb, tense, objects))
        return either(spaces)

    def counted(self, verb: Verb) -> Space[Nominal]:
        """Give "how many" of what a verb governs."""
        if verb.settled or verb.flags & {"one-object", "known-object"}:
            return Items(())
        nouns = [n for n in self.phrases.nouns(verb.objects) if n.plural and countable(n)]
        return Items([Phrase(noun, True, HOW_MANY) for noun in nouns])

    def asking_object(
        self, verb: Verb, tense: Tense, objects: Space[Nominal]
    ) -> Space[GrammarSentence]:
        """Give the questions after the object of one verb in one tense."""
        spaces = []
        for pool, weight in weighted_pools(False, asked=True):
            doers = self.phrases.people_of(pool, verb.subjects, verb.lively)
            made = Build(VerbClause, doers, just(verb), just(tense), objects)
            spaces.append((weight, made))
        return Build(partial(ask, about="object"), Union(*spaces))


def asks(verb: Verb, tense: Tense) -> bool:
    """Say whether one asks about a verb in a tense; of a state, only whether it lasts."""
    if verb.stative and tense is not Tense.HABITUAL:
        return False
    return allows(verb, tense) and not verb.mishap and not verb.once


def unasked(verb: Verb) -> bool:
    """Say whether one does not ask what: it needs more words, or money is asked by how much."""
    return bool(verb.recipient) or verb.settled or "unasked" in verb.flags


def flattering(adjective: Adjective) -> bool:
    """Say whether one is proud to be the most so."""
    return bool(adjective.superlative) and adjective.sort in ("character", "quality", "personal")


def countable(noun: Noun) -> bool:
    """Say whether one asks for the number of it."""
    return not noun.sorts & {"room", "home", "place", "area", "landmark", "bodypart"}


def tell(vocative: Vocative | None, clause: VerbClause, please: bool) -> Command:
    """Put a command together."""
    return Command(vocative, clause, please)


def ask_whether(clause: VerbClause) -> QuestionSentence:
    """Put a yes-no question together."""
    return QuestionSentence("yes-no question", clause, "", "क्या")


def ask(*words: object, about: str = "") -> QuestionSentence:
    """Put a wh-question together: its words, if any, then its clause."""
    *pair, clause = words
    english, hindi = (str(pair[0]), str(pair[1])) if pair else ("", "")
    return QuestionSentence("wh-question", clause, english, hindi, about)  # type: ignore[arg-type]
