"""Claims on architectures of recurrent networks: both directions, and five topologies."""

import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.cells import GruCell
from dragoman.config.recurrent import RecurrentSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings, RecurrentLanguageSettings
from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, apart, equal, same
from dragoman.lab.topics.recurrent.drawn import RandomNumbers, UnrolledCellSettings
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.models.recurrent.decoder import DecoderState
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.models.recurrent_classifier import RecurrentClassifier
from dragoman.neural.models.recurrent_language_model import RecurrentLanguageModel
from dragoman.plots.lab import Panel, curve

WORD, VOCAB, CLASSES = 3, 9, 4


class TopologySettings(Settings):
    """A text to read and a text to write."""

    words: int = Field(default=6, ge=2, le=30)
    """Words that are read (n)."""
    written: int = Field(default=4, ge=1, le=30)
    """Words that are written, where that number is free (m)."""
    width: int = Field(default=5, ge=2, le=32)
    """Size of the state."""
    seed: int = Field(default=1, ge=0, le=10_000)
    """Seed of the random weights and tokens."""


class SummarySettings(Settings):
    """Sentences of growing length."""

    longest: int = Field(default=12, ge=2, le=40)
    """Words of the longest sentence."""
    width: int = Field(default=6, ge=2, le=32)
    """Size of the state."""
    seed: int = Field(default=1, ge=0, le=10_000)
    """Seed of the random weights and tokens."""


@claim(
    "E110",
    "A bidirectional network reads the sequence forward and backward with two independent "
    "networks, which can run in parallel; the state of a position is the concatenation of both. "
    "The cells may be GRUs.",
    r"h_t = [\overrightarrow{h}_t;\, \overleftarrow{h}_t]",
)
def bidirectional(settings: UnrolledCellSettings) -> Evidence:
    """Compare our layer with torch's, and each half with a network of one direction."""
    draw = RandomNumbers(settings.seed)
    widths = settings.input_width, settings.width
    both = draw.network(lambda: RecurrentStack(GruCell(), *widths, 1, bidirectional=True))
    with torch.random.fork_rng(devices=[]):
        theirs = nn.GRU(*widths, bidirectional=True, batch_first=True).double()
        one_way = RecurrentStack(GruCell(), *widths, 1).double()
    names = [name for name, _ in both.cells[0].named_parameters()]
    with torch.no_grad():
        for cell, suffix in zip(both.cells, ("", "_reverse"), strict=True):
            for name in names:
                theirs.get_parameter(f"{name}_l0{suffix}").copy_(cell.get_parameter(name))
        x = draw(1, settings.steps, settings.input_width)
        outputs, last = both(x)
        wanted, their_last = theirs(x)
        one_way.cells[0].load_state_dict(both.cells[0].state_dict())
        forward, _ = one_way(x)
        one_way.cells[0].load_state_dict(both.cells[1].state_dict())
        backward, _ = one_way(x.flip(1))
    halves = outputs.split(settings.width, dim=2)
    return Evidence(
        stated=[
            same("difference from nn.GRU(bidirectional)", outputs, wanted),
            same("difference of its last states", last.hidden, their_last),
            same("difference of the forward half from a one-way network", halves[0], forward),
            same(
                "difference of the backward half from a network on the reversed text",
                halves[1],
                backward.flip(1),
            ),
        ]
    )


@claim(
    "E80",
    "One recurrence serves many kinds of tasks: one vector to one, one to many (text from an "
    "image or a topic), many to one (sentiment), many to as many (tags, speech frames), and "
    "many to a different number (translation).",
    r"1 \to 1, \qquad 1 \to n, \qquad n \to 1, \qquad n \to n, \qquad n \to m",
)
def topologies(settings: TopologySettings) -> Evidence:
    """Compare what goes in and out of our models; a tagger's last output is a classifier's."""
    n, m, width = settings.words, settings.written, settings.width
    draw = RandomNumbers(settings.seed)
    tokens = torch.randint(1, VOCAB, (1, n), generator=draw.generator)
    target = torch.randint(1, VOCAB, (1, m), generator=draw.generator)
    writing = RecurrentLanguageSettings(
        embedding_width=WORD, width=width, tied=False, first_width=WORD, dropout=0.0
    )
    writer = draw.network(lambda: RecurrentLanguageModel(writing, VOCAB))
    state, token, scores = writer.begin_from(draw(1, WORD)), tokens[:, 0], []
    for _ in range(m):
        log_probabilities, state = writer.step(token, state)
        scores.append(log_probabilities)
        token = log_probabilities.argmax(dim=1)
    classifying = RecurrentClassifierSettings(
        embedding_width=WORD, width=width, bidirectional=False, dropout=0.0
    )
    tagger = draw.network(
        lambda: RecurrentClassifier(classifying.model_copy(update={"each": True}), VOCAB, CLASSES)
    )
    with torch.random.fork_rng(devices=[]):
        classifier = RecurrentClassifier(classifying, VOCAB, CLASSES).double()
    classifier.load_state_dict(tagger.state_dict())
    translator = draw.network(
        lambda: RecurrentTranslator(_summarizing(width), VOCAB, VOCAB), scale=0.3
    )
    tags, verdict = tagger(tokens), classifier(tokens)
    other, _ = writer.step(tokens[:, 0], writer.begin_from(draw(1, WORD)))
    one, _ = writer.states(tokens[:, :1])
    return Evidence(
        stated=[
            equal("one to one: states for one token", one.shape[1], 1),
            apart("one to many: change of the text with the vector", scores[0], other, 1e-6),
            same(
                "one to many: distance of all m distributions' sums from 1",
                torch.stack(scores).exp().sum(-1),
                torch.ones(m, 1),
            ),
            equal("many to one: class scores", verdict.numel(), CLASSES),
            equal("many to as many: tags", tags.shape[1], n),
            equal(
                "many to a different number: distributions", translator(tokens, target).shape[1], m
            ),
            same(
                "difference of the class scores from the tagger's last ones", verdict, tags[:, -1]
            ),
        ],
        numbers={"read": n, "written": m},
    )


def _summarizing(width: int) -> RecurrentSettings:
    """Return the encoder-decoder of Cho et al. 2014: the decoder sees a summary at every step."""
    return RecurrentSettings(
        cell=GruCell(reset="before"),
        width=width,
        embedding_width=WORD,
        bidirectional=False,
        context="every",
        readout="maxout",
        tied="none",
        dropout=0.0,
    )


def _size(state: DecoderState) -> int:
    """Count the numbers that a decoder receives about a source."""
    parts: list[Tensor] = list(state.recurrent.parts)
    if state.fed is not None:
        parts.append(state.fed)
    if state.source is not None:
        parts += [state.source.outputs, state.source.keys]
    return sum(part.numel() for part in parts)


@claim(
    "E106",
    "The encoder-decoder of Cho et al. (2014), whose papers introduced the GRU, passes a "
    "summary to its decoder whose size does not depend on the length of the sentence. With "
    "attention, what is passed on grows with every word.",
    r"c = q(h_1, \ldots, h_{T_x}) \in \mathbb{R}^d \quad \text{for every } T_x",
)
def fixed_summary(settings: SummarySettings) -> Evidence:
    """Count what the decoder receives for every length, and decode from nothing else."""
    draw = RandomNumbers(settings.seed)
    model = draw.network(lambda: RecurrentTranslator(_summarizing(settings.width), VOCAB, VOCAB))
    looking = _summarizing(settings.width).model_copy(update={"context": "additive"})
    attending = draw.network(lambda: RecurrentTranslator(looking, VOCAB, VOCAB))
    sentence = torch.randint(1, VOCAB, (1, settings.longest), generator=draw.generator)
    lengths = list(range(1, settings.longest + 1))
    fixed = [_size(model.begin(sentence[:, :count])) for count in lengths]
    growing = [_size(attending.begin(sentence[:, :count])) for count in lengths]
    target = torch.randint(1, VOCAB, (1, 3), generator=draw.generator)
    state, decoded = model.begin(sentence), []
    for token in target.unbind(1):
        log_probabilities, state = model.step(token, state)
        decoded.append(log_probabilities)
    whole = model(sentence, target).log_softmax(dim=-1)
    per_word = 2 * settings.width  # a state and its key
    return Evidence(
        stated=[
            equal("numbers passed on, shortest and longest sentence", fixed[0], fixed[-1], 0.0),
            equal("with attention, per additional word", growing[1] - growing[0], per_word, 0.0),
            same(
                "difference when decoding from the summary alone",
                torch.stack(decoded, dim=1),
                whole,
            ),
            apart(
                "difference between the summaries of two sentences",
                *_summaries(model, sentence),
                1e-6,
            ),
        ],
        plot=[
            Panel(
                "Numbers passed to the decoder",
                [curve("summary", lengths, fixed), curve("attention", lengths, growing, 1)],
                "words of the sentence",
                lowest=0.0,
            )
        ],
    )


def _summaries(model: RecurrentTranslator, sentence: Tensor) -> tuple[Tensor, Tensor]:
    """Return the summaries of a sentence and of the same with every word replaced."""
    both = (sentence, sentence % (VOCAB - 1) + 1)
    one, other = (model.begin(tokens).recurrent.hidden for tokens in both)
    return one, other
