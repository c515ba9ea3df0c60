"""Epsilon and rotary base: taken over where our networks have such a key, refused where not."""

import pytest
import torch
from tests.unit.interop.conftest import gpt2, llama, t5
from tests.unit.interop.outputs import both_answers, built
from tests.unit.interop.test_families import imported

from dragoman.config.decoder_only import DecoderOnlySettings
from dragoman.config.transformer import TransformerSettings
from dragoman.core.errors import ConfigError

BASE = {"rope_parameters": {"rope_type": "default", "rope_theta": 100_000.0}}
CASES = {
    "Llama's epsilon": (DecoderOnlySettings, "norm_epsilon", llama, {"rms_norm_eps": 1e-2}),
    "GPT-2's epsilon": (DecoderOnlySettings, "norm_epsilon", gpt2, {"layer_norm_epsilon": 1e-2}),
    "Llama's base": (DecoderOnlySettings, "rotary_base", llama, BASE),
    "T5's epsilon": (TransformerSettings, "norm_epsilon", t5, {"layer_norm_epsilon": 1e-2}),
}


@pytest.mark.parametrize(("kind", "key", "build", "changes"), CASES.values(), ids=CASES.keys())
def test_what_a_network_has_built_in_is_kept_or_refused_but_never_ignored(
    kind, key, build, changes, checkpoint
):
    there = checkpoint(lambda: build(**changes))
    if key not in kind.model_fields:
        with pytest.raises(ConfigError, match=f"asks for {key} = "):
            imported(there.folder)
        return
    plan, tensors, _ = imported(there.folder)
    ours = built(plan.settings, plan.vocab_size, tensors)
    for found, wanted in both_answers(ours, there.theirs).values():
        torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
