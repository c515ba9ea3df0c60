import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.config.batches import BatchSettings
from dragoman.data.batching.plan import epoch_plan

LENGTHS = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), max_size=120)


def as_lengths(rows):
    both = np.array(rows, dtype=np.int32).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def batches(plan):
    return [plan[index] for index in range(len(plan))]


@settings(max_examples=500, deadline=None)
@given(LENGTHS, st.integers(1, 400), st.integers(2, 45), st.integers(1, 50), st.integers(0, 9))
def test_batching_loses_and_repeats_nothing_under_any_budget(rows, tokens, longest, window, epoch):
    source, target = as_lengths(rows)
    limits = BatchSettings(max_tokens=tokens, max_length=longest, window=window)
    plan = epoch_plan(source, target, limits, seed=3, epoch=epoch)
    fitting = [i for i, sides in enumerate(rows) if max(sides) <= longest]
    assert sorted(int(i) for batch in batches(plan) for i in batch) == fitting
    assert plan.left_out == len(rows) - len(fitting)
    for batch in batches(plan):
        assert len(batch) > 0
        assert batch.dtype == np.int64
        width = max(source[batch].max(), target[batch].max())
        assert len(batch) * width <= tokens or len(batch) == 1


@settings(max_examples=100, deadline=None)
@given(LENGTHS, st.integers(0, 2**40), st.integers(0, 100))
def test_a_plan_is_a_pure_function_of_its_arguments(rows, seed, epoch):
    source, target = as_lengths(rows)
    limits = BatchSettings(max_tokens=100, window=30)
    first = batches(epoch_plan(source, target, limits, seed, epoch))
    np.random.seed(0)  # noqa: NPY002
    second = batches(epoch_plan(source.copy(), target.copy(), limits, seed, epoch))
    assert all(np.array_equal(a, b) for a, b in zip(first, second, strict=True))


def test_epochs_and_seeds_give_different_orders():
    source, target = as_lengths([(n % 17 + 1, n % 13 + 1) for n in range(500)])
    limits = BatchSettings(max_tokens=200)
    orders = {
        tuple(np.concatenate(batches(epoch_plan(source, target, limits, seed, epoch))))
        for seed in (0, 1)
        for epoch in (0, 1, 2)
    }
    assert len(orders) == 6


def natural_lengths(count, mean, spread, noise):
    random = np.random.default_rng(1)
    target = np.exp(random.normal(np.log(mean), spread, count))
    source = target * np.exp(random.normal(0, noise, count)) + random.integers(-1, 2, count)
    return [np.clip(np.rint(side), 1, 250).astype(np.int32) + 1 for side in (source, target)]


@pytest.mark.parametrize("pairs", [5_000, 20_000, 50_000])
@pytest.mark.parametrize("tokens", [500, 1024, 2048])
@pytest.mark.parametrize("shape", [(8, 0.4, 0.25), (20, 0.6, 0.25), (30, 0.7, 0.35)])
def test_at_least_85_of_100_slots_hold_a_token(tokens, shape, pairs):
    source, target = natural_lengths(pairs, *shape)
    plan = epoch_plan(source, target, BatchSettings(max_tokens=tokens), seed=0, epoch=0)
    real = int(source.sum() + target.sum())
    slots = sum(len(b) * int(source[b].max() + target[b].max()) for b in batches(plan))
    assert real / slots > 0.85


def test_a_plan_of_many_examples_takes_few_bytes_per_example():
    source, target = natural_lengths(200_000, 20, 0.6, 0.25)
    plan = epoch_plan(source, target, BatchSettings(), seed=0, epoch=0)
    assert plan.order.nbytes + plan.starts.nbytes + plan.ends.nbytes < 5 * 200_000
