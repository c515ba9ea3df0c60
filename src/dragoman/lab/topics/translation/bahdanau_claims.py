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
    "The encoder of Bahdanau et al. is a bidirectional GRU whose reset gate acts on the state "
    "before the matrix $U$ does. The state of a position is the concatenation of both "
    "directions.",
    r"h_i = (1 - z_i) \odot h_{i-1} + z_i \odot \tilde{h}_i, \quad "
    r"\tilde{h}_i = \tanh(W E x_i + U (r_i \odot h_{i-1})), \quad "
    r"z_i, r_i = \sigma(W_{z,r} E x_i + U_{z,r} h_{i-1})",
)
def bahdanau_encoder(settings: TranslatorSettings) -> Evidence:
    """Compare our encoder with the equations, one vector at a time."""
    drawn = DrawnBahdanau(settings)
    memory = drawn.model.encode(drawn.source)
    ahead, behind = encode(drawn.model, drawn.source[0].tolist())
    forward, backward = memory.outputs[0].split(settings.width, dim=1)
    return Evidence(
        stated=[
            same("difference of the forward states", forward, torch.stack(ahead)),
            same("difference of the backward states", backward, torch.stack(behind)),
        ]
    )


@claim(
    "E122",
    "The decoder's initial state is a tanh layer applied to the final state of the backward "
    "direction, which is its state at the first word of the source.",
    r"s_0 = \tanh(W_s \overleftarrow{h}_1), \qquad W_s \in \mathbb{R}^{n \times n}",
)
def bahdanau_start(settings: TranslatorSettings) -> Evidence:
    """Compare the initial state with the equation."""
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
    "The decoder is a GRU as well. It reads the previous word and the context: both gates and the "
    "candidate have a matrix $C$ for the context.",
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
            same(
                "difference of the attention weights", torch.cat(weights), stacked(hand, "weights")
            ),
        ]
    )


def stacked(steps: list[BahdanauStep], name: str) -> Tensor:
    """Return one figure of all steps."""
    return torch.stack([getattr(one, name) for one in steps]).detach()


@claim(
    "E124",
    "The output is a softmax over $W_o t_i$, where $t_i$ keeps the larger entry of each pair of "
    r"$\tilde{t}_i$, a linear function of state, word and context (maxout): $2l$ entries become "
    "$l$.",
    r"p(y_i) \propto \exp(y_i^\top W_o t_i), \quad t_{ik} = \max(\tilde{t}_{i,2k-1}, "
    r"\tilde{t}_{i,2k}), \quad \tilde{t}_i = U_o s_{i-1} + V_o E y_{i-1} + C_o c_i",
    notes=r"$\tilde{t}_i$ enters the softmax directly, which leaves out the maxout of the paper.",
)
def bahdanau_output(settings: TranslatorSettings) -> Evidence:
    """Compute the output from t̃ with and without maxout."""
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
            equal("entries of t̃, against columns of W_o", mixed.shape[1], w_o.shape[1], 0.0),
            same("log softmax of W_o t̃, minus that of the network", printed, found),
        ],
        corrected=[
            equal("entries of t̃ over columns of W_o", mixed.shape[1] / w_o.shape[1], 2.0, 0.0),
            same(
                "log softmax of W_o t, minus that of the network",
                (larger @ w_o.t()).log_softmax(dim=-1),
                found,
            ),
            same(
                "network without maxout, minus W_o t̃", without, stacked(linear.by_hand(), "scores")
            ),
        ],
    )


@claim(
    "E117",
    "Everything is learned jointly by backpropagation from the loss of the words: the weights of "
    "the score and those of the encoder in both directions (and the embeddings, the decoder and "
    "the output layer).",
    r"\frac{\partial L}{\partial v_a}, \; \frac{\partial L}{\partial W_a}, \; "
    r"\frac{\partial L}{\partial U_a}, \; \frac{\partial L}{\partial \overrightarrow{W}}, \; "
    r"\frac{\partial L}{\partial \overleftarrow{W}} \ne 0",
)
def learned_together(settings: TranslatorSettings) -> Evidence:
    """Take the gradient of one loss with respect to every weight: none is zero."""
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
            above("score: smallest norm of a gradient", smallest("source_attention"), 0.0),
            above("encoder, forward: smallest norm", smallest("encoder.cells.0"), 0.0),
            above("encoder, backward: smallest norm", smallest("encoder.cells.1"), 0.0),
            above("embeddings: smallest norm", smallest("embedding"), 0.0),
            above("decoder: smallest norm", smallest("decoder.layers"), 0.0),
            above("output layer: smallest norm", smallest("output"), 0.0),
        ],
        numbers={"weight tensors": len(sizes)},
    )
