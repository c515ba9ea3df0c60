"""What a batch with hidden words means to a network that reads from both sides."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn import functional as F

from dragoman.config.encoder import EncoderSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.data.batching.text_batch import TextRow, make_text_batch
from dragoman.data.tokenizer.special_tokens import END, FIRST_PIECE, MASK, PAD, START
from dragoman.neural.models.encoder import Encoder
from dragoman.tasks.masked_lm.objective import MaskedObjective, MaskedResult

CPU = torch.device("cpu")
WORDS = FIRST_PIECE + 12


def make_task(*, smoothing=0.0, pairs=False, positions="learned"):
    torch.manual_seed(0)
    heads = {"segments": 2, "pooler": True, "next_sentence_head": True} if pairs else {}
    settings = EncoderSettings(
        width=8, heads=2, layers=1, ffn_width=16, dropout=0.0, positions=positions, **heads
    )
    model = Encoder(settings, WORDS, padding=PAD)
    return MaskedObjective(model, ObjectiveSettings(label_smoothing=smoothing))


def hidden(*words, at):
    """Make a row of words of which some are hidden."""
    ids = [START, *(FIRST_PIECE + word for word in words), END]
    tokens, labels = np.array(ids), np.full(len(ids), PAD)
    for place in at:
        tokens[place + 1], labels[place + 1] = MASK, ids[place + 1]
    return TextRow(tokens, labels=labels)


def joined(*rows):
    """Lay rows side by side in one, as documents of their own."""
    numbers = np.repeat(np.arange(1, len(rows) + 1), [len(row) for row in rows])
    parts = [(row.tokens, row.labels) for row in rows]
    tokens, labels = (np.concatenate(part) for part in zip(*parts, strict=True))
    return TextRow(tokens, labels=labels, documents=numbers)


FIRST = hidden(1, 2, 3, 4, at=[1, 3])
SECOND = hidden(5, 6, at=[0])
THIRD = hidden(7, 8, 9, at=[2])


def pair(first, second, follows, at):
    ids = [START, *(FIRST_PIECE + w for w in first), END, *(FIRST_PIECE + w for w in second), END]
    tokens, labels = np.array(ids), np.full(len(ids), PAD)
    tokens[at], labels[at] = MASK, ids[at]
    segments = np.repeat([0, 1], [len(first) + 2, len(second) + 1])
    return TextRow(tokens, labels=labels, segments=segments, follows=follows)


PAIRS = [pair([1, 2], [3], 1, at=1), pair([4], [5, 6, 7], 0, at=4), pair([8], [2], 1, at=3)]


def written_out(task, batch):
    """Sum over the hidden words, from the scores of every position."""
    scores = task.model(
        torch.from_numpy(batch.tokens), segments=torch.from_numpy(batch.segments)
    ).log_softmax(dim=-1)
    return -sum(
        scores[row, place, batch.labels[row, place]]
        for row, place in zip(*np.nonzero(batch.labels), strict=True)
    )


@pytest.mark.parametrize("training", [True, False])
def test_the_loss_is_that_of_the_hidden_words_alone(training):
    task = make_task()
    task.model.train(training)
    batch = make_text_batch([FIRST, SECOND, THIRD])
    loss = task.loss(batch, CPU)
    torch.testing.assert_close(loss.nats, written_out(task, batch).detach())
    torch.testing.assert_close(loss.smoothed, loss.nats)
    assert loss.positions == task.denominator(batch) == 4
    assert task.targets(batch) == len(FIRST) + len(SECOND) + len(THIRD)


def test_only_training_smooths_the_right_word():
    task = make_task(smoothing=0.1)
    batch = make_text_batch([FIRST])
    task.model.train()
    assert task.loss(batch, CPU).smoothed != task.loss(batch, CPU).nats
    task.model.eval()
    assert task.loss(batch, CPU).smoothed == task.loss(batch, CPU).nats


@pytest.mark.parametrize("positions", ["learned", "sinusoidal", "rotary", "alibi", "t5"])
def test_padding_and_packing_change_no_loss(positions):
    task = make_task(positions=positions)
    rows = [FIRST, SECOND, THIRD]
    alone = sum(task.loss(make_text_batch([row]), CPU).nats for row in rows)
    padded = task.loss(make_text_batch(rows), CPU)
    packed = task.loss(make_text_batch([joined(*rows)]), CPU)
    both = task.loss(make_text_batch([joined(*rows[::-1]), FIRST]), CPU)
    torch.testing.assert_close(padded.nats, alone)
    torch.testing.assert_close(packed.nats, alone)
    torch.testing.assert_close(both.nats, alone + task.loss(make_text_batch([FIRST]), CPU).nats)
    assert packed.positions == padded.positions == 4


def test_divided_by_the_hidden_words_pairs_add_their_own_mean():
    task = make_task(pairs=True)
    batch = make_text_batch(PAIRS)
    loss = task.loss(batch, CPU)
    states = task.model.states(
        torch.from_numpy(batch.tokens), segments=torch.from_numpy(batch.segments)
    )
    answers = task.model.follows(task.model.pooled(states))
    follows = F.cross_entropy(answers, torch.tensor([1, 0, 1]))
    words = written_out(task, batch) / 3
    torch.testing.assert_close(loss.smoothed / task.denominator(batch), words + follows)
    torch.testing.assert_close(loss.nats / 3, words.detach())


def test_both_heads_of_a_network_of_pairs_learn():
    task = make_task(pairs=True)
    task.loss(make_text_batch(PAIRS), CPU).smoothed.backward()
    assert all(weight.grad is not None for weight in task.model.parameters())
    assert task.model.follows_head.weight.grad.abs().sum() > 0


def test_the_kind_of_segment_matters_only_where_rows_are_pairs():
    task = make_task(pairs=True)
    batch = make_text_batch(PAIRS)
    swapped = replace(batch, segments=np.where(batch.tokens != PAD, 1 - batch.segments, 0))
    assert task.loss(batch, CPU).nats != task.loss(swapped, CPU).nats
    rows = make_text_batch([FIRST, SECOND])
    plain = replace(rows, segments=np.ones_like(rows.segments))
    assert task.loss(rows, CPU).nats == task.loss(plain, CPU).nats


def test_guesses_are_the_likeliest_words_and_are_counted_right():
    task = make_task(pairs=True)
    batch = make_text_batch(PAIRS)
    best, found = task.predict(batch, CPU)
    scores = task.model(torch.from_numpy(batch.tokens), segments=torch.from_numpy(batch.segments))
    asked = batch.labels != PAD
    assert best.tolist() == scores.argmax(dim=-1)[torch.from_numpy(asked)].tolist()
    right = int((best.numpy() == batch.labels[asked]).sum())
    assert (found.asked, found.right, found.pairs) == (3, right, 3)
    assert found.nats == pytest.approx(task.loss(batch, CPU).nats.item(), rel=1e-5)


def test_a_network_that_was_told_the_words_guesses_them_all():
    task = make_task()
    batch = make_text_batch([hidden(3, 3, 3, 3, at=[0, 2])])
    with torch.no_grad():
        task.model.output.bias[FIRST_PIECE + 3] = 1e3
    assert task.predict(batch, CPU)[1].accuracy == 1.0


def test_sums_of_guesses_add_up():
    whole = MaskedResult(1.5, 2, 1, 4, 3) + MaskedResult(0.5, 2, 2)
    assert whole == MaskedResult(2.0, 4, 3, 4, 3)
    assert (whole.loss, whole.accuracy, whole.follows_accuracy) == (0.5, 0.75, 0.75)
    assert MaskedResult().follows_accuracy is None


def test_a_batch_without_a_word_to_hide_does_no_harm():
    task = make_task()
    batch = make_text_batch([TextRow(np.array([START, 1, END]))])
    loss = task.loss(batch, CPU)
    (loss.smoothed / task.denominator(batch)).backward()
    assert (loss.nats.item(), loss.positions) == (0.0, 0)
    assert task.predict(batch, CPU)[1] == MaskedResult()
