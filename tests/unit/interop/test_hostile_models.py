"""Models of strangers: what they declare is compared with what they hold; no file is trusted."""

import json
import os
import struct
import tracemalloc

import pytest
import torch
from safetensors.torch import load_file, save_file
from tests.unit.interop.conftest import bert, gpt2, llama, t5
from tests.unit.interop.test_gguf import fields, model, write
from tests.unit.interop.test_runs import put_tokenizer
from tests.unit.interop.test_translators import marian

from dragoman.core.errors import CheckpointError, ConfigError, DataError, DragomanError
from dragoman.data.tokenizer.opus_files import read_opus
from dragoman.interop.gguf_file import GgufFile
from dragoman.interop.gguf_tokenizer import gguf_tokenizer
from dragoman.interop.importing import import_huggingface
from dragoman.interop.peft.files import read_files

MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    ("build", "key", "declared"),
    [
        (gpt2, "vocab_size", 10**12),
        (gpt2, "vocab_size", 2**63),
        (llama, "vocab_size", 38),
        (bert, "vocab_size", 10**9),
        (marian, "vocab_size", 10**12),
        (t5, "vocab_size", 10**12),
    ],
)
def test_a_vocabulary_size_that_the_tensors_do_not_have_is_refused_before_memory_is_taken(
    build, key, declared, checkpoint, tmp_path
):
    folder = checkpoint(build, **{key: declared}).folder
    put_tokenizer(folder)
    tracemalloc.start()
    with pytest.raises(CheckpointError, match=rf"{key} = {declared:,}, but .* has \d+ rows"):
        import_huggingface(folder, tmp_path / "run")
    assert tracemalloc.get_traced_memory()[1] < 64 * MEGABYTE
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("build", "key", "declared"),
    [
        (gpt2, "n_embd", 49_152),
        (gpt2, "n_embd", 10**12),
        (gpt2, "n_layer", 10**9),
        (gpt2, "n_head", 10**12),
        (gpt2, "n_positions", 10**6),
        (llama, "num_key_value_heads", 10**9),
        (llama, "head_dim", 10**9),
        (t5, "num_heads", 10**15),
        (t5, "relative_attention_num_buckets", 1024),
        (bert, "type_vocab_size", 1000),
        (marian, "d_model", 10**10),
    ],
)
def test_a_size_that_the_tensors_do_not_have_is_refused(build, key, declared, checkpoint, tmp_path):
    folder = checkpoint(build, **{key: declared}).folder
    put_tokenizer(folder)
    with pytest.raises((CheckpointError, ConfigError), match=str(folder)):
        import_huggingface(folder, tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), float("-inf")])
def test_weights_that_are_not_finite_are_refused_by_the_name_of_the_tensor(
    value, checkpoint, tmp_path
):
    folder = checkpoint(gpt2).folder
    put_tokenizer(folder)
    tensors = load_file(folder / "model.safetensors")
    tensors["transformer.h.1.ln_2.bias"][3] = value
    save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(CheckpointError, match=r"h\.1\.ln_2\.bias holds numbers that are not fin"):
        import_huggingface(folder, tmp_path / "run")


def test_an_adapter_that_is_not_finite_is_refused(tmp_path):
    (tmp_path / "adapter_config.json").write_text('{"peft_type": "LORA"}')
    save_file({"a": torch.tensor([1.0, torch.nan])}, tmp_path / "adapter_model.safetensors")
    with pytest.raises(CheckpointError, match="a holds numbers that are not finite"):
        read_files(tmp_path)


@pytest.mark.parametrize(
    "name",
    ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"],
)
@pytest.mark.parametrize("kind", ["/dev/zero", "fifo", "folder", "terabyte"])
def test_what_is_no_bearable_regular_file_is_refused_at_once(name, kind, checkpoint, tmp_path):
    folder = checkpoint(gpt2).folder
    put_tokenizer(folder)
    path = folder / name
    path.unlink(missing_ok=True)
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "terabyte":
        path.touch()
        os.truncate(path, 1 << 40)
    else:
        path.symlink_to(kind)
    with pytest.raises(
        DragomanError, match=f"{name}.*(not a regular file|larger than|Is a directory)"
    ):
        import_huggingface(folder, tmp_path / "run")


@pytest.mark.parametrize(
    "name",
    ["x" * 5000 + ".safetensors", "../x.safetensors", "/x.safetensors", "\0.safetensors", "x\n"],
)
def test_an_index_names_plain_files_of_its_own_folder(name, checkpoint, tmp_path):
    folder = checkpoint(gpt2).folder
    names = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").rename(folder / "part.safetensors")
    index = {"weight_map": dict.fromkeys(names, name)}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(CheckpointError, match="is not a safetensors file in this folder"):
        import_huggingface(folder, tmp_path / "run")


def header_of(path, text):
    """Give a file of tensors another header."""
    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    path.write_bytes(len(text).to_bytes(8, "little") + text + data[begin:])


@pytest.mark.parametrize(
    "text",
    [
        b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 99999999]}}',
        b'{"a": {"dtype": "F32", "shape": [-2], "data_offsets": [0, 8]}}',
        b'{"a": {"dtype": "F77", "shape": [2], "data_offsets": [0, 8]}}',
        b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [8, 0]}}',
        b'{"a": {"dtype": "F32", "shape": [4611686018427387904, 4], "data_offsets": [0, 0]}}',
        b"[" * 100_000,
    ],
)
def test_a_header_that_cannot_be_is_refused(text, checkpoint, tmp_path):
    folder = checkpoint(gpt2).folder
    header_of(folder / "model.safetensors", text)
    with pytest.raises(CheckpointError, match=r"model\.safetensors: cannot be read as weights"):
        import_huggingface(folder, tmp_path / "run")


@pytest.mark.parametrize("size", [2**63 - 1, 2**64 - 1, 1 << 30])
def test_a_header_of_any_size_is_not_believed(size, checkpoint, tmp_path):
    folder = checkpoint(gpt2).folder
    path = folder / "model.safetensors"
    path.write_bytes(size.to_bytes(8, "little") + path.read_bytes()[8:])
    with pytest.raises(CheckpointError, match=f"a header of {size:,} bytes"):
        import_huggingface(folder, tmp_path / "run")


def test_a_name_that_is_not_utf8_in_a_gguf_file_is_refused(tmp_path):
    write(tmp_path / "m.gguf", model())
    data = (tmp_path / "m.gguf").read_bytes()
    (tmp_path / "m.gguf").write_bytes(data.replace(b"llama", b"ll\xffma"))
    with pytest.raises(CheckpointError, match=r"m\.gguf: cannot be read as GGUF \('utf-8'"):
        GgufFile(tmp_path / "m.gguf")


def test_a_value_that_is_not_utf8_in_a_gguf_file_is_refused(tmp_path):
    write(tmp_path / "m.gguf", model(), words=lambda writer: writer.add_name("a plain name"))
    data = (tmp_path / "m.gguf").read_bytes()
    (tmp_path / "m.gguf").write_bytes(data.replace(b"a plain", b"a \xff\xfeain"))
    with pytest.raises(CheckpointError, match=r"m\.gguf: its metadata cannot be read \('utf-8'"):
        GgufFile(tmp_path / "m.gguf")


def test_tensors_of_a_gguf_file_that_overlap_are_refused(tmp_path):
    write(tmp_path / "m.gguf", model())
    data = bytearray((tmp_path / "m.gguf").read_bytes())
    name = b"blk.0.attn_k.weight"
    place = data.index(name) + len(name) + 4 + 2 * 8 + 4
    data[place : place + 8] = struct.pack("<Q", 0)
    (tmp_path / "m.gguf").write_bytes(data)
    with pytest.raises(CheckpointError, match=r"the tensors .* and .* overlap"):
        GgufFile(tmp_path / "m.gguf")


def test_a_list_of_very_many_values_in_a_gguf_file_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr("dragoman.interop.gguf_file.MOST_VALUES", 30)
    write(tmp_path / "m.gguf", model())
    with pytest.raises(CheckpointError, match="lists more than 30 values"):
        GgufFile(tmp_path / "m.gguf")


@pytest.mark.parametrize("changes", [{"pre": ["gpt-2"]}, {"merges": [1]}, {"merges": "t h"}])
def test_a_vocabulary_of_other_types_in_a_gguf_file_is_refused(changes):
    with pytest.raises(DataError):
        gguf_tokenizer(fields(**changes), "test")


def test_a_sentencepiece_model_that_is_none_is_refused_by_its_name(tmp_path, capfd):
    for name in ("source.spm", "target.spm"):
        (tmp_path / name).write_bytes(b"\x0a\xff\xff\xff no model")
    (tmp_path / "vocab.json").write_text('{"a": 0, "b": 1}')
    with pytest.raises(DataError, match=r"source\.spm: a SentencePiece model that cannot be read"):
        read_opus(tmp_path, 2, None)
    assert capfd.readouterr().err == ""
