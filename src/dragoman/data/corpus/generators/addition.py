"""Addition of long numbers, with the answer alone or with every step written out.

    347+585=932
    347+585=7+5+0=12,4+8+1=13,3+5+1=09,932

A step adds two digits, from the right, and what is carried; of its two digits the first is carried
on and the second stands in the answer. The answer is what follows the last comma.
"""

from random import Random
from typing import NamedTuple

from dragoman.core.errors import DataError
from dragoman.data.corpus.generators.sampling import draw_distinct

MOST_DIGITS = 50


class Addition(NamedTuple):
    """Two numbers to add."""

    first: int
    second: int

    @property
    def question(self) -> str:
        """The question, up to the equals sign."""
        return f"{self.first}+{self.second}="

    @property
    def answer(self) -> str:
        """The sum in digits."""
        return str(self.first + self.second)

    def written(self, *, steps: bool) -> str:
        """Give what is to follow the question: the answer alone, or the steps and the answer."""
        return ",".join([*self.steps(), self.answer]) if steps else self.answer

    def steps(self) -> list[str]:
        """Add digit by digit from the right."""
        width = max(len(str(self.first)), len(str(self.second)))
        said, carried = [], 0
        for power in range(width):
            a, b = (number // 10**power % 10 for number in self)
            total = a + b + carried
            said.append(f"{a}+{b}+{carried}={total:02d}")
            carried = total // 10
        return said


def draw_additions(
    count: int, *, digits: int, seed: int, fewest: int | None = None
) -> list[Addition]:
    """Draw distinct additions of two numbers with `digits` digits each, or from `fewest` on."""
    fewest = digits if fewest is None else fewest
    if not 1 <= fewest <= digits <= MOST_DIGITS:
        raise DataError(f"{fewest} to {digits} digits: have 1 to {MOST_DIGITS}, fewest first.")

    def make(random: Random) -> Addition:
        size = random.randint(fewest, digits)
        lowest = 10 ** (size - 1) if size > 1 else 0
        return Addition(*(random.randrange(lowest, 10**size) for _ in range(2)))

    return draw_distinct(make, count, seed=f"addition/{fewest}/{digits}/{seed}")


def read_answer(written: str) -> str:
    """Find the answer in what was written, with or without steps."""
    return written.rpartition(",")[2].strip()
