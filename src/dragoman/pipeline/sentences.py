"""Sentences through the pipeline: known ones recalled, terms insisted on, nothing lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from dragoman.backends.torch_engine import TorchEngine
from dragoman.data.formats.accelerators import without_strays
from dragoman.data.formats.protected_spans import ProtectedSpan
from dragoman.metrics.hallucinations import UsualRatios
from dragoman.pipeline.casing import Casing, CasingStyle, apply_casing
from dragoman.pipeline.confidence import Confidence
from dragoman.pipeline.glossary import Glossary, fixed_spans
from dragoman.pipeline.memory import TranslationMemory
from dragoman.pipeline.protection import How, PlaceholderSentence, add_placeholders, by_parts
from dragoman.pipeline.punctuation import Punctuation
from dragoman.pipeline.repetition import loop_free
from dragoman.pipeline.scripts import Scripts
from dragoman.pipeline.sentence_count import single_sentences
from dragoman.pipeline.sentence_splitting import ProtectedSentence as ProtectedSentence
from dragoman.pipeline.term_forms import TermCounts, count_terms, form_of
from dragoman.pipeline.term_placement import WantedTerm, place_terms
from dragoman.pipeline.text_spans import without_overlaps
from dragoman.pipeline.text_warnings import TextWarning, TrainingDomain
from dragoman.pipeline.undertranslation import halves, is_fuller, is_undertranslated, join_parts
from dragoman.tasks.translation.bare_translator import BareTranslator
from dragoman.tasks.translation.requests import Coroutine, TranslationRequest
from dragoman.tasks.translation.term_constraints import Term
from dragoman.tasks.translation.translation import Translation

Attempt = Callable[[Sequence[ProtectedSentence]], Coroutine[list["TranslatedSentence | None"]]]


@dataclass(frozen=True, slots=True)
class TranslatedSentence:
    """A translated sentence."""

    text: str
    how: How
    """Whether what must survive did so at once."""
    shown: str = ""
    """What the network was shown."""
    translation: Translation | None = None
    """What the network said; None for what is known by heart, or was translated in parts."""
    terms: TermCounts = field(default_factory=TermCounts)
    """What became of its glossary terms."""
    warnings: tuple[TextWarning, ...] = ()
    """What speaks against it: the model was not trained on such text."""


class Alternative(NamedTuple):
    """Another way to put a sentence."""

    text: str
    score: float
    """What the search ranks it by."""


@dataclass(frozen=True)
class SentencePipeline:
    """Translates sentences, one for one and in their order."""

    translator: BareTranslator
    symbols: bool = False
    """Whether the network was trained with symbols for what must survive."""
    glossary: Glossary | None = None
    memory: TranslationMemory = field(default_factory=TranslationMemory)
    mend: Callable[[str], str] | None = None
    """Takes slips of the finger out of a sentence."""
    casing: Casing = field(default_factory=lambda: Casing({}))
    longest: int = 0
    """Words of the longest sentence that is translated whole; 0 is without limit."""
    seam: Callable[[str, str], bool] | None = None
    """Knows where one text of a row ends and the next begins."""
    usual: UsualRatios | None = None
    """Knows how short a translation may be."""
    punctuation: Punctuation | None = None
    """Knows which final marks go with those of a source."""
    scripts: Scripts | None = None
    """Knows what the network cannot read, or need not."""
    domain: TrainingDomain | None = None
    """Knows what the network was trained to read."""
    confidence: Confidence | None = None
    """Knows how sure the network usually is."""
    to: str | None = None
    beam: int | None = None

    def request_translations(
        self, sentences: Sequence[ProtectedSentence]
    ) -> Coroutine[list[TranslatedSentence]]:
        """Translate sentences; those that come out far too short, once more in parts."""
        answers = yield from self._translate(sentences)
        short = {
            place: halves(one)
            for place, (one, answer) in enumerate(zip(sentences, answers, strict=True))
            if is_undertranslated(one, answer.text, self.usual)
        }
        split = {place: one for place, one in short.items() if len(one.sentences) > 1}
        parts = [part for one in split.values() for part in one.sentences]
        told = iter((yield from self.request_translations(parts)) if parts else ())
        for place, one in split.items():
            found = [next(told) for _ in one.sentences]
            text = join_parts(one, [each.text for each in found])
            if is_fuller(sentences[place].text, text, answers[place].text):
                answers[place] = TranslatedSentence(
                    text,
                    "in parts",
                    terms=sum((each.terms for each in found), TermCounts()),
                    warnings=answers[place].warnings,
                )
        return answers

    def _translate(
        self, sentences: Sequence[ProtectedSentence]
    ) -> Coroutine[list[TranslatedSentence]]:
        """Translate sentences by one attempt after the other, until nothing is lost."""
        answers: list[TranslatedSentence | None] = [self._recalled(one) for one in sentences]
        open_ones = [place for place, answer in enumerate(answers) if answer is None]
        for attempt in self._attempts if open_ones else ():
            found = yield from attempt([sentences[place] for place in open_ones])
            for place, told in zip(open_ones, found, strict=True):
                answers[place] = told
            open_ones = [place for place in open_ones if answers[place] is None]
            if not open_ones:
                break
        for place in open_ones:
            answers[place] = yield from self._in_parts(sentences[place])
        done = [answer for answer in answers if answer is not None]
        return [self._warned(one, answer) for one, answer in zip(sentences, done, strict=True)]

    def _warned(self, sentence: ProtectedSentence, told: TranslatedSentence) -> TranslatedSentence:
        """Add what speaks against a translation, unless it is known by heart."""
        if self.memory.recall(sentence.text) is not None:
            return told
        warning = self.domain.check(sentence.text) if self.domain else None
        if warning is None and self.confidence and told.translation:
            warning = self.confidence.warning(told.shown, told.translation)
        return replace(told, warnings=(warning,)) if warning else told

    def alternatives(
        self, sentences: Sequence[ProtectedSentence], count: int
    ) -> Coroutine[list[list[Alternative]]]:
        """Look for the likeliest translations of each sentence in which nothing is lost."""
        shown = [self._protect(one, numbers=False) for one in sentences]
        texts, voices = self._inputs(shown)
        answers: list[list[Alternative]] = []
        found = yield TranslationRequest(texts=texts, beam=self.beam, nbest=count, to=self.to)
        for one, voice, each in zip(shown, voices, found, strict=True):
            said: dict[str, float] = {}
            for other in each:  # the best first; several may come to the same text
                if text := self._finish(one, other.text, voice):
                    said.setdefault(text, other.score)
            others = [Alternative(*pair) for pair in said.items()]
            answers.append(sorted(others, key=lambda other: -other.score))
        return answers

    @property
    def _attempts(self) -> list[Attempt]:
        """Only a network that knows symbols can be made to write them and still speak well.

        Another engine, and a search that draws by chance, cannot be made to write anything.
        """
        ours = isinstance(self.translator.engine, TorchEngine)
        insists = self.symbols and ours and self.translator.decoding.search == "beam"
        return [self._directly, self._with_all_placeholders] if insists else [self._directly]

    def _recalled(self, sentence: ProtectedSentence) -> TranslatedSentence | None:
        """Return what needs no translating: known, without letters, or translated already."""
        if not any(map(str.isalpha, sentence.text)) or (
            self.scripts and self.scripts.done(sentence.text)
        ):
            return TranslatedSentence(sentence.text, "at once")
        known = self.memory.recall(sentence.text)
        return None if known is None else TranslatedSentence(known, "at once")

    def _directly(
        self, sentences: Sequence[ProtectedSentence]
    ) -> Coroutine[list[TranslatedSentence | None]]:
        shown = [self._protect(one, numbers=False) for one in sentences]
        return self._search(shown, [[] for _ in shown], "at once")

    def _with_all_placeholders(
        self, sentences: Sequence[ProtectedSentence]
    ) -> Coroutine[list[TranslatedSentence | None]]:
        """Make everything a symbol that must come."""
        shown = [self._protect(one, numbers=True) for one in sentences]
        return self._search(shown, [[[name] for name in one.symbols] for one in shown], "insisted")

    def _in_parts(self, sentence: ProtectedSentence) -> Coroutine[TranslatedSentence]:
        """Translate what stands between the things, each part as a sentence of its own."""
        protected = self._protect(sentence, numbers=True)

        def translate(parts: list[str]) -> Coroutine[list[str]]:
            found = yield from self._best(
                parts, [[] for _ in parts], [self._terms(one) for one in parts]
            )
            return [one.text for one, _ in found]

        text = yield from by_parts(protected, translate)
        said = any(map(str.isalpha, text)) or not any(map(str.isalpha, sentence.text))
        text = self._punctuate(protected, text) if said else sentence.text
        terms = self._terms(protected.source, protected.things)
        counts = count_terms([form_of(term.spellings, text) for term in terms])
        return TranslatedSentence(text, "in parts", terms=counts)

    def _best(
        self,
        texts: Sequence[str],
        fixed: Sequence[Sequence[Term]],
        terms: Sequence[Sequence[WantedTerm]],
    ) -> Coroutine[list[tuple[Translation, TermCounts]]]:
        """Look for the best translation of each text: no loop, no more sentences than its own.

        It holds what is fixed, and its terms as far as they can be placed.
        """
        if any(terms):
            self.translator.check_terms()
        wanted = fixed if any(fixed) else None
        request = TranslationRequest(texts=texts, beam=self.beam, to=self.to, terms=wanted)
        found = yield from loop_free(request)
        found = yield from single_sentences(request, found)
        best = [each[0] for each in found]
        return (yield from place_terms(self.translator, request, best, terms))

    def _protect(self, sentence: ProtectedSentence, *, numbers: bool) -> PlaceholderSentence:
        names = [] if self.glossary is None else fixed_spans(self.glossary.find(sentence.text))
        strange = self.scripts.strange(sentence.text) if self.scripts else []
        verbatim = [*sentence.verbatim, *without_overlaps(names, sentence.verbatim)]
        verbatim += without_overlaps(strange, verbatim)
        return add_placeholders(
            sentence.text, sorted(verbatim), symbols=self.symbols, numbers=numbers
        )

    def _terms(self, text: str, things: Sequence[ProtectedSpan] = ()) -> list[WantedTerm]:
        """Return the terms of a text that are to be translated, and meet none of the things."""
        if self.glossary is None:
            return []
        places = {one.place: one.spellings for one in self.glossary.find(text)}
        free = without_overlaps(places, things)
        return [WantedTerm(places[place], place) for place in free if places[place]]

    def _shown_terms(self, protected: PlaceholderSentence, text: str) -> list[WantedTerm]:
        """Return the terms of a sentence, each with its place in the text that is shown."""
        there = iter(self._terms(text))
        found: list[WantedTerm] = []
        for term in self._terms(protected.source, protected.things):
            same = (one.place for one in there if one.spellings == term.spellings)
            found.append(WantedTerm(term.spellings, next(same, None)))
        return found

    def _search(
        self, shown: Sequence[PlaceholderSentence], fixed: Sequence[Sequence[Term]], how: How
    ) -> Coroutine[list[TranslatedSentence | None]]:
        """Translate; None where something is lost, or nothing comes."""
        texts, voices = self._inputs(shown)
        terms = [self._shown_terms(one, text) for one, text in zip(shown, texts, strict=True)]
        found = yield from self._best(texts, fixed, terms)
        answers: list[TranslatedSentence | None] = []
        for place, (one, (best, counts)) in enumerate(zip(shown, found, strict=True)):
            said = without_strays(best.text, one.source)
            text = self._finish(one, said, voices[place])
            answers.append(
                TranslatedSentence(text, how, texts[place], best, counts) if text else None
            )
        return answers

    def _finish(
        self, shown: PlaceholderSentence, translation: str, voice: CasingStyle
    ) -> str | None:
        """Write a translation in the manner of its source; None where something is lost."""
        text = shown.restored(apply_casing(translation, voice))
        return self._punctuate(shown, text) if text else None

    def _punctuate(self, shown: PlaceholderSentence, text: str) -> str:
        """Let the final mark follow the source, unless it would join what must survive."""
        if self.punctuation is None:
            return text
        followed = self.punctuation.follow(shown.source, text)
        return followed if followed == text or shown.survives_in(followed) else text

    def _inputs(self, shown: Sequence[PlaceholderSentence]) -> tuple[list[str], list[CasingStyle]]:
        """Return what the network is told of sentences, and the voices they are spoken in."""
        texts = [one.shown if self.mend is None else self.mend(one.shown) for one in shown]
        voices = [self.casing.voice(one.source) for one in shown]
        quiet = [
            text if voice is CasingStyle.PLAIN else self.casing.quiet(text)
            for text, voice in zip(texts, voices, strict=True)
        ]
        return quiet, voices
