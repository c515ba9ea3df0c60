"""BERT and RoBERTa with our weights give our scores, whatever the shape and the padding.

RoBERTa's first token stands at position 2, behind two rows of its table that no real token uses;
ours begins at 0. In BERT class 0 says that the second text follows; ours is class 1.
"""

import pytest
import torch
from tests.oracles import copy, scramble
from transformers import (
    BertConfig,
    BertForPreTraining,
    BertForSequenceClassification,
    BertModel,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaForSequenceClassification,
)

from dragoman.config.encoder import EncoderSettings
from dragoman.neural.models.encoder import Encoder

WORDS = 31
SHAPES = {
    "even": {"width": 16, "heads": 4, "ffn_width": 24, "layers": 2, "max_positions": 12},
    "odd": {"width": 15, "heads": 3, "ffn_width": 7, "layers": 3, "max_positions": 11},
    "one": {"width": 10, "heads": 1, "ffn_width": 33, "layers": 1, "max_positions": 9},
}
ACTIVATIONS = {"gelu": "gelu", "gelu-tanh": "gelu_pytorch_tanh", "relu": "relu"}


def encoder(shape, padding=0, **changes):
    torch.manual_seed(3)
    settings = EncoderSettings(**{**SHAPES[shape], **changes})
    return scramble(Encoder(settings, WORDS, padding=padding)).eval()


def sizes(settings):
    return {
        "vocab_size": WORDS,
        "hidden_size": settings.width,
        "num_hidden_layers": settings.layers,
        "num_attention_heads": settings.heads,
        "intermediate_size": settings.ffn_width,
        "hidden_act": ACTIVATIONS[settings.activation],
        "layer_norm_eps": settings.norm_epsilon,
        "num_labels": settings.classes or 2,
        "attn_implementation": "eager",
    }


def bert_config(settings):
    return BertConfig(
        max_position_embeddings=settings.max_positions, type_vocab_size=2, **sizes(settings)
    )


def roberta_config(settings):
    return RobertaConfig(
        max_position_embeddings=settings.max_positions + 2,
        type_vocab_size=1,
        pad_token_id=1,
        **sizes(settings),
    )


@torch.no_grad()
def copy_body(ours, theirs):
    embeddings = theirs.embeddings
    copy(ours.embedding.table, embeddings.word_embeddings)
    copy(ours.embedding.segments, embeddings.token_type_embeddings)
    copy(ours.embedding.norm, embeddings.LayerNorm)
    positions = ours.embedding.positions.table.weight
    embeddings.position_embeddings.weight[-len(positions) :] = positions
    for mine, other in zip(ours.layers, theirs.encoder.layer, strict=True):
        copy(mine.attention.query, other.attention.self.query)
        copy(mine.attention.key, other.attention.self.key)
        copy(mine.attention.value, other.attention.self.value)
        copy(mine.attention.output, other.attention.output.dense)
        copy(mine.around_attention.norm, other.attention.output.LayerNorm)
        copy(mine.feed_forward.inner, other.intermediate.dense)
        copy(mine.feed_forward.output, other.output.dense)
        copy(mine.around_feed_forward.norm, other.output.LayerNorm)


def bert_for_pretraining(ours):
    theirs = BertForPreTraining(bert_config(ours.settings)).eval()
    copy_body(ours, theirs.bert)
    copy(ours.pooler, theirs.bert.pooler.dense)
    copy(ours.words_head.inner, theirs.cls.predictions.transform.dense)
    copy(ours.words_head.norm, theirs.cls.predictions.transform.LayerNorm)
    copy(ours.output, theirs.cls.predictions.decoder)
    with torch.no_grad():
        theirs.cls.seq_relationship.weight.copy_(ours.follows_head.weight.flip(0))
        theirs.cls.seq_relationship.bias.copy_(ours.follows_head.bias.flip(0))
    return theirs


def batch(longest, padding=0):
    """Rows of all lengths, the longest as long as the table of positions."""
    torch.manual_seed(4)
    tokens = torch.randint(4, WORDS, (4, longest))
    tokens[1, 5:] = tokens[2, 2:] = tokens[3, 1:] = padding
    return tokens, tokens.ne(padding), torch.randint(2, tokens.shape)


def close(ours, theirs):
    torch.testing.assert_close(ours, theirs, atol=2e-5, rtol=2e-5)


BERT = {"segments": 2, "pooler": True, "next_sentence_head": True, "norm_epsilon": 1e-12}
ROBERTA = {"segments": 1, "norm_epsilon": 1e-5, "padding": 1}


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("shape", SHAPES)
@torch.no_grad()
def test_bert_with_our_weights_guesses_our_words_and_our_sentences(shape, activation):
    ours = encoder(shape, **BERT, activation=activation)
    theirs = bert_for_pretraining(ours)
    tokens, seen, segments = batch(ours.settings.max_positions)
    wanted = theirs(tokens, attention_mask=seen.long(), token_type_ids=segments)
    states = ours.states(tokens, segments=segments)
    close(ours.words(states)[seen], wanted.prediction_logits[seen])
    close(ours.follows(ours.pooled(states)).flip(1), wanted.seq_relationship_logits)


@torch.no_grad()
def test_bert_sees_what_an_explicit_mask_lets_it_see():
    ours = encoder("odd", **BERT)
    theirs = bert_for_pretraining(ours)
    tokens, seen, segments = batch(ours.settings.max_positions)
    seen = seen & torch.rand(seen.shape).lt(0.7)
    seen[:, 0] = True
    wanted = theirs(tokens, attention_mask=seen.long(), token_type_ids=segments)
    close(ours(tokens, seen, segments), wanted.prediction_logits)


@torch.no_grad()
def test_bert_disagrees_where_a_single_weight_differs():
    ours = encoder("even", **BERT)
    theirs = bert_for_pretraining(ours)
    ours.embedding.segments.weight[1, 3] += 1.0
    tokens, seen, segments = batch(ours.settings.max_positions)
    wanted = theirs(tokens, attention_mask=seen.long(), token_type_ids=segments)
    gap = (ours(tokens, seen, segments) - wanted.prediction_logits)[seen]
    assert gap.abs().max() > 1e-3


@pytest.mark.parametrize("shape", SHAPES)
@torch.no_grad()
def test_bert_with_our_weights_gives_our_classes(shape):
    ours = encoder(shape, **BERT, classes=3)
    theirs = BertForSequenceClassification(bert_config(ours.settings)).eval()
    copy_body(ours, theirs.bert)
    copy(ours.pooler, theirs.bert.pooler.dense)
    copy(ours.classes_head, theirs.classifier)
    tokens, seen, segments = batch(ours.settings.max_positions)
    wanted = theirs(tokens, attention_mask=seen.long(), token_type_ids=segments).logits
    close(ours.classify(tokens, segments=segments), wanted)


@pytest.mark.parametrize("shape", SHAPES)
@torch.no_grad()
def test_roberta_with_our_weights_guesses_our_words(shape):
    ours = encoder(shape, **ROBERTA)
    theirs = RobertaForMaskedLM(roberta_config(ours.settings)).eval()
    copy_body(ours, theirs.roberta)
    copy(ours.words_head.inner, theirs.lm_head.dense)
    copy(ours.words_head.norm, theirs.lm_head.layer_norm)
    copy(ours.output, theirs.lm_head.decoder)
    tokens, seen, _ = batch(ours.settings.max_positions, padding=1)
    wanted = theirs(tokens, attention_mask=seen.long()).logits
    close(ours(tokens)[seen], wanted[seen])


@pytest.mark.parametrize("shape", SHAPES)
@torch.no_grad()
def test_roberta_with_our_weights_gives_our_classes(shape):
    ours = encoder(shape, **ROBERTA, pooler=True, classes=5)
    theirs = RobertaForSequenceClassification(roberta_config(ours.settings)).eval()
    copy_body(ours, theirs.roberta)
    copy(ours.pooler, theirs.classifier.dense)
    copy(ours.classes_head, theirs.classifier.out_proj)
    tokens, seen, _ = batch(ours.settings.max_positions, padding=1)
    close(ours.classify(tokens), theirs(tokens, attention_mask=seen.long()).logits)


NAMED = {
    "base": ({"width": 768, "heads": 12, "ffn_width": 3072, "layers": 12}, 109_482_240),
    "large": ({"width": 1024, "heads": 16, "ffn_width": 4096, "layers": 24}, 335_141_888),
}


@pytest.mark.parametrize("name", NAMED)
def test_the_named_sizes_have_as_many_parameters_as_the_paper_s_networks(name):
    size, count = NAMED[name]
    settings = EncoderSettings(**size, segments=2, pooler=True, lm_head="none")
    config = BertConfig(
        hidden_size=settings.width,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=settings.ffn_width,
    )
    with torch.device("meta"):
        ours, theirs = Encoder(settings, config.vocab_size), BertModel(config)
    assert sum(weight.numel() for weight in ours.parameters()) == count
    assert sum(weight.numel() for weight in theirs.parameters()) == count


def test_a_words_head_adds_what_it_adds_in_bert():
    settings = EncoderSettings(**SHAPES["odd"], segments=2, pooler=True, next_sentence_head=True)
    with torch.device("meta"):
        ours = Encoder(settings, WORDS)
        theirs = BertForPreTraining(bert_config(settings))
    count = sum(weight.numel() for weight in ours.parameters())
    assert count == sum(weight.numel() for weight in theirs.parameters())
