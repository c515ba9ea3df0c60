"""A claim on translating step by step: the example of the notes, word by word."""

import torch
from pydantic import Field
from torch import Tensor
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.config.transformer import TransformerSettings
from dragoman.data.tokenizer.special_tokens import END, START
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, equal, same
from dragoman.lab.topics.transformer.networks import drawn, fit, weights_watched
from dragoman.neural.models.transformer import Transformer
from dragoman.plots.lab import HeatMap

ENGLISH = ("I", "am", "a", "good", "boy")
HINDI = ("Main", "ek", "achcha", "baccha", "hun")
FIRST = END + 1
WORDS = ("", "", "start", "end", *ENGLISH, *HINDI)
"""Every entry of the vocabulary, by its number."""


class DecodingTraceSettings(Settings):
    """A tiny Transformer that memorizes one pair of sentences."""

    steps: int = Field(default=40, ge=1, le=150)
    """Steps of training on the one pair."""
    width: int = Field(default=16, ge=4, le=64, multiple_of=4)
    """Size of its states."""
    seed: int = Field(default=1, ge=0, le=1_000_000)
    """Seed of its weights."""


@claim(
    "E143",
    "A translation is written word by word: the encoder reads the source once, and each step takes "
    "the words so far and appends the most probable next one, until the end token. Decoding with a "
    "KV cache gives the same distributions as reading the whole prefix again at each step.",
    r"y_t = \arg\max_y\, p(y \mid y_1 \ldots y_{t-1}, x), \qquad "
    r"x = \mathrm{I\ am\ a\ good\ boy}, \quad y = \mathrm{Main\ ek\ achcha\ baccha\ hun}",
)
def decoding_trace(settings: DecodingTraceSettings) -> Evidence:
    """Train a network on the pair, decode with the cache, and read each prefix again."""
    chosen = TransformerSettings(
        width=settings.width, heads=2, encoder_layers=1, decoder_layers=1,
        ffn_width=2 * settings.width, dropout=0.0,
    )  # fmt: skip
    model = drawn(lambda: Transformer(chosen, len(WORDS), len(WORDS)), settings.seed)
    source = torch.tensor([[*(FIRST + n for n in range(len(ENGLISH))), END]])
    words = [FIRST + len(ENGLISH) + n for n in range(len(HINDI))]
    target = torch.tensor([[START, *words, END]])
    fit(
        model,
        lambda: F.cross_entropy(model(source, target[:, :-1])[0], target[0, 1:]),
        settings.steps,
        1e-2,
    )
    written, cached = _decode(model, source, len(HINDI) + 1)
    with torch.no_grad():
        anew = [
            model(source, torch.tensor([[START, *written[:length]]]))[0, -1].log_softmax(-1)
            for length in range(len(written))
        ]
        _, weights = weights_watched(model, lambda: model(source, target[:, :-1]))
    steps = {
        f"step {number + 1}": f"{_said([START, *written[:number]])} → {WORDS[word]} "
        f"({cached[number][word].exp():.2f})"
        for number, word in enumerate(written)
    }
    return Evidence(
        stated=[
            same("log-probabilities with the cache minus without", cached, torch.stack(anew)),
            same(
                "most probable word of each step minus the decoded one, by index",
                torch.stack(anew).argmax(1),
                torch.tensor(written),
            ),
            equal(
                "words equal to those of the notes, END included",
                _same_words(written, [*words, END]),
                len(words) + 1,
            ),
        ],
        numbers=steps,
        plot=[
            HeatMap(
                "cross-attention, first head",
                weights[-1][0, 0].tolist(),
                "source word attended to",
                "last word read by the decoder",
                columns=[*ENGLISH, "end"],
                rows=["start", *HINDI],
            )
        ],
    )


def _decode(model: Transformer, source: Tensor, longest: int) -> tuple[list[int], Tensor]:
    """Return the most probable word of each step, and the log-probabilities of each step."""
    state, word = model.begin(source), START
    written: list[int] = []
    steps = []
    while len(written) < longest and word != END:
        scores, state = model.step(torch.tensor([word]), state)
        word = int(scores[0].argmax())
        written.append(word)
        steps.append(scores[0])
    return written, torch.stack(steps)


def _same_words(written: list[int], wanted: list[int]) -> int:
    return sum(one == other for one, other in zip(written, wanted, strict=False))


def _said(words: list[int]) -> str:
    return " ".join(WORDS[word] for word in words)
