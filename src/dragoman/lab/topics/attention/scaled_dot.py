"""Claims on scaled dot-product attention as a layer: from queries to a memory."""

import torch
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional as F

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, apart, equal, same
from dragoman.lab.sampling import normal, random_layer
from dragoman.neural.layers.attention import Attention, HeadShape


class ScaledDotSettings(Settings):
    """Queries that attend to a memory."""

    batch: int = Field(default=2, ge=1, le=8)
    """Sequences of a batch."""
    queries: int = Field(default=3, ge=1, le=30)
    """Queries of each sequence (k in the notes)."""
    keys: int = Field(default=5, ge=1, le=30)
    """Positions of the memory (seq)."""
    width: int = Field(default=6, ge=1, le=64)
    """Entries of each vector (h)."""
    seed: int = Field(default=1, ge=0)
    """Seed of the inputs and of the weights."""


@claim(
    "A14",
    "Single-head scaled dot-product attention consists of three linear layers with biases, "
    r"scores divided by $\sqrt{h}$, a softmax over the keys, and the weighted sum of the values. "
    "A single query without a sequence dimension is treated as a sequence of length one.",
    r"c = \mathrm{softmax}\left(\frac{(q W_Q + b_Q)(k W_K + b_K)^\top}{\sqrt{h}}\right)"
    r"(v W_V + b_V)",
)
def scaled_dot_attention(settings: ScaledDotSettings) -> Evidence:
    """Compare the layer with torch's kernel, for several queries and for one."""
    width = settings.width
    layer = random_layer(lambda: Attention(width, 1, HeadShape(output=False)), settings.seed)
    x = normal(settings.seed + 1, settings.batch, settings.queries, width)
    memory = normal(settings.seed + 2, settings.batch, settings.keys, width)
    seen: list[Tensor] = []
    layer.watcher = seen.append
    with torch.no_grad():
        context = layer(x, memory)
        alone = layer(x[:, 0].unsqueeze(1), memory)  # a query of b h
        q, k, v = (
            F.linear(one, part.weight, part.bias)
            for one, part in ((x, layer.query), (memory, layer.key), (memory, layer.value))
        )
        wanted = F.scaled_dot_product_attention(q, k, v)
    by_key = seen[0][:, 0].transpose(1, 2)  # b seq k, as the notes have it
    return Evidence(
        stated=[
            same("difference of the context from torch", context, wanted),
            same("difference for a single query", alone, wanted[:, :1]),
            same("difference of (weights)ᵀ times values from torch", by_key.mT @ v, wanted),
            same(
                "distance of the weights' sum over keys from 1",
                by_key.sum(1),
                torch.ones_like(by_key[:, 0]),
            ),
        ]
    )


@claim(
    "D20",
    "In cross-attention the keys and values come from the encoder and the queries from the "
    "decoder, so the gradient of the decoder's loss flows into the encoder.",
    r"k_i = K h_i, \qquad v_i = V h_i, \qquad q_i = Q z_i",
)
def cross_attention(settings: ScaledDotSettings) -> Evidence:
    """Compare outputs and gradients with torch's multi-head attention."""
    width = settings.width
    layer = random_layer(lambda: Attention(width, 1), settings.seed)
    theirs = torch_attention(layer)
    encoder = normal(settings.seed + 2, settings.batch, settings.keys, width).requires_grad_()
    decoder = normal(settings.seed + 1, settings.batch, settings.queries, width).requires_grad_()
    outputs = (layer(decoder, encoder), theirs(decoder, encoder, encoder, need_weights=False)[0])
    ours, torchs = (
        (one.detach(), *torch.autograd.grad(one.square().sum(), (encoder, decoder)))
        for one in outputs
    )
    swapped = layer(encoder, decoder)
    return Evidence(
        stated=[
            same("difference of the outputs from torch", ours[0], torchs[0]),
            same("difference of the encoder's gradient from torch", ours[1], torchs[1]),
            same("difference of the decoder's gradient from torch", ours[2], torchs[2]),
            above("norm of the encoder's gradient", ours[1].norm(), 0.0),
            equal("number of outputs, one for each query", ours[0].shape[1], decoder.shape[1]),
            apart(
                "difference when encoder and decoder are exchanged",
                swapped[:, :1],
                ours[0][:, :1],
                1e-6,
            ),
        ]
    )


@torch.no_grad()
def torch_attention(layer: Attention) -> nn.MultiheadAttention:
    """Return torch's multi-head attention with the weights of ours."""
    with torch.random.fork_rng(devices=[]):
        theirs = nn.MultiheadAttention(
            layer.query.in_features, layer.heads, batch_first=True, dtype=torch.float64
        )
    parts = (layer.query, layer.key, layer.value)
    theirs.in_proj_weight.copy_(torch.cat([part.weight for part in parts]))
    theirs.in_proj_bias.copy_(torch.cat([part.bias for part in parts]))
    theirs.out_proj.weight.copy_(layer.get_parameter("output.weight"))
    theirs.out_proj.bias.copy_(layer.get_parameter("output.bias"))
    return theirs.eval()
