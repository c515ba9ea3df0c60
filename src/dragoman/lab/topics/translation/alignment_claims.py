"""Claims on attention to the source: the context, its weights and their score."""

import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, at_most, equal, same
from dragoman.lab.topics.recurrent.drawn import RandomNumbers
from dragoman.lab.topics.translation.bahdanau_by_hand import energies
from dragoman.lab.topics.translation.bahdanau_claims import DrawnBahdanau
from dragoman.lab.topics.translation.drawn_translators import TranslatorSettings
from dragoman.neural.layers.alignment import AdditiveAlignment
from dragoman.plots.lab import HeatMap

HIDDEN = 5


class AttendingSettings(Settings):
    """A decoder that attends to a source, both of them random vectors."""

    words: int = Field(default=4, ge=1, le=40)
    """Positions of the source."""
    padding: int = Field(default=2, ge=0, le=20)
    """Positions of padding after them."""
    steps: int = Field(default=3, ge=1, le=40)
    """Steps of the decoder."""
    width: int = Field(default=4, ge=1, le=32)
    """Size of the states."""
    seed: int = Field(default=1, ge=0, le=10_000)
    """Seed of the random weights and states."""


class Attending:
    """The attention of a few decoder states to a source with padding."""

    def __init__(self, settings: AttendingSettings) -> None:
        draw, width = RandomNumbers(settings.seed), settings.width
        self.attention = draw.network(lambda: AdditiveAlignment(width, width, HIDDEN))
        self.words = settings.words
        self.queries = draw(1, settings.steps, width)
        self.memory = draw(1, settings.words + settings.padding, width)
        mask = torch.arange(self.memory.shape[1]).unsqueeze(0) < settings.words
        keys = self.attention.project_keys(self.memory)
        with torch.no_grad():
            self.context, self.weights = self.attention(self.queries, keys, self.memory, mask)
            self.scores = self.attention.scores(self.queries, keys)[0]

    @property
    def states(self) -> list[Tensor]:
        """The encoder's states at the real positions."""
        return list(self.memory[0, : self.words])

    def by_hand(self) -> Tensor:
        """Return the energies of every step and position, one after the other."""
        found = [energies(self.attention, s, self.states) for s in self.queries[0]]
        return torch.stack(found).detach()


@claim(
    "B33",
    "The context of a decoder step is a weighted sum of the encoder's states: the weights are "
    "scalars, the states vectors.",
    r"c_i = \sum_j \alpha_{ij} h_j = \alpha_{i1} h_1 + \alpha_{i2} h_2 + \alpha_{i3} h_3 + "
    r"\alpha_{i4} h_4",
)
def context_is_a_weighted_sum(settings: AttendingSettings) -> Evidence:
    """Add up the weighted states term by term."""
    found = Attending(settings)
    sums = []
    for weights in found.weights[0]:
        total = torch.zeros_like(found.states[0])
        for alpha, h in zip(weights, found.states, strict=False):
            total += alpha * h
        sums.append(total)
    # The weights are non-negative and sum to 1, so a context lies within the range of the states.
    states = torch.stack(found.states)
    beyond = torch.maximum(found.context[0] - states.amax(0), states.amin(0) - found.context[0])
    return Evidence(
        stated=[
            same("difference from the sum term by term", found.context[0], torch.stack(sums)),
            at_most("distance of a context from the range of the states", beyond.max(), 1e-12),
        ],
        numbers={"terms": settings.words, "entries of each vector": settings.width},
    )


@claim(
    "E116",
    "The attention weights of a step are a softmax, over the positions of the source, of scores "
    "computed from the decoder's state and each encoder state. Padding has the weight 0.",
    r"\alpha_{tj} = \frac{\exp \tilde{\alpha}_{tj}}{\sum_k \exp \tilde{\alpha}_{tk}}, \qquad "
    r"\tilde{\alpha}_{tj} = f(s_{t-1}, h_j), \qquad c_t = \sum_j \alpha_{tj} h_j",
)
def weights_are_a_softmax(settings: AttendingSettings) -> Evidence:
    """Compare the weights with exponentials over their sum, and check the padding."""
    found = Attending(settings)
    exponentials = found.by_hand().exp()
    expected = exponentials / exponentials.sum(dim=1, keepdim=True)
    weights = found.weights[0]
    rows = [str(number) for number in range(1, settings.steps + 1)]
    return Evidence(
        stated=[
            same("weights minus exponentials over their sum", weights[:, : found.words], expected),
            same("sum of each step's weights", weights.sum(dim=1), torch.ones(settings.steps)),
            equal("total weight of the padding", weights[:, found.words :].sum(), 0.0, 0.0),
            same(
                "difference of the contexts", found.context[0], expected @ torch.stack(found.states)
            ),
        ],
        plot=[
            HeatMap("attention weights", weights.tolist(), "source position", "step", rows=rows),
        ],
    )


@claim(
    "E123",
    "The additive score is a small network with one hidden layer. The term $U_a h_j$ does not "
    "depend on the decoder step, so it is computed once for all steps.",
    r"e_{ij} = v_a^\top \tanh(W_a s_{i-1} + U_a h_j)",
)
def additive_score(settings: AttendingSettings) -> Evidence:
    """Compare all scores at once with a loop, and count how often U_a h_j is computed.

    The product writes tanh x as 2σ(2x) − 1 and omits the −1. Its scores are therefore larger by
    the sum of v, which a softmax does not see.
    """
    found = Attending(settings)
    shift = found.attention.energy.weight.detach().sum()
    return Evidence(
        stated=[
            same(
                "scores minus those of the loop",
                found.scores[:, : found.words] - shift,
                found.by_hand(),
            ),
            equal("times that U h is computed for a whole target", _projections(settings.seed), 1),
        ]
    )


def _projections(seed: int) -> int:
    """Count the projections of the keys while a whole target is written."""
    translator = DrawnBahdanau(TranslatorSettings(seed=seed))
    calls: list[int] = []
    key = translator.decoder.source_attention.key
    handle = key.register_forward_hook(lambda *_: calls.append(1))
    translator.model(translator.source, translator.target)
    handle.remove()
    return len(calls)
