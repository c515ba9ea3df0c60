"""Claims on FLOPs: the formulas of the scaling study, and attention against recurrence."""

import torch
from pydantic import Field
from torch import nn

from dragoman.config.cells import RnnCell
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.encoder import EncoderSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, equal
from dragoman.lab.experiments.scaling.flop_counter import count_flops
from dragoman.lab.experiments.scaling.formulas import parameters, sequence_flops
from dragoman.lab.experiments.scaling.verdicts import PUBLISHED
from dragoman.neural.layers.attention import Attention
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.planner.count.families import count_network
from dragoman.planner.count.sizes import Sizes
from dragoman.plots.lab import Panel, curve


class DecoderOnlySizes(Settings):
    """A decoder-only network without norms; each layer has one head and one matrix with a ReLU."""

    width: int = Field(default=128, ge=2, le=1024)
    """Width of a hidden state (h)."""
    tokens: int = Field(default=20, ge=1, le=512)
    """Tokens in a sequence (s)."""
    vocabulary: int = Field(default=30, ge=8, le=10_000)
    """Size of the vocabulary (V)."""
    layers: int = Field(default=4, ge=1, le=12)
    """Number of layers (L)."""


@claim(
    "A36",
    "The scaling study counts the four matrices and biases of each layer and the output layer, "
    "but not the embeddings. For a sequence it counts the products with these matrices, the "
    "products of attention, three operations per entry of the softmax, and the backward pass as "
    "two forward passes.",
    r"N = L(4h^2 + 4h) + hV + V, \qquad C = 3\left[L(8sh^2 + 4s^2h + 3s^2) + 2sVh\right]",
)
def study_formulas(settings: DecoderOnlySizes) -> Evidence:
    """Compare both formulas with the counter and with the built network."""
    model, sizes = _study_network(settings)
    count = count_network(model, sizes).total
    with torch.device("meta"):
        built = DecoderOnly(model, sizes.source_vocab, sizes.target_vocab, prompt_end=5)
        tokens = torch.ones(1, settings.tokens, dtype=torch.long)
    shape = settings.width, settings.vocabulary, settings.layers
    formula, flops = parameters(*shape), sequence_flops(settings.tokens, *shape)
    softmax = 3 * settings.layers * settings.tokens**2
    forward = count_flops(lambda: built.output(built.read(tokens)))
    both = count_flops(lambda: built.output(built.read(tokens)).sum().backward())
    weights = sum(weight.numel() for weight in built.parameters())
    published = {width: parameters(width, 30) for width in PUBLISHED}
    mean = 0.45 * sequence_flops(19, 128, 30) + 0.55 * sequence_flops(20, 128, 30)
    return Evidence(
        stated=[
            equal("counted parameters against the formula", count.parameters, formula),
            equal("parameters of the built network, embedding tied to the output", weights,
                  formula),
            equal("published sizes that the formula does not give",
                  sum(published[width] != known for width, known in PUBLISHED.items()), 0),
            equal("FLOPs of the forward pass by torch against the counter", forward,
                  count.forward),
            equal("FLOPs of both passes by torch against three forward passes", both,
                  3 * count.forward),
            equal("three forward passes with softmax against the formula",
                  3 * (count.forward + softmax), flops),
        ],
        numbers={
            "parameters": formula,
            "FLOPs for a sequence": flops,
            "MFLOPs for an example of 19.55 characters": mean / 1e6,
            "TFLOPs of the published run, 5.00 million characters": mean * 5.0e6 / 19.55 / 1e12,
            **{f"parameters, width {width}": count for width, count in published.items()},
        },
        plot=[
            Panel("Parameters of the published networks (V = 30, L = 4)",
                  [curve("parameters", [*published], [*published.values()])], "width",
                  logarithmic=True)
        ],
    )  # fmt: skip


def _study_network(settings: DecoderOnlySizes) -> tuple[DecoderOnlySettings, Sizes]:
    """Return the network of the scaling study and the sizes of one sequence."""
    model = DecoderOnlySettings(
        width=settings.width,
        heads=1,
        layers=settings.layers,
        activation="single",
        output_projection=False,
        norm="none",
        positions="none",
        output_bias=True,
        dropout=0.0,
    )
    words = settings.vocabulary
    return model, Sizes(1, words, words, 0, settings.tokens)


class LengthSettings(Settings):
    """Length of a sequence and width of its hidden states."""

    length: int = Field(default=64, ge=1, le=300)
    """Tokens in the sequence (n)."""
    width: int = Field(default=64, ge=2, le=1024)
    """Width of a hidden state (d)."""


@claim(
    "D21",
    "Self-attention compares every token with every other, which costs $O(n^2 d)$; a recurrent "
    "layer multiplies each token by matrices, which costs $O(n d^2)$. Doubling the length "
    "quadruples the one and doubles the other. The comparisons become the more expensive part "
    "once the text is longer than the hidden states are wide.",
    r"4 n^2 d \quad \mathrm{against} \quad 4 n d^2: \qquad "
    r"\mathrm{equal\ at}\ n = d",
)
def quadratic_in_length(settings: LengthSettings) -> Evidence:
    """Count both by closed forms and by torch, at one length and at twice that length."""
    n, d = settings.length, settings.width
    scores, matrices = _attention_flops(n, d)
    twice, _ = _attention_flops(2 * n, d)
    recurrent, recurrent_twice = _recurrent_flops(n, d), _recurrent_flops(2 * n, d)
    with torch.device("meta"):
        attention, cell = Attention(d, 1), nn.RNNCell(d, d)
        x, state = torch.empty(1, n, d), torch.empty(1, d)

    def along() -> None:
        for place in range(n):
            cell(x[:, place], state)

    measured = count_flops(lambda: attention(x, x, None))
    lengths = [float(2**power) for power in range(3, 14)]
    return Evidence(
        stated=[
            equal("FLOPs of the comparisons over 4n²d", scores / (4 * n**2 * d), 1),
            equal("FLOPs of attention by torch against the counter", measured, scores + matrices),
            equal("FLOPs of the recurrent layer over 4nd²", recurrent / (4 * n * d**2), 1),
            equal("FLOPs of the recurrent layer by torch against the counter",
                  count_flops(along), recurrent),
            equal("growth of the comparisons at twice the length", twice / scores, 4),
            equal("growth of the recurrent layer at twice the length",
                  recurrent_twice / recurrent, 2),
            equal("comparisons over recurrent layer against n/d", scores / recurrent, n / d),
        ],
        numbers={
            "FLOPs of the comparisons": scores,
            "FLOPs of the four matrices of attention": matrices,
            "FLOPs of a recurrent layer": recurrent,
        },
        plot=[
            Panel(f"FLOPs of a layer of width {d}", [
                curve("comparisons, 4n²d", lengths, [4 * n**2 * d for n in lengths]),
                curve("attention including its matrices", lengths,
                      [4 * n**2 * d + 8 * n * d**2 for n in lengths], 1),
                curve("recurrent layer, 4nd²", lengths, [4 * n * d**2 for n in lengths], 2),
            ], "tokens", doubling=True, logarithmic=True)
        ],
    )  # fmt: skip


def _attention_flops(length: int, width: int) -> tuple[int, int]:
    """Return the FLOPs of an encoder layer's comparisons and of its four attention matrices."""
    settings = EncoderSettings(width=width, heads=1, layers=1, lm_head="none", positions="none")
    network = count_network(settings, Sizes(1, 9, source_length=length))
    attention = network.find("layers.0.attention")
    scores = attention.find("scores").total.forward
    return scores, attention.total.forward - scores


def _recurrent_flops(length: int, width: int) -> int:
    """Return the FLOPs of a simple recurrent layer whose inputs are as wide as its states."""
    settings = RecurrentClassifierSettings(
        cell=RnnCell(), width=width, embedding_width=width, layers=1, bidirectional=False
    )
    sizes = Sizes(1, 9, source_length=length, classes=2)
    return count_network(settings, sizes).find("layers").total.forward
