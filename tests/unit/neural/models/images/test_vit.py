"""The vision Transformer against transformers' own, with our weights in it."""

import pytest
import torch
from tests.oracles import copy, scramble
from transformers import ViTConfig, ViTForImageClassification

from dragoman.config.vision import VitSettings
from dragoman.neural.models.images.vit import Vit

SHAPES = {
    "even": {"width": 16, "heads": 4, "ffn_width": 24, "layers": 2, "patch": 4},
    "odd": {"width": 15, "heads": 3, "ffn_width": 7, "layers": 3, "patch": 3},
}
SIZE, CLASSES = 12, 5


def network(shape, **changes):
    torch.manual_seed(3)
    settings = VitSettings(**{**SHAPES[shape], **changes})
    return scramble(Vit(settings, 3, SIZE, CLASSES)).eval()


@torch.no_grad()
def with_weights_of(ours):
    settings = ours.settings
    config = ViTConfig(
        hidden_size=settings.width,
        num_hidden_layers=settings.layers,
        num_attention_heads=settings.heads,
        intermediate_size=settings.ffn_width,
        hidden_act={"gelu": "gelu", "gelu-tanh": "gelu_pytorch_tanh"}[settings.activation],
        layer_norm_eps=settings.norm_epsilon,
        image_size=SIZE,
        patch_size=settings.patch,
        num_labels=CLASSES,
        attn_implementation="eager",
    )
    theirs = ViTForImageClassification(config).eval()
    body = theirs.vit
    body.embeddings.cls_token.copy_(ours.token)
    body.embeddings.position_embeddings.copy_(ours.positions.table.weight)
    copy(ours.patches, body.embeddings.patch_embeddings.projection)
    for mine, other in zip(ours.layers, body.layers, strict=True):
        copy(mine.attention.query, other.attention.q_proj)
        copy(mine.attention.key, other.attention.k_proj)
        copy(mine.attention.value, other.attention.v_proj)
        copy(mine.attention.output, other.attention.o_proj)
        copy(mine.around_attention.norm, other.layernorm_before)
        copy(mine.around_feed_forward.norm, other.layernorm_after)
        copy(mine.feed_forward.inner, other.mlp.fc1)
        copy(mine.feed_forward.output, other.mlp.fc2)
    copy(ours.last_norm, body.layernorm)
    copy(ours.output, theirs.classifier)
    return theirs


def close(ours, theirs):
    torch.testing.assert_close(ours, theirs, atol=2e-5, rtol=2e-5)


@pytest.mark.parametrize("activation", ["gelu", "gelu-tanh"])
@pytest.mark.parametrize("shape", SHAPES)
def test_transformers_with_our_weights_gives_our_scores_and_our_slopes(shape, activation):
    ours = network(shape, activation=activation, norm_epsilon=1e-6)
    theirs = with_weights_of(ours)
    x = torch.randn(3, 3, SIZE, SIZE, requires_grad=True)
    found, wanted = ours(x), theirs(x).logits
    close(found, wanted)
    close(torch.autograd.grad(found.sin().sum(), x), torch.autograd.grad(wanted.sin().sum(), x))
    states = theirs.vit(x).last_hidden_state
    close(ours.states(x), states)
    close(ours.features(x), states[:, 0])


@torch.no_grad()
def test_without_a_token_the_features_are_the_mean_of_the_patches():
    model = network("even", summary="mean")
    x = torch.randn(2, 3, SIZE, SIZE)
    assert model.states(x).shape == (2, 9, 16)
    torch.testing.assert_close(model.features(x), model.states(x).mean(1))


@torch.no_grad()
def test_positions_tell_patches_apart():
    model = network("even", summary="mean")
    x = torch.randn(2, 3, SIZE, SIZE)
    moved = x.roll(4, dims=3)
    assert not torch.allclose(model(moved), model(x), atol=1e-4)
    model.positions.table.weight.zero_()
    torch.testing.assert_close(model(moved), model(x), atol=1e-4, rtol=1e-4)
