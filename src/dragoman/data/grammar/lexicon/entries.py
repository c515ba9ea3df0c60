"""Lexicon entries: two citation forms of a word, and what grammar needs to know."""

from dataclasses import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Noun:
    """A noun or a name; Hindi fixes its gender, English must betray it."""

    english: str
    plural: str  # "" for what is never counted
    hindi: str
    feminine: bool
    kind: str  # what it is: decides which verbs and adjectives suit it
    sorts: frozenset[str] = frozenset()  # its kind, all above it, itself as =mouse, its @places
    weight: float = 1.0  # how often it is drawn beside its like
    honorific: bool = False  # one person, but Hindi agrees in the plural
    inflects: bool = True  # राजा and its like keep their final ा
    many: bool = False  # plural in English without an s: parents
    plural_in_hindi: bool = False  # पैसे, बाल: English does not count them, Hindi has many
    unique: bool = False  # there is only one: the moon
    elder: bool = False  # does not climb trees
    preposition: tuple[str, str] = ("", "")  # a place: English and Hindi words for being there
    goal: str = ""  # a place: the Hindi postposition of going there, if any
    counterpart: str = ""  # the Hindi word when it is said of a woman

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}={self.hindi}"


@dataclass(frozen=True, eq=False, slots=True)
class Adjective:
    """An adjective, its class (colour, taste, mood) and the kinds of noun it suits."""

    english: str
    comparative: str
    superlative: str
    hindi: str
    sort: str
    suits: frozenset[str]
    compared: str  # the Hindi word of the comparison, if another: older is बड़ा
    attributive: bool = True
    predicative: bool = True

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}={self.hindi}"


@dataclass(frozen=True, eq=False, slots=True)
class Verb:
    """A verb with the frame it needs in each language, and its selection restrictions.

    `hindi` is the stem that inflects; `nominal` the word before it in a conjunct verb.
    """

    english: str
    past: str
    participle: str
    hindi: str
    particle: str = ""  # English: wait *for*, sit *down*
    nominal: str = ""
    nominal_gender: bool | None = None  # a noun the verb can agree with; None: no noun
    vector: str = ""  # the light verb of the compound: खा *लेना*
    marker: str | None = None  # postposition of the object; None: को if animate, else nothing
    recipient: str = ""  # the preposition of its person in English, for give and its like
    subjects: frozenset[str] = frozenset({"people"})  # who does it
    objects: frozenset[str] = frozenset()  # kinds of noun it governs; none for an intransitive
    looks: frozenset[str] = frozenset()  # classes of adjective that its object may have
    places: frozenset[str] = frozenset()  # sorts of place where it is done
    adjuncts: frozenset[str] = frozenset()  # other adjuncts and manners that suit it
    flags: frozenset[str] = frozenset()
    weight: float = 1.0  # how often it is drawn beside others

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english} {self.particle}={self.nominal} {self.hindi}"

    @property
    def name(self) -> str:
        """The English verb with its particle."""
        return f"{self.english} {self.particle}".strip()

    @property
    def ergative(self) -> bool:
        """Whether the subject takes ने in the perfective."""
        return "ergative" in self.flags

    @property
    def nominal_inflects(self) -> bool:
        """Whether its nominal agrees with the subject: चला in चला जाना."""
        return "nominal-inflects" in self.flags

    @property
    def stative(self) -> bool:
        """Whether it is a lasting state, never progressive."""
        return "stative" in self.flags

    @property
    def imperfect(self) -> bool:
        """Whether its simple past is a Hindi imperfect: lived is रहता था."""
        return "imperfect" in self.flags

    @property
    def punctual(self) -> bool:
        """Whether it is over in a moment, never progressive."""
        return "punctual" in self.flags

    @property
    def once(self) -> bool:
        """Whether it cannot be repeated, wished or commanded."""
        return "once" in self.flags

    @property
    def settled(self) -> bool:
        """Whether it must say where: live, lie, put."""
        return "settled" in self.flags

    @property
    def unkind(self) -> bool:
        """Whether one may only be told not to do it."""
        return "unkind" in self.flags

    @property
    def mishap(self) -> bool:
        """Whether it befalls people: nobody wishes, plans or is told to do it."""
        return "mishap" in self.flags

    @property
    def commands(self) -> bool:
        """Whether one may be told to do it."""
        return not self.flags & {"uncommanded", "mishap", "standing", "once"}

    @property
    def long(self) -> bool:
        """Whether months and years suit it, not only days and hours."""
        return "long" in self.flags

    @property
    def lively(self) -> bool:
        """Whether it is left to the young and the fit."""
        return "lively" in self.flags

    @property
    def daily(self) -> bool:
        """Whether people do it on any day, so that it stands beside anything else."""
        return "daily" in self.flags


@dataclass(frozen=True, eq=False, slots=True)
class Adverb:
    """An adverb of one or more words in either language."""

    english: str
    hindi: str
    suits: frozenset[str]  # tenses for time, adjuncts of a verb for manner
    negates: bool = False  # "never" is कभी with नहीं
    long: bool = False  # of weeks and years, not of a day
    hour: bool = False  # of a time of day

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}={self.hindi}"


@dataclass(frozen=True, eq=False, slots=True)
class Determiner:
    """A determiner; `numbers` says singular (s), plural (p) or mass (m)."""

    english: str
    hindi: str
    numbers: str
    owner: str = ""  # the English pronoun whose possessive it is

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}={self.hindi}"


@dataclass(frozen=True, eq=False, slots=True)
class Event:
    """Something that happens or is so, named for the tables of what brings about what."""

    name: str
    kind: str  # verb, quality, feeling, weather
    word: str
    objects: frozenset[str]
    place: tuple[str, ...]  # a kind of adjunct and the nouns it takes


@dataclass(frozen=True, eq=False, slots=True)
class Link:
    """One event brings about another, or precedes it; each may be denied."""

    cause: str
    effect: str
    without_cause: bool = False
    without_effect: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Postposition:
    """An English preposition and what follows the noun in Hindi."""

    english: str
    hindi: str


@dataclass(frozen=True, eq=False, slots=True)
class Liking:
    """A verb whose English subject is a Hindi dative: X को Y पसंद है."""

    english: str
    past: str
    participle: str
    objects: frozenset[str]
    present: str  # Hindi before the agreeing word
    perfective: str  # the stem whose perfective makes the past, "" for the past of होना

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}={self.present}"


@dataclass(frozen=True, eq=False, slots=True)
class Feeling:
    """A state one is in: English says "is hungry", Hindi भूख लगी है."""

    english: str  # after the form of its verb
    verb: str  # "be" or "have"
    hindi: str  # everything before है or था, already in agreement
    future: str  # Hindi, whole
    feminine: bool
    marker: str  # the postposition of the person: को, or के of whom a part hurts

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}={self.hindi}"


@dataclass(frozen=True, eq=False, slots=True)
class Vocative:
    """Somebody addressed; the form of address decides between तू, तुम and आप."""

    english: str
    hindi: str
    address: str
    feminine: bool

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}!={self.hindi}"
