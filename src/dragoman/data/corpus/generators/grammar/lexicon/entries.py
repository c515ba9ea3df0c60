"""What the lexicon says of a word: its two citation forms and what grammar needs to know."""

from dataclasses import dataclass


@dataclass(frozen=True, eq=False, slots=True)
class Noun:
    """A noun or a name; Hindi fixes its gender, English must betray it."""

    english: str
    plural: str  # "" for what is never counted
    hindi: str
    feminine: bool
    kind: str  # what it is: decides which verbs and adjectives suit it
    honorific: bool = False  # one person, but Hindi agrees in the plural
    inflects: bool = True  # राजा and its like keep their final ा
    preposition: tuple[str, str] = ("", "")  # a place: English and Hindi words for being there
    goal: str = ""  # a place: the Hindi postposition of going there, if any
    counterpart: str = ""  # the Hindi word when it is said of a woman

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}={self.hindi}"


@dataclass(frozen=True, eq=False, slots=True)
class Adjective:
    """An adjective and the kinds of noun it suits."""

    english: str
    comparative: str
    superlative: str
    hindi: str
    suits: frozenset[str]
    predicative: bool = True

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}={self.hindi}"


@dataclass(frozen=True, eq=False, slots=True)
class Verb:
    """A verb with the frame it needs in each language.

    `hindi` is the stem that inflects; `nominal` the word before it in a conjunct verb.
    """

    english: str
    past: str
    participle: str
    hindi: str
    particle: str = ""  # English: wait *for*, sit *down*
    nominal: str = ""
    nominal_gender: bool | None = None  # a noun the verb can agree with; None: no noun
    nominal_inflects: bool = False  # चला in चला जाना agrees with the subject
    ergative: bool = False  # the subject takes ने in the perfective
    vector: str = ""  # the light verb of the compound: खा *लेना*
    marker: str | None = None  # postposition of the object; None: को if animate, else nothing
    objects: tuple[str, ...] = ()  # kinds of noun it governs; () for an intransitive
    recipient: str = ""  # the preposition of its person in English, for give and its like
    extras: frozenset[str] = frozenset()  # which adjuncts suit it
    subjects: tuple[str, ...] = ("people",)
    stative: bool = False  # a lasting state: never progressive, habitual without saying how often
    punctual: bool = False  # over in a moment: never progressive
    once: bool = False  # cannot be repeated, wished or commanded
    posture: bool = False  # "is sitting" is a state in Hindi: बैठा है
    settled: bool = False  # must say where: live, lie, keep
    unkind: bool = False  # one may only be told not to do it
    commands: bool = True  # whether one may be told to do it

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english} {self.particle}={self.nominal} {self.hindi}"


@dataclass(frozen=True, eq=False, slots=True)
class Adverb:
    """An adverb of one or more words in either language."""

    english: str
    hindi: str
    suits: frozenset[str]  # tenses for time, verb extras for manner
    negates: bool = False  # "never" is कभी with नहीं

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}={self.hindi}"


@dataclass(frozen=True, eq=False, slots=True)
class Determiner:
    """What stands before the noun; `numbers` says singular (s), plural (p) or mass (m)."""

    english: str
    hindi: str
    numbers: str
    owner: str = ""  # the English pronoun whose possessive it is

    @property
    def key(self) -> str:
        """The lexeme's name, unique in the lexicon."""
        return f"{self.english}={self.hindi}"


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
    objects: tuple[str, ...]
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
    feminine: bool

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
