"""From a checkpoint of another library to a run."""

import re
from dataclasses import dataclass, replace
from pathlib import Path

from dragoman.config.corpus import ImportedCorpus
from dragoman.core.files import sha256
from dragoman.data.tokenizer.imported_files import read_imported
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.interop.families.catalogue import family_of
from dragoman.interop.foreign import SETTINGS_FILE, read_settings
from dragoman.interop.generation import decoding_of, read_generation, with_special_tokens
from dragoman.interop.gguf_file import GgufFile
from dragoman.interop.gguf_tokenizer import gguf_tokenizer
from dragoman.interop.network import judge, take
from dragoman.interop.run import (
    Origin,
    check_free,
    checksum_of,
    licenses_in,
    pad_vocabulary,
    write_run,
)
from dragoman.interop.table import NOTHING, AllowedNames
from dragoman.interop.tensor_source import StoredFolder
from dragoman.interop.translators import read_sides, with_our_numbers

STATED = re.compile(r"^license: *[\"']?([A-Za-z0-9 ._+-]{1,60})[\"']? *$", re.MULTILINE)


@dataclass(frozen=True)
class ImportOptions:
    """Options of an import: what a user says about a checkpoint that its files do not."""

    allowed: AllowedNames = NOTHING
    ignored: tuple[str, ...] = ()
    """Keys of the settings file that are passed over."""
    saved_from: str | None = None
    """The class that the tensors belong to, where the settings file names another."""
    tokenizer: Path | None = None
    """The folder of the tokenizer, where it is another."""


PLAIN = ImportOptions()


def import_huggingface(folder: Path, run: Path, options: ImportOptions = PLAIN) -> RunFolder:
    """Make a run of a folder that transformers wrote."""
    check_free(run)
    values = read_settings(folder)
    if options.saved_from is not None:
        values["architectures"] = [options.saved_from]
    family = family_of(values, str(folder / SETTINGS_FILE))
    stored = StoredFolder(folder)
    generation = read_generation(folder, values)
    if family.translates:
        values = with_special_tokens(values, generation)
    plan = family.plan(values, stored, options.ignored)
    judge(plan, stored, options.allowed)  # a vocabulary is filled up to the size declared
    texts = options.tokenizer or folder
    if plan.special_tokens is None:
        words = pad_vocabulary(read_imported(texts), plan.vocab_size, str(folder))
        tokenizer = TokenizerPair(words, words)
        tensors, account = take(plan, stored, options.allowed)
    else:
        sides = read_sides(texts, plan)
        tensors, account = take(plan, stored, options.allowed)
        plan, tensors, tokenizer = with_our_numbers(plan, plan.special_tokens, tensors, sides)
        plan = replace(plan, decoding=decoding_of(generation, folder))
    weights = stored.checksums()
    corpus = ImportedCorpus(
        library="huggingface",
        family=family.kind,
        source=str(folder),
        sha256=checksum_of(weights),
        license=_stated_license(folder),
    )
    files = {**weights, SETTINGS_FILE: sha256(folder / SETTINGS_FILE)}
    origin = Origin(corpus, files, licenses_in(folder))
    return write_run(run, plan, tensors, account, tokenizer, origin)


def import_gguf(file: Path, run: Path, options: ImportOptions = PLAIN) -> RunFolder:
    """Make a run of a GGUF file."""
    check_free(run)
    stored = GgufFile(file)
    family = family_of(stored.values, str(file))
    plan = family.plan(stored.values, stored, options.ignored)
    judge(plan, stored, options.allowed)
    tokenizer = gguf_tokenizer(stored.fields, str(file))
    words = pad_vocabulary(tokenizer, plan.vocab_size, str(file))
    tensors, account = take(plan, stored, options.allowed)
    weights = stored.checksums()
    stated = stored.fields.get("general.license")
    corpus = ImportedCorpus(
        library="gguf",
        family=family.kind,
        source=str(file),
        sha256=checksum_of(weights),
        license=stated if isinstance(stated, str) else "",
    )
    origin = Origin(corpus, weights, licenses_in(file.parent))
    return write_run(run, plan, tensors, account, TokenizerPair(words, words), origin)


def _stated_license(folder: Path) -> str:
    """Return what the head of a model's page says."""
    page = folder / "README.md"
    if not page.is_file():
        return ""
    with page.open(encoding="utf-8", errors="replace") as stream:
        head = stream.read(20_000)
    if not head.startswith("---"):
        return ""
    found = STATED.search(head.split("\n---", 1)[0])
    return found.group(1) if found else ""
