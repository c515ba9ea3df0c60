"""Claims on the network of Bahdanau et al. 2015, part by part, against its equations by hand."""

import torch
from torch import Tensor

from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, equal, same
from dragoman.lab.topics.recurrent.drawn import RandomNumbers
from dragoman.lab.topics.translation.bahdanau_by_hand import (
    BahdanauStep,
    encode,
    first_state,
    maxout,
    write,
)
from dragoman.lab.topics.translation.drawn_translators import (
    TranslatorSettings,
    bahdanau,
    draw_pair,
    draw_translator,
)
from dragoman.neural.models.recurrent.additive import AdditiveDecoder
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.objectives.cross_entropy import cross_entropy


class DrawnBahdanau:
    """A drawn translator of Bahdanau et al. with a pair of sentences, and the same by hand."""

    def __init__(self, settings: TranslatorSettings, readout: str = "maxout") -> None:
        draw = RandomNumbers(settings.seed)
        chosen = bahdanau(settings).model_copy(update={"readout": readout})
        self.model: RecurrentTranslator = draw_translator(draw, settings, chosen)
        self.source, self.target, self.labels = draw_pair(draw, settings)
        if not isinstance(self.model.decoder, AdditiveDecoder):
            raise TypeError("this is not the decoder of Bahdanau et al.")
        self.decoder = self.model.decoder

    def by_hand(self) -> list[BahdanauStep]:
        """Write the target by hand."""
        return write(self.model, self.source[0].tolist(), self.target[0].tolist())


@claim(
    "E120",
    "The encoder of Bahdanau et al. reads both ways with gated units that reset the state before "
    "its matrix; a position's state is both directions' together.",
    r"h_i = (1 - z_i) \odot h_{i-1} + z_i \odot \tilde{h}_i, \quad "
    r"\tilde{h}_i = \tanh(W E x_i + U (r_i \odot h_{i-1})), \quad "
    r"z_i, r_i = \sigma(W_{z,r} E x_i + U_{z,r} h_{i-1})",
)
def bahdanau_encoder(settings: TranslatorSettings) -> Evidence:
    """Compare our encoder with the equations, one vector at a time."""
    drawn = DrawnBahdanau(settings)
    memory = drawn.model.encode(drawn.source)
    ahead, behind = encode(drawn.model, drawn.source[0].tolist())
    onward, backward = memory.outputs[0].split(settings.width, dim=1)
    return Evidence(
        stated=[
            same("difference of the onward states", onward, torch.stack(ahead)),
            same("difference of the backward states", backward, torch.stack(behind)),
        ]
    )


@claim(
    "E122",
    "The decoder begins from the state in which the backward direction ended, at the first word of "
    "the source, through a layer of its own.",
    r"s_0 = \tanh(W_s \overleftarrow{h}_1), \qquad W_s \in \mathbb{R}^{n \times n}",
)
def bahdanau_start(settings: TranslatorSettings) -> Evidence:
    """Compare the first state with the equation."""
    drawn = DrawnBahdanau(settings)
    _, behind = encode(drawn.model, drawn.source[0].tolist())
    begun = drawn.model.begin(drawn.source).recurrent.hidden[0, 0]
    matrix = drawn.decoder.start.get_parameter("maps.0.weight")
    return Evidence(
        stated=[
            same("difference of s_0", begun, first_state(drawn.model, behind)),
            equal("entries of W_s", matrix.numel(), settings.width**2, 0.0),
        ]
    )


@claim(
    "E121",
    "The decoder is a gated unit, too, told the last word and the context: each of its gates, and "
    "its candidate, has a matrix $C$ for the context.",
    r"s_i = (1 - z_i) \odot s_{i-1} + z_i \odot \tilde{s}_i, \quad \tilde{s}_i = "
    r"\tanh(W E y_{i-1} + U (r_i \odot s_{i-1}) + C c_i), \quad "
    r"z_i, r_i = \sigma(W_{z,r} E y_{i-1} + U_{z,r} s_{i-1} + C_{z,r} c_i)",
)
def bahdanau_decoder(settings: TranslatorSettings) -> Evidence:
    """Compare our decoder's states and weights with the equations, step by step."""
    drawn = DrawnBahdanau(settings)
    state = drawn.model.begin(drawn.source)
    states, weights = [], []
    for token in drawn.target.unbind(1):
        _, state = drawn.model.step(token, state)
        states.append(state.recurrent.hidden[0, 0])
        weights.append(state.weights if state.weights is not None else torch.empty(0))
    hand = drawn.by_hand()
    return Evidence(
        stated=[
            same("difference of the states", torch.stack(states), stacked(hand, "state")),
            same("difference of the weights", torch.cat(weights), stacked(hand, "weights")),
        ]
    )


def stacked(steps: list[BahdanauStep], name: str) -> Tensor:
    """Return one figure of all steps."""
    return torch.stack([getattr(one, name) for one in steps]).detach()


@claim(
    "E124",
    "The output is a softmax over $W_o t_i$, where $t_i$ takes the larger of each two entries of a "
    r"mixture $\tilde{t}_i$ of state, word and context (maxout): $2l$ entries become $l$.",
    r"p(y_i) \propto \exp(y_i^\top W_o t_i), \quad t_{ik} = \max(\tilde{t}_{i,2k-1}, "
    r"\tilde{t}_{i,2k}), \quad \tilde{t}_i = U_o s_{i-1} + V_o E y_{i-1} + C_o c_i",
    notes=r"$\tilde{t}_i$ goes into the softmax as it is: the maxout of the paper is left out",
)
def bahdanau_output(settings: TranslatorSettings) -> Evidence:
    """Make scores from the mixture with and without maxout."""
    drawn = DrawnBahdanau(settings)
    found = drawn.model(drawn.source, drawn.target)[0].log_softmax(dim=-1)
    mixed, w_o = stacked(drawn.by_hand(), "mixed"), drawn.model.output.weight
    fits = mixed.shape[1] == w_o.shape[1]
    printed = (mixed @ w_o.t()).log_softmax(dim=-1) if fits else torch.empty(0)
    larger = torch.stack([maxout(one) for one in mixed])
    linear = DrawnBahdanau(settings, readout="linear")
    without = linear.model(linear.source, linear.target)[0]
    return Evidence(
        stated=[
            equal("entries of t̃, and columns of W_o", mixed.shape[1], w_o.shape[1], 0.0),
            same("difference of W_o t̃ from our network", printed, found),
        ],
        corrected=[
            equal("entries of t̃ over columns of W_o", mixed.shape[1] / w_o.shape[1], 2.0, 0.0),
            same("difference of W_o t", (larger @ w_o.t()).log_softmax(dim=-1), found),
            same("our network without maxout", without, stacked(linear.by_hand(), "scores")),
        ],
    )


@claim(
    "E117",
    "All is learned together, by back-propagation from the loss of the words: the weights of the "
    "score, and those that make the encoder's states in both directions (with the embeddings, the "
    "decoder and the output).",
    r"\frac{\partial L}{\partial v_a}, \; \frac{\partial L}{\partial W_a}, \; "
    r"\frac{\partial L}{\partial U_a}, \; \frac{\partial L}{\partial \overrightarrow{W}}, \; "
    r"\frac{\partial L}{\partial \overleftarrow{W}} \ne 0",
)
def learned_together(settings: TranslatorSettings) -> Evidence:
    """Take the derivative of one loss with respect to every weight: none is left out."""
    drawn = DrawnBahdanau(
        settings.model_copy(update={"source_words": max(2, settings.source_words)})
    )
    states = drawn.model.states(drawn.source, drawn.target)
    cross_entropy(states, drawn.model.output.weight, drawn.labels, padding=0).smoothed.backward()
    sizes = {
        name: float(weight.grad.norm()) if weight.grad is not None else 0.0
        for name, weight in drawn.model.named_parameters()
    }

    def smallest(part: str) -> float:
        return min(size for name, size in sizes.items() if part in name)

    return Evidence(
        stated=[
            above("smallest derivative of the score's weights", smallest("source_attention"), 0.0),
            above("of the onward direction's", smallest("encoder.cells.0"), 0.0),
            above("of the backward direction's", smallest("encoder.cells.1"), 0.0),
            above("of both embeddings'", smallest("embedding"), 0.0),
            above("of the output's", smallest("output"), 0.0),
        ],
        numbers={"kinds of weights": len(sizes)},
    )
