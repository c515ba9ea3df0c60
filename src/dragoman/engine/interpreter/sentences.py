"""Sentences translated with care: known ones recalled, terms insisted on, nothing lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from dragoman.core.errors import DataError
from dragoman.data.documents.document import Stretch
from dragoman.data.formats.accelerators import without_strays
from dragoman.engine.inference.terms import Term, phrases_of
from dragoman.engine.inference.torch_engine import TorchEngine
from dragoman.engine.inference.translation import Translation
from dragoman.engine.inference.translator import Translator
from dragoman.engine.interpreter.casing import Casing, Voice, in_voice
from dragoman.engine.interpreter.glossary import Glossary, kept
from dragoman.engine.interpreter.memory import Memory
from dragoman.engine.interpreter.protection import How, Shielded, in_parts, shield
from dragoman.engine.interpreter.scripts import Scripts
from dragoman.engine.interpreter.unlooped import unlooped

Tell = Callable[[int], None]
Attempt = Callable[[Sequence["Sentence"], Tell | None], list["Told | None"]]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and what in it is not to be translated."""

    text: str
    verbatim: tuple[Stretch, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """A translated sentence."""

    text: str
    how: How
    """Whether what must survive did so at once."""
    shown: str = ""
    """What the network was shown."""
    translation: Translation | None = None
    """What the network said; None for what is known by heart, or was translated in parts."""
    unmet: int = 0
    """Terms that it lacks."""


@dataclass(frozen=True)
class Careful:
    """Translates sentences, one for one and in their order."""

    translator: Translator
    symbols: bool = False
    """Whether the network was trained with symbols for what must survive."""
    glossary: Glossary | None = None
    memory: Memory = field(default_factory=Memory)
    mend: Callable[[str], str] | None = None
    """Takes slips of the finger out of a sentence."""
    casing: Casing = field(default_factory=lambda: Casing({}))
    longest: int = 0
    """Words of the longest sentence that is translated whole; 0 is without limit."""
    scripts: Scripts | None = None
    """Knows what the network cannot read, or need not."""
    to: str | None = None
    beam: int | None = None

    def __call__(self, sentences: Sequence[Sentence], tell: Tell | None = None) -> list[Told]:
        """Translate sentences; `tell` hears how many more are done."""
        answers: list[Told | None] = [self._recalled(one) for one in sentences]
        open_ones = [place for place, answer in enumerate(answers) if answer is None]
        if tell:
            tell(len(sentences) - len(open_ones))
        for attempt in self._attempts:
            found = attempt([sentences[place] for place in open_ones], tell)
            for place, told in zip(open_ones, found, strict=True):
                answers[place] = told
            open_ones = [place for place in open_ones if answers[place] is None]
            tell = None  # they were counted already
        for place in open_ones:
            answers[place] = self._in_parts(sentences[place])
        return [answer for answer in answers if answer is not None]

    @property
    def _attempts(self) -> list[Attempt]:
        """Only a network that knows symbols can be made to write them and still speak well.

        Another engine, and a search that draws by chance, cannot be made to write anything.
        """
        ours = isinstance(self.translator.engine, TorchEngine)
        insists = self.symbols and ours and self.translator.decoding.search == "beam"
        return [self._at_once, self._insisting] if insists else [self._at_once]

    def _recalled(self, sentence: Sentence) -> Told | None:
        """Return what needs no translating: known, without letters, or translated already."""
        if not any(map(str.isalpha, sentence.text)) or (
            self.scripts and self.scripts.done(sentence.text)
        ):
            return Told(sentence.text, "at once")
        known = self.memory.recall(sentence.text)
        return None if known is None else Told(known, "at once")

    def _at_once(self, sentences: Sequence[Sentence], tell: Tell | None) -> list[Told | None]:
        shown = [self._shielded(one, numbers=False) for one in sentences]
        terms = [self._terms(one) for one in shown]
        return self._search(shown, terms, "at once", tell)

    def _insisting(self, sentences: Sequence[Sentence], tell: Tell | None) -> list[Told | None]:
        """Make everything a symbol that must come."""
        shown = [self._shielded(one, numbers=True) for one in sentences]
        terms = [[*self._terms(one), *([name] for name in one.symbols)] for one in shown]
        return self._search(shown, terms, "insisted", tell)

    def _in_parts(self, sentence: Sentence) -> Told:
        """Translate what stands between the things, each part as a sentence of its own."""
        shielded = self._shielded(sentence, numbers=True)
        text = in_parts(
            shielded,
            lambda parts: [
                one.text for one in unlooped(self.translator, parts, beam=self.beam, to=self.to)
            ],
        )
        said = any(map(str.isalpha, text)) or not any(map(str.isalpha, sentence.text))
        return Told(text if said else sentence.text, "in parts")

    def _shielded(self, sentence: Sentence, *, numbers: bool) -> Shielded:
        names = [] if self.glossary is None else kept(self.glossary.find(sentence.text))
        strange = self.scripts.strange(sentence.text) if self.scripts else []
        verbatim = [*sentence.verbatim]
        for one in (*names, *strange):
            verbatim += [] if any(_meet(one, other) for other in verbatim) else [one]
        return shield(sentence.text, sorted(verbatim), symbols=self.symbols, numbers=numbers)

    def _terms(self, shielded: Shielded) -> list[Term]:
        """Return the terms of a sentence that stand in none of the things."""
        if self.glossary is None:
            return []
        found = self.glossary.find(shielded.source)
        things = [Stretch(thing.begin, thing.end) for thing in shielded.things]
        free = [one for one in found if not any(_meet(one.place, thing) for thing in things)]
        return [one.spellings for one in dict.fromkeys(free) if one.spellings]

    def _search(
        self,
        shown: Sequence[Shielded],
        terms: Sequence[Sequence[Term]],
        how: How,
        tell: Tell | None,
    ) -> list[Told | None]:
        """Translate; None where something is lost, or nothing comes."""
        texts = [one.shown if self.mend is None else self.mend(one.shown) for one in shown]
        voices = [self.casing.voice(one.source) for one in shown]
        texts = [
            text if voice is Voice.PLAIN else self.casing.quiet(text)
            for text, voice in zip(texts, voices, strict=True)
        ]
        known = [self._writable(each) for each in terms]
        found = unlooped(
            self.translator,
            texts,
            beam=self.beam,
            to=self.to,
            terms=known if any(known) else None,
            after_batch=tell,
        )
        answers: list[Told | None] = []
        for place, (one, best) in enumerate(zip(shown, found, strict=True)):
            said = without_strays(best.text, one.source)
            text = one.restored(in_voice(said, voices[place]))
            lacks = best.unmet + len(terms[place]) - len(known[place])
            answers.append(Told(text, how, texts[place], best, lacks) if text else None)
        return answers

    def _writable(self, terms: Sequence[Term]) -> list[Term]:
        """Return the terms that the vocabulary can write."""
        return [term for term in terms if _can_write(self.translator, term)]


def _can_write(translator: Translator, term: Term) -> bool:
    try:
        phrases_of(term, translator.tokenizer.target)
    except DataError:
        return False
    return True


def _meet(one: Stretch, other: Stretch) -> bool:
    return one.begin < other.end and other.begin < one.end
