"""The tenses, aspects and modal forms, named for what they mean in both languages."""

from enum import Enum


class Tense(Enum):
    """The tense of a verb; the value is the name of the construction it makes."""

    HABITUAL = "habitual"
    USED_TO = "past habitual"
    PROGRESSIVE = "progressive"
    PAST_PROGRESSIVE = "past progressive"
    PAST = "simple past"
    PERFECT = "perfect"
    PLUPERFECT = "pluperfect"
    FUTURE = "future"
    CAN = "ability"
    WAS_ABLE = "past ability"
    WANT = "desire"
    HAVE_TO = "obligation"
    HAD_TO = "past obligation"
    MUST = "necessity"
    SHOULD = "advice"
    BEGAN = "inception"
    ALREADY = "completion"
    IF_PRESENT = "condition"  # English present, Hindi future
    REPORTED_FUTURE = "reported future"  # English "would", Hindi future
    HAD_IF = "unreal condition"
    WOULD_HAVE = "unreal consequence"

    __hash__ = object.__hash__  # members are singletons; the hash of a name would be slow

    @property
    def time(self) -> str:
        """The kind of time adverb that suits the tense, or nothing."""
        return TIMES.get(self, "")


TIMES = {
    Tense.PROGRESSIVE: "present",
    Tense.PAST_PROGRESSIVE: "moment",
    Tense.PAST: "past",
    Tense.PLUPERFECT: "past",
    Tense.FUTURE: "future",
    Tense.CAN: "",
    Tense.HAVE_TO: "future",
    Tense.MUST: "future",
    Tense.HAD_TO: "past",
    Tense.SHOULD: "future",
    Tense.WANT: "future",
    Tense.IF_PRESENT: "future",
    Tense.REPORTED_FUTURE: "future",
}
# Hindi makes these from the perfective participle, so a transitive subject takes ने in them.
PERFECTIVE = frozenset(
    {Tense.PAST, Tense.PERFECT, Tense.PLUPERFECT, Tense.HAD_IF, Tense.WOULD_HAVE}
)
# In these the Hindi subject takes को and the infinitive agrees with the object.
OBLIGATIVE = frozenset({Tense.HAVE_TO, Tense.HAD_TO, Tense.MUST, Tense.SHOULD})
FUTURES = frozenset({Tense.FUTURE, Tense.IF_PRESENT, Tense.REPORTED_FUTURE})
# The compound verb (खा लिया) is affirmative and complete; elsewhere the simple verb is used,
# but for a few that keep their vector in habits: सो जाता था.
COMPOUND = PERFECTIVE | FUTURES
HABITS = frozenset({Tense.HABITUAL, Tense.USED_TO})
NEGATABLE = frozenset(
    {
        Tense.HABITUAL,
        Tense.PROGRESSIVE,
        Tense.PAST_PROGRESSIVE,
        Tense.PAST,
        Tense.PERFECT,
        Tense.PLUPERFECT,
        Tense.FUTURE,
        Tense.CAN,
        Tense.WANT,
        Tense.SHOULD,
    }
)
