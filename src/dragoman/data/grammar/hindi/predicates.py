"""The Hindi verb complex of every tense: whom it agrees with, and in which words."""

from functools import cache

from dragoman.data.grammar.agreement import DEFAULT, Agreement
from dragoman.data.grammar.hindi.adjectives import inflect
from dragoman.data.grammar.hindi.verbs import (
    future,
    imperative,
    imperfective,
    infinitive,
    past,
    perfective,
    present,
)
from dragoman.data.grammar.lexicon.entries import Verb
from dragoman.data.grammar.tenses import COMPOUND, FUTURES, HABITS, OBLIGATIVE, PERFECTIVE, Tense
from dragoman.data.grammar.words import AUXILIARY, MODAL, NEGATION, VERB

STATES = frozenset({"posture", "wearing", "standing"})  # English says these with -ing, Hindi not
INTRANSITIVE_VECTORS = frozenset({"जा", "पड़", "आ"})  # with these even खाना takes no ने
Tagged = tuple[tuple[str, int], ...]


@cache
def compounds(verb: Verb, tense: Tense, plain: bool) -> bool:
    """Say whether the verb shows its vector: only in complete events, and some in habits.

    `plain` is true of denials; a question keeps जाना (क्या वह सो गया?) and drops लेना and देना.
    """
    shown = tense in COMPOUND or (tense in HABITS and "habitual-vector" in verb.flags)
    return bool(verb.vector) and not plain and shown


@cache
def subject_marker(verb: Verb, tense: Tense, plain: bool) -> str:
    """Give the postposition of the subject: ने, को or none."""
    if tense in OBLIGATIVE:
        return "को"
    if tense not in PERFECTIVE or not verb.ergative or verb.imperfect:
        return ""
    if compounds(verb, tense, plain) and verb.vector in INTRANSITIVE_VECTORS:
        return ""
    return "ने"


def target(verb: Verb, marker: str, subject: Agreement, unmarked: Agreement | None) -> Agreement:
    """Find what the verb agrees with: a bare subject, else a bare object, else nothing."""
    if marker == "":
        return subject
    if verb.nominal_gender is not None:
        return Agreement(verb.nominal_gender)
    return unmarked or DEFAULT


@cache
def complex_of(
    verb: Verb, tense: Tense, negative: bool, agreement: Agreement, plain: bool = False
) -> Tagged:
    """Give the verb complex, negation included, in agreement with its target."""
    if verb.imperfect and tense is Tense.PAST:
        habit = complex_of(verb, Tense.USED_TO, negative, agreement)
        return tuple((word, VERB if tag == MODAL else tag) for word, tag in habit)
    plain = plain or negative
    nominal = nominal_of(verb, agreement, tense in COMPOUND | HABITS and not negative)
    denial: Tagged = (("नहीं", NEGATION),) if negative else ()
    before = tuple((word, VERB) for word in nominal.split())
    if tense in OBLIGATIVE:
        return denied(verb, before, denial) + obligative(verb.hindi, tense, agreement)
    if tense is Tense.WANT:
        return before + ((infinitive(verb.hindi), VERB),) + denial + wanting(negative, agreement)
    if compounds(verb, tense, plain):
        return before + ((verb.hindi, VERB),) + finite(verb.vector, tense, False, agreement)
    if verb.flags & STATES and tense in (Tense.PROGRESSIVE, Tense.PAST_PROGRESSIVE):
        return before + state(verb, tense, agreement, denial)
    return denied(verb, before, denial) + finite(verb.hindi, tense, negative, agreement)


def denied(verb: Verb, before: Tagged, denial: Tagged) -> Tagged:
    """Put a denial between verb and nominal (साफ़ नहीं करता); fused, they stay (नहीं ले जाता)."""
    return denial + before if "fused" in verb.flags else before + denial


def nominal_of(verb: Verb, agreement: Agreement, complete: bool) -> str:
    """Give the word before the verb; चला goes with complete events only."""
    if not verb.nominal_inflects:
        return verb.nominal
    if verb.nominal == "चला" and not complete:
        return ""
    return inflect(verb.nominal, agreement.feminine, agreement.plural)


def finite(stem: str, tense: Tense, negative: bool, agreement: Agreement) -> Tagged:
    """Give the inflected verb of a tense that agrees with its target throughout."""
    if tense in FUTURES:
        return ((future(stem, agreement), VERB),)
    if tense in PERFECTIVE:
        return complete(stem, tense, agreement)
    return ongoing(stem, tense, negative, agreement)


def complete(stem: str, tense: Tense, agreement: Agreement) -> Tagged:
    """Give the tenses of the perfective participle."""
    feminine, plural, _ = agreement
    if tense is Tense.PAST:
        return ((perfective(stem, feminine, plural, True), VERB),)
    participle = (perfective(stem, feminine, plural, False), VERB)
    if tense is Tense.PERFECT:
        return (participle, (present(agreement), AUXILIARY))
    if tense is Tense.PLUPERFECT:
        return (participle, (past(agreement), AUXILIARY))
    tag = MODAL if tense is Tense.WOULD_HAVE else AUXILIARY  # would *have* gone, *had* gone
    return (participle, (imperfective("हो", feminine, plural, True), tag))


def ongoing(stem: str, tense: Tense, negative: bool, agreement: Agreement) -> Tagged:
    """Give the habitual, the progressive and the verbs that follow a bare stem."""
    feminine, plural, _ = agreement
    if tense is Tense.HABITUAL:
        habit = imperfective(stem, feminine, plural, negative)
        return ((habit, VERB),) if negative else ((habit, VERB), (present(agreement), VERB))
    if tense is Tense.USED_TO:
        return ((imperfective(stem, feminine, plural, False), VERB), (past(agreement), MODAL))
    if tense is Tense.BEGAN:
        begun = perfective("लग", feminine, plural, True)
        return ((infinitive(stem, changed=True), VERB), (begun, MODAL))
    return ((stem, VERB), *after_stem(tense, negative, agreement))


def after_stem(tense: Tense, negative: bool, agreement: Agreement) -> Tagged:
    """Give रहा है, सकता है, सका, चुका है: what follows a bare stem."""
    feminine, plural, _ = agreement
    if tense is Tense.CAN:
        # "cannot" is one word, so सकता goes with its denial
        able = (imperfective("सक", feminine, plural, negative), NEGATION if negative else AUXILIARY)
        return (able,) if negative else (able, (present(agreement), AUXILIARY))
    if tense is Tense.WAS_ABLE:
        return ((perfective("सक", feminine, plural, True), MODAL),)
    if tense is Tense.ALREADY:
        return ((perfective("चुक", feminine, plural, False), MODAL), (present(agreement), AUXILIARY))
    be = present(agreement) if tense is Tense.PROGRESSIVE else past(agreement)
    return ((perfective("रह", feminine, plural, False), AUXILIARY), (be, AUXILIARY))


def state(verb: Verb, tense: Tense, agreement: Agreement, denial: Tagged) -> Tagged:
    """Give the state of sitting, wearing, standing: बैठा है, पहने हुए है, खड़ा था."""
    be = present(agreement) if tense is Tense.PROGRESSIVE else past(agreement)
    if "standing" in verb.flags:
        return (*denial, (be, AUXILIARY))
    if "wearing" in verb.flags:
        worn = (perfective(verb.hindi, False, True, False), VERB)
        return (*denial, worn, ("हुए", VERB), (be, AUXILIARY))
    participle = perfective(verb.hindi, agreement.feminine, agreement.plural, False)
    return (*denial, (participle, VERB), (be, AUXILIARY))


def obligative(stem: str, tense: Tense, agreement: Agreement) -> Tagged:
    """Give करना है, करना पड़ा, करना चाहिए, the infinitive in agreement with the object."""
    feminine, plural, _ = agreement
    verb = (infinitive(stem, feminine, plural), VERB)
    if tense is Tense.HAVE_TO:
        return (verb, (present(agreement), MODAL))
    if tense is Tense.HAD_TO:
        return (verb, (perfective("पड़", feminine, plural, True), MODAL))
    if tense is Tense.MUST:
        return (verb, (future("पड़", agreement), MODAL))
    return (verb, ("चाहिए", AUXILIARY))


def wanting(negative: bool, agreement: Agreement) -> Tagged:
    """Give चाहता है, in agreement with the subject."""
    feminine, plural, _ = agreement
    want = (imperfective("चाह", feminine, plural, negative), MODAL)
    return (want,) if negative else (want, (present(agreement), MODAL))


@cache
def command(verb: Verb, address: str, feminine: bool, negative: bool) -> Tagged:
    """Give the imperative; मत forbids."""
    nominal = nominal_of(verb, Agreement(feminine, address != "तू"), not negative)
    before = tuple((word, VERB) for word in nominal.split())
    if negative:
        forbidden = denied(verb, before, (("मत", NEGATION),))
        return (*forbidden, (imperative(verb.hindi, address), VERB))
    if verb.vector:
        return (*before, (verb.hindi, VERB), (imperative(verb.vector, address), VERB))
    return (*before, (imperative(verb.hindi, address), VERB))
