"""Claims on queries, keys and values: three vectors of one word, and how they are learned."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn

from dragoman.config.settings import Settings
from dragoman.lab.claims import claim
from dragoman.lab.evidence import Evidence, above, below, equal, same
from dragoman.lab.sampling import normal
from dragoman.lab.topics.attention.watch import bare_attention, look, rows
from dragoman.neural.layers.attention import (
    Attention,
    attend_fast,
    attend_written_out,
    attention_weights,
)
from dragoman.plots.lab import HeatMap


class SelfAttentionSettings(Settings):
    """A sequence that attends to itself."""

    words: int = Field(default=5, ge=2, le=30)
    """Positions of the sequence."""
    width: int = Field(default=4, ge=2, le=64)
    """Entries of each vector."""
    seed: int = Field(default=1, ge=0)
    """Seed of the input and of the weights."""


@claim(
    "B37",
    "Self-attention computes a query, a key and a value for each word, takes the softmax of the "
    "query's dot products with all keys, and adds up the values with these weights. Matrix "
    "products do for all words at once what the equations say for one.",
    r"q_i = Q x_i,\; k_i = K x_i,\; v_i = V x_i, \qquad e_{ij} = q_i^\top k_j, \qquad "
    r"\alpha_{ij} = \frac{e^{e_{ij}}}{\sum_l e^{e_{il}}}, \qquad a_i = \sum_j \alpha_{ij} v_j",
)
def self_attention_word_by_word(settings: SelfAttentionSettings) -> Evidence:
    """Compare the layer with a loop over words; the scale is put into the query's matrix."""
    layer = bare_attention(settings.width, settings.seed)
    x = normal(settings.seed + 1, settings.words, settings.width)
    mixed, weights = look(layer, x)
    query = layer.query.weight.detach() / math.sqrt(settings.width)
    key, value = layer.key.weight.detach(), layer.value.weight.detach()
    wanted, shares = torch.zeros_like(x), x.new_zeros(len(x), len(x))
    for i, word in enumerate(x):
        q = query @ word
        scores = [float(q @ (key @ other)) for other in x]
        total = sum(map(math.exp, scores))
        for j, score in enumerate(scores):
            shares[i, j] = math.exp(score) / total
            wanted[i] += shares[i, j] * (value @ x[j])
    return Evidence(
        stated=[
            same("difference of the outputs from a loop", mixed, wanted),
            same("difference of the weights from a loop", weights[0], shares),
        ],
        plot=[HeatMap("Attention weights", rows(weights[0]), "key j", "query i")],
    )


@claim(
    "B44",
    "Query, key and value are three linear projections of the same embedding, with three "
    "matrices that are learned by backpropagation.",
    r"q = e\, W_q^\top, \qquad k = e\, W_k^\top, \qquad v = e\, W_v^\top",
)
def three_vectors_of_one_word(settings: SelfAttentionSettings) -> Evidence:
    """Compare the projections with sums, and gradients with finite differences."""
    layer = bare_attention(settings.width, settings.seed)
    x = normal(settings.seed + 1, settings.words, settings.width)
    with torch.no_grad():
        q, (k, v) = layer.project_qkv(x[None])
    found = torch.stack((q[0, 0], k[0, 0], v[0, 0]))
    parts = {"query": layer.query, "key": layer.key, "value": layer.value}
    matrices = torch.stack([part.weight.detach() for part in parts.values()])
    wanted = torch.einsum("nd,pod->pno", x, matrices)
    _loss(layer, x).backward()
    slopes = []
    for number, (name, part) in enumerate(parts.items()):
        direction = normal(settings.seed + 2 + number, *part.weight.shape)
        ahead, behind = (_moved_loss(layer, part, x, step * direction) for step in (1e-5, -1e-5))
        gradient = part.weight.grad if part.weight.grad is not None else torch.zeros(())
        slopes += [
            equal(
                f"derivative of the loss along a random direction of the {name} matrix",
                (gradient * direction).sum(),
                (ahead - behind) / 2e-5,
                1e-6,
            ),
            above(f"norm of the gradient of the {name} matrix", gradient.norm(), 0.0),
        ]
    return Evidence(
        stated=[
            same("difference of queries, keys and values from sums", found, wanted),
            *slopes,
        ]
    )


def _loss(layer: Attention, x: Tensor) -> Tensor:
    """Return half the squared norm of the layer's output."""
    mixed: Tensor = layer(x[None], x[None])
    return mixed.square().sum() / 2


@torch.no_grad()
def _moved_loss(layer: Attention, part: nn.Linear, x: Tensor, step: Tensor) -> float:
    before = part.weight.clone()
    part.weight.add_(step)
    loss = float(_loss(layer, x))
    part.weight.copy_(before)
    return loss


@dataclass(frozen=True)
class _Gradients:
    """The gradients of the three matrices."""

    query: Tensor
    key: Tensor
    value: Tensor


class LearnedProjectionsSettings(SelfAttentionSettings):
    """Self-attention that takes a step of gradient descent."""

    learning_rate: float = Field(default=0.01, ge=1e-6, le=0.02)
    """The size of the step."""


@claim(
    "D1",
    "The query, key and value matrices are learned by backpropagation. With the gradient $G$ of "
    r"the output and $A = \mathrm{softmax}(S)$, the gradient of the values is $A^\top G$. "
    r"Queries and keys get theirs through $D = A \odot (G V^\top - r)$, where $r$ is the mean of "
    r"each row of $GV^\top$ under the weights $A$.",
    r"\nabla W_v = G^\top A X, \qquad \nabla W_q = \frac{1}{\sqrt{d_k}} (D K)^\top X, \qquad "
    r"\nabla W_k = \frac{1}{\sqrt{d_k}} (D^\top Q)^\top X",
)
def matrices_are_learned(settings: LearnedProjectionsSettings) -> Evidence:
    """Compare the closed form with autograd, and take a step of gradient descent."""
    layer = bare_attention(settings.width, settings.seed)
    x = normal(settings.seed + 1, settings.words, settings.width)
    before = _loss(layer, x)
    before.backward()
    by_hand = _gradients_by_hand(layer, x)
    parts = (layer.query, layer.key, layer.value)
    closed = torch.stack((by_hand.query, by_hand.key, by_hand.value))
    gradients = [part.weight.grad for part in parts]
    found = torch.stack([one for one in gradients if one is not None])
    with torch.no_grad():
        for part, slope in zip(parts, closed, strict=True):
            part.weight.sub_(settings.learning_rate * slope / max(1.0, float(closed.norm())))
    return Evidence(
        stated=[
            same("difference of autograd from the closed form", found, closed),
            below(
                "loss after one step of gradient descent", _loss(layer, x).detach(), before.detach()
            ),
        ],
        numbers={
            f"norm of the gradient, {name}": float(slope.norm())
            for name, slope in zip(("query", "key", "value"), closed, strict=True)
        },
    )


@torch.no_grad()
def _gradients_by_hand(layer: Attention, x: Tensor) -> _Gradients:
    """Return the gradients of half the squared norm of the output."""
    q, k, v = layer.query(x), layer.key(x), layer.value(x)
    scale = math.sqrt(q.shape[1])
    a = (q @ k.T / scale).softmax(1)
    g = a @ v  # the gradient of half the squared output is the output itself
    along = g @ v.T  # G Vᵀ
    r = (a * along).sum(1, keepdim=True)
    d = a * (along - r) / scale
    return _Gradients((d @ k).T @ x, (d.T @ q).T @ x, g.T @ a @ x)


@claim(
    "E132",
    r"Attention is the row-wise softmax of $QK^\top / \sqrt{d_k}$, times $V$. The matrix "
    r"$QK^\top$ has a row and a column for each word, so it holds one score for each pair of "
    "words.",
    r"\mathrm{Attention}(Q, K, V) = \mathrm{softmax}\left(\frac{Q K^\top}{\sqrt{d_k}}\right) V, "
    r"\qquad Q K^\top \in \mathbb{R}^{T_x \times T_x}",
)
def attention_equation(settings: SelfAttentionSettings) -> Evidence:
    """Compare the fused kernel and the equation written out with numpy."""
    q, k, v = normal(settings.seed, 3, 1, 1, settings.words, settings.width)
    fused, equation = (
        attend(q, k, v, None, None, causal=False, dropout=0.0)[0, 0]
        for attend in (attend_fast, attend_written_out)
    )
    scores = np.einsum("ik,jk->ij", q[0, 0].numpy(), k[0, 0].numpy()) / np.sqrt(settings.width)
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    wanted = torch.from_numpy(shares @ v[0, 0].numpy())
    weights = attention_weights(q, k, None, None, causal=False)[0, 0]
    return Evidence(
        stated=[
            same("difference of the fused kernel from numpy", fused, wanted),
            same("difference of the written-out layer from numpy", equation, wanted),
            equal("number of weights, one for each pair", weights.numel(), settings.words**2),
        ],
        plot=[HeatMap("Weights of each pair", rows(weights), "key", "query")],
    )
