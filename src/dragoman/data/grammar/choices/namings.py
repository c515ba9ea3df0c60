"""The space of naming sentences: he is my brother, this is a book."""

from dragoman.data.grammar.choices.determiners import numbered
from dragoman.data.grammar.choices.phrases import Phrases, determine
from dragoman.data.grammar.choices.spaces import Build, Items, Space, Union, just
from dragoman.data.grammar.lexicon.determiners import OWNERS_POSSESSIVES, POSSESSIVES, A
from dragoman.data.grammar.lexicon.entries import Adjective, Noun
from dragoman.data.grammar.syntax.nominals import (
    HE,
    SHE,
    THAT,
    THESE,
    THIS,
    THIS_PERSON,
    THOSE,
    I,
    Nominal,
    Phrase,
)
from dragoman.data.grammar.syntax.sentences import StateClause
from dragoman.data.grammar.syntax.states import Naming

SHOWN = ("own", "goods", "home", "=school", "=office", "=village", "=garden", "opening", "pet")
OF_PEOPLE = ("quality", "character", "personal")  # classes of adjective that say what one is like
TIMES = (("present", 3.0), ("past", 1.0))


class Namings:
    """The namings of one lexicon."""

    def __init__(self, phrases: Phrases) -> None:
        self.phrases = phrases
        self.lexicon = phrases.lexicon

    def namings(self, denied: Space[bool]) -> Space[StateClause]:
        """Give who somebody is: my brother, a good boy; women are sisters and girls."""
        spaces: list[tuple[float, Space[StateClause]]] = []
        for feminine, pronoun, pool in ((False, HE, "male name"), (True, SHE, "female name")):
            named: Space[Nominal] = Union((3, self.phrases.anybody(pool)), (2, Items((pronoun,))))
            relatives = self.relatives(feminine)
            described = self.described(feminine)
            for tense, weight in TIMES:
                parts = (just(tense), denied)
                if tense == "present":  # kinship does not end
                    spaces.append((weight, Build(Naming, named, relatives, *parts)))
                spaces.append((weight, Build(Naming, named, described, *parts)))
                if not feminine:
                    spaces.append((weight / 3, Build(Naming, just(I), described, *parts)))
        return Union(*spaces)

    def relatives(self, feminine: bool) -> Space[Phrase]:
        """Give somebody's relatives and friends of one gender."""
        nouns = [
            noun
            for noun in self.lexicon.kin
            if noun.plural and (noun.feminine == feminine) and noun.english != "friend"
        ]
        friends = [noun for noun in self.lexicon.kin if noun.english == "friend"]
        nouns += [befriend(noun, feminine) for noun in friends]
        return Union(
            *[
                (
                    noun.weight,
                    Build(
                        determine,
                        just(noun),
                        Items([(owner, False) for owner in POSSESSIVES + OWNERS_POSSESSIVES]),
                        just(None),
                    ),
                )
                for noun in nouns
            ]
        )

    def described(self, feminine: bool) -> Space[Phrase]:
        """Give "a good boy": a noun of one gender with what it is like."""
        nouns = self.lexicon.women if feminine else self.lexicon.men
        named = {noun.english for noun in self.lexicon.professions}  # these have no एक
        made = []
        for noun in nouns:
            if noun.english in named:
                continue
            suited = [a for a in self.phrases.adjectives(noun) if a.sort in OF_PEOPLE]
            if suited and not noun.honorific:
                adjectives: Space[Adjective | None] = Items(suited)
                choice = just((A, False))
                made.append((noun.weight, Build(determine, just(noun), choice, adjectives)))
        return Union(*made)

    def presentations(self, denied: Space[bool]) -> Space[StateClause]:
        """Give what this and that are, and whose."""
        owners = POSSESSIVES + OWNERS_POSSESSIVES
        spaces: list[tuple[float, Space[StateClause]]] = []
        for noun in self.phrases.nouns(SHOWN):
            if "bodypart" in noun.sorts or not noun.plural:
                continue
            mine = owners if noun.sorts & {"own", "owned", "@own", "pet"} else ()
            for pronouns, plural in (((THIS, THAT), False), ((THESE, THOSE), True)):
                articles = [(A, False)] if not plural else []
                choices = Union(
                    (1, Items(articles)),
                    (1, Items([c for c in numbered(noun, mine) if c[1] == plural])),
                )
                thing = Build(determine, just(noun), choices, just(None))
                shown: Space[Nominal] = Items(pronouns)
                made = Build(Naming, shown, thing, just("present"), denied)
                spaces.append((noun.weight, made))
        return Union((4, Union(*spaces)), (1, self.introductions()))

    def introductions(self) -> Space[StateClause]:
        """Give "this is my father", said with respect where it is due."""
        spaces: list[tuple[float, Space[StateClause]]] = []
        for noun in self.lexicon.kin:
            if noun.many:
                continue
            subject: Space[Nominal] = just(THIS_PERSON if noun.honorific else THIS)
            owners = Items([(owner, False) for owner in POSSESSIVES])
            thing = Build(determine, just(noun), owners, just(None))
            made = Build(Naming, subject, thing, just("present"), just(False))
            spaces.append((noun.weight, made))
        return Union(*spaces)


def befriend(noun: Noun, feminine: bool) -> Noun:
    """Give the word for a friend, whose gender is that of the friend."""
    return Noun(noun.english, noun.plural, noun.hindi, feminine, noun.kind, noun.sorts, noun.weight)
