"""A GGUF file that the gguf package wrote gives the scores of the numbers it holds."""

import gguf
import numpy as np
import pytest
import torch
from gguf import GGMLQuantizationType as Packed
from tests.oracles import scramble
from tests.unit.interop.conftest import llama
from tests.unit.interop.outputs import both_answers, built

from dragoman.core.errors import CheckpointError, ConfigError, DataError
from dragoman.interop.families.catalogue import family_of
from dragoman.interop.gguf_file import GgufFile
from dragoman.interop.gguf_tokenizer import gguf_tokenizer
from dragoman.interop.network import take

WIDTH, INNER, HEADS, GROUPS = 32, 64, 4, 2
SHAPE = {
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "num_attention_heads": HEADS,
    "num_key_value_heads": GROUPS,
    "vocab_size": 37,
}
NAMES = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


def their_name(name):
    whole = {
        "model.embed_tokens.weight": "token_embd.weight",
        "model.norm.weight": "output_norm.weight",
        "lm_head.weight": "output.weight",
    }
    if name in whole:
        return whole[name]
    _, _, number, *middle, end = name.split(".")
    return f"blk.{number}.{NAMES['.'.join(middle)]}.{end}"


def paired(matrix, heads):
    """Interleave the two halves of each head, row by row, as llama.cpp's converter does."""
    half = len(matrix) // heads // 2
    order = [
        h * 2 * half + i + side * half for h in range(heads) for i in range(half) for side in (0, 1)
    ]
    return matrix[order]


def write(path, theirs, packed=Packed.F32, extra=None, words=None):
    """Write a Llama as GGUF; return it with the numbers that the file can hold."""
    config = theirs.config
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)
    for key, value in (extra or {}).items():
        writer.add_uint32(key, value)
    if words:
        words(writer)
    for name, weight in theirs.named_parameters():
        numbers = weight.detach().numpy()
        heads = {"q_proj": HEADS, "k_proj": GROUPS}.get(name.split(".")[-2])
        stored = paired(numbers, heads) if heads else numbers
        kind = packed if stored.ndim == 2 else Packed.F32
        data = gguf.quants.quantize(np.ascontiguousarray(stored), kind)
        writer.add_tensor(their_name(name), data, raw_dtype=kind)
        held = gguf.quants.dequantize(gguf.quants.quantize(numbers, kind), kind)
        weight.data.copy_(torch.from_numpy(np.array(held)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return theirs


def model(**changes):
    torch.manual_seed(2)
    return scramble(llama(**{**SHAPE, **changes})).eval()


def imported(path):
    stored = GgufFile(path)
    plan = family_of(stored.values, "test").plan(stored.values, stored)
    return plan, take(plan, stored)[0]


@pytest.mark.parametrize(
    ("packed", "tied"),
    [
        (Packed.F32, True),
        (Packed.F32, False),
        (Packed.F16, False),
        (Packed.Q8_0, True),
        (Packed.Q4_1, False),
        (Packed.Q5_0, True),
    ],
)
def test_a_file_gives_the_scores_of_the_numbers_it_holds(tmp_path, packed, tied):
    theirs = write(tmp_path / "m.gguf", model(tie_word_embeddings=tied), packed)
    plan, tensors = imported(tmp_path / "m.gguf")
    ours = built(plan.settings, plan.vocab_size, tensors)
    for found, wanted in both_answers(ours, theirs).values():
        assert wanted.std() > 0.1
        torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_a_setting_that_is_not_known_is_refused_by_name(tmp_path):
    write(tmp_path / "m.gguf", model(), extra={"llama.expert_count": 4})
    with pytest.raises(ConfigError, match=r"llama.expert_count = 4: unknown"):
        GgufFile(tmp_path / "m.gguf")


def test_heads_that_are_turned_in_part_are_refused(tmp_path):
    write(tmp_path / "m.gguf", model(), extra={"llama.rope.dimension_count": 4})
    with pytest.raises(ConfigError, match=r"dimension_count = 4, but a head has 8 numbers"):
        GgufFile(tmp_path / "m.gguf")


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9])
def test_a_file_that_ends_too_early_is_refused_at_once(tmp_path, share):
    write(tmp_path / "m.gguf", model())
    content = (tmp_path / "m.gguf").read_bytes()
    (tmp_path / "m.gguf").write_bytes(content[: int(share * len(content))])
    with pytest.raises(CheckpointError, match="ends too early"):
        GgufFile(tmp_path / "m.gguf")


def test_a_list_without_end_does_not_fill_the_memory(tmp_path):
    head = (
        b"GGUF" + (3).to_bytes(4, "little") + (0).to_bytes(8, "little") + (1).to_bytes(8, "little")
    )
    field = (1).to_bytes(8, "little") + b"a" + (9).to_bytes(4, "little")
    endless = (4).to_bytes(4, "little") + (2**60).to_bytes(8, "little")
    (tmp_path / "m.gguf").write_bytes(head + field + endless)
    with pytest.raises(CheckpointError, match="ends too early"):
        GgufFile(tmp_path / "m.gguf")


LETTERS = ["<|end|>", "t", "h", "e", "Ġ", "4", "th", "the", "Ġthe", "44", "<mine>"]
MERGES = ["t h", "th e", "Ġ the", "4 4"]


def fields(**changes):
    kinds = [3, *[1] * (len(LETTERS) - 2), 4]
    told = {"model": "gpt2", "pre": "gpt-2", "tokens": LETTERS, "token_type": kinds}
    told |= {"merges": MERGES, **changes}
    return {f"tokenizer.ggml.{key}": value for key, value in told.items()}


def test_the_words_of_a_file_become_a_vocabulary_that_merges_and_comes_back():
    made = gguf_tokenizer(fields(), "test")
    assert made.words(made.encode("the the44")) == ["the", "Ġthe", "44"]
    assert made.decode(made.encode("the the44")) == "the the44"
    assert made.words(made.encode_with_special_tokens("the<|end|><mine>")) == [
        "the",
        "<|end|>",
        "<mine>",
    ]


def test_a_file_says_which_entries_are_marks():
    made = gguf_tokenizer(fields(eos_token_id=0, bos_token_id=10), "test")
    assert (made.end, made.start, made.pad) == (0, 10, None)
    assert made.put_first is None
    assert gguf_tokenizer(fields(bos_token_id=10, add_bos_token=True), "test").put_first == 10


def test_smollm_cuts_digits_apart():
    made = gguf_tokenizer(fields(pre="smollm"), "test")
    assert made.words(made.encode("the 44")) == ["the", "Ġ", "4", "4"]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"model": "llama"}, "only byte-level BPE"),
        ({"pre": "mystery"}, "cuts text as 'mystery'"),
        ({"tokens": [*LETTERS[:-1], "t"]}, "names an entry twice"),
        ({"merges": ["the"]}, "no pair"),
        ({"merges": ["t x"]}, "cannot be worked with"),
        ({"token_type": [1]}, "not a kind for each"),
    ],
)
def test_a_tokenizer_that_cannot_be_is_refused(changes, told):
    with pytest.raises(DataError, match=told):
        gguf_tokenizer(fields(**changes), "test")
