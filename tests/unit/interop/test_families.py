"""Each family's checkpoint, written by transformers, gives transformers' scores here."""

import torch
from tests.unit.interop.outputs import both_answers, built

from dragoman.interop.families.catalogue import family_of
from dragoman.interop.foreign import read_settings
from dragoman.interop.network import take
from dragoman.interop.tensor_source import StoredFolder


def imported(folder):
    values, stored = read_settings(folder), StoredFolder(folder)
    plan = family_of(values, "test").plan(values, stored)
    tensors, account = take(plan, stored)
    return plan, tensors, account


def test_an_imported_network_gives_their_scores(case):
    plan, tensors, account = imported(case.folder)
    ours = built(plan.settings, plan.vocab_size, tensors)
    answers = both_answers(ours, case.theirs)
    assert answers
    assert not account.missing
    assert not account.unused
    for found, wanted in answers.values():
        assert wanted.std() > 0.05
        torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    assert sum(weight.numel() for weight in tensors.values()) == count_of(case.theirs, plan)


def count_of(theirs, plan):
    """Count their weights as we keep them."""
    count = sum(weight.numel() for weight in theirs.parameters())
    if plan.settings.kind == "transformer" and plan.settings.tied == "none":
        count += plan.vocab_size * plan.settings.width  # one table there for both sides
    if theirs.config.model_type == "roberta":
        count -= (theirs.config.pad_token_id + 1) * plan.settings.width  # rows never used
    return count
