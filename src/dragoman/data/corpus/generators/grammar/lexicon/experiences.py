"""What happens to somebody: in Hindi the person takes को and the verb agrees with the thing."""

from dataclasses import dataclass

from dragoman.data.corpus.generators.grammar.lexicon.entries import rows


@dataclass(frozen=True, eq=False, slots=True)
class Liking:
    """A verb whose English subject is a Hindi dative: X को Y पसंद है.

    Each form is given whole, with the place of agreement: 3 is है or हैं, "+" a participle.
    """

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


THINGS = ("cloth", "jewel", "picture", "vehicle", "tale", "verse", "song", "show")

likings = (
    Liking(
        "like", "liked", "liked", (*THINGS, "place", "area", "fruit", "dish", "drink"), "पसंद", "आ"
    ),
    Liking(
        "need",
        "needed",
        "needed",
        ("pen", "container", "cloth", "craft", "object", "fragile", "fruit"),
        "चाहिए",
        "",
    ),
    Liking("find", "found", "found", ("key", "object", "fragile", "jewel", "picture"), "", "मिल"),
    Liking(
        "receive",
        "received",
        "received",
        ("reading", "jewel", "object", "fragile", "answer"),
        "",
        "मिल",
    ),
    Liking("remember", "remembered", "remembered", ("tale", "verse", "song", "lesson"), "याद", "आ"),
)

# English | its verb | Hindi | gender of the Hindi noun
FEELINGS = """
hungry | be | भूख लगी | f
thirsty | be | प्यास लगी | f
feeling cold | be | ठंड लग रही | f
feeling hot | be | गर्मी लग रही | f
feeling sleepy | be | नींद आ रही | f
afraid | be | डर लग रहा | m
angry | be | ग़ुस्सा आ रहा | m
in a hurry | be | जल्दी | f
a fever | have | बुख़ार | m
a cold | have | ज़ुकाम | m
a headache | have | सिरदर्द | m
"""

feelings = tuple(
    Feeling(english, verb, hindi, letter == "f") for english, verb, hindi, letter in rows(FEELINGS)
)
