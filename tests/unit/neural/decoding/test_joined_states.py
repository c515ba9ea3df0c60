"""Texts that share their steps: each as if it stood alone, whoever joins or leaves."""

import random

import pytest
import torch

from dragoman.config.cells import GruCell, LstmCell, RnnCell
from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.config.start import LoraStart, PrefixStart
from dragoman.neural.adapt.adapting import adapt
from dragoman.neural.adapt.fast_inference import quick
from dragoman.neural.adapt.lora import lora_matrices
from dragoman.neural.decoding.protocol import Joinable
from dragoman.neural.models.decoder_only import DecoderOnly
from dragoman.neural.models.recurrent_language_model import RecurrentLanguageModel

WORDS, START = 23, 2
POSITIONS = ["learned", "rotary", "alibi", "sinusoidal", "relative", "shaw", "t5", "none"]


def decoder(**changes):
    torch.manual_seed(5)
    usual = {"width": 16, "heads": 4, "layers": 2, "ffn_width": 24, "dropout": 0.0}
    usual |= {"max_positions": 64, "initialization": "xavier"}
    settings = DecoderOnlySettings(**usual | changes)
    network = DecoderOnly(settings, WORDS, WORDS, prompt_end=22, start=START)
    with torch.no_grad():
        for weight in network.parameters():  # also those that begin with zeros
            weight.add_(torch.randn_like(weight) * 0.1)
    return network.eval()


def recurrent(cell):
    torch.manual_seed(5)
    usual = {"embedding_width": 8, "width": 8, "layers": 2, "dropout": 0.0, "cell": cell}
    return RecurrentLanguageModel(RecurrentLanguageSettings(**usual), WORDS).eval()


def adapted(start):
    network = decoder(positions="rotary")
    adapt(network, start)
    for matrix in lora_matrices(network).values():
        torch.nn.init.normal_(matrix.up.weight)
    return network.eval()


NETWORKS = {name: (lambda name=name: decoder(positions=name)) for name in POSITIONS} | {
    "grouped queries": lambda: decoder(positions="rotary", key_value_heads=2),
    "one key for all": lambda: decoder(positions="alibi", key_value_heads=1),
    "quick": lambda: quick(decoder(positions="relative", key_value_heads=2), "float32"),
    "quick, rotary": lambda: quick(decoder(positions="rotary"), "float32"),
    "lora": lambda: adapted(LoraStart(run="base", rank=2)),
    "prefix": lambda: adapted(PrefixStart(run="base", length=3)),
    "rnn": lambda: recurrent(RnnCell()),
    "gru": lambda: recurrent(GruCell()),
    "lstm": lambda: recurrent(LstmCell()),
}


@pytest.fixture(params=NETWORKS)
def network(request):
    return NETWORKS[request.param]()


def begun(network, text):
    """Return the state before the last token of a text."""
    return network.go_on_from(torch.tensor([text]), torch.tensor([len(text)]))


def alone(network, text, count):
    """Return the log-probabilities of so many steps, each time with the likeliest token."""
    state, token, told, said = begun(network, text), text[-1], [], []
    for _ in range(count):
        log_probs, state = network.step(torch.tensor([token]), state)
        token = int(log_probs.argmax())
        told.append(log_probs[0])
        said.append(token)
    return torch.stack(told), said


def some_text(length):
    return [START, *torch.randint(4, WORDS, (length - 1,)).tolist()]


def test_they_are_what_the_protocol_says(network):
    assert isinstance(network, Joinable)


@pytest.mark.parametrize("seed", range(4))
def test_in_any_company_each_text_is_as_it_is_alone(network, seed):
    """Texts come and go by chance, several at a time, the empty one among them."""
    chance = random.Random(seed)
    torch.manual_seed(seed)
    texts = [some_text(length) for length in (1, 2, 9, 14, 5, 3, 11)]
    chance.shuffle(texts)
    waiting, live, state = list(enumerate(texts)), [], None
    told = {number: [] for number in range(len(texts))}
    last = {number: text[-1] for number, text in enumerate(texts)}
    for _ in range(14):
        coming = [waiting.pop() for _ in range(min(len(waiting), chance.choice((0, 1, 2))))]
        if coming:
            states = [begun(network, text) for _, text in coming]
            order = [*([] if state is None else [state]), *states]
            state = network.join(order)
            live += [number for number, _ in coming]
        if not live:
            continue
        log_probs, state = network.step(torch.tensor([last[n] for n in live]), state)
        for number, row in zip(live, log_probs, strict=True):
            told[number].append(row)
            last[number] = int(row.argmax())
        staying = [place for place in range(len(live)) if chance.random() < 0.9]
        chance.shuffle(staying)
        live = [live[place] for place in staying]
        state = network.reorder(state, torch.tensor(staying)) if live else None
        if live and chance.random() < 0.3:
            state = network.join([state])
    assert sum(map(len, told.values())) > 10
    for number, text in enumerate(texts):
        if told[number]:
            own, said = alone(network, text, len(told[number]))
            torch.testing.assert_close(torch.stack(told[number]), own, atol=1e-5, rtol=0)
            assert said == [int(row.argmax()) for row in told[number]]


def test_a_prompt_read_in_portions_is_as_if_read_at_once(network):
    torch.manual_seed(1)
    text = some_text(13)
    whole, _ = network.step(torch.tensor(text[-1:]), begun(network, text))
    state = begun(network, text[:4])
    for portion in (text[3:4], text[4:9], text[9:12]):
        _, state = network.read_on(torch.tensor([portion]), state)
    portioned, _ = network.step(torch.tensor(text[-1:]), state)
    torch.testing.assert_close(portioned, whole, atol=1e-5, rtol=0)


def test_rows_of_different_length_can_read_on_together(network):
    torch.manual_seed(2)
    one, other = some_text(3), some_text(8)
    state = network.join([begun(network, one), begun(network, other)])
    more = torch.randint(4, WORDS, (2, 5))
    _, state = network.read_on(
        torch.cat((torch.tensor([[one[-1]], [other[-1]]]), more[:, :-1]), 1), state
    )
    together, _ = network.step(more[:, -1], state)
    for row, text in enumerate((one, other)):
        whole = [*text, *more[row].tolist()]
        own, _ = network.step(torch.tensor(whole[-1:]), begun(network, whole))
        torch.testing.assert_close(together[row : row + 1], own, atol=1e-5, rtol=0)


def test_what_no_row_sees_is_given_back():
    network = decoder(positions="rotary")
    state = network.join([begun(network, some_text(40)), begun(network, some_text(3))])
    assert state.mask.shape == (2, 39)
    left = network.join([network.reorder(state, torch.tensor([1]))])
    assert left.mask.shape == (1, 2)
    assert left.cache[0].keys_values[0].shape[2] == 2


def test_a_state_that_is_joined_stays_as_it_was(network):
    torch.manual_seed(3)
    text, other = some_text(6), some_text(9)
    state = begun(network, text)
    before, _ = network.step(torch.tensor(text[-1:]), state)
    joined = network.join([state, begun(network, other)])
    network.step(torch.tensor([text[-1], other[-1]]), joined)
    after, _ = network.step(torch.tensor(text[-1:]), state)
    assert torch.equal(before, after)


def test_a_source_and_a_text_cannot_be_joined():
    network = decoder(positions="rotary")
    source = network.begin(torch.tensor([[5, 6, 3]]))
    with pytest.raises(ValueError, match="end of their prompt"):
        network.join([source, begun(network, some_text(4))])
