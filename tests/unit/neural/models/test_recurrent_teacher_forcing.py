"""Who chooses the word that is fed: the target, the model, or now one and now the other."""

import pytest
import torch

from dragoman.config.recurrent import RecurrentSettings
from dragoman.neural.models.recurrent.model import RecurrentTranslator

CONTEXTS = {
    "first": {"context": "first"},
    "every": {"context": "every"},
    "additive": {"context": "additive"},
    "general": {"context": "general"},
    "fed": {"context": "general", "input_feeding": True},
}
READ = torch.tensor([[4, 5, 6, 7, 3], [8, 4, 3, 0, 0], [3, 0, 0, 0, 0]])
TARGET = torch.tensor([[2, 4, 9, 10, 3], [2, 5, 6, 3, 0], [2, 8, 3, 0, 0]])


def build(changes):
    torch.manual_seed(3)
    settings = RecurrentSettings(width=8, dropout=0.0, **changes)
    model = RecurrentTranslator(settings, 12, 12).double()
    with torch.no_grad():
        for weight in model.parameters():
            weight.add_(torch.randn_like(weight), alpha=0.3)
    return model.train()


@pytest.fixture(params=CONTEXTS.values(), ids=CONTEXTS.keys())
def built(request):
    return build(request.param)


def gradients(model, states):
    model.zero_grad()
    states.square().sum().backward()
    return {
        name: weight.grad.clone()
        for name, weight in model.named_parameters()
        if weight.grad is not None
    }


def test_all_steps_forced_is_the_plain_pass_bit_for_bit(built):
    plain, labels = built.scored(READ, TARGET)
    forced, same = built.scored(READ, TARGET, 1.0)
    assert torch.equal(forced, plain)
    assert torch.equal(same, labels)


def greedy(model, steps):
    """Write by hand: the likeliest token at every step, never stopping."""
    tokens, state = TARGET[:, 0], model.begin(READ)
    fed = [tokens]
    for _ in range(steps - 1):
        log_probabilities, state = model.step(tokens, state)
        tokens = log_probabilities.argmax(-1)
        fed.append(tokens)
    return torch.stack(fed, dim=1)


def test_no_step_forced_is_being_fed_its_own_greedy_words(built):
    free, _ = built.scored(READ, TARGET, 0.0)
    by_hand = greedy(built, TARGET.shape[1] - 1)
    assert not torch.equal(by_hand, TARGET[:, :-1])
    told = built.states(READ, by_hand)
    torch.testing.assert_close(free, told)
    wanted = gradients(built, told)
    found = gradients(built, built.scored(READ, TARGET, 0.0)[0])
    torch.testing.assert_close(found, wanted)


def fed_tokens(model, forced, target):
    seen = []
    handle = model.target_embedding.register_forward_hook(
        lambda _, given, __: seen.append(given[0])
    )
    model.states(READ[:1].expand(len(target), -1), target, forced)
    handle.remove()
    return torch.cat(seen, dim=1)


@pytest.mark.parametrize("forced", [0.25, 0.8])
def test_the_share_of_forced_steps_is_right_on_average(built, forced):
    with torch.no_grad():
        built.output.weight.zero_()  # its own word is then always token 0
    torch.manual_seed(1)
    fed = fed_tokens(built, forced, torch.full((150, 21), 5))
    assert fed[:, 0].eq(5).all()  # the first is START, which nobody has to guess
    assert set(fed.unique().tolist()) == {0, 5}
    assert fed[:, 1:].eq(5).double().mean().item() == pytest.approx(forced, abs=0.03)


def test_the_same_seed_forces_the_same_steps(built):
    def once(seed):
        torch.manual_seed(seed)
        return built.states(READ, TARGET, 0.5)

    assert torch.equal(once(1), once(1))
    assert any(not torch.equal(once(1), once(seed)) for seed in range(2, 8))


def test_recomputing_chooses_the_same_steps_again(built):
    torch.manual_seed(1)
    wanted = gradients(built, built.states(READ, TARGET, 0.5))
    built.checkpointing = True
    torch.manual_seed(1)
    found = gradients(built, built.states(READ, TARGET, 0.5))
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)


@pytest.mark.parametrize("context", ["additive", "general", "fed"])
def test_attention_is_told_once_by_a_pass_that_is_not_forced(context):
    model, told = build(CONTEXTS[context]), []
    model.decoder.source_attention.watcher = told.append
    model.states(READ, TARGET, 0.0)
    assert [each.shape for each in told] == [(3, 1, 5, 5)]
    torch.testing.assert_close(told[0].sum(-1), torch.ones(3, 1, 5, dtype=torch.float64))
