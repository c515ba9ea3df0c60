"""Continuous batching of a translator: texts come and go between any two steps of its search.

    question ─▶ pieces, waiting ─▶ admitted, some at a time ─ steps ─▶ found, with its last piece

Texts of different questions take their turns, so that a question of many texts does not keep one
of few waiting.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

from dragoman.backends.torch_engine import Ids, SourceFlow, TorchEngine
from dragoman.tasks.translation.requests import Found, TranslationRequest
from dragoman.tasks.translation.translation import Translation, join_translations
from dragoman.tasks.translation.translator import Translator

STEPS = 4
"""Between two admissions. To take sources in, and to hand translations out, one by one costs more
than to let them wait that long."""

ROOM = 4
"""How many batches of `decoding.batch_tokens` may be under way at the same time, for the memory's
sake. One sentence always may."""


@dataclass(eq=False, slots=True)
class PendingRequest:
    """A request on its way."""

    answers: list[list[list[Translation]]]
    """Of each text, of each piece; empty where nothing is found yet."""
    waiting: deque[tuple[int, int, Ids]] = field(default_factory=deque)
    """Text, piece and source of what is not admitted yet."""
    missing: int = 0
    """Pieces that are not found yet."""
    no_repeat: int = 0

    @property
    def found(self) -> Found:
        """The translations of the texts, the pieces of each put together."""
        return [join_translations(parts) for parts in self.answers]


@dataclass(frozen=True, slots=True)
class SearchRow:
    """A piece that is being searched."""

    asked: PendingRequest
    text: int
    place: int
    slots: int
    """What it takes of the room: a slot for each token of its source and each place of the beam."""


class TranslatorFlow:
    """Answers plain questions, many at a time."""

    def __init__(self, translator: Translator, flow: SourceFlow) -> None:
        self.translator = translator
        self._flow = flow
        self._asked: deque[PendingRequest] = deque()
        """Those of whose pieces some wait."""
        self._lines: dict[int, SearchRow] = {}
        self._room = ROOM * translator.decoding.batch_tokens

    @classmethod
    def of(cls, translator: Translator, most: int) -> "TranslatorFlow | None":
        """Return the flow of a translator, of so many lines, if its search can have one."""
        if not isinstance(translator.engine, TorchEngine):
            return None
        flow = translator.engine.flow(translator.decoding, most)
        return None if flow is None else cls(translator, flow)

    def takes(self, question: TranslationRequest) -> bool:
        """Say whether a question asks for nothing but the likeliest translations."""
        usual = self.translator.decoding
        told = question.terms is not None or question.prefixes is not None
        own_beam = question.beam in (None, usual.beam)
        own_rule = not question.no_repeat or usual.no_repeat_ngram in (0, question.no_repeat)
        return own_beam and own_rule and question.nbest == 1 and not told

    def ask(self, question: TranslationRequest) -> PendingRequest:
        """Take a question; its answer comes from a later step, or is there already."""
        pieces = self.translator.cut(question.texts, question.to)
        encode = self.translator.tokenizer.encode_source
        asked = PendingRequest(
            [[[] for _ in parts] for parts in pieces], no_repeat=question.no_repeat
        )
        asked.waiting += [
            (text, place, encode(piece))
            for text, parts in enumerate(pieces)
            for place, piece in enumerate(parts)
        ]
        asked.missing = len(asked.waiting)
        if asked.missing:
            self._asked.append(asked)
        return asked

    @property
    def lines(self) -> list[SearchRow]:
        """What is being searched."""
        return list(self._lines.values())

    def go_on(self) -> list[PendingRequest]:
        """Admit what waits, and take some steps; return the questions that are answered."""
        self._admit()
        done: list[PendingRequest] = []
        for _ in range(STEPS):
            for line, found in self._flow.step().items():
                one = self._lines.pop(line)
                one.asked.answers[one.text][one.place] = self.translator.decode_outputs(found)
                one.asked.missing -= 1
                if not one.asked.missing:
                    done.append(one.asked)
            if not self._lines:
                break
        return done

    def drop(self, gone: Iterable[PendingRequest]) -> None:
        """Forget questions that nobody waits for any more."""
        left = set(gone)
        lines = [line for line, one in self._lines.items() if one.asked in left]
        self._flow.leave(lines)
        for line in lines:
            del self._lines[line]
        self._asked = deque(asked for asked in self._asked if asked not in left)

    def clear(self) -> None:
        """Forget all questions, after a step that failed."""
        self._asked.clear()
        self._lines.clear()
        self._flow.clear()

    def _admit(self) -> None:
        """Let what waits begin, a piece of each question in turn, as far as there is room."""
        room = self._room - sum(line.slots for line in self.lines)
        lines: list[SearchRow] = []
        sources: list[Ids] = []
        while self._asked and len(lines) < self._flow.room:
            asked = self._asked[0]
            text, place, source = asked.waiting[0]
            slots = (len(source) + 1) * self.translator.decoding.beam
            if slots > room and (lines or self._lines):
                break
            room -= slots
            asked.waiting.popleft()
            self._asked.popleft()
            if asked.waiting:
                self._asked.append(asked)
            lines.append(SearchRow(asked, text, place, slots))
            sources.append(source)
        if lines:
            numbers = self._flow.admit(sources, [line.asked.no_repeat for line in lines])
            self._lines |= dict(zip(numbers, lines, strict=True))
