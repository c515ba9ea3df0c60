"""Claims on the sizes of published networks, and on the cost of training them."""

import numpy as np
import torch
from pydantic import Field
from torch import Tensor

from dragoman.config.encoder import EncoderSettings
from dragoman.config.named import named
from dragoman.config.settings import Settings
from dragoman.config.task import SpansTaskSettings
from dragoman.config.transformer import TransformerSettings
from dragoman.data.batching.spans import SENTINELS, corrupt, count_spans, restore
from dragoman.data.tokenizer.special_tokens import FIRST_PIECE
from dragoman.lab.claims import NoParameters, claim
from dragoman.lab.evidence import Criterion, Evidence, above, equal
from dragoman.lab.topics.transformer.networks import drawn
from dragoman.neural.models.encoder import Encoder
from dragoman.neural.models.transformer import Transformer
from dragoman.planner.count.count import count_model
from dragoman.planner.count.subject import BatchShape

BERT_LARGE_LAYERS = 24
ROUNDED = 0.03
"""Relative error that rounding may give a published figure."""


def _rounds_to(name: str, count: float, published: float) -> Criterion:
    return equal(name, count, published, ROUNDED * published)


def _layer(width: int, inner: int) -> int:
    """Return the weights of a layer: four matrices of attention, two of the rest, two norms."""
    return 4 * (width * width + width) + 2 * width * inner + inner + width + 4 * width


def _bert_by_hand(layers: int, width: int) -> int:
    """Return the weights of BERT with both of its heads, summed up part by part."""
    words, places, segments = 30_522, 512, 2
    embeddings = (words + places + segments) * width + 2 * width
    heads = (width * width + width) + 2 * width + words  # masked words; the output is tied
    return embeddings + layers * _layer(width, 4 * width) + heads + _pooled(width)


def _pooled(width: int) -> int:
    return (width * width + width) + (2 * width + 2)


def _gpt_by_hand(layers: int, width: int, words: int, places: int, *, last_norm: bool) -> int:
    """Return the weights of a GPT; its output is its table of words."""
    embeddings = (words + places) * width
    return embeddings + layers * _layer(width, 4 * width) + (2 * width if last_norm else 0)


def _on_meta(name: str) -> int:
    """Return the weights of an encoder that is built without memory."""
    settings, words = named(name)
    if not isinstance(settings, EncoderSettings):
        raise TypeError(f"{name} is no encoder.")
    with torch.device("meta"):
        model = drawn(lambda: Encoder(settings, words), 0)
    return sum(weight.numel() for weight in model.parameters())


@claim(
    "D34",
    "BERT-base has 110 million parameters and 12 heads, BERT-large 340 million and 16 heads. Ten "
    "heads are impossible for BERT-base: every head takes an equal share of the width, and 768 is "
    "not a multiple of 10.",
    r"\frac{768}{12} = 64, \qquad \frac{768}{10} \notin \mathbb{N}, \qquad \frac{1024}{16} = 64",
    notes="BERT-base has 10 heads.",
)
def bert_sizes(_: NoParameters) -> Evidence:
    """Count the parameters in three ways, and divide the width among the heads."""
    base, large = (count_model(name).total.parameters for name in ("bert-base", "bert-large"))
    counts = [
        _rounds_to("parameters of BERT-base", base, 110e6),
        _rounds_to("parameters of BERT-large", large, 340e6),
        equal("BERT-base, part by part", base, _bert_by_hand(12, 768)),
        equal("BERT-large, part by part", large, _bert_by_hand(24, 1024)),
        equal("BERT-base, built on the meta device", base, _on_meta("bert-base")),
        equal(
            "remainder of the width of BERT-large by its 16 heads",
            _width("bert-large") % _heads("bert-large"),
            0,
        ),
    ]
    left = "remainder of the width of BERT-base by the number of heads"
    return Evidence(
        stated=[*counts, equal(f"{left}, 10", _width("bert-base") % 10, 0)],
        corrected=[
            *counts,
            equal(f"{left}, 12", _width("bert-base") % _heads("bert-base"), 0),
        ],
        numbers={"BERT-base": base, "BERT-large": large, "heads of BERT-base": _heads("bert-base")},
    )


def _width(name: str) -> int:
    return named(name)[0].width


def _heads(name: str) -> int:
    return named(name)[0].heads


class TrainingComputeSettings(Settings):
    """What BERT-large was trained with."""

    chips: int = Field(default=64, ge=1, le=10_000)
    """Chips that work at the same time."""
    days: float = Field(default=4.0, gt=0.0, le=365.0)
    """How long they work."""
    teraflops: float = Field(default=45.0, gt=0.0, le=10_000.0)
    """Peak speed of a chip in 10¹² FLOPs per second: a quarter of a Cloud TPU v2."""
    steps: int = Field(default=1_000_000, ge=1, le=100_000_000)
    """Steps of training."""
    rows: int = Field(default=256, ge=1, le=1_000_000)
    """Rows of a batch."""
    length: int = Field(default=512, ge=8, le=512)
    """Tokens of a row (in the paper, the first nine tenths of the steps had only 128)."""


@claim(
    "D35",
    "BERT-large was trained on 64 TPU chips for 4 days. This is consistent with the estimate "
    "$6ND$, six FLOPs per parameter and token: it needs about a quarter of the FLOPs that the "
    "chips could do in that time.",
    r"C \approx 6 N D = 6 \cdot 3.4 \cdot 10^8 \cdot 1.3 \cdot 10^{11} \approx 2.6 \cdot 10^{20} "
    r"\le 64 \cdot 4\,\mathrm{days} \cdot 45 \cdot 10^{12} / \mathrm{s}",
)
def bert_compute(settings: TrainingComputeSettings) -> Evidence:
    """Estimate the FLOPs, count them layer by layer, and compare with the chips.

    Scores and weighted sums of attention take 4Td FLOPs per token and layer, and backward twice
    as many.
    """
    counted = count_model("bert-large", shape=BatchShape(1, settings.length)).total
    tokens = settings.steps * settings.rows * settings.length
    estimate = 6 * counted.parameters * tokens
    exact = (counted.forward + counted.backward) * settings.steps * settings.rows
    attention = 12 * BERT_LARGE_LAYERS * settings.length * _width("bert-large") * tokens
    possible = settings.chips * settings.days * 86_400 * settings.teraflops * 1e12
    return Evidence(
        stated=[
            equal("FLOPs counted layer by layer over 6ND", exact / estimate, 1.0, 0.1),
            equal(
                "FLOPs counted layer by layer over 6ND with attention",
                exact / (estimate + attention),
                1.0,
                0.02,
            ),
            equal("6ND as a share of what the chips could do", estimate / possible, 0.25, 0.05),
        ],
        numbers={
            "tokens D": tokens,
            "parameters N": counted.parameters,
            "6ND": estimate,
            "FLOPs that the chips could do": possible,
        },
    )


class SpanSettings(Settings):
    """A text from which spans are removed."""

    length: int = Field(default=40, ge=2, le=500)
    """Tokens of the text."""
    noise: float = Field(default=0.15, gt=0.0, lt=1.0)
    """Share of the tokens that are removed."""
    mean_span: float = Field(default=3.0, ge=1.0, le=20.0)
    """Mean number of tokens of a span."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of the spans."""


@claim(
    "D43",
    "The largest T5 has 11 billion parameters. It is an encoder-decoder, not a decoder: its "
    "encoder reads the source in both directions. It is pretrained to write the spans that were "
    "removed from a text, each after its sentinel token.",
    r"\mathrm{thank\ you\ } \langle X \rangle \mathrm{\ me\ to\ your\ party} \to \langle X \rangle "
    r"\mathrm{\ for\ inviting\ } \langle Y \rangle",
    notes="T5 with its 11 billion parameters is one of the decoders.",
)
def t5_family(settings: SpanSettings) -> Evidence:
    """Count its parameters, test whether its encoder looks ahead, and remove and restore spans."""
    count = count_model("t5-11b").total.parameters
    ahead = _looks_ahead("t5-11b")
    task = SpansTaskSettings(noise_density=settings.noise, mean_span_length=settings.mean_span)
    text = np.arange(FIRST_PIECE, FIRST_PIECE + settings.length, dtype=np.int64)
    source, target = corrupt(text, task, np.random.default_rng(settings.seed))
    cut = settings.length - sum(token >= FIRST_PIECE for token in source.tolist())
    share = min(max(round(settings.length * settings.noise), 1), settings.length - 1)
    spans = count_spans(settings.length, task, len(SENTINELS) - 1).spans
    size = _rounds_to("parameters of the largest T5", count, 11e9)
    name = "largest derivative of a source state with respect to a later token"
    return Evidence(
        stated=[size, equal(name, ahead, 0.0)],
        corrected=[
            size,
            above(name, ahead, 1e-9),
            equal("tokens that are removed", cut, share),
            equal("tokens that are restored wrongly", _wrong(restore(source, target), text), 0),
            equal(
                "sentinel tokens in the source", len(source) - 1 - (settings.length - cut), spans
            ),
        ],
        numbers={"parameters": count, "derivative": ahead, "tokens removed": cut},
    )


def _wrong(found: list[int], text: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> int:
    pairs = zip(found, text.tolist(), strict=False)
    return sum(one != other for one, other in pairs) + abs(len(found) - len(text))


def _looks_ahead(name: str) -> float:
    """Return how strongly a source state depends on later tokens, in a network made smaller."""
    settings, _ = named(name)
    if not isinstance(settings, TransformerSettings):
        return 0.0  # a single causal stack
    small = {
        "width": 8, "heads": 2, "key_width": 4, "value_width": 4, "ffn_width": 16,
        "encoder_layers": 1, "decoder_layers": 1, "dropout": 0.0,
    }  # fmt: skip
    chosen = settings.model_copy(update=small)
    model = drawn(lambda: Transformer(chosen, 12, 12), 1)
    kept: list[Tensor] = []
    hook = model.source_embedding.register_forward_hook(lambda _, __, out: kept.append(out))
    memory, _mask = model.encode(torch.arange(4, 10)[None])
    hook.remove()
    direction = torch.linspace(-1, 1, 8, dtype=torch.float64)
    (derivative,) = torch.autograd.grad(memory[0, 0] @ direction, kept[0])
    return float(derivative[0, 1:].abs().max())


@claim(
    "D44",
    "GPT (2018) has 117 million parameters: 12 layers of width 768 with a feed-forward of width "
    "3072, and a vocabulary of 40,478 entries, made by 40,000 merges from 478 initial symbols.",
    r"(40{,}478 + 512) \cdot 768 + 12 \cdot 7{,}087{,}872 = 116{,}534{,}784",
)
def gpt_size(_: NoParameters) -> Evidence:
    """Count its parameters with the planner and part by part."""
    settings, words = named("gpt")
    count = count_model("gpt").total.parameters
    layer = _layer(768, 3072)
    return Evidence(
        stated=[
            _rounds_to("parameters of GPT", count, 117e6),
            equal("parameters, part by part", count,
                  _gpt_by_hand(12, 768, words, 512, last_norm=False)),
            equal("parameters of a layer", layer, 7_087_872),
            equal("width of the feed-forward", settings.ffn_width, 4 * 768),
            above("entries besides the merges: initial symbols", words - 40_000, 256),
        ],
        numbers={"parameters": count, "entries": words, "initial symbols": words - 40_000},
    )  # fmt: skip


class TokenBudgetSettings(Settings):
    """How many tokens GPT-3 was trained on."""

    tokens: float = Field(default=300e9, ge=1e6, le=1e15)
    """Tokens in all."""


@claim(
    "D45",
    "GPT-3 has 175 billion parameters and was trained on 300 billion tokens, which takes about "
    "$3.15 \\cdot 10^{23}$ FLOPs. Attention over 2048 tokens adds less than three percent to "
    "$6ND$.",
    r"C \approx 6 N D = 6 \cdot 175 \cdot 10^{9} \cdot 300 \cdot 10^{9} = 3.15 \cdot 10^{23}",
)
def gpt3_size(settings: TokenBudgetSettings) -> Evidence:
    """Count its parameters with the planner and part by part, and the FLOPs of 2048 tokens."""
    counted = count_model("gpt3", shape=BatchShape(1, 2048)).total
    by_hand = _gpt_by_hand(96, 12_288, 50_257, 2048, last_norm=True)
    estimate = 6 * 175e9 * settings.tokens
    exact = (counted.forward + counted.backward) / 2048 * settings.tokens
    return Evidence(
        stated=[
            _rounds_to("parameters of GPT-3", counted.parameters, 175e9),
            equal("parameters, part by part", counted.parameters, by_hand),
            _rounds_to("FLOPs counted layer by layer, against 6ND", exact, estimate),
        ],
        numbers={
            "parameters": counted.parameters,
            "6ND": estimate,
            "FLOPs, counted layer by layer": exact,
            "tokens per parameter": settings.tokens / counted.parameters,
        },
    )
