"""The rules of a search: special tokens, beam size, length penalty, forbidden repetition."""

from dataclasses import dataclass

from dragoman.neural.decoding.protocol import Hypothesis
from dragoman.neural.decoding.stutter import StutterGuard


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The special tokens, the size of the search and its guards."""

    start: int
    end: int
    forbidden: tuple[int, ...] = ()
    """Tokens that never come out: padding, START, unknown."""

    beam: int = 1
    nbest: int = 1
    length_penalty: float = 1.0
    no_repeat: int = 0
    loop_guard: int = 0
    stutter_guard: StutterGuard | None = None

    def hypothesis(
        self, tokens: list[int], log_probability: float, *, finished: bool
    ) -> Hypothesis:
        """Put a score on an output: its log-probability divided by length ** length_penalty."""
        length = max(len(tokens) + finished, 1)
        score = log_probability / length**self.length_penalty
        return Hypothesis(tuple(tokens), log_probability, score, finished)
