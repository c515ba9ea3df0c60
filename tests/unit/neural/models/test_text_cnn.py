"""The convolutional classifier of texts."""

import pytest
import torch
from pydantic import ValidationError
from torch.nn import functional as F

from dragoman.config.text_cnn import TextCnnSettings
from dragoman.neural.models.text_cnn import TextCnn

PAD, WORDS, CLASSES = 0, 20, 3


def model(words=WORDS, classes=CLASSES, **changes):
    torch.manual_seed(3)
    usual = {"embedding_width": 8, "filters": 6, "dropout": 0.0}
    network = TextCnn(TextCnnSettings(**{**usual, **changes}), words, classes)
    for filters in network.filters:
        torch.nn.init.normal_(filters.bias)  # so that a window of zeros is not worth nothing
    return network


def texts():
    torch.manual_seed(4)
    tokens = torch.randint(4, WORDS, (5, 7))
    tokens[1, 4:] = tokens[2, 1:] = tokens[3, 2:] = PAD
    return tokens


def by_hand(network, text):
    """Slide each filter over one text, window by window, with no tensor wider than a window."""
    words = [network.embedding.weight[token] for token in text]
    found = []
    for filters in network.filters:
        width = filters.kernel_size[0]
        zeros = [torch.zeros_like(words[0])] * (width - 1)
        around = [*zeros, *words, *zeros]
        for weight, bias in zip(filters.weight, filters.bias, strict=True):  # weight: d, width
            answers = []
            for first in range(len(around) - width + 1):
                window = around[first : first + width]
                products = [weight[:, at] @ word for at, word in enumerate(window)]
                answers.append(max(sum(products).item() + bias.item(), 0.0))
            found.append(max(answers))
    return network.output(torch.tensor(found))


@pytest.mark.parametrize("widths", [(3, 4, 5), (1,), (2, 2, 9)])
def test_it_is_a_filter_slid_over_the_text_window_by_window(widths):
    network = model(kernel_sizes=widths)
    tokens = texts()
    wanted = [by_hand(network, [token for token in row if token]) for row in tokens.tolist()]
    torch.testing.assert_close(network(tokens), torch.stack(wanted))


def test_padding_changes_nothing():
    network, tokens = model(), texts()
    scores = network(tokens)
    longer = torch.cat((tokens, torch.full((5, 6), PAD)), dim=1)
    torch.testing.assert_close(network(longer), scores)
    torch.testing.assert_close(network(tokens[1:2, :4]), scores[1:2])
    torch.testing.assert_close(network(tokens[2:3, :1]), scores[2:3])


def test_a_phrase_is_found_wherever_it_stands():
    network = model(kernel_sizes=(3,))
    phrase, filler = [5, 6, 7], [9] * 4
    early = torch.tensor([[*filler, *phrase, *filler, *filler]])
    late = torch.tensor([[*filler, *filler, *phrase, *filler]])
    torch.testing.assert_close(network(early), network(late))


def test_filters_of_one_token_see_a_bag_and_wider_ones_see_order():
    """As in "I went to IIT in 2017" and "in 2017 I went to IIT"."""
    went, year = [5, 6, 7, 8, 9], [10, 11, 12]
    one, other = torch.tensor([[*went, *year]]), torch.tensor([[*year, *went]])
    bag, network = model(kernel_sizes=(1,)), model(kernel_sizes=(2,), filters=40)
    torch.testing.assert_close(bag(one), bag(other))
    assert (network(one) - network(other)).abs().max() > 1e-4


def test_a_text_of_nothing_has_a_score():
    scores = model(kernel_sizes=(1, 3))(torch.zeros(2, 4, dtype=torch.long))
    assert scores.isfinite().all()


def test_every_weight_gets_a_gradient():
    network, tokens = model(filters=3), texts()
    network(tokens).sin().sum().backward()
    for name, weight in network.named_parameters():
        assert weight.grad.any(), name
    assert not network.embedding.weight.grad[PAD].any()


def test_it_learns_one_batch_by_heart():
    network, tokens = model(filters=16), texts()
    labels = torch.tensor([0, 1, 2, 0, 1])
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(60):
        loss = F.cross_entropy(network(tokens), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss.item() < 0.1
    assert torch.equal(network(tokens).argmax(1), labels)


def test_its_parameters_are_counted_by_a_formula():
    network = model(words=20, classes=3, embedding_width=8, filters=6, kernel_sizes=(3, 4, 5))
    count = sum(weight.numel() for weight in network.parameters())
    assert count == 20 * 8 + 6 * (8 * (3 + 4 + 5) + 3) + 3 * (3 * 6 + 1)


def test_it_runs_without_memory_on_the_meta_device():
    with torch.device("meta"):
        scores = model()(torch.ones(2, 5, dtype=torch.long))
    assert scores.is_meta
    assert scores.shape == (2, CLASSES)


@pytest.mark.parametrize("widths", [(), (0,), (3, -1)])
def test_a_filter_sees_at_least_one_token(widths):
    with pytest.raises(ValidationError):
        TextCnnSettings(kernel_sizes=widths)
