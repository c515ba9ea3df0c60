"""A GGUF file of a Llama, read as if transformers had stored it.

Tensors get transformers' names, numbers that are packed become float32, and queries and keys, whose
rows llama.cpp keeps pair by pair, are laid out as everywhere else.
"""

from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dragoman.core.bounded_read import check_fits_memory, check_regular
from dragoman.core.errors import CheckpointError, ConfigError
from dragoman.core.files import sha256
from dragoman.interop.table import TensorRow, in_layers, row
from dragoman.interop.tensor_layouts import RotaryPairs
from dragoman.interop.tensor_source import TensorSource

NEEDED = {
    "llama.embedding_length": "hidden_size",
    "llama.block_count": "num_hidden_layers",
    "llama.feed_forward_length": "intermediate_size",
    "llama.attention.head_count": "num_attention_heads",
    "llama.attention.layer_norm_rms_epsilon": "rms_norm_eps",
}
OPTIONAL = {
    "llama.context_length": "max_position_embeddings",
    "llama.attention.head_count_kv": "num_key_value_heads",
    "llama.attention.key_length": "head_dim",
    "llama.rope.freq_base": "rope_theta",
}
CHECKED = ("llama.vocab_size", "llama.rope.dimension_count", "llama.attention.value_length")
TOKENS = "tokenizer.ggml.tokens"
MOST_VALUES = 4_000_000
"""Of the metadata and the list of tensors, of which the package reads each by itself; a large
vocabulary has less than two million."""

UNREADABLE = (ValueError, KeyError, IndexError, TypeError, OverflowError, RecursionError)
"""What the package raises where a file is damaged; UnicodeDecodeError is a ValueError."""


class GgufFile(TensorSource):
    """The tensors, the settings and the words of a file."""

    def __init__(self, path: Path) -> None:
        self.where = path
        self.library = _library()
        reader = _opened(self.library, path)
        self.fields = _contents(reader, path)
        self.values = self._read_values({one.name for one in reader.tensors})
        rows = _rows(self.values)
        self._rows = {one.ours[0]: one for one in rows}
        names = {one.theirs: one.ours[0] for one in rows}
        self._tensors = {names.get(one.name, one.name): one for one in reader.tensors}

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each tensor."""
        return {
            name: tuple(int(size) for size in reversed(one.shape))
            for name, one in self._tensors.items()
        }

    def tensor(self, name: str) -> Tensor:
        """Return a tensor in float32, unpacked and with its rows in our order."""
        one = self._tensors[name]
        try:
            numbers: NDArray[Any] = self.library.quants.dequantize(one.data, one.tensor_type)
        except (NotImplementedError, ValueError, KeyError) as error:
            raise CheckpointError(
                f"{self.where}: {one.name} is packed as {one.tensor_type.name}, which cannot be "
                f"unpacked ({error}). Take a file in F16, Q8_0 or Q4_1."
            ) from None
        whole = torch.from_numpy(np.array(numbers, dtype=np.float32)).reshape(self.shapes[name])
        return self._rows[name].way.to_ours(whole)[0] if name in self._rows else whole

    def checksums(self) -> dict[str, str]:
        """Return the SHA-256 of the file, by its name."""
        return {self.where.name: sha256(self.where)}

    def _read_values(self, tensors: set[str]) -> dict[str, Any]:
        """Return the settings as transformers writes them; what is not known is refused."""
        kind = self.fields.get("general.architecture")
        if kind != "llama":
            raise ConfigError(
                f"{self.where}: holds a network of kind {kind!r}; of GGUF files only 'llama' can "
                "be imported."
            )
        known = {*NEEDED, *OPTIONAL, *CHECKED}
        unknown = sorted(n for n in self.fields if n.startswith("llama.") and n not in known)
        missing = sorted(key for key in NEEDED if key not in self.fields)
        if unknown or missing:
            told = [f"{key} = {self.fields[key]!r}: unknown" for key in unknown]
            told += [f"{key}: is missing" for key in missing]
            raise ConfigError(
                f"{self.where}: {'; '.join(told)}. Such a network cannot be built here."
            )
        values = {
            theirs: _plain(self.fields[key])
            for key, theirs in {**NEEDED, **OPTIONAL}.items()
            if key in self.fields
        }
        tokens = self.fields.get(TOKENS)
        words = self.fields.get("llama.vocab_size", len(tokens) if isinstance(tokens, list) else 0)
        values |= {"vocab_size": words, "tie_word_embeddings": "output.weight" not in tensors}
        values |= {"model_type": "llama", "architectures": ["LlamaForCausalLM"]}
        self._check_heads(values)
        layers = values["num_hidden_layers"]
        if not isinstance(layers, int) or not 0 < layers <= len(tensors):
            raise ConfigError(
                f"{self.where}: {layers!r} layers in {len(tensors)} tensors cannot be."
            )
        return values

    def _check_heads(self, values: dict[str, Any]) -> None:
        """Refuse heads of which only a part is turned, or whose values have a size of their own."""
        heads, width = values["num_attention_heads"], values["hidden_size"]
        if not isinstance(heads, int) or not isinstance(width, int) or heads < 1:
            raise ConfigError(f"{self.where}: {heads!r} heads in a width of {width!r} cannot be.")
        size = values.get("head_dim", width // heads)
        for key in CHECKED[1:]:
            if self.fields.get(key, size) != size:
                raise ConfigError(
                    f"{self.where}: {key} = {self.fields[key]!r}, but a head has {size} numbers. "
                    "Such a network cannot be built here."
                )


def _rows(values: dict[str, Any]) -> tuple[TensorRow, ...]:
    """Return their names, transformers' names and the way between."""
    heads = values["num_attention_heads"]
    groups = values.get("num_key_value_heads", heads)
    layer, deep = "blk.{n}", "model.layers.{n}"
    rows = (
        row(f"{layer}.attn_norm.weight", f"{deep}.input_layernorm.weight"),
        row(f"{layer}.ffn_norm.weight", f"{deep}.post_attention_layernorm.weight"),
        row(f"{layer}.attn_q.weight", f"{deep}.self_attn.q_proj.weight", RotaryPairs(heads)),
        row(f"{layer}.attn_k.weight", f"{deep}.self_attn.k_proj.weight", RotaryPairs(groups)),
        row(f"{layer}.attn_v.weight", f"{deep}.self_attn.v_proj.weight"),
        row(f"{layer}.attn_output.weight", f"{deep}.self_attn.o_proj.weight"),
        row(f"{layer}.ffn_gate.weight", f"{deep}.mlp.gate_proj.weight"),
        row(f"{layer}.ffn_up.weight", f"{deep}.mlp.up_proj.weight"),
        row(f"{layer}.ffn_down.weight", f"{deep}.mlp.down_proj.weight"),
    )
    return (
        row("token_embd.weight", "model.embed_tokens.weight"),
        row("output_norm.weight", "model.norm.weight"),
        row("output.weight", "lm_head.weight"),
        *in_layers(rows, values["num_hidden_layers"]),
    )


def _plain(value: Any) -> Any:
    """Return a float32 as the number that was meant: 1e-05, not 9.999999747378752e-06."""
    return float(str(np.float32(value))) if isinstance(value, float) else value


def _library() -> ModuleType:
    try:
        import gguf
    except ImportError:
        raise ConfigError(
            "reading GGUF files needs one more package: pip install 'dragoman[gguf]'"
        ) from None
    return gguf


def _opened(library: ModuleType, path: Path) -> Any:
    if not path.exists():
        raise CheckpointError(f"{path}: there is no such file.")

    class CarefulReader(library.GGUFReader):  # type: ignore[misc, name-defined]
        """The library's reader, which does not read on behind the end of a file."""

        data: Any
        left = MOST_VALUES

        def _get(
            self, offset: int, dtype: Any, count: int = 1, override_order: Any = None
        ) -> NDArray[Any]:
            if isinstance(self.data, np.memmap):  # whose slices are slow, and there are many
                self.data = self.data.view(np.ndarray)
            if offset + np.dtype(dtype).itemsize * int(count) > len(self.data):
                raise ValueError("it ends too early")
            self.left -= 1
            if not self.left:
                raise ValueError(f"it lists more than {MOST_VALUES:,} values")
            return super()._get(offset, dtype, count, override_order)

    try:
        check_regular(path)
        check_fits_memory(path)
        with np.errstate(over="ignore"):  # of offsets that no file has
            reader = CarefulReader(path)
        _check_apart(reader.tensors)
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read as GGUF ({error.strerror}).") from None
    except UNREADABLE as error:
        raise CheckpointError(f"{path}: cannot be read as GGUF ({error}).") from None
    return reader


def _check_apart(tensors: list[Any]) -> None:
    """Refuse tensors that share bytes of the file."""
    places = sorted((one.data_offset, one.data_offset + one.n_bytes, one.name) for one in tensors)
    for (_, end, first), (begin, _, second) in pairwise(places):
        if begin < end:
            raise ValueError(f"the tensors {first} and {second} overlap")


def _contents(reader: Any, path: Path) -> dict[str, Any]:
    """Return what the metadata say, by their names."""
    try:
        return {name: one.contents() for name, one in reader.fields.items()}
    except UNREADABLE as error:
        raise CheckpointError(f"{path}: its metadata cannot be read ({error}).") from None
