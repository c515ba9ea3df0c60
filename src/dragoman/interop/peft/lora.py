"""LoRA as peft stores it.

For each adapted module of theirs there are `lora_A.weight` [rank, in] and `lora_B.weight`
[out, rank]. Where several of our matrices lie in one of theirs, an adapter of theirs is one for
each of ours with the same A and its own rows of B; and ours together are one of theirs, whose A has
the rows of all and whose B is zero where one of ours would touch another's rows.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from dragoman.core.errors import CheckpointError
from dragoman.engine.checkpoint.adapter import adapter_weights
from dragoman.engine.checkpoint.weights import Tensors
from dragoman.interop.peft.config import read_config
from dragoman.interop.peft.files import CONFIG, WEIGHTS, read_files, write_files
from dragoman.interop.peft.names import FAMILIES, FamilyName, NameFamily, Place, places
from dragoman.neural.adapt.lora import LoraLinear, lora_matrices, put_in, train_lora

BEGIN = "base_model.model."
TENSOR = re.compile(r"base_model\.model\.(.+)\.lora_(A|B)\.weight")


@dataclass(frozen=True, slots=True)
class LoraDelta:
    """A and B of one module, and the number that they are multiplied by."""

    a: Tensor
    b: Tensor
    scale: float


def write_peft_lora(folder: Path, model: nn.Module, name: FamilyName, base: str = "") -> None:
    """Store the LoRA of a network so that peft puts it on the same network of transformers."""
    family, adapted = FAMILIES[name], lora_matrices(model)
    if not adapted:
        raise CheckpointError(f"{folder}: this network has no LoRA that could be stored.")
    found = {module: _joined(model, ours) for module, ours in _modules(model, name).items()}
    differences = {module: one for module, one in found.items() if one is not None}
    saved, tensors = _saved(model, family), _heads(model, family)
    for module, one in differences.items():
        tensors[f"{BEGIN}{module}.lora_A.weight"] = one.a
        tensors[f"{BEGIN}{module}.lora_B.weight"] = one.b
    ranks = {module: len(one.a) for module, one in differences.items()}
    alphas = {module: one.scale * len(one.a) for module, one in differences.items()}
    rank, alpha = (Counter(each.values()).most_common(1)[0][0] for each in (ranks, alphas))
    config = {
        "peft_type": "LORA",
        "task_type": "SEQ_CLS" if "classifier" in saved else family.task,
        "base_model_name_or_path": base,
        "r": rank,
        "lora_alpha": alpha,
        "rank_pattern": {module: own for module, own in ranks.items() if own != rank},
        "alpha_pattern": {module: own for module, own in alphas.items() if own != alpha},
        "lora_dropout": next(iter(adapted.values())).dropout.rate,
        "target_modules": sorted(differences),
        "modules_to_save": sorted(saved) or None,
        "fan_in_fan_out": family.turned,
        "bias": "none",
        "inference_mode": True,
    }
    write_files(folder, config, tensors)


def read_peft_lora(folder: Path, model: nn.Module, name: FamilyName) -> None:
    """Put a LoRA of peft on our network with the same weights; what it adapted is trained on."""
    config, tensors = read_files(folder)
    told, where = read_config(config, folder / CONFIG), folder / WEIGHTS
    if lora_matrices(model):
        raise CheckpointError(f"{folder}: this network has been adapted already.")
    heads, modules = _their_heads(model, FAMILIES[name]), _modules(model, name)
    adapted: dict[str, LoraDelta] = {}
    for module, pair in _pairs(tensors, heads, where).items():
        known = next((m for m in (module, FAMILIES[name].around + module) if m in modules), None)
        if known is None or pair.keys() != {"A", "B"}:
            raise CheckpointError(f"{where}: {module} has no place in a {name} network of ours.")
        learned = LoraDelta(pair["A"], pair["B"], told.scale(module, len(pair["A"])))
        adapted |= _apart(model, modules[known], learned, where)
    for ours, one in adapted.items():
        _put(model, ours, one, told.lora_dropout)
    filled = {stored: weight for stored, weight in heads.items() if stored in tensors}
    with torch.no_grad():
        for stored, weight in filled.items():
            weight.copy_(tensors[stored])
    names = {id(weight): full for full, weight in model.named_parameters()}
    train_lora(model, [names[id(weight)] for weight in filled.values()])


def _pairs(
    tensors: Tensors, heads: Mapping[str, Tensor], where: Path
) -> dict[str, dict[str, Tensor]]:
    """Return A and B of each module; every other tensor must be that of a head."""
    pairs: dict[str, dict[str, Tensor]] = {}
    for stored, tensor in tensors.items():
        named = TENSOR.fullmatch(stored)
        if named and tensor.dim() == 2 and tensor.numel():
            pairs.setdefault(named[1], {})[named[2]] = tensor
        elif stored not in heads or heads[stored].shape != tensor.shape:
            raise CheckpointError(
                f"{where}: {stored} {list(tensor.shape)} is neither A nor B of a LoRA, nor the "
                "head of a network like ours."
            )
    return pairs


def _modules(model: nn.Module, name: FamilyName) -> dict[str, dict[str, Place]]:
    """Return, for each module of theirs, our matrices in it from the first block to the last."""
    modules: dict[str, dict[str, Place]] = {}
    for ours, place in sorted(places(model, name).items(), key=lambda pair: pair[1].block):
        modules.setdefault(place.module, {})[ours] = place
    missing = lora_matrices(model).keys() - {ours for each in modules.values() for ours in each}
    if missing:
        raise CheckpointError(f"a {name} network has no place for {sorted(missing)[0]}.")
    return modules


@torch.no_grad()
def _joined(model: nn.Module, ours: Mapping[str, Place]) -> LoraDelta | None:
    """Make one difference of those of the blocks; none if no block has one."""
    parts = {name: model.get_submodule(name) for name in ours}
    adapted = {name: part for name, part in parts.items() if isinstance(part, LoraLinear)}
    if not adapted:
        return None
    scale = next(iter(adapted.values())).scale
    columns = sum(part.rank for part in adapted.values())
    rows, begin = [], 0
    for name, part in parts.items():
        if not isinstance(part, nn.Linear):
            raise TypeError(f"{name} is no matrix.")
        row = part.weight.new_zeros(part.out_features, columns)
        if isinstance(part, LoraLinear):
            own = part.up.weight * (part.scale / scale / ours[name].factor)
            row[:, begin : begin + part.rank] = own
            begin += part.rank
        rows.append(row)
    return LoraDelta(torch.cat([p.down.weight for p in adapted.values()]), torch.cat(rows), scale)


def _apart(
    model: nn.Module, ours: Mapping[str, Place], theirs: LoraDelta, where: Path
) -> dict[str, LoraDelta]:
    """Give each of our matrices in one of theirs its own difference."""
    found: dict[str, LoraDelta] = {}
    begin, rank = 0, len(theirs.a)
    for name, place in ours.items():
        part = model.get_submodule(name)
        if not isinstance(part, nn.Linear):
            raise TypeError(f"{name} is no matrix.")
        b = theirs.b[begin : begin + part.out_features]
        begin += part.out_features
        if theirs.a.shape != (rank, part.in_features) or b.shape != (part.out_features, rank):
            raise CheckpointError(f"{where}: A or B of {place.module} has another shape than ours.")
        found[name] = LoraDelta(theirs.a, b * place.factor, theirs.scale)
    if begin != len(theirs.b):
        raise CheckpointError(f"{where}: B of {place.module} has more rows than ours.")
    return found


@torch.no_grad()
def _put(model: nn.Module, name: str, learned: LoraDelta, dropout: float) -> None:
    matrix = model.get_submodule(name)
    if not isinstance(matrix, nn.Linear):
        raise TypeError(f"{name} is no matrix.")
    adapted = LoraLinear(matrix, len(learned.a), learned.scale, dropout)
    adapted.down.weight.copy_(learned.a)
    adapted.up.weight.copy_(learned.b)
    put_in(model, name, adapted)


def _saved(model: nn.Module, family: NameFamily) -> set[str]:
    """Return the modules of theirs beside the layers of which something was trained."""
    return {
        family.whole(theirs)
        for ours, theirs in family.heads.items()
        if any(weight.requires_grad for weight in _weights(model, ours).values())
    }


def _weights(model: nn.Module, part: str) -> dict[str, nn.Parameter]:
    found = getattr(model, part, None)
    return dict(found.named_parameters()) if isinstance(found, nn.Module) else {}


def _their_heads(model: nn.Module, family: NameFamily) -> dict[str, nn.Parameter]:
    """Return the weights beside the layers that peft may have stored as a whole, by its names."""
    return {
        f"{BEGIN}{theirs}.{name}": weight
        for ours, theirs in family.heads.items()
        for name, weight in _weights(model, ours).items()
    }


def _heads(model: nn.Module, family: NameFamily) -> Tensors:
    """Return the weights of what was trained as a whole, by peft's names."""
    saved = tuple(f"{BEGIN}{theirs}." for theirs in _saved(model, family))
    heads = _their_heads(model, family)
    tensors: Tensors = {name: weight for name, weight in heads.items() if name.startswith(saved)}
    known = {id(weight) for weight in tensors.values()}
    for adapted in lora_matrices(model).values():
        known |= {id(adapted.down.weight), id(adapted.up.weight)}
    named = dict(model.named_parameters())
    for name in adapter_weights(model):
        if name not in named or id(named[name]) not in known:
            raise CheckpointError(f"peft has no place for {name}, which was trained besides.")
    return tensors
