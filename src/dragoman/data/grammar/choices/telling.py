"""Coordination and subordination of two clauses: because, so, but, if, and, before, that."""

from dragoman.data.grammar.syntax.clauses import Clause, ElidedClause, VerbClause
from dragoman.data.grammar.syntax.feelings import Weather
from dragoman.data.grammar.syntax.joined import (
    Complement,
    Conjunction,
    Joined,
    ReportVerb,
    Sequence,
    Series,
    Subordination,
)
from dragoman.data.grammar.syntax.nominals import Nominal, Pronoun, resuming
from dragoman.data.grammar.syntax.sentences import GrammarSentence

LINKS = {
    "when": ("when", "जब", "तब"),
    "if": ("if", "अगर", "तो"),
    "had": ("if", "अगर", "तो"),
    "meanwhile": ("when", "जब", "तब"),
    "because": ("because", "क्योंकि", False),
    "and": ("and", "और", False),
    "but": ("but", "लेकिन", True),
    "so": ("so", "इसलिए", True),
}
NAMES = {
    "when": "when",
    "if": "condition",
    "had": "unreal condition",
    "meanwhile": "chain",
    "because": "because",
    "but": "but",
    "so": "so",
}


def subordinate(kind: str, condition: Clause, main: Clause, last: bool) -> Subordination:
    """Put a clause of time or condition together."""
    link, hindi, answer = LINKS[kind]
    return Subordination(NAMES[kind], condition, main, str(link), str(hindi), str(answer), last)


def join(kind: str, first: Clause, second: Clause) -> Conjunction:
    """Put two clauses together."""
    link, hindi, pause = LINKS[kind]
    name = NAMES.get(kind, "coordination")
    return Conjunction(name, first, second, str(link), str(hindi), bool(pause))


def both(kind: str, first: Clause, second: Clause) -> Joined:
    """Make one clause of two."""
    link, hindi, _ = LINKS[kind]
    return Joined(first, second, str(link), str(hindi))


def again(subject: Nominal, first: Clause) -> Nominal:
    """Give the subject of a second clause: a pronoun, unless the first was of the weather."""
    return subject if isinstance(first, Weather) else resuming(subject)


def because(subject: Nominal, cause: Clause, effect: Clause) -> Conjunction:
    """Say the effect, then its cause."""
    return join("because", effect.of(subject), cause.of(resuming(subject)))


def therefore(subject: Nominal, cause: Clause, effect: Clause) -> Conjunction:
    """Say the cause, then its effect."""
    return join("so", cause.of(subject), effect.of(again(subject, cause)))


def although(subject: Nominal, cause: Clause, effect: Clause) -> Conjunction:
    """Say the cause, and that its effect failed."""
    return join("but", cause.of(subject), effect.of(again(subject, cause)))


def condition(subject: Nominal, cause: Clause, effect: Clause) -> Subordination:
    """Say what will be if; a pronoun may have the condition last."""
    last = isinstance(subject, Pronoun) and isinstance(cause, VerbClause)
    return subordinate("if", cause.of(subject), effect.of(again(subject, cause)), last)


def unreal(subject: Nominal, cause: Clause, effect: Clause) -> Subordination:
    """Say what would have been."""
    return subordinate("had", cause.of(subject), effect.of(again(subject, cause)), False)


def explanation(subject: Nominal, cause: Clause, effect: Clause) -> Joined:
    """Make one clause of an effect and its cause, to be reported."""
    return both("because", effect.of(subject), cause.of(resuming(subject)))


def stormy(subject: Nominal, cause: Clause, effect: Clause) -> Joined:
    """Make one clause of an effect, its cause and the weather."""
    reasons = both("and", cause.of(resuming(subject)), Weather("rain", "past"))
    return both("because", effect.of(subject), reasons)


def report(name: str, subject: Nominal, how: ReportVerb, told: Clause) -> Complement:
    """Report what happened and why."""
    return Complement(subject, how, told, construction=name)


def contrast(first: VerbClause, rival: Nominal) -> Conjunction:
    """Say that one does and another does not."""
    denied = ElidedClause(VerbClause(rival, first.verb, first.tense, negative=True))
    return join("but", first, denied)


def follow(link: tuple[str, str], subject: Nominal, deed: VerbClause, main: VerbClause) -> Sequence:
    """Put a sequence together."""
    return Sequence(deed.of(subject), main.of(subject), *link)


def intend(report: ReportVerb, deed: VerbClause) -> Complement:
    """Report what somebody said he would do himself."""
    return Complement(deed.subject, report, deed.of(resuming(deed.subject)))


def in_a_row(*sentences: GrammarSentence) -> Series:
    """Put sentences in a row."""
    return Series(sentences)
