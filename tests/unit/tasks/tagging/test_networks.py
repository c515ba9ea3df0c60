"""The networks of a tagger, beside those of others with the same weights."""

import numpy as np
import pytest
import torch
from tests.oracles import copy, scramble
from tests.unit.neural.models.test_oracles_encoders import bert_config, close, copy_body
from torch import nn
from transformers import BertForTokenClassification

from dragoman.config.encoder import EncoderSettings
from dragoman.config.recurrent_text import RecurrentClassifierSettings
from dragoman.config.training import ObjectiveSettings
from dragoman.data.tokenizer.special_tokens import OURS
from dragoman.data.tokenizer.words import WordTokenizer
from dragoman.neural.models.encoder_tagger import EncoderTagger
from dragoman.neural.objectives.cross_entropy import cross_entropy_written_out
from dragoman.tasks.tagging.batches import make_tag_batch
from dragoman.tasks.tagging.network import build_tagger
from dragoman.tasks.tagging.objective import TaggingObjective

LABELS = 3
VOCABULARY = WordTokenizer(["a", "b", "c"])
ENCODER = EncoderSettings(width=8, heads=2, layers=2, ffn_width=8, max_positions=16, dropout=0.0)
RECURRENT = {
    f"{cell}, {'both ways' if both else 'one way'}": RecurrentClassifierSettings(
        cell=cell, embedding_width=6, width=5, layers=2, bidirectional=both, dropout=0.0
    )
    for cell in ("rnn", "gru", "lstm")
    for both in (False, True)
}
NETWORKS = {"encoder": ENCODER, **RECURRENT}
every = pytest.mark.parametrize("name", NETWORKS)


def network(name):
    return build_tagger(NETWORKS[name], VOCABULARY, LABELS, seed=1).eval()


def tokens():
    torch.manual_seed(4)
    found = torch.randint(4, VOCABULARY.size, (3, 7))
    found[1, 5:] = found[2, 2:] = OURS.padding
    return found


@every
def test_each_token_has_a_score_for_each_label(name):
    assert network(name)(tokens()).shape == (3, 7, LABELS)


@every
def test_padding_changes_nothing(name):
    model, read = network(name), tokens()
    scores = model(read)
    longer = model(torch.cat((read, torch.full((3, 4), OURS.padding)), dim=1))
    torch.testing.assert_close(longer[:, :7][read != 0], scores[read != 0])
    torch.testing.assert_close(model(read[1:2, :5])[0], scores[1, :5])


@every
def test_what_follows_is_seen_unless_the_network_reads_one_way(name):
    model, read = network(name), tokens()
    other = read.clone()
    other[0, 4:] = VOCABULARY.size - 1
    gap = (model(other) - model(read))[0, :4].abs().amax(-1)
    if "one way" in name:
        assert (gap == 0).all()
    else:
        assert (gap > 1e-7).all()


@torch.no_grad()
def test_bert_with_our_weights_gives_our_labels():
    torch.manual_seed(3)
    settings = ENCODER.model_copy(update={"segments": 2, "norm_epsilon": 1e-12})
    ours = scramble(EncoderTagger(settings, 31, 5)).eval()
    config = bert_config(settings)
    config.vocab_size, config.num_labels = 31, 5
    theirs = BertForTokenClassification(config).eval()
    copy_body(ours, theirs.bert)
    copy(ours.labels_head, theirs.classifier)
    read = torch.randint(4, 31, (4, 9))
    read[1, 5:] = read[2, 1:] = 0
    seen = read.ne(0)
    wanted = theirs(read, attention_mask=seen.long(), token_type_ids=torch.zeros_like(read)).logits
    close(ours(read, segments=torch.zeros_like(read))[seen], wanted[seen])


@pytest.mark.parametrize("both", [False, True])
@torch.no_grad()
def test_torch_s_lstm_and_a_linear_layer_with_our_weights_give_our_labels(both):
    settings = RecurrentClassifierSettings(
        cell="lstm", embedding_width=6, width=5, layers=1, bidirectional=both, dropout=0.0
    )
    ours = scramble(build_tagger(settings, VOCABULARY, LABELS, seed=1)).eval()
    theirs = nn.LSTM(6, 5, batch_first=True, bidirectional=both)
    for direction, end in enumerate(("_l0", "_l0_reverse")[: 1 + both]):
        for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            cell = ours.layers.cells[direction]
            getattr(theirs, part + end).copy_(getattr(cell, part))
    read = tokens()[:1]
    states, _ = theirs(ours.embedding(read))
    torch.testing.assert_close(ours(read), ours.output(states))


@every
def test_the_loss_is_the_written_out_cross_entropy_of_each_word(name):
    model = network(name)
    rows = [([292, 293, 294], [2, 0, 1]), ([293], [3])]
    batch = make_tag_batch(rows, np.arange(2), OURS)
    objective = TaggingObjective(model.train(), ObjectiveSettings(label_smoothing=0.2))
    loss = objective.loss(batch, torch.device("cpu"))
    scores = model(torch.from_numpy(batch.tokens))
    asked = torch.stack((scores[0, 1], scores[0, 3], scores[1, 1]))
    smoothed, nats = cross_entropy_written_out(
        asked, torch.eye(LABELS), torch.tensor([1, 0, 2]), 0.2
    )
    torch.testing.assert_close(loss.smoothed, smoothed)
    torch.testing.assert_close(loss.nats, nats.detach())
    assert (loss.positions, objective.denominator(batch), objective.targets(batch)) == (3, 3, 3)
    objective.model.eval()
    torch.testing.assert_close(objective.loss(batch, torch.device("cpu")).smoothed, nats)


@every
def test_every_weight_gets_a_gradient(name):
    model = network(name)
    model(tokens()).sin().sum().backward()
    for weight_name, weight in model.named_parameters():
        assert weight.grad is not None, weight_name
        assert weight.grad.any(), weight_name


def test_an_encoder_has_no_other_heads():
    settings = ENCODER.model_copy(update={"pooler": True, "classes": 4})
    model = build_tagger(settings, VOCABULARY, LABELS, seed=1)
    heads = {name.split(".")[0] for name, _ in model.named_parameters()}
    assert heads == {"embedding", "layers", "labels_head"}
