"""Claims on training a translator and on writing with it."""

import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.cells import GruCell
from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.config.training import DecodingSettings
from dragoman.data.tokenizer.special_tokens import END, OURS, START
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, at_least, equal, same
from dragoman.lab.topics.recurrent.drawn import RandomNumbers, cell_of
from dragoman.lab.topics.translation.drawn_translators import (
    TranslatorSettings,
    bahdanau,
    decoder_layers,
    draw_pair,
    draw_translator,
    draw_words,
    summarizing,
)
from dragoman.neural.decoding.search import longest_lengths, search
from dragoman.neural.models.recurrent.decoder import DecoderState
from dragoman.neural.models.recurrent.model import RecurrentTranslator
from dragoman.neural.models.recurrent_language_model import RecurrentLanguageModel
from dragoman.neural.objectives.cross_entropy import cross_entropy
from dragoman.plots.lab import Bars

GREEDY = DecodingSettings(beam=1, max_length_ratio=1.5, max_length_extra=5, loop_guard=0)


class OutputSettings(TranslatorSettings):
    """A decoder's output layer."""

    shift: float = Field(default=3.0, ge=-50.0, le=50.0)
    """Added to every logit."""


class SentencesSettings(TranslatorSettings):
    """Several sources."""

    sentences: int = Field(default=20, ge=1, le=60)
    """How many are translated."""
    eagerness: float = Field(default=1.0, ge=-5.0, le=5.0)
    """Added to all output weights of END: the more, the sooner an output ends."""


@claim(
    "B17",
    "At each step a linear layer turns the decoder's state into one logit for each word of the "
    "vocabulary, and a softmax turns the logits into probabilities. They sum to 1, and adding the "
    "same number to all logits changes nothing.",
    r"z_t = W h_t + b, \qquad p_k = \frac{e^{z_k}}{\sum_j e^{z_j}}",
)
def output_layer(settings: OutputSettings) -> Evidence:
    """Write out the output layer of a decoder that starts from a given vector."""
    draw = RandomNumbers(settings.seed)
    chosen = RecurrentLanguageSettings(
        embedding_width=settings.word_width,
        width=settings.width,
        tied=False,
        first_width=settings.width,
        dropout=0.0,
    )
    model = draw.network(lambda: RecurrentLanguageModel(chosen, settings.vocab_size))
    state = model.begin_from(draw(1, settings.width))
    token = torch.tensor([START])
    log_probabilities, after = model.step(token, state)
    h = after.hidden[0, 0]
    z = torch.stack(
        [w @ h + b for w, b in zip(model.output.weight, model.output.bias, strict=True)]
    )
    found = log_probabilities[0].exp()
    with torch.no_grad():
        model.output.bias.add_(settings.shift)
    shifted = model.step(token, state)[0][0].exp()
    return Evidence(
        stated=[
            same("probabilities minus exponentials over their sum", found, z.exp() / z.exp().sum()),
            equal("sum of the probabilities", found.sum(), 1.0),
            same("change when a constant is added to all logits", shifted, found),
        ]
    )


@claim(
    "B25",
    "The encoder learns through the decoder: the gradient of the loss with respect to its summary "
    "is a sum over the steps of the decoder, each term propagated back through all earlier "
    "steps.",
    r"\frac{\partial L}{\partial h_{\mathrm{enc}}} = \sum_{t \le T_{\mathrm{dec}}} "
    r"\frac{\partial L_t}{\partial h_{\mathrm{dec},t}} "
    r"\frac{\partial h_{\mathrm{dec},t}}{\partial h_{\mathrm{enc}}}",
)
def gradient_into_the_encoder(settings: TranslatorSettings) -> Evidence:
    """Multiply the Jacobians of the steps; compare with a hook on the encoder's last state."""
    draw = RandomNumbers(settings.seed)
    model = draw_translator(draw, settings, summarizing(settings, GruCell()))
    source, target, labels = draw_pair(draw, settings)
    hooked: list[Tensor] = []
    memory = model.encode(source)
    memory.last.hidden.register_hook(hooked.append)
    words, w_y = model.target_embedding(target), model.output.weight
    states = model.decoder(words, memory)
    cross_entropy(states, w_y, labels, padding=0).smoothed.backward()

    cell = cell_of(decoder_layers(model))
    projected = cell.project(words[0]).detach()
    s, back = memory.last.hidden[0].detach(), torch.eye(settings.width, dtype=torch.float64)
    shares = []
    for x, label in zip(projected.unsqueeze(1), labels[0].tolist(), strict=True):

        def after(state: Tensor, x: Tensor = x) -> Tensor:
            return cell.step(x, (state.unsqueeze(0),))[0][0]

        back = torch.autograd.functional.jacobian(after, s[0]) @ back  # dh_t / dh_enc
        s = after(s[0]).detach().unsqueeze(0)
        error = (w_y.detach() @ s[0]).softmax(dim=0)
        error[label] -= 1
        shares.append(error @ w_y.detach() @ back)
    sizes = [float(share.norm()) for share in shares]
    return Evidence(
        stated=[
            same(
                "sum over the steps minus autograd's gradient",
                torch.stack(shares).sum(0),
                hooked[0][0, 0],
            ),
            equal("terms of the sum", len(shares), settings.target_words, 0.0),
        ],
        plot=[
            Bars(
                "norm of each step's term",
                [str(number) for number in range(1, len(sizes) + 1)],
                [[size] for size in sizes],
            )
        ],
    )


@claim(
    "E118",
    "Maximizing the likelihood of the reference words, the product of their probabilities, is "
    "minimizing the sum of their cross entropies: the likelihood is the exponential of minus that "
    "sum, and the two gradients point in opposite directions.",
    r"\prod_i p(\hat{y}_i) = \exp\left(-\sum_i \mathrm{CE}_i\right), \qquad "
    r"\nabla \prod_i p = -\left(\prod_i p\right) \nabla \sum_i \mathrm{CE}_i",
)
def likelihood_and_cross_entropy(settings: TranslatorSettings) -> Evidence:
    """Compare product and sum, and their gradients with respect to the output matrix."""
    draw = RandomNumbers(settings.seed)
    model = draw_translator(draw, settings, bahdanau(settings))
    source, target, labels = draw_pair(draw, settings)
    w = model.output.weight
    loss = cross_entropy(model.states(source, target), w, labels, padding=0)
    probabilities = model(source, target)[0].softmax(dim=-1)
    likelihood = probabilities.gather(1, labels[0].unsqueeze(1)).prod()
    (of_loss,) = torch.autograd.grad(loss.smoothed, w)
    (of_likelihood,) = torch.autograd.grad(likelihood, w)
    return Evidence(
        stated=[
            equal(
                "−log of the product, and the sum of the cross entropies",
                -likelihood.detach().log(),
                loss.nats,
            ),
            same(
                "gradient of the log-likelihood plus gradient of the loss",
                of_likelihood / likelihood.detach(),
                -of_loss,
            ),
        ],
        numbers={"likelihood": float(likelihood.detach()), "cross entropy": float(loss.nats)},
    )


class Recording:
    """A translator that records its input tokens, and can be kept from ever writing END."""

    def __init__(self, model: RecurrentTranslator, *, endless: bool) -> None:
        self.model = model
        self.endless = endless
        self.told: list[list[int]] = []

    def begin(self, source: Tensor) -> DecoderState:
        """Read the sources."""
        return self.model.begin(source)

    def step(self, tokens: Tensor, state: DecoderState) -> tuple[Tensor, DecoderState]:
        """Take a step; an endless translator gives END the probability 0."""
        self.told.append(tokens.tolist())
        log_probabilities, after = self.model.step(tokens, state)
        if self.endless:
            log_probabilities = log_probabilities.clone()
            log_probabilities[:, END] = -torch.inf
        return log_probabilities, after

    def reorder(self, state: DecoderState, rows: Tensor) -> DecoderState:
        """Select rows."""
        return self.model.reorder(state, rows)


@claim(
    "B16",
    "Two extra tokens in the target vocabulary make outputs of any length possible: the decoder "
    "reads START before it writes its first word, and writes END after its last.",
    r"\langle \mathrm{SOS} \rangle \; y_1 \ldots y_{T_y} \; \langle \mathrm{EOS} \rangle",
)
def start_and_end(settings: SentencesSettings) -> Evidence:
    """Translate with the product's search, with a loop, and with a model that never writes END."""
    draw = RandomNumbers(settings.seed)
    model = draw_translator(draw, settings, bahdanau(settings))
    with torch.no_grad():
        model.output.weight[END] += settings.eagerness
    source = draw_words(draw, settings, settings.source_words * settings.sentences)
    source = source.view(settings.sentences, settings.source_words)
    lengths = [settings.source_words] * settings.sentences
    longest = int(longest_lengths(lengths, GREEDY)[0])
    watched, endless = Recording(model, endless=False), Recording(model, endless=True)
    outputs, cut = (
        [
            best[0]
            for best in search(
                one, source, lengths, GREEDY, start=START, end=END, forbidden=OURS.never
            )
        ]
        for one in (watched, endless)
    )
    by_hand = [_by_hand(model, row.unsqueeze(0), longest) for row in source]
    right = sum(
        (list(found.tokens), found.finished) == wanted
        for found, wanted in zip(outputs, by_hand, strict=True)
    )
    ended = sum(one.finished for one in outputs)
    return Evidence(
        premises=[at_least("outputs that end with END", ended, 1)],
        stated=[
            equal("decoders that read START first", watched.told[0].count(START), len(outputs)),
            equal("outputs equal to those of the loop", right, len(outputs)),
            equal(
                "outputs with END among their words", sum(END in one.tokens for one in outputs), 0
            ),
            equal("endless model: outputs that finish", sum(one.finished for one in cut), 0),
            equal(
                "endless model: words of the shortest output",
                min(len(one.tokens) for one in cut),
                longest,
            ),
        ],
        numbers={"outputs that end with END": ended},
    )


def _by_hand(model: RecurrentTranslator, source: Tensor, longest: int) -> tuple[list[int], bool]:
    """Write the most probable word at each step; return the words, and whether END came."""
    state, told, words = model.begin(source), START, list[int]()
    while len(words) < longest:
        log_probabilities, state = model.step(torch.tensor([told]), state)
        log_probabilities[:, list(OURS.never)] = -torch.inf
        told = int(log_probabilities.argmax())
        if told == END:
            return words, True
        words.append(told)
    return words, False


@claim(
    "B27",
    "When a trained model translates, its weights are fixed and there is no teacher forcing: each "
    "step reads the word that the previous step has predicted.",
    r"\hat{y}_t = \mathrm{argmax}_k \; p(k \mid \hat{y}_{<t}, x)",
)
def free_running(settings: TranslatorSettings) -> Evidence:
    """Feed the model its own words in three ways, and check that no weight has changed."""
    draw = RandomNumbers(settings.seed)
    model = draw_translator(draw, settings, bahdanau(settings))
    source, target, _ = draw_pair(draw, settings)
    before = nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        scores = model.output(model.states(source, target, 0.0))[0]
        own = scores.argmax(dim=-1)
        fed = torch.cat((target[:, :1], own[:-1].unsqueeze(0)), dim=1)
        again, forced = model(source, fed)[0], model(source, target)[0]
    state, token, said = model.begin(source), target[:, 0], []
    for _ in range(settings.target_words):
        log_probabilities, state = model.step(token, state)
        token = log_probabilities.argmax(dim=-1)
        said.append(int(token))
    after = nn.utils.parameters_to_vector(model.parameters()).detach()
    (best,) = search(model, source, [settings.target_words], GREEDY, start=START, end=END)
    found = list(best[0].tokens)[: settings.target_words]
    until_end = said[: said.index(END)] if END in said else said
    return Evidence(
        stated=[
            same(
                "predicted words: single steps against free running", torch.tensor(said), own, 0.0
            ),
            same(
                "predicted words: greedy search against single steps",
                torch.tensor(found),
                torch.tensor(until_end),
                0.0,
            ),
            same("scores when its own words are given as the target", again, scores),
            same("change of the weights", after, before, 0.0),
        ],
        numbers={
            "words that differ from the target": int((fed != target).sum()),
            "largest change of a score under teacher forcing": float((forced - scores).abs().max()),
        },
    )
