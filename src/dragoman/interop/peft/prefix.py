"""A prefix of a decoder-only network as peft stores it.

`prompt_embeddings` [m, layers · 2 · heads · k]: for each virtual position the keys and the values
of each layer. With peft a text begins behind the prefix, at position m; with us it begins at 0.
Where positions only turn queries and keys this makes no difference but for the virtual keys, which
are turned by m on the way, R_{m+i} q · k = R_i q · R_{-m} k. Where positions are added to the
embeddings the same prefix would be met by other texts, and it is refused.
"""

from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor, nn

from dragoman.core.errors import CheckpointError
from dragoman.interop.peft.files import CONFIG, WEIGHTS, read_files, write_files
from dragoman.neural.adapt.prefix import LearnedPrefix, attentions, train_prefix
from dragoman.neural.layers.attention import Attention
from dragoman.neural.layers.positions import NoPositions

TENSOR = "prompt_embeddings"


@torch.no_grad()
def write_peft_prefix(folder: Path, model: nn.Module, base: str = "") -> None:
    """Store the prefix of a network so that peft puts it before the same network."""
    layers = _layers(model)
    made = [attention.prefix() for attention in layers if attention.prefix is not None]
    if len(made) != len(layers):
        raise CheckpointError(f"{folder}: this network has no prefix that could be stored.")
    length = made[0][0].shape[1]
    pairs = [
        torch.stack((_turned(attention, keys, length), values))
        for attention, (keys, values) in zip(layers, made, strict=True)
    ]
    stacked = torch.stack(pairs)  # layers 2 g m k
    groups, width = stacked.shape[2], stacked.shape[4]
    config = {
        "peft_type": "PREFIX_TUNING",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base,
        "num_virtual_tokens": length,
        "num_layers": len(layers),
        "num_attention_heads": groups,
        "token_dim": groups * width,
        "num_transformer_submodules": 1,
        "encoder_hidden_size": groups * width,
        "prefix_projection": False,
        "inference_mode": True,
    }
    table = stacked.permute(3, 0, 1, 2, 4).reshape(length, -1)
    write_files(folder, config, {TENSOR: table})


@torch.no_grad()
def read_peft_prefix(folder: Path, model: nn.Module) -> None:
    """Put a prefix of peft before our network with the same weights."""
    config, tensors = read_files(folder)
    if config.get("peft_type") != "PREFIX_TUNING" or tensors.keys() != {TENSOR}:
        raise CheckpointError(f"{folder / CONFIG}: is no prefix, but {config.get('peft_type')!r}.")
    layers, table = _layers(model), tensors[TENSOR]
    groups = layers[0].key_value_heads
    width = layers[0].key.out_features // groups
    if table.dim() != 2 or table.shape[1] != len(layers) * 2 * groups * width:
        raise CheckpointError(f"{folder / WEIGHTS}: has another shape than the network's prefix.")
    if any(attention.prefix is not None for attention in layers):
        raise CheckpointError(f"{folder}: this network has a prefix already.")
    stacked = table.view(len(table), len(layers), 2, groups, width).permute(1, 2, 3, 0, 4)
    for attention, (keys, values) in zip(layers, stacked.to(torch.float32), strict=True):
        turned = _turned(attention, keys, -len(table))
        attention.prefix = LearnedPrefix(turned.clone(), values.clone())
    train_prefix(model)


def _layers(model: nn.Module) -> list[Attention]:
    """Return the attentions of a network whose texts may begin at any position."""
    kinds = attentions(model)
    layers = [*kinds.get("writing", {}).values()]
    if kinds.keys() != {"writing"}:
        raise CheckpointError("peft's prefix is for decoder-only networks.")
    added = getattr(getattr(model, "embedding", None), "positions", None)
    if not isinstance(added, NoPositions) or any(each.offsets is not None for each in layers):
        raise CheckpointError(
            "peft lets a text begin behind the prefix, and we at 0: a prefix is the same for both "
            "only where positions are rotary or where there are none. Copy its keys and values by "
            "hand, and give transformers position_ids that begin at 0."
        )
    if any(each.key.out_features != each.value.out_features for each in layers):
        raise CheckpointError("peft's prefix has keys and values of one width; here they differ.")
    return layers


def _turned(
    attention: Attention, keys: Float[Tensor, "g m k"], places: int
) -> Float[Tensor, "g m k"]:
    """Turn keys onward by so many places, or back; turning back is turning the mirror image."""
    if attention.rotary is None:
        return keys
    mirror = torch.ones_like(keys)
    if places < 0:
        mirror[..., keys.shape[-1] // 2 :] = -1
    there = torch.full((1, keys.shape[1]), abs(places), device=keys.device)
    return attention.rotary((keys * mirror)[None], there)[0] * mirror
