"""Claims on the decoder-only model, which reads source and target as one text."""

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.settings import Settings
from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.batch import Batch, make_batch
from dragoman.data.tokenizer.special_tokens import END, PAD, START
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, apart, equal, same
from dragoman.lab.topics.transformer.networks import drawn, scrambled, weights_watched
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.plots.lab import HeatMap
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective

PROMPT_END, FIRST, ENTRIES = 1, 4, 12
CPU = torch.device("cpu")


class OneTextSettings(Settings):
    """A tiny decoder-only model and some pairs of texts."""

    rows: int = Field(default=3, ge=1, le=16)
    """Pairs of a batch."""
    longest: int = Field(default=5, ge=1, le=32)
    """Largest number of tokens of a source or a target."""
    layers: int = Field(default=2, ge=1, le=4)
    """Layers of the network."""
    heads: int = Field(default=2, ge=1, le=4)
    """Attention heads, each four wide."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the texts and of the weights."""


def _network(settings: OneTextSettings, loss_on: str) -> DecoderOnly:
    chosen = DecoderOnlySettings(
        width=4 * settings.heads, heads=settings.heads, layers=settings.layers, ffn_width=16,
        dropout=0.0, loss_on="both" if loss_on == "both" else "target",
    )  # fmt: skip
    model = drawn(
        lambda: DecoderOnly(chosen, ENTRIES, ENTRIES, prompt_end=PROMPT_END), settings.seed
    )
    return scrambled(model, settings.seed)


def _pairs(settings: OneTextSettings) -> list[tuple[list[int], list[int]]]:
    generator = torch.Generator().manual_seed(settings.seed)

    def text() -> list[int]:
        length = int(torch.randint(1, settings.longest + 1, (), generator=generator))
        return torch.randint(FIRST, ENTRIES, (length,), generator=generator).tolist()

    return [(text(), text()) for _ in range(settings.rows)]


def _batch(pairs: list[tuple[list[int], list[int]]]) -> Batch:
    return make_batch([([*source, END], [*target, END]) for source, target in pairs])


@claim(
    "A26",
    "A decoder-only translator reads start token, source, end of prompt and target as one sequence "
    "and predicts the next token at each position. With the loss on the target only, just the "
    "tokens after the end of the prompt count.",
    r"x = \langle \mathrm{s} \rangle\, a_1 \ldots a_m\, \langle \mathrm{eop} \rangle\, "
    r"b_1 \ldots b_n, \quad y_i = x_{i+1}, \quad "
    r"L = -\sum_{i > m} \log p(y_i \mid x_1 \ldots x_i)",
)
def one_text_shifted(settings: OneTextSettings) -> Evidence:
    """Write sequences, labels and masked losses by hand, and compare them with the model's."""
    pairs = _pairs(settings)
    batch = _batch(pairs)
    source, target = torch.from_numpy(batch.source), torch.from_numpy(batch.target)
    both, alone = _network(settings, "both").train(), _network(settings, "target").train()
    rows = [[START, *a, PROMPT_END, *b, END] for a, b in pairs]
    width = source.shape[1] + target.shape[1]
    written = torch.tensor([row + [PAD] * (width - len(row)) for row in rows])
    found = {
        name: SequenceToSequenceObjective(model, ObjectiveSettings(label_smoothing=0.0)).loss(
            batch, CPU
        )
        for name, model in (("both", both), ("target", alone))
    }
    nats = {"both": torch.zeros(()).double(), "target": torch.zeros(()).double()}
    asked = {"both": 0, "target": 0}
    for row, (a, _) in zip(rows, pairs, strict=True):
        each = _nats_by_hand(both, row)
        for name, first in (("both", 0), ("target", len(a) + 1)):
            nats[name] = nats[name] + each[first:].sum()
            asked[name] += len(each) - first
    return Evidence(
        stated=[
            same(
                "sequences of source and target, minus those by hand",
                both.pack(source, target),
                written,
            ),
            same(
                "labels minus the sequences shifted by one",
                both.scored(source, target)[1],
                written[:, 1:],
            ),
            equal("loss on the target only", found["target"].nats, nats["target"]),
            equal("tokens that this loss counts", found["target"].positions, asked["target"]),
            equal("loss on the whole sequence", found["both"].nats, nats["both"]),
            equal("tokens that that loss counts", found["both"].positions, asked["both"]),
        ],
        numbers={
            "a sequence": " ".join(map(str, rows[0])),
            "its labels": " ".join(map(str, rows[0][1:])),
            "nats per token, target only": nats["target"].item() / asked["target"],
            "nats per token, whole sequence": nats["both"].item() / asked["both"],
        },
    )


def _nats_by_hand(model: DecoderOnly, row: list[int]) -> Tensor:
    """Return the cross entropy of every token but the first."""
    text = torch.tensor([row])
    scores = model.output(model.read(text[:, :-1]))[0]
    return F.cross_entropy(scores, text[0, 1:], reduction="none").detach()


@claim(
    "A27",
    "The forward pass of a decoder-only model returns unnormalized scores (logits), one for each "
    "sequence, position and entry of the vocabulary, and the attention weights of each layer, "
    "which never look ahead. Decoding with a KV cache gives the same scores as a full pass.",
    r"S \in \mathbb{R}^{B \times T \times V}, \qquad A^{(l)} \in \mathbb{R}^{B \times h \times N "
    r"\times N}, \quad \sum_j A_{ij} = 1, \quad A_{ij} = 0 \mathrm{\ for\ } j > i",
)
def decoder_only_forward(settings: OneTextSettings) -> Evidence:
    """Check shapes, sums and masks, and decode each sequence with a cache and without."""
    model = _network(settings, "target")
    batch = _batch(_pairs(settings))
    source, target = torch.from_numpy(batch.source), torch.from_numpy(batch.target)
    with torch.no_grad():
        scores, layers = weights_watched(model, lambda: model(source, target))
        weights = torch.stack(layers, dim=1)  # B l h N N
        cached = _by_cache(model, source, target)
    rows, places, length = settings.rows, target.shape[1], source.shape[1] + target.shape[1]
    shape = (rows, settings.layers, settings.heads, length, length)
    ahead = weights.triu(diagonal=1).abs().max()
    return Evidence(
        stated=[
            same("shape of the scores minus B × T × V", torch.tensor(scores.shape),
                 torch.tensor((rows, places, ENTRIES)), 0.0),
            same("shape of the attention weights minus B × l × h × N × N",
                 torch.tensor(weights.shape), torch.tensor(shape), 0.0),
            same("sum of each row of weights, minus 1", weights.sum(-1), torch.ones(shape[:-1])),
            equal("largest weight of a later position", ahead, 0.0),
            apart("largest log sum exp of the scores (0 if normalized)", scores.logsumexp(-1),
                  torch.zeros(rows, places), 1e-3),
            same("log-probabilities with a KV cache minus without", cached, scores.log_softmax(-1)),
        ],
        numbers={"scores": str(tuple(scores.shape)), "attention weights": str(shape)},
        plot=[
            HeatMap(
                "attention weights: first sequence, last layer, first head",
                weights[0, -1, 0].tolist(),
                "position attended to",
                "position that attends",
            )
        ],
    )  # fmt: skip


def _by_cache(model: DecoderOnly, source: Tensor, target: Tensor) -> Tensor:
    """Return the log-probabilities after each token of the target, one step at a time."""
    state = model.begin(source)
    steps = []
    for tokens in target.unbind(1):
        scores, state = model.step(tokens, state)
        steps.append(scores)
    return torch.stack(steps, dim=1)
