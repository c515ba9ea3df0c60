"""Clauses whose Hindi subject is a dative: liking, needing, finding, being hungry; and weather."""

from dataclasses import dataclass

from dragoman.data.grammar.agreement import Agreement
from dragoman.data.grammar.english.verbs import be, plain
from dragoman.data.grammar.hindi.verbs import future, past, perfective, present
from dragoman.data.grammar.lexicon.entries import Feeling, Liking
from dragoman.data.grammar.syntax.nominals import (
    HE,
    Nominal,
    Pairs,
    Phrase,
    SubjectClause,
    under_negation,
)
from dragoman.data.grammar.words import NEGATION, OBJECT, SUBJECT, TIME, VERB, Words, spell


def do(person: str, past_tense: bool) -> str:
    """Give the form of "do" that asks and denies."""
    return "did" if past_tense else "does" if person == "he" else "do"


@dataclass(frozen=True, eq=False, slots=True)
class Experience(SubjectClause):
    """Somebody likes, needs, wants, finds, receives or remembers something."""

    liking: Liking
    thing: Nominal
    tense: str
    negative: bool = False

    def english_predicate(self, base: int) -> Words:
        """Verb, with do-support when negative, and thing."""
        person, past_tense = self.subject.person, self.tense == "past"
        if self.negative:
            words = [(do(person, past_tense), base + VERB), ("not", base + NEGATION)]
            words.append((self.liking.english, base + VERB))
        elif self.tense == "future":
            words = [("will", base + VERB), (self.liking.english, base + VERB)]
        else:
            verb = self.liking.past if past_tense else plain(self.liking.english, person)
            words = [(verb, base + VERB)]
        return words + self.thing.english(base + OBJECT, True)

    def english_question(self, base: int) -> Words:
        """Ask with do-support."""
        words: Words = [(do(self.subject.person, self.tense == "past"), base + VERB)]
        words += self.subject.english(base + SUBJECT, False)
        words.append((self.liking.english, base + VERB))
        return words + self.thing.english(base + OBJECT, True)

    def hindi(self, base: int) -> Words:
        """Person with को, thing bare, and a verb that agrees with the thing."""
        words = self.subject.hindi(base + SUBJECT, "को", "")
        thing = under_negation(self.thing) if self.negative else self.thing
        words += thing.hindi(base + OBJECT, "", self.subject.owner)
        nominal, form = self.hindi_forms(self.thing.agreement)
        denial: Words = [("नहीं", base + NEGATION)] if self.negative else []
        if self.liking.present == "चाहिए":
            return words + denial + spell(f"{nominal} {form}", base + VERB)
        return words + spell(nominal, base + VERB) + denial + spell(form, base + VERB)

    def hindi_forms(self, agreement: Agreement) -> tuple[str, str]:
        """Give the word that never changes and the one that agrees."""
        feminine, plural, _ = agreement
        stem, nominal = self.liking.perfective, self.liking.present
        if nominal == "चाहिए":
            return nominal, past(agreement) if self.tense == "past" else ""
        if self.tense == "future":
            return nominal, future(stem, agreement)
        if self.tense == "past" and stem:
            return nominal, perfective(stem, feminine, plural, True)
        return nominal, past(agreement) if self.tense == "past" else present(agreement)

    def pairs(self, found: Pairs) -> None:
        """The verb combines with the noun of the thing and with its tense."""
        self.subject.pairs(found)
        self.thing.pairs(found)
        if isinstance(self.thing, Phrase):
            found.append((self.liking.key, self.thing.noun.key))


@dataclass(frozen=True, eq=False, slots=True)
class FeelingState(SubjectClause):
    """Somebody is hungry, feels cold or has a fever."""

    feeling: Feeling
    tense: str  # present, past, future, or condition: English present, Hindi future
    negative: bool = False

    def english_predicate(self, base: int) -> Words:
        """Say the form of be or have, and the feeling."""
        words = spell(self.english_verb(), base + VERB)
        if self.negative:
            words.append(("not", base + NEGATION))
        return words + spell(self.feeling.english, base + OBJECT)

    def english_verb(self) -> str:
        """Give the form of be or have."""
        person, have = self.subject.person, self.feeling.verb == "have"
        if self.tense == "future":
            return f"will {self.feeling.verb}"
        if have:
            return "had" if self.tense == "past" else plain("have", person)
        return be(person, self.tense == "past")

    def english_question(self, base: int) -> Words:
        """Ask by inversion, or with do-support."""
        subject = self.subject.english(base + SUBJECT, False)
        feeling = spell(self.feeling.english, base + OBJECT)
        if self.feeling.verb == "have":
            asked = (do(self.subject.person, self.tense == "past"), base + VERB)
            return [asked, *subject, ("have", base + VERB), *feeling]
        return [(self.english_verb(), base + VERB), *subject, *feeling]

    def hindi(self, base: int) -> Words:
        """Person with को, feeling, copula in agreement with the feeling."""
        words = self.subject.hindi(base + SUBJECT, self.feeling.marker, "")
        if self.tense in ("future", "condition"):
            *felt, verb = self.feeling.future.split()
            return [*words, *[(word, base + OBJECT) for word in felt], (verb, base + VERB)]
        agreement = Agreement(self.feeling.feminine)
        copula = past(agreement) if self.tense == "past" else present(agreement)
        noun, *rest = self.feeling.hindi.split()
        words.append((noun, base + OBJECT))
        if self.negative:
            words.append(("नहीं", base + NEGATION))
        words += [(word, base + OBJECT) for word in rest]
        return [*words, (copula, base + VERB)]

    def pairs(self, found: Pairs) -> None:
        """The feeling combines with its tense."""
        self.subject.pairs(found)


# tense: English, Hindi
WEATHER = {
    "rain": {
        "present": ("it is raining", "बारिश हो रही है"),
        "past": ("it was raining", "बारिश हो रही थी"),
        "event": ("it rained", "बारिश हुई"),
        "earlier": ("it had rained", "बारिश हुई थी"),
        "future": ("it will rain", "बारिश होगी"),
        "condition": ("it rains", "बारिश होगी"),
        "unreal if": ("it had rained", "बारिश हुई होती"),
    },
    "snow": {
        "present": ("it is snowing", "बर्फ़ गिर रही है"),
        "past": ("it was snowing", "बर्फ़ गिर रही थी"),
        "event": ("it snowed", "बर्फ़ गिरी"),
        "earlier": ("it had snowed", "बर्फ़ गिरी थी"),
        "future": ("it will snow", "बर्फ़ गिरेगी"),
        "condition": ("it snows", "बर्फ़ गिरेगी"),
        "unreal if": ("it had snowed", "बर्फ़ गिरी होती"),
    },
    "storm": {
        "present": ("a storm is coming", "तूफ़ान आ रहा है"),
        "past": ("a storm was coming", "तूफ़ान आ रहा था"),
        "event": ("a storm came", "तूफ़ान आया"),
        "earlier": ("a storm had come", "तूफ़ान आया था"),
        "future": ("a storm will come", "तूफ़ान आएगा"),
        "condition": ("a storm comes", "तूफ़ान आएगा"),
        "unreal if": ("a storm had come", "तूफ़ान आया होता"),
    },
    "hot": {
        "present": ("it is hot", "गर्मी है"),
        "past": ("it was hot", "गर्मी थी"),
        "future": ("it will be hot", "गर्मी होगी"),
    },
    "very hot": {
        "present": ("it is very hot", "बहुत गर्मी है"),
        "past": ("it was very hot", "बहुत गर्मी थी"),
        "future": ("it will be very hot", "बहुत गर्मी होगी"),
    },
    "cold": {
        "present": ("it is cold", "ठंड है"),
        "past": ("it was cold", "ठंड थी"),
        "future": ("it will be cold", "ठंड होगी"),
    },
    "very cold": {
        "present": ("it is very cold", "बहुत ठंड है"),
        "past": ("it was very cold", "बहुत ठंड थी"),
        "future": ("it will be very cold", "बहुत ठंड होगी"),
    },
    "fine": {
        "present": ("the weather is good", "मौसम अच्छा है"),
        "past": ("the weather was good", "मौसम अच्छा था"),
        "future": ("the weather will be good", "मौसम अच्छा होगा"),
    },
    "sunny": {"present": ("it is sunny", "धूप है"), "past": ("it was sunny", "धूप थी")},
}


@dataclass(frozen=True, eq=False, slots=True)
class Weather:
    """It rains, it snows, a storm comes."""

    kind: str
    tense: str
    when: tuple[str, str] = ("", "")  # today, tomorrow

    @property
    def subject(self) -> Nominal:
        """Nobody in particular."""
        return HE

    def english(self, base: int) -> Words:
        """Say it whole."""
        said = spell(WEATHER[self.kind][self.tense][0], base + VERB)
        return said + spell(self.when[0], base + TIME)

    def english_predicate(self, base: int) -> Words:
        """Say it without its first word."""
        return self.english(base)[1:]

    def hindi(self, base: int) -> Words:
        """Say it whole."""
        said = spell(WEATHER[self.kind][self.tense][1], base + VERB)
        return spell(self.when[1], base + TIME) + said

    def of(self, subject: Nominal) -> "Weather":
        """The weather has no subject to replace."""
        return self

    def pairs(self, found: Pairs) -> None:
        """The weather combines nothing."""
