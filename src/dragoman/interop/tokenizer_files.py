"""The tokenizer files of an export, with which transformers cuts text as the run does."""

import json
from pathlib import Path
from typing import Any

from dragoman.config.encoder import EncoderSettings
from dragoman.config.recipe import Recipe
from dragoman.config.transformer import TransformerSettings
from dragoman.data.formats.placeholders import PROMPT_END, placeholder
from dragoman.data.tokenizer.fast import TEXT, fast_settings, has_fast, to_fast
from dragoman.data.tokenizer.imported import ImportedTokenizer
from dragoman.data.tokenizer.opus_files import NUMBERS, SOURCE, TARGET, TARGET_NUMBERS
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.sentence_pieces import SentencePieceTokenizer
from dragoman.data.tokenizer.special_tokens import END, SPECIALS, START
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.interop.translators import TARGET_FOLDER

MARKS = {"pad": "pad_token", "unknown": "unk_token", "mask": "mask_token"}
FIRST, LAST = SPECIALS[START], SPECIALS[END]


def write_tokenizer(folder: Path, tokenizer: TokenizerPair, recipe: Recipe) -> bool:
    """Write what can be written; say whether it was both sides.

    Where each side has its own vocabulary, that of the target has a folder inside the folder.
    """
    source, target = tokenizer.source, tokenizer.target
    if isinstance(source, SentencePieceTokenizer) and isinstance(target, SentencePieceTokenizer):
        _write_opus(folder, source, target)
        return True
    if not all(has_fast(side) or isinstance(side, ImportedTokenizer) for side in (source, target)):
        return False
    if not isinstance(recipe.model, TransformerSettings):
        source = target
    _write_side(folder, source, recipe)
    if source is not target:
        (folder / TARGET_FOLDER).mkdir()
        _write_side(folder / TARGET_FOLDER, target, recipe)
    return True


def _write_side(folder: Path, side: Tokenizer, recipe: Recipe) -> None:
    if isinstance(side, ImportedTokenizer):
        text, settings = side.text, _special_tokens(side, recipe)
    else:
        text, settings = to_fast(side, _around(recipe)), fast_settings()
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    write_json(folder / "tokenizer_config.json", settings)


def _around(recipe: Recipe) -> tuple[str, ...]:
    """Return what the network reads around a text, in training and in use."""
    match recipe.model.kind, recipe.task.kind:
        case "transformer", _:
            return TEXT, LAST
        case "decoder-only", "translation":
            return FIRST, TEXT, placeholder(PROMPT_END)
        case "decoder-only", _:
            return FIRST, TEXT
        case _:
            return FIRST, TEXT, LAST


def _special_tokens(words: ImportedTokenizer, recipe: Recipe) -> dict[str, Any]:
    """Return what tokenizer_config.json says about marks; an encoder's begin with [CLS]."""
    encoder = isinstance(recipe.model, EncoderSettings)
    ends = {"start": "cls_token", "end": "sep_token"} if encoder else {}
    ends = ends or {"start": "bos_token", "end": "eos_token"}
    found = {
        theirs: getattr(words.special_tokens, ours) for ours, theirs in {**MARKS, **ends}.items()
    }
    named = {key: mark for key, mark in found.items() if mark is not None}
    return {"tokenizer_class": "PreTrainedTokenizerFast", **named}


def _write_opus(
    folder: Path, source: SentencePieceTokenizer, target: SentencePieceTokenizer
) -> None:
    """Write the files of an OPUS-MT model again, with our numbers."""
    two = source.pieces != target.pieces
    (folder / SOURCE).write_bytes(source.model)
    (folder / TARGET).write_bytes(target.model)
    write_json(folder / NUMBERS, source.ids)
    if two:
        write_json(folder / TARGET_NUMBERS, target.ids)
    pad, unknown, _, end = source.pieces[:4]
    settings = {
        "tokenizer_class": "MarianTokenizer",
        "separate_vocabs": two,
        "pad_token": pad,
        "unk_token": unknown,
        "eos_token": end,
    }
    write_json(folder / "tokenizer_config.json", settings)


def write_json(path: Path, record: dict[str, Any]) -> None:
    """Write a table of keys for people and programs."""
    text = json.dumps(record, indent=2, sort_keys=True, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")
