"""Module names of transformers for the matrices of our networks, so that adapters fit both.

A matrix of ours is theirs, or a block of rows of it (GPT-2 keeps query, key and value in one), or a
multiple of it (T5 does not divide its scores by √k, so our queries are √k times theirs).
"""

import math
import re
from dataclasses import dataclass, field
from typing import Literal

from torch import nn

from dragoman.neural.adapt.lora import IN_ATTENTION, IN_FEED_FORWARD, matrices
from dragoman.neural.layers.attention import Attention

FamilyName = Literal["gpt2", "llama", "marian", "bert", "roberta", "t5", "t5-gated"]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of one of our matrices among theirs."""

    module: str
    block: int = 0
    """Which of the blocks of rows it is, where several lie in one."""
    factor: float = 1.0
    """What theirs is multiplied by to become ours."""


@dataclass(frozen=True, slots=True)
class NameFamily:
    """The module names of a family of networks for the parts of ours."""

    task: str | None
    """What peft calls the task of a network of the family, where it has one."""
    layers: dict[str, str]
    """How the name of layer {n} begins, by the name of our stack."""
    parts: dict[str, str]
    """The parts of a layer, theirs by ours, with [n] for the nth block of rows; what is so in one
    stack only begins with its name and a colon."""
    heads: dict[str, str] = field(default_factory=dict)
    """Parts beside the layers that may be trained too, theirs by ours."""
    around: str = ""
    """What their names begin with where a head is around the network."""
    turned: bool = False
    """Whether they keep matrices turned."""

    def whole(self, head: str) -> str:
        """Return the module that peft stores as a whole where this head was trained."""
        return "classifier" if head.startswith("classifier.") else head


_SELF = {"query": "q_proj", "key": "k_proj", "value": "v_proj"}
_BERT_PARTS = {
    "attention.query": "attention.self.query",
    "attention.key": "attention.self.key",
    "attention.value": "attention.self.value",
    "attention.output": "attention.output.dense",
    "feed_forward.inner": "intermediate.dense",
    "feed_forward.output": "output.dense",
}


def _t5(inner: dict[str, str]) -> NameFamily:
    parts = {}
    for name, short in {"query": "q", "key": "k", "value": "v", "output": "o"}.items():
        parts[f"attention.{name}"] = f"layer.0.SelfAttention.{short}"
        parts[f"source_attention.{name}"] = f"layer.1.EncDecAttention.{short}"
    for ours, theirs in {**inner, "output": "wo"}.items():
        parts[f"encoder:feed_forward.{ours}"] = f"layer.1.DenseReluDense.{theirs}"
        parts[f"decoder:feed_forward.{ours}"] = f"layer.2.DenseReluDense.{theirs}"
    layers = {"encoder": "encoder.block.{n}", "decoder": "decoder.block.{n}"}
    return NameFamily("SEQ_2_SEQ_LM", layers, parts)


FAMILIES: dict[FamilyName, NameFamily] = {
    "gpt2": NameFamily(
        "CAUSAL_LM",
        {"layers": "transformer.h.{n}"},
        {
            "attention.query": "attn.c_attn[0]",
            "attention.key": "attn.c_attn[1]",
            "attention.value": "attn.c_attn[2]",
            "attention.output": "attn.c_proj",
            "feed_forward.inner": "mlp.c_fc",
            "feed_forward.output": "mlp.c_proj",
        },
        around="transformer.",
        turned=True,
    ),
    "llama": NameFamily(
        "CAUSAL_LM",
        {"layers": "model.layers.{n}"},
        {
            **{f"attention.{ours}": f"self_attn.{theirs}" for ours, theirs in _SELF.items()},
            "attention.output": "self_attn.o_proj",
            "feed_forward.gate": "mlp.gate_proj",
            "feed_forward.inner": "mlp.up_proj",
            "feed_forward.output": "mlp.down_proj",
        },
        around="model.",
    ),
    "marian": NameFamily(
        "SEQ_2_SEQ_LM",
        {"encoder": "model.encoder.layers.{n}", "decoder": "model.decoder.layers.{n}"},
        {
            **{f"attention.{ours}": f"self_attn.{theirs}" for ours, theirs in _SELF.items()},
            "attention.output": "self_attn.out_proj",
            **{f"source_attention.{o}": f"encoder_attn.{t}" for o, t in _SELF.items()},
            "source_attention.output": "encoder_attn.out_proj",
            "feed_forward.inner": "fc1",
            "feed_forward.output": "fc2",
        },
        around="model.",
    ),
    "bert": NameFamily(
        None,
        {"layers": "bert.encoder.layer.{n}"},
        _BERT_PARTS,
        heads={"classes_head": "classifier", "pooler": "bert.pooler.dense"},
        around="bert.",
    ),
    "roberta": NameFamily(
        None,
        {"layers": "roberta.encoder.layer.{n}"},
        _BERT_PARTS,
        heads={"classes_head": "classifier.out_proj", "pooler": "classifier.dense"},
        around="roberta.",
    ),
    "t5": _t5({"inner": "wi"}),
    "t5-gated": _t5({"gate": "wi_0", "inner": "wi_1"}),
}


def places(model: nn.Module, name: FamilyName) -> dict[str, Place]:
    """Return where each matrix of a network's attentions and feed-forwards is kept."""
    family, found = FAMILIES[name], {}
    for ours, matrix in matrices(model, (*IN_ATTENTION, *IN_FEED_FORWARD)).items():
        named = re.fullmatch(r"(\w+)\.(\d+)\.(.+)", ours)
        if named is None or named[1] not in family.layers:
            continue
        theirs = family.parts.get(f"{named[1]}:{named[3]}") or family.parts.get(named[3])
        if theirs is None:
            continue
        part, _, block = theirs.rstrip("]").partition("[")
        attention = model.get_submodule(ours.rpartition(".")[0])
        unscaled = name.startswith("t5") and ours.endswith("attention.query")
        width = matrix.out_features // attention.heads if isinstance(attention, Attention) else 1
        found[ours] = Place(
            f"{family.layers[named[1]].format(n=named[2])}.{part}",
            int(block or 0),
            math.sqrt(width) if unscaled else 1.0,
        )
    return found
