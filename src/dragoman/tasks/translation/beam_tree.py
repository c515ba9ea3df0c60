"""The beam of a search as a tree that people can look at: what was tried, dropped and chosen.

It is the search of the translator itself, watched: the path of the winner is its translation. A
search that draws at random has no beam; of such a translator the beam is shown that it would have.
"""

from dataclasses import dataclass
from typing import Literal

from dragoman.backends.torch_engine import TorchEngine
from dragoman.core.errors import ConfigError
from dragoman.data.corpus.tags import tagging
from dragoman.data.tokenizer.special_tokens import END
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.neural.decoding.beam_trace import SentenceTrace, Trace
from dragoman.tasks.translation.bare_translator import BareTranslator

Fate = Literal["start", "alive", "ended", "dropped", "best"]


@dataclass(frozen=True, slots=True)
class Node:
    """A candidate that entered the beam."""

    number: int
    parent: int | None
    """The number of the one that it goes on from."""

    step: int
    token: int
    piece: str
    """The token as the vocabulary has it."""

    text: str
    """All that it says so far."""

    total: float
    """Its log-probability."""

    fate: Fate
    """`best`: on the winner's path. `alive`: it went on. `ended`: it came to its end. `dropped`: it
    did not go on."""

    ended: bool
    """Whether its token is the end mark."""

    score: float | None
    """What the search ranked it by, where it was taken for a result."""


@dataclass(frozen=True, slots=True)
class BeamTree:
    """All candidates of one sentence, each after the one that it goes on from."""

    source: str
    nodes: tuple[Node, ...]
    beam: int
    """Places of the beam."""

    @property
    def steps(self) -> int:
        """Steps that the search took."""
        return max(node.step for node in self.nodes)

    @property
    def best(self) -> Node:
        """The winner."""
        return [node for node in self.nodes if node.fate in ("start", "best")][-1]


def beam_tree(
    translator: BareTranslator, text: str, *, beam: int | None = None, to: str | None = None
) -> BeamTree | None:
    """Translate a sentence and tell all that the beam held; nothing where there is none to see.

    A text longer than the network reads at once is translated in parts, each with a beam of its
    own; an empty one is not translated at all. Where the beam has groups it is as wide as asked for
    or, so that they are equal, a little wider.
    """
    engine = translator.engine
    if not isinstance(engine, TorchEngine):
        raise ConfigError("this engine does not show its beam. Use the engine torch.")
    clean = " ".join(text.replace("\x00", "").split())
    tag, rest = tagging(translator.corpus, to)(clean)
    source = translator.tokenizer.encode_source(tag + rest)
    if not clean or len(source) + 1 > translator.longest:
        return None
    own = translator.decoding
    wide = -(-(beam or own.beam) // own.groups) * own.groups
    chosen = own.model_copy(update={"beam": wide, "search": "beam"})
    trace = Trace()
    engine.search([source], chosen, 1, [[]], [[]], trace=trace)
    return BeamTree(text, _nodes(trace.sentences[0], translator.tokenizer.target), wide)


def _nodes(traced: SentenceTrace, tokenizer: Tokenizer) -> tuple[Node, ...]:
    fates = _fates(traced)
    nodes = []
    for number, one in enumerate(traced.candidates):
        first = one.parent is None
        nodes.append(
            Node(
                number=number,
                parent=one.parent,
                step=one.step,
                token=one.token,
                piece="" if first else tokenizer.words([one.token])[0],
                text=" ".join(tokenizer.decode(traced.tokens(number)).splitlines()).strip(" "),
                total=one.total,
                fate=fates[number],
                ended=one.token == END and not first,
                score=None if one.output is None else one.output.score,
            )
        )
    return tuple(nodes)


def _fates(traced: SentenceTrace) -> list[Fate]:
    went_on = {one.parent for one in traced.candidates}
    won = set(traced.path)
    fates: list[Fate] = []
    for number, one in enumerate(traced.candidates):
        if one.parent is None:
            fates.append("start")
        elif number in won:
            fates.append("best")
        elif one.token == END:
            fates.append("ended")
        else:
            fates.append("alive" if number in went_on else "dropped")
    return fates
