"""Small models as other libraries store them, with the commands that import and use them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file
from tests.unit.interop.conftest import bert, gpt2, llama, t5, written
from tests.unit.interop.test_gguf import LETTERS, MERGES, SHAPE, model, write
from tests.unit.interop.test_opus import ENGLISH, FRENCH, learn
from tests.unit.interop.test_translators import marian, shaken
from tokenizers import Tokenizer, models, pre_tokenizers

from dragoman.interop.importing import import_huggingface

WORDS = [*("<pad>", "<unk>", "</s>", "[MASK]"), *(f"word{n}" for n in range(27))]


@dataclass(frozen=True)
class ForeignModel:
    """A clean model: how it is written, imported and used."""

    write: Callable[[Path], object]
    imports: tuple[str, ...]
    """The command; `model` stands for the copy of its folder, `base` for a run."""
    use: tuple[str, ...]
    """What is done with the run that comes out, on one line of text."""


def word_tokenizer(folder: Path, words: list[str] = WORDS) -> None:
    """Write a tokenizer.json of whole words."""
    numbers = {word: number for number, word in enumerate(words)}
    library = Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    library.pre_tokenizer = pre_tokenizers.Whitespace()
    library.add_special_tokens(words[:4])
    library.save(str(folder / "tokenizer.json"))
    names = {"pad_token": "<pad>", "unk_token": "<unk>", "mask_token": "[MASK]"}
    names |= {"bos_token": "</s>", "eos_token": "</s>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(names))


def _with_words(build: Callable[[], object]) -> Callable[[Path], None]:
    def write_all(folder: Path) -> None:
        written(build, folder)
        word_tokenizer(folder)

    return write_all


def _opus(folder: Path) -> None:
    pieces = [*learn(ENGLISH, folder, "source"), *learn(FRENCH, folder, "target")]
    words = ["</s>", "<unk>", *dict.fromkeys(pieces), "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({word: n for n, word in enumerate(words)}))
    last = len(words) - 1
    marks = {"pad_token_id": last, "decoder_start_token_id": last}
    shaken(lambda: marian(vocab_size=len(words), **marks)).save_pretrained(folder)


def _gguf(folder: Path) -> None:
    def words(writer: object) -> None:
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("gpt-2")
        writer.add_token_list(LETTERS)
        writer.add_token_types([3, *[1] * (len(LETTERS) - 1)])
        writer.add_token_merges(MERGES)
        writer.add_eos_token_id(0)

    write(folder / "m.gguf", model(vocab_size=len(LETTERS)), words=words)


def _lora(folder: Path) -> None:
    width, rank = SHAPE["hidden_size"], 2
    names = (f"base_model.model.model.layers.{n}.self_attn.q_proj" for n in range(2))
    tensors = {}
    for name in names:
        tensors[f"{name}.lora_A.weight"] = torch.randn(rank, width)
        tensors[f"{name}.lora_B.weight"] = torch.randn(width, rank)
    save_file(tensors, folder / "adapter_model.safetensors")
    config = {"peft_type": "LORA", "r": rank, "lora_alpha": 4, "target_modules": ["q_proj"]}
    (folder / "adapter_config.json").write_text(json.dumps(config))


def base_run(folder: Path) -> Path:
    """Import the run that adapters are put on."""
    theirs = folder / "base-theirs"
    written(lambda: llama(**{**SHAPE, "vocab_size": len(WORDS)}), theirs)
    word_tokenizer(theirs)
    import_huggingface(theirs, folder / "base")
    return folder / "base"


HUGGINGFACE = ("huggingface", "model")
GENERATE = ("generate", "--max-tokens", "5")
FOREIGN_MODELS = {
    "GPT-2": ForeignModel(_with_words(gpt2), HUGGINGFACE, GENERATE),
    "Llama": ForeignModel(_with_words(llama), HUGGINGFACE, ("score",)),
    "BERT": ForeignModel(_with_words(bert), HUGGINGFACE, ("fill",)),
    "T5": ForeignModel(_with_words(t5), HUGGINGFACE, ("export",)),
    "Marian": ForeignModel(_with_words(marian), HUGGINGFACE, ("translate",)),
    "OPUS": ForeignModel(_opus, HUGGINGFACE, ("translate",)),
    "GGUF": ForeignModel(_gguf, ("gguf", "model/m.gguf"), ("score",)),
    "LoRA": ForeignModel(_lora, ("peft", "model", "--base", "base"), GENERATE),
}
