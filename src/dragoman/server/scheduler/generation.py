"""Continuous batching of generation: texts of many requests, a token of each at a time.

Between two tokens new texts are taken in and others leave: those that have ended, and those that
nobody waits for any more. What came is handed to each request's own loop at once.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from dragoman.server.scheduler.jobs import Busy, Closed
from dragoman.server.scheduler.worker_thread import Engine
from dragoman.tasks.language_model.continuous_batching import ContinuousWriter
from dragoman.tasks.language_model.requests import GeneratedToken, GenerationRequest

log = logging.getLogger("dragoman.server")

News = Sequence[GeneratedToken] | Exception


class GenerationTask:
    """A request's texts while they are written; their pieces come to the loop that asked."""

    def __init__(self, wishes: Sequence[GenerationRequest]) -> None:
        self.texts = sum(wish.choices for wish in wishes)
        self.cancelled = False
        self.numbers: dict[int, int] = {}
        """Which of its texts each row is: the choices of its first wish, then of the second, …"""
        self._loop = asyncio.get_running_loop()
        self._news: asyncio.Queue[News] = asyncio.Queue()

    def cancel(self) -> None:
        """Say that nobody waits any more; it leaves before the next token."""
        self.cancelled = True

    def tell(self, news: News) -> None:
        """Hand over what came, from another thread; a loop that is gone wants nothing more."""
        try:
            self._loop.call_soon_threadsafe(self._news.put_nowait, news)
        except RuntimeError:
            self.cancelled = True

    async def pieces(self, patience: float) -> AsyncGenerator[GeneratedToken]:
        """Yield what comes until all texts have ended; the row of a piece is the text's number.

        Nothing for so many seconds is a TimeoutError. Whoever stops listening cancels the rest.
        """
        going = self.texts
        try:
            while going:
                news = await asyncio.wait_for(self._news.get(), patience)
                if isinstance(news, Exception):
                    raise news
                for piece in news:
                    going -= piece.ended is not None
                    yield replace(piece, row=self.numbers[piece.row])
        finally:
            self.cancel()


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A wish that is still to be taken in, and the number of its first text."""

    writing: GenerationTask
    wish: GenerationRequest
    first: int


class WritingLane:
    """Gives a language model its turns: in each, one more token of every text."""

    def __init__(self, engine: Engine, machine: ContinuousWriter, *, most_waiting: int) -> None:
        self.machine = machine
        self.most_waiting = most_waiting
        """Texts that may wait to be begun."""
        self.steps, self.tokens = 0, 0
        """Turns that wrote something so far, and the tokens they wrote."""
        self._waiting: deque[_Waiting] = deque()
        self._writing: dict[int, GenerationTask] = {}
        self._lock = threading.Lock()
        self._engine = engine
        engine.add(self)

    def ask(self, wishes: Sequence[GenerationRequest]) -> GenerationTask:
        """Have texts written, for the loop that asks; all of them wait, or none."""
        writing, begins = GenerationTask(wishes), accumulate((w.choices for w in wishes), initial=0)
        with self._lock:
            waiting = self._texts_waiting()
            if waiting and waiting + writing.texts > self.most_waiting:
                raise Busy
            self._waiting += [_Waiting(writing, *one) for one in zip(wishes, begins, strict=False)]
        self._engine.wake()
        return writing

    @property
    def waiting(self) -> int:
        """Texts that wait to be begun."""
        with self._lock:
            return self._texts_waiting()

    @property
    def rows(self) -> int:
        """Texts that are being written."""
        return len(self._writing)

    def has_work(self) -> bool:
        """Say whether anything waits or is being written."""
        return bool(self._waiting or self._writing)

    def turn(self) -> None:
        """Take in what there is room for, and write one more token of every text."""
        self._let_go()
        try:
            self._take_in()
            pieces = self.machine.step()
        except Exception as error:
            log.exception("a step of %d texts failed", len(self._writing))
            self.machine.clear()
            self._fail(error)
            return
        self.steps, self.tokens = self.steps + bool(pieces), self.tokens + len(pieces)
        self._hand_out(pieces)

    def close(self) -> None:
        """Fail all that waits or is being written."""
        self._fail(Closed())
        with self._lock:
            left, self._waiting = self._waiting, deque()
        for writing in {one.writing for one in left}:
            writing.tell(Closed())

    def _texts_waiting(self) -> int:
        return sum(one.wish.choices for one in self._waiting if not one.writing.cancelled)

    def _let_go(self) -> None:
        """Forget what nobody waits for any more."""
        gone = [row for row, one in self._writing.items() if one.cancelled]
        self.machine.leave(gone)
        for row in gone:
            del self._writing[row]

    def _take_in(self) -> None:
        """Begin what waits, in the order it came: a long text is never overtaken for ever."""
        while (one := self._first()) is not None:
            if not one.writing.cancelled:
                if not self.machine.has_room_for(one.wish):
                    return
                for number, row in enumerate(self.machine.admit(one.wish), one.first):
                    one.writing.numbers[row] = number
                    self._writing[row] = one.writing
            with self._lock:
                self._waiting.popleft()

    def _first(self) -> _Waiting | None:
        with self._lock:
            return self._waiting[0] if self._waiting else None

    def _hand_out(self, pieces: Sequence[GeneratedToken]) -> None:
        own: dict[GenerationTask, list[GeneratedToken]] = {}
        for piece in pieces:
            one = self._writing.get(piece.row)
            if one is not None:
                own.setdefault(one, []).append(piece)
            if piece.ended is not None:
                self._writing.pop(piece.row, None)
        for one, news in own.items():
            one.tell(news)

    def _fail(self, error: Exception) -> None:
        failed, self._writing = set(self._writing.values()), {}
        for one in failed:
            one.tell(error)
