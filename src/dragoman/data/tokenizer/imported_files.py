"""The files in which models of the field bring their vocabulary, made into one that is imported.

    tokenizer.json               everything: any model
    vocab.txt                    one subword on each line: BERT
    vocab.json and merges.txt    byte-level subwords and their merges: GPT-2, RoBERTa, CLIP

tokenizer_config.json and special_tokens_map.json, where they are, say which tokens are marks.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, decoders, models, normalizers, pre_tokenizers, processors
from tokenizers import Tokenizer as Library

from dragoman.core.bounded_read import read_bounded
from dragoman.core.errors import DataError
from dragoman.data.tokenizer.imported import (
    LONGEST_FILE,
    ImportedTokenizer,
    SpecialTokenNames,
    explain_errors,
)

BERT = SpecialTokenNames(pad="[PAD]", unknown="[UNK]", start="[CLS]", end="[SEP]", mask="[MASK]")
NONE = SpecialTokenNames()
CLIP = SpecialTokenNames(start="<|startoftext|>", end="<|endoftext|>")
CLIP_WORDS = r"'(?:s|t|re|ve|m|ll|d)|\p{L}+|\p{N}|[^\s\p{L}\p{N}]+"
"""Letters, single digits, and signs; what an apostrophe shortens is a word of its own."""


def read_imported(folder: Path) -> ImportedTokenizer:
    """Read the vocabulary of a model's folder."""
    try:
        tokenizer = _read_imported(folder)
        tokenizer.decode(tokenizer.put_around("a b"))  # some files fail only where text is cut
        return tokenizer
    except DataError as error:
        where = "" if str(error).startswith(str(folder)) else f"{folder}: "
        raise DataError(f"{where}{error}") from error


def _read_imported(folder: Path) -> ImportedTokenizer:
    settings = {
        **_read_json(folder / "special_tokens_map.json"),
        **_read_json(folder / "tokenizer_config.json"),
    }
    names = SpecialTokenNames.from_settings(settings)
    if (folder / "tokenizer.json").exists():
        return ImportedTokenizer(_read(folder / "tokenizer.json"), None if names == NONE else names)
    if (folder / "vocab.txt").exists():
        lower = settings.get("do_lower_case") is not False
        return bert_tokenizer(_read(folder / "vocab.txt"), lower=lower)
    if (folder / "merges.txt").exists():
        merges = _read(folder / "merges.txt").splitlines()
        numbers = _read_json(folder / "vocab.json")
        if str(settings.get("tokenizer_class")).startswith("CLIPTokenizer"):
            return clip_tokenizer(numbers, merges, names)
        return byte_level_tokenizer(numbers, merges, names)
    raise DataError(
        f"{folder}: no tokenizer.json, vocab.txt or merges.txt. Save the tokenizer beside its "
        "model with the program that made it (in transformers: tokenizer.save_pretrained)."
    )


def bert_tokenizer(lines: str, *, lower: bool) -> ImportedTokenizer:
    """Make BERT's vocabulary of its vocab.txt, in which the line is the number, counted from 0.

    An uncased model, which `lower` asks for, reads small letters without accents only.
    """
    pieces = lines.removesuffix("\n").split("\n")
    pieces = [piece.removesuffix("\r") for piece in pieces]
    numbers = {piece: number for number, piece in enumerate(pieces)}
    if len(numbers) != len(pieces) or "[UNK]" not in numbers:
        raise DataError(
            "a vocab.txt that names a piece twice or has no [UNK]. Take it from its model again."
        )
    names = SpecialTokenNames(*(mark if mark in numbers else None for mark in astuple(BERT)))
    with explain_errors():
        library = Library(models.WordPiece(vocab=numbers, unk_token="[UNK]"))
        library.normalizer = normalizers.BertNormalizer(lowercase=lower)
        library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        library.decoder = decoders.WordPiece()
        library.add_special_tokens([mark for mark in astuple(names) if mark])
        return ImportedTokenizer(library.to_str(), names)


def byte_level_tokenizer(
    numbers: Mapping[str, int],
    merges: Iterable[str],
    names: SpecialTokenNames = NONE,
    *,
    further: Iterable[str] = (),
    single_digits: bool = False,
    put_first: bool = False,
) -> ImportedTokenizer:
    """Make a vocabulary of byte-level subwords and merges, as GPT-2, RoBERTa and GGUF hold them.

    A merge is a line of two subwords with a space between; a line that begins with #version is
    none. `further` names marks without a part of their own; with `single_digits` (SmolLM2) a number
    is cut into its digits first; with `put_first` the mark that starts a text is put before each.
    """
    pairs = [_pair(line) for line in merges if line and not line.startswith("#version")]
    special = dict.fromkeys((*filter(None, astuple(names)), *further))
    with explain_errors():
        library = Library(models.BPE(vocab=dict(numbers), merges=pairs))
        bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False)
        digits = pre_tokenizers.Digits(individual_digits=True)
        library.pre_tokenizer = (
            pre_tokenizers.Sequence([digits, bytes_only]) if single_digits else bytes_only
        )
        library.decoder = decoders.ByteLevel()
        library.add_special_tokens(
            [AddedToken(mark, lstrip=mark == names.mask, special=True) for mark in special]
        )
        if put_first and names.start is not None:
            first = names.start, library.token_to_id(names.start)
            library.post_processor = processors.TemplateProcessing(
                single=[names.start, "$A"], special_tokens=[first]
            )
        return ImportedTokenizer(library.to_str(), None if names == NONE else names)


def clip_tokenizer(
    numbers: Mapping[str, int], merges: Iterable[str], names: SpecialTokenNames = CLIP
) -> ImportedTokenizer:
    """Make CLIP's vocabulary: small letters only, a sign at the end of each word and no spaces."""
    pairs = [_pair(line) for line in merges if line and not line.startswith("#version")]
    with explain_errors():
        model = models.BPE(
            vocab=dict(numbers),
            merges=pairs,
            end_of_word_suffix="</w>",
            unk_token=names.unknown or names.end,
        )
        library = Library(model)
        spaces = normalizers.Replace(Regex(r"\s+"), " ")
        library.normalizer = normalizers.Sequence(
            [normalizers.NFC(), spaces, normalizers.Lowercase()]
        )
        words = pre_tokenizers.Split(Regex(CLIP_WORDS), behavior="removed", invert=True)
        bytes_only = pre_tokenizers.ByteLevel(add_prefix_space=False)
        library.pre_tokenizer = pre_tokenizers.Sequence([words, bytes_only])
        library.decoder = decoders.ByteLevel()
        library.add_special_tokens([*dict.fromkeys(filter(None, astuple(names)))])
        return ImportedTokenizer(library.to_str(), names)


def _pair(line: str) -> tuple[str, str]:
    left, space, right = line.partition(" ")
    if not left or not space or not right:
        raise DataError(f"a merge of pieces that is no pair: {line[:40]!r}.")
    return left, right


def _read_json(path: Path) -> dict[str, Any]:
    """Read a JSON file of names and values; one that is not there holds none."""
    if not path.exists():
        return {}
    try:
        record = json.loads(_read(path))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{path}: not JSON ({error}). Take it from its model again.") from error
    if not isinstance(record, dict):
        raise DataError(f"{path}: not a JSON file of names and values.")
    return record


def _read(path: Path) -> str:
    try:
        return read_bounded(path, LONGEST_FILE).decode("utf-8")
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: is not UTF-8 text (byte {error.start}).") from error
