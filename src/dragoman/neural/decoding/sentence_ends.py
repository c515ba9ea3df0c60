"""Sentence ends: sentence-final punctuation after which no phrase that must come is begun any more.

    Mi casa es grande .   [coche]      a constraint appended after the end, and
    Mi casa es grande . Es un coche .  a second sentence that is there to hold it: neither may be

A sentence has ended at a full stop, a question mark …, closing quotes and brackets included, where
the source has no further sentence, or where the model would rather end than go on. Abbreviations
and decimal points are therefore no ends as long as the source has as many marks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor


@dataclass(frozen=True, slots=True)
class SentenceEnds:
    """The tokens that end a sentence, those that may close it, and the sentences of each source."""

    finals: Sequence[int] = ()
    """Tokens whose text ends with sentence-final punctuation."""

    closers: Sequence[int] = ()
    """Closing quotes and brackets, which may follow it."""

    sentences: Sequence[int] = ()
    """How many sentences each source has, at least one."""

    def ended(
        self,
        prefixes: Int[Tensor, "n t"],
        rows: Int[Tensor, " n"],
        likeliest_end: Bool[Tensor, " n"],
    ) -> Bool[Tensor, " n"]:
        """Say which prefixes have come to the end of their last sentence.

        `rows` are their sources; `likeliest_end` says where the model would rather end.
        """
        if not prefixes.shape[1]:
            return torch.zeros(len(prefixes), dtype=torch.bool)
        final = _among(prefixes, self.finals)
        other = ~(final | _among(prefixes, self.closers))
        places = torch.arange(1, prefixes.shape[1] + 1)
        last_final = (places * final).cummax(1).values
        closed = last_final > (places * other).cummax(1).values  # n t
        begun = 1 + (closed[:, :-1] & other[:, 1:]).sum(1)
        no_more = begun >= torch.tensor(self.sentences, dtype=torch.long)[rows]
        return closed[:, -1] & (no_more | likeliest_end)

    def may_follow(self, tokens: Int[Tensor, "n c"]) -> Bool[Tensor, "n c"]:
        """Say which tokens may stand between the end of a sentence and END."""
        return _among(tokens, (*self.finals, *self.closers))


def _among(tokens: Int[Tensor, "*shape"], some: Sequence[int]) -> Bool[Tensor, "*shape"]:
    return torch.isin(tokens, torch.tensor(some, dtype=torch.long))
