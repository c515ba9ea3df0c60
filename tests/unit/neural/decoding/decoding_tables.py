"""Models made of probability tables, small enough to be searched by hand."""

from collections.abc import Iterator
from itertools import product

import torch
from torch import Tensor

from dragoman.config.training import DecodingSettings
from dragoman.neural.decoding.search import search

START, END = 0, 1


class Table:
    """The next token depends on the sentence, the position and the two tokens before.

    The state is the rows' sentences and prefixes, so that nothing hides in it. `asked` counts the
    rows of every step.
    """

    def __init__(self, log_probs: Tensor) -> None:
        self.log_probs = log_probs.log_softmax(-1)  # sentence, position, last but one, last, next
        self.asked: list[int] = []

    @classmethod
    def random(cls, seed: int, *, sentences: int = 1, steps: int = 6, vocabulary: int = 5):
        generator = torch.Generator().manual_seed(seed)
        sizes = (sentences, steps, vocabulary, vocabulary, vocabulary)
        return cls(2 * torch.randn(sizes, generator=generator, dtype=torch.float64))

    def begin(self, source: Tensor) -> tuple[Tensor, Tensor]:
        empty = torch.zeros((len(source), 1), dtype=torch.long)
        return source[:, 0], empty

    def step(self, tokens: Tensor, state: tuple[Tensor, Tensor]):
        sentences, prefixes = state
        self.asked.append(len(tokens))
        prefixes = torch.cat([prefixes, tokens[:, None]], dim=1)
        position = min(prefixes.shape[1] - 2, self.log_probs.shape[1] - 1)
        nexts = self.log_probs[sentences, position, prefixes[:, -2], prefixes[:, -1]]
        return nexts, (sentences, prefixes)

    def reorder(self, state: tuple[Tensor, Tensor], rows: Tensor) -> tuple[Tensor, Tensor]:
        sentences, prefixes = state
        return sentences[rows], prefixes[rows]

    def log_probability(self, sentence: int, tokens: tuple[int, ...]) -> float:
        """The sum over the tokens, one at a time, with nothing clever."""
        history = [0, START]
        total = 0.0
        for position, token in enumerate(tokens):
            at = min(position, self.log_probs.shape[1] - 1)
            total += self.log_probs[sentence, at, history[-2], history[-1], token].item()
            history.append(token)
        return total

    def endings(self, longest: int, sentence: int = 0) -> Iterator[tuple[tuple[int, ...], float]]:
        """Every string of at most `longest` steps that ends, with its log-probability."""
        words = range(2, self.log_probs.shape[-1])
        for length in range(longest):
            for tokens in product(words, repeat=length):
                yield tokens, self.log_probability(sentence, (*tokens, END))


class Chain(Table):
    """The next token depends on the last one alone: rows of probabilities, by hand."""

    def __init__(self, rows: dict[int, dict[int, float]], vocabulary: int) -> None:
        table = torch.full((1, 1, 1, vocabulary, vocabulary), 1e-9, dtype=torch.float64)
        for last, nexts in rows.items():
            for token, probability in nexts.items():
                table[0, 0, 0, last, token] = probability
        super().__init__(table.log().expand(1, 1, vocabulary, vocabulary, vocabulary))


def sources(*names: int) -> Tensor:
    """A batch whose only token says which table to read."""
    return torch.tensor(names, dtype=torch.long).view(-1, 1)


def looked_for(
    model,
    names,
    *,
    nbest=1,
    forbidden=(START,),
    prefixes=None,
    constraints=None,
    sentence_ends=None,
    **changes,
):
    """Search the named sentences, with at most six steps unless it is changed."""
    chosen = {"max_length_ratio": 0.5, "max_length_extra": 6, "loop_guard": 0, **changes}
    names = names or (0,)
    return search(
        model,
        sources(*names),
        [1] * len(names),
        DecodingSettings(**chosen),
        start=START,
        end=END,
        forbidden=forbidden,
        nbest=nbest,
        prefixes=prefixes,
        constraints=constraints,
        sentence_ends=sentence_ends,
    )
