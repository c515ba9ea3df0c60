"""Continuous batching of translations: items of many requests in one search.

An item begins as soon as there is room, goes on whenever what it asked for is found, and leaves
when it is done, whatever the others do. So a short text never waits for a long one.
"""

import logging
from collections.abc import Callable, Hashable

from dragoman.server.scheduler.jobs import Closed
from dragoman.server.scheduler.queue import Item, QueuedLane, Result, Taken
from dragoman.server.scheduler.worker_thread import Engine
from dragoman.tasks.translation.continuous_batching import PendingRequest, TranslatorFlow
from dragoman.tasks.translation.requests import Asking, Found, TranslationRequest, answer_together

log = logging.getLogger("dragoman.server")


class FlowLane(QueuedLane[Item, Result]):
    """Gives a search its turns: in each, a few more steps with every sentence."""

    def __init__(
        self,
        engine: Engine,
        flow: TranslatorFlow,
        begin: Callable[[Hashable, Item], Asking[Result]],
        *,
        together: int,
        most_waiting: int,
    ) -> None:
        super().__init__(engine, weigh=lambda _: 1, together=together, most_waiting=most_waiting)
        self.begin, self.flow = begin, flow
        self._going: dict[PendingRequest, tuple[Taken[Item, Result], Asking[Result]]] = {}
        """Who waits for the answer to each question."""
        self._apart: list[tuple[Taken[Item, Result], Asking[Result], TranslationRequest]] = []
        """Those who ask for what the search does not take, and what they ask."""

    def has_work(self) -> bool:
        """Say whether anything waits or is on its way."""
        return bool(self._going or self._apart) or super().has_work()

    def turn(self) -> None:
        """Begin what there is room for, and take some steps."""
        self._let_go()
        room = self.together - len(self._going) - len(self._apart)
        for taken in self._take(room, alike=False) if room > 0 else ():
            self._begin(taken)
        try:
            answered = self.flow.go_on()
        except Exception as error:
            log.exception("steps with %d texts failed", len(self._going))
            self.flow.clear()
            self._fail(error)
            return
        self.passes += 1
        for asked in answered:
            if asked in self._going:  # else the lane was closed meanwhile
                taken, asking = self._going.pop(asked)
                self._go_on(taken, asking, asked.found)
        self._answer_apart()

    def close(self) -> None:
        """Fail all that waits or is on its way."""
        super().close()
        self._fail(Closed())

    def _begin(self, taken: Taken[Item, Result]) -> None:
        request, place = taken
        try:
            asking = self.begin(request.key, request.items[place])
        except Exception as error:
            log.exception("a text could not be begun")
            request.fail(error)
            return
        self._go_on(taken, asking, None)

    def _go_on(
        self, taken: Taken[Item, Result], asking: Asking[Result], found: Found | None
    ) -> None:
        """Let an item go on with what was found, until it asks for what the search can take."""
        request, place = taken
        try:
            while True:
                question = next(asking) if found is None else asking.send(found)
                if not self.flow.takes(question):
                    self._apart.append((taken, asking, question))
                    return
                asked = self.flow.ask(question)
                if asked.missing:
                    self._going[asked] = taken, asking
                    return
                found = asked.found
        except StopIteration as over:
            self.done += 1
            request.put(place, over.value)
        except Exception as error:
            log.exception("a text could not be translated")
            request.fail(error)

    def _answer_apart(self) -> None:
        """Answer in a search of their own, all together, those who ask for something special."""
        apart = [one for one in self._apart if not one[0][0].job.cancelled]
        self._apart = []
        if not apart:
            return
        try:
            answers = answer_together(self.flow.translator, [question for *_, question in apart])
        except Exception as error:
            if len(apart) == 1:
                log.exception("a pass of one text failed")
                apart[0][0][0].fail(error)
                return
            for one in apart:  # whoever is to blame fails alone
                self._apart = [one]
                self._answer_apart()
            return
        for (taken, asking, _), found in zip(apart, answers, strict=True):
            self._go_on(taken, asking, found)

    def _let_go(self) -> None:
        """Drop what nobody waits for any more."""
        gone = [asked for asked, ((request, _), _) in self._going.items() if request.job.cancelled]
        if gone:
            self.flow.drop(gone)
        for asked in gone:
            del self._going[asked]

    def _fail(self, error: Exception) -> None:
        going, self._going = self._going, {}
        apart, self._apart = self._apart, []
        under_way = [taken for taken, _ in going.values()] + [taken for taken, _, _ in apart]
        for request, _ in under_way:
            request.fail(error)
