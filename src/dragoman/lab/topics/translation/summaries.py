"""Claims on the encoder-decoder without attention: a summary, and a decoder that starts from it."""

import math
from dataclasses import replace

import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.cells import GruCell
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.data.tokenizer.special_tokens import START
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, apart, equal, same
from dragoman.lab.topics.recurrent.drawn import RandomNumbers, cell_of
from dragoman.lab.topics.translation.drawn_translators import (
    FIRST_WORD,
    TranslatorSettings,
    bahdanau,
    decoder_layers,
    draw_pair,
    draw_translator,
    draw_words,
    summarizing,
    told_at_every_step,
)
from dragoman.neural.layers.recurrent.stack import RecurrentStack
from dragoman.neural.layers.recurrent.state import RecurrentState
from dragoman.neural.models.recurrent.decoder import DecoderState
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.models.recurrent_classifier import RecurrentClassifier
from dragoman.neural.objectives.cross_entropy import cross_entropy

TAGS = 3
VISIBLE = 1e-6
"""How far apart numbers must be that depend on different things."""


class LikelihoodSettings(TranslatorSettings):
    """A pair of sentences of different lengths."""

    target_words: int = Field(default=7, ge=1, le=20)
    """Words of the target, T_y."""
    enumerated: int = Field(default=4, ge=1, le=8)
    """Length up to which all outputs over a vocabulary of two words are enumerated."""


@claim(
    "B10",
    "An LSTM takes inputs of any length. What a single one lacks is an output of a different "
    "length: it gives one output for each input. Two LSTMs, an encoder and a decoder, solve this.",
    r"x_1 \ldots x_{T_x} \mapsto y_1 \ldots y_{T_y}, \qquad T_y \ne T_x",
    notes="LSTMs alone cannot handle variable lengths of input and output.",
)
def lengths_of_an_lstm(settings: TranslatorSettings) -> Evidence:
    """Tag a short sentence alone and in a batch with a longer one; then translate it."""
    draw, short = RandomNumbers(settings.seed), settings.source_words
    chosen = RecurrentClassifierSettings(
        embedding_width=settings.word_width,
        width=settings.width,
        bidirectional=False,
        each=True,
        dropout=0.0,
    )
    tagger = draw.network(lambda: RecurrentClassifier(chosen, settings.vocab_size, TAGS))
    sentence = draw_words(draw, settings, short)
    longer = draw_words(draw, settings, 2 * short + 3)
    padded = torch.zeros_like(longer)
    padded[:, :short] = sentence
    together = tagger(torch.cat((padded, longer)))[:1, :short]
    alone = tagger(sentence)
    translator = draw_translator(draw, settings, summarizing(settings))
    written = translator(sentence, draw_words(draw, settings, settings.target_words))
    gap = (together - alone).detach().abs().max()
    return Evidence(
        stated=[
            above("largest change of the scores when batched with a longer sentence", gap, 1e-10)
        ],
        corrected=[
            same("largest change of the scores, corrected", together, alone),
            equal("outputs of one LSTM for the short sentence", alone.shape[1], short),
            equal(
                "outputs of one LSTM for the longer sentence",
                tagger(longer).shape[1],
                longer.shape[1],
            ),
            equal(
                "outputs of an encoder-decoder for the short sentence",
                written.shape[1],
                settings.target_words,
            ),
        ],
    )


@claim(
    "B11",
    "The encoder is a recurrent network unrolled over the source; its last state is its summary of "
    "the sentence.",
    r"(h_t, c_t) = \mathrm{LSTM}(x_t, h_{t-1}, c_{t-1}), \qquad \text{summary} = (h_{T_x}, "
    r"c_{T_x})",
)
def encoder_summary(settings: TranslatorSettings) -> Evidence:
    """Unroll the encoder by hand and with torch's LSTM."""
    draw = RandomNumbers(settings.seed)
    model = draw_translator(draw, settings, summarizing(settings))
    source = draw_words(draw, settings, settings.source_words)
    memory = model.encode(source)
    x = model.source_embedding(source)
    cell = cell_of(model.encoder)
    state = (x.new_zeros(1, settings.width), x.new_zeros(1, settings.width))
    for x_t in x.unbind(1):
        _, (h, c) = cell.step(cell.project(x_t), state)
        state = (h, c)
    with torch.random.fork_rng(devices=[]):
        theirs = nn.LSTM(settings.word_width, settings.width, batch_first=True).double()
    theirs.load_state_dict({f"{name}_l0": weight for name, weight in cell.state_dict().items()})
    _, wanted = theirs(x)
    h, c = memory.last.parts
    return Evidence(
        stated=[
            same("summary minus the unrolled cell, h", h[0], state[0]),
            same("summary minus the unrolled cell, c", c[0], state[1]),
            same("summary minus the last state of nn.LSTM, h", h, wanted[0]),
            same("summary minus the last state of nn.LSTM, c", c, wanted[1]),
        ]
    )


@claim(
    "B12",
    "The decoder is a recurrent network whose initial state is the encoder's summary. Without it, "
    "the output would be the same for every source.",
    r"s_0 = h_{T_x}",
)
def decoder_start(settings: TranslatorSettings) -> Evidence:
    """Compare the initial state with the summary; then set the summary to zero."""
    draw = RandomNumbers(settings.seed)
    model = draw_translator(draw, settings, summarizing(settings))
    one, other = (draw_words(draw, settings, settings.source_words + n) for n in range(2))
    begun = model.begin(one)
    last = model.encode(one).last
    start = torch.tensor([START])

    def says(state: DecoderState) -> Tensor:
        return model.step(start, state)[0]

    emptied = [
        replace(state, recurrent=RecurrentState(tuple(0 * p for p in state.recurrent.parts)))
        for state in (begun, model.begin(other))
    ]
    return Evidence(
        stated=[
            same("initial state minus summary, h", begun.recurrent.parts[0], last.parts[0], 0.0),
            same("initial state minus summary, c", begun.recurrent.parts[1], last.parts[1], 0.0),
            apart(
                "difference of the outputs for two sources",
                says(begun),
                says(model.begin(other)),
                VISIBLE,
            ),
            same("the same difference with a summary of zeros", says(emptied[0]), says(emptied[1])),
        ]
    )


@claim(
    "E114",
    "The encoder's states are summarized in a context, and the probability of a target is a "
    "product over the words of the *target*, each given the words before it.",
    r"h_t = f(h_{t-1}, x_t), \quad c = q(h_1, \ldots, h_{T_x}), \quad "
    r"p(y) = \prod_{t=1}^{T_y} p(y_t \mid y_{<t}, c)",
    notes=r"the product runs to $T_x$, the length of the source.",
)
def likelihood_of_a_target(settings: LikelihoodSettings) -> Evidence:
    """Add up the steps' log-probabilities to both limits, and the probabilities of all outputs."""
    draw = RandomNumbers(settings.seed)
    model = draw_translator(draw, settings, summarizing(settings))
    source, target, labels = draw_pair(draw, settings)
    loss = cross_entropy(model.states(source, target), model.output.weight, labels, padding=0)
    state, steps = model.begin(source), []
    for given, asked in zip(target[0], labels[0], strict=True):
        log_probabilities, state = model.step(given.unsqueeze(0), state)
        steps.append(float(log_probabilities[0, asked]))
    t_x, t_y = settings.source_words, settings.target_words
    printed = sum(steps[:t_x]) if t_x <= t_y else math.nan
    return Evidence(
        stated=[
            equal(
                "log-probabilities of the first T_x steps, summed, and log p(y)",
                printed,
                -loss.nats,
            )
        ],
        corrected=[
            equal(
                "log-probabilities of all T_y steps, summed, and log p(y)", sum(steps), -loss.nats
            ),
            equal("total probability of all outputs", _all_outputs(settings), 1.0),
        ],
        numbers={"T_x": t_x, "T_y": t_y, "log p(y)": -float(loss.nats)},
    )


def _all_outputs(settings: LikelihoodSettings) -> float:
    """Return the total probability of all outputs over two words, the unfinished ones included.

    Any special token counts as an end.
    """
    draw = RandomNumbers(settings.seed)
    small = settings.model_copy(update={"vocab": 2})
    model = draw_translator(draw, small, summarizing(small))
    state = model.begin(draw_words(draw, small, small.source_words))
    tokens, totals, ended = torch.tensor([START]), torch.zeros(1, dtype=torch.float64), 0.0
    words = torch.tensor([FIRST_WORD, FIRST_WORD + 1])
    for _ in range(settings.enumerated):
        log_probabilities, state = model.step(tokens, state)
        ended += float((totals.unsqueeze(1) + log_probabilities[:, :FIRST_WORD]).exp().sum())
        totals = (totals.unsqueeze(1) + log_probabilities[:, words]).flatten()
        state = model.reorder(state, torch.arange(len(tokens)).repeat_interleave(2))
        tokens = words.repeat(len(tokens))
    return ended + float(totals.exp().sum())


@claim(
    "E115",
    "The distribution of the decoder's next word is a function of the previous word, the hidden "
    "state and the context: the state stands for all earlier words.",
    r"p(y_t \mid y_{<t}, c) = g(y_{t-1}, s_t, c)",
)
def decoder_interface(settings: TranslatorSettings) -> Evidence:
    """Write out g for a decoder that reads the summary at every step."""
    draw = RandomNumbers(settings.seed)
    model = draw_translator(draw, settings, told_at_every_step(settings))
    source, target, _ = draw_pair(draw, settings)
    found = model(source, target)[0].softmax(dim=-1)
    decoder, memory = model.decoder, model.encode(source)
    begun = decoder.begin(memory)
    layers, summary, readout = (getattr(decoder, name) for name in ("layers", "summary", "readout"))
    c = torch.tanh(memory.last.hidden[0] @ summary.weight.t() + summary.bias)
    words = model.target_embedding(target)
    state, said = begun.recurrent, []
    for y in words.unbind(1):
        s, state = layers.step(torch.cat((y, c), dim=1), state)
        mixed = torch.cat((s, y, c), dim=1) @ readout.mix.weight.t() + readout.mix.bias
        exponentials = (torch.tanh(mixed) @ model.output.weight.t()).exp()
        said.append(exponentials[0] / exponentials.sum())
    return Evidence(
        stated=[
            same("difference from g(y, s, c)", found, torch.stack(said)),
            same("context minus the one that the decoder stores", c, _fed(begun)),
        ]
    )


def _fed(state: DecoderState) -> Tensor:
    return torch.empty(0) if state.fed is None else state.fed


@claim(
    "B32",
    "A plain decoder step has two inputs, the previous word and the previous state. With attention "
    "there is a third, the context of this step.",
    r"s_i = f(y_{i-1}, s_{i-1}) \qquad \text{against} \qquad s_i = f(y_{i-1}, s_{i-1}, c_i)",
)
def inputs_of_a_step(settings: TranslatorSettings) -> Evidence:
    """Give both decoders the same word and state but different sources."""
    draw = RandomNumbers(settings.seed)
    plain = draw_translator(draw, settings, summarizing(settings, GruCell()))
    looking = draw_translator(draw, settings, bahdanau(settings))
    one, other = (draw_words(draw, settings, settings.source_words + n) for n in range(2))
    word = torch.tensor([START])

    def after(model: RecurrentTranslator) -> tuple[Tensor, Tensor]:
        mine, theirs = model.begin(one), model.begin(other)
        moved = replace(theirs, recurrent=mine.recurrent)  # their source, my state
        both = (model.step(word, state)[1].recurrent.hidden for state in (mine, moved))
        return next(both), next(both)

    def inputs(layers: RecurrentStack) -> int:
        cell = cell_of(layers)
        return cell.weight_ih.shape[1] + cell.weight_hh.shape[1]

    d, m = settings.width, settings.word_width
    return Evidence(
        stated=[
            same("plain: change of the state when the source changes", *after(plain)),
            apart(
                "attention: change of the state when the source changes", *after(looking), VISIBLE
            ),
            equal(
                "plain: entries of word and state together", inputs(decoder_layers(plain)), m + d
            ),
            equal(
                "attention: entries of word, state and context together",
                inputs(decoder_layers(looking)),
                m + d + 2 * d,
            ),
        ],
    )
