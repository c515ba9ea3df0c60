"""A recurrent language model: causal, steady under padding, the same in steps and at once."""

import pytest
import torch
from pydantic import ValidationError
from torch.nn import functional as F

from dragoman.config.cells import GruCell, LstmCell, RnnCell, SimpleGruCell
from dragoman.config.recurrent_text import RecurrentLanguageSettings
from dragoman.core.errors import ConfigError
from dragoman.neural.models.recurrent_language_model import RecurrentLanguageModel

PAD, START, END = 0, 2, 3
WORDS = 20
CELLS = [LstmCell(), GruCell(), GruCell(reset="before"), SimpleGruCell(), RnnCell(state="before")]
each_cell = pytest.mark.parametrize("cell", CELLS, ids=str)


def model(cell=None, **changes):
    torch.manual_seed(3)
    usual = {
        "embedding_width": 8,
        "width": 8,
        "layers": 2,
        "dropout": 0.0,
        "cell": cell or LstmCell(),
    }
    return RecurrentLanguageModel(RecurrentLanguageSettings(**{**usual, **changes}), WORDS)


def texts():
    torch.manual_seed(4)
    tokens = torch.randint(4, WORDS, (3, 7))
    tokens[:, 0] = START
    tokens[0, 5], tokens[0, 6], tokens[1, 6], tokens[2, 3] = END, PAD, END, END
    tokens[2, 4:] = PAD
    return tokens


def loss_of(network, tokens, state=None):
    scores = network(tokens[:, :-1], state)
    return F.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten(), ignore_index=PAD)


@each_cell
def test_the_future_changes_nothing(cell):
    network = model(cell)
    other = texts()
    other[:, 3:] = 9
    before, after = network(texts()), network(other)
    assert torch.equal(after[:, :3], before[:, :3])
    assert not torch.allclose(after[:, 3:], before[:, 3:])


@each_cell
def test_padding_changes_nothing(cell):
    network, tokens = model(cell), texts()
    longer = torch.cat((tokens, torch.full((3, 4), PAD)), dim=1)
    torch.testing.assert_close(network(longer)[:, :7], network(tokens))
    torch.testing.assert_close(network(longer[2:, :4]), network(tokens)[2:, :4])
    torch.testing.assert_close(loss_of(network, longer), loss_of(network, tokens))
    _, after = network.states(longer)
    torch.testing.assert_close(after.parts, network.states(tokens)[1].parts)


@each_cell
def test_step_by_step_equals_all_at_once(cell):
    network = model(cell, residual=True).eval()
    tokens = texts().where(texts().ne(PAD), torch.tensor(5))
    state, found = network.begin(3), []
    for token in tokens.unbind(1):
        guesses, state = network.step(token, state)
        found.append(guesses)
    wanted = network(tokens).log_softmax(-1)
    torch.testing.assert_close(torch.stack(found, 1), wanted, atol=1e-5, rtol=1e-5)


def test_rows_may_be_turned_repeated_and_dropped():
    network = model().eval()
    tokens = texts()[:, :3]
    state = network.begin(3)
    for token in tokens.unbind(1):
        _, state = network.step(token, state)
    rows, more = torch.tensor([2, 2, 0, 1]), torch.tensor([6, 7, 8, 9])
    found, _ = network.step(more, network.reorder(state, rows))
    wanted = network(torch.cat((tokens[rows], more.unsqueeze(1)), 1))[:, -1].log_softmax(-1)
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


@each_cell
def test_a_text_in_segments_equals_the_whole(cell):
    network, tokens = model(cell), texts()
    early, state = network.states(tokens[:, :3])
    late, state = network.states(tokens[:, 3:], state)
    wanted, last = network.states(tokens)
    torch.testing.assert_close(torch.cat((early, late), 1), wanted)
    torch.testing.assert_close(state.parts, last.parts)


def test_segments_learn_what_a_cut_gradient_teaches():
    network, tokens = model().double(), texts()
    state, total = None, 0.0
    for first in (0, 3, 6):
        states, state = network.states(tokens[:, first : first + 3], state and state.detached())
        total = total + network.output(states).sin().sum()
    found = torch.autograd.grad(total, list(network.parameters()))
    states, _ = network.states(tokens, truncate=3)
    wanted = torch.autograd.grad(network.output(states).sin().sum(), list(network.parameters()))
    torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("tied", [True, False])
@each_cell
def test_every_weight_gets_a_gradient(cell, tied):
    network = model(cell, tied=tied, first_width=4)
    loss_of(network, texts(), network.begin_from(torch.randn(3, 4))).backward()
    for name, weight in network.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.any(), name
    assert (network.output.weight is network.embedding.weight) == tied


def test_it_learns_one_batch_by_heart():
    network, tokens = model(width=24, embedding_width=24, layers=1), texts()
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(150):
        loss = loss_of(network, tokens)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    # after START alone three texts go on differently, so that token cannot be known
    guessed, right = network(tokens[:, :-1]).argmax(-1)[:, 1:], tokens[:, 2:]
    assert torch.equal(guessed[right.ne(PAD)], right[right.ne(PAD)])


@each_cell
def test_one_vector_becomes_one_text(cell):
    network = model(cell, width=24, embedding_width=24, layers=1, first_width=3)
    tokens, vectors = texts(), torch.eye(3)
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(200):
        loss = loss_of(network, tokens, network.begin_from(vectors))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss.item() < 0.05:
            break
    network.eval()
    state, token, written = network.begin_from(vectors), torch.full((3,), START), []
    for _ in range(6):
        guesses, state = network.step(token, state)
        token = guesses.argmax(-1)
        written.append(token)
    right = tokens[:, 1:]
    assert torch.equal(torch.stack(written, 1)[right.ne(PAD)], right[right.ne(PAD)])


def test_a_vector_needs_a_way_in():
    with pytest.raises(ConfigError, match="first_width"):
        model().begin_from(torch.ones(1, 4))


def test_tied_widths_must_be_equal():
    with pytest.raises(ValidationError, match="word_width 8 and width 9"):
        RecurrentLanguageSettings(embedding_width=8, width=9)


def test_it_runs_without_memory_on_the_meta_device():
    with torch.device("meta"):
        scores = model(first_width=4)(torch.ones(2, 5, dtype=torch.long))
    assert scores.is_meta
    assert scores.shape == (2, 5, WORDS)
