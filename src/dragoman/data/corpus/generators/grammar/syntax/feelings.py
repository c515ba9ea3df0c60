"""Clauses whose Hindi subject is a dative: liking, needing, finding, being hungry; and weather."""

from dataclasses import dataclass, replace

from dragoman.data.corpus.generators.grammar.agreement import Agreement
from dragoman.data.corpus.generators.grammar.english.verbs import be, plain
from dragoman.data.corpus.generators.grammar.hindi.verbs import (
    future,
    past,
    perfective,
    present,
)
from dragoman.data.corpus.generators.grammar.lexicon.entries import Feeling, Liking
from dragoman.data.corpus.generators.grammar.syntax.nominals import (
    HE,
    Nominal,
    Pairs,
    Phrase,
    under_negation,
)
from dragoman.data.corpus.generators.grammar.words import (
    NEGATION,
    OBJECT,
    SUBJECT,
    VERB,
    Words,
    spell,
)


@dataclass(frozen=True, eq=False, slots=True)
class Experience:
    """Somebody likes, needs, finds, receives or remembers something."""

    subject: Nominal
    liking: Liking
    thing: Phrase
    tense: str
    negative: bool = False

    def english(self, base: int) -> Words:
        """Subject and predicate."""
        return self.subject.english(base + SUBJECT, False) + self.english_predicate(base)

    def english_predicate(self, base: int) -> Words:
        """Verb, with do-support when negative, and thing."""
        person, past_tense = self.subject.person, self.tense == "past"
        if self.negative:
            do = "did" if past_tense else "does" if person == "he" else "do"
            words = [(do, base + VERB), ("not", base + NEGATION)]
            words.append((self.liking.english, base + VERB))
        elif self.tense == "future":
            words = [("will", base + VERB), (self.liking.english, base + VERB)]
        else:
            verb = self.liking.past if past_tense else plain(self.liking.english, person)
            words = [(verb, base + VERB)]
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

    def of(self, subject: Nominal) -> "Experience":
        """Give the same clause with another subject."""
        return replace(self, subject=subject)

    def pairs(self, found: Pairs) -> None:
        """The verb combines with the noun of the thing and with its tense."""
        self.subject.pairs(found)
        self.thing.pairs(found)
        found.append((self.liking.key, self.thing.noun.key))


@dataclass(frozen=True, eq=False, slots=True)
class State:
    """Somebody is hungry, feels cold or has a fever."""

    subject: Nominal
    feeling: Feeling
    tense: str
    negative: bool = False

    def english(self, base: int) -> Words:
        """Subject and predicate."""
        return self.subject.english(base + SUBJECT, False) + self.english_predicate(base)

    def english_predicate(self, base: int) -> Words:
        """Say the form of be or have, and the feeling."""
        person = self.subject.person
        if self.feeling.verb == "be":
            verb = be(person, self.tense == "past")
        else:
            verb = "had" if self.tense == "past" else plain("have", person)
        words = spell(verb, base + VERB)
        if self.negative:
            words.append(("not", base + NEGATION))
        return words + spell(self.feeling.english, base + OBJECT)

    def hindi(self, base: int) -> Words:
        """Person with को, feeling, copula in agreement with the feeling."""
        agreement = Agreement(self.feeling.feminine)
        copula = past(agreement) if self.tense == "past" else present(agreement)
        words = self.subject.hindi(base + SUBJECT, "को", "")
        noun, *rest = self.feeling.hindi.split()
        words.append((noun, base + OBJECT))
        if self.negative:
            words.append(("नहीं", base + NEGATION))
        words += [(word, base + OBJECT) for word in rest]
        return [*words, (copula, base + VERB)]

    def of(self, subject: Nominal) -> "State":
        """Give the same clause with another subject."""
        return replace(self, subject=subject)

    def pairs(self, found: Pairs) -> None:
        """The feeling combines with its tense."""
        self.subject.pairs(found)


# tense: English, Hindi
WEATHER = {
    "rain": {
        "present": ("it is raining", "बारिश हो रही है"),
        "past": ("it was raining", "बारिश हो रही थी"),
        "event": ("it rained", "बारिश हुई"),
        "future": ("it will rain", "बारिश होगी"),
        "condition": ("it rains", "बारिश होगी"),
    },
    "snow": {
        "present": ("it is snowing", "बर्फ़ गिर रही है"),
        "past": ("it was snowing", "बर्फ़ गिर रही थी"),
        "event": ("it snowed", "बर्फ़ गिरी"),
        "future": ("it will snow", "बर्फ़ गिरेगी"),
        "condition": ("it snows", "बर्फ़ गिरेगी"),
    },
    "storm": {
        "present": ("a storm is coming", "तूफ़ान आ रहा है"),
        "past": ("a storm was coming", "तूफ़ान आ रहा था"),
        "event": ("a storm came", "तूफ़ान आया"),
        "future": ("a storm will come", "तूफ़ान आएगा"),
        "condition": ("a storm comes", "तूफ़ान आएगा"),
    },
}


@dataclass(frozen=True, eq=False, slots=True)
class Weather:
    """It rains, it snows, a storm comes."""

    kind: str
    tense: str

    @property
    def subject(self) -> Nominal:
        """Nobody in particular."""
        return HE

    def english(self, base: int) -> Words:
        """Say it whole."""
        return spell(WEATHER[self.kind][self.tense][0], base + VERB)

    def english_predicate(self, base: int) -> Words:
        """Say it without its first word."""
        return self.english(base)[1:]

    def hindi(self, base: int) -> Words:
        """Say it whole."""
        return spell(WEATHER[self.kind][self.tense][1], base + VERB)

    def of(self, subject: Nominal) -> "Weather":
        """The weather has no subject to replace."""
        return self

    def pairs(self, found: Pairs) -> None:
        """The weather combines nothing."""
