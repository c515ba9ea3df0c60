"""An imported network as a run folder, which the other verbs open like one that was trained."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from tokenizers import Tokenizer as Library

from dragoman.config.batches import BatchSettings
from dragoman.config.corpus import ImportedCorpus
from dragoman.config.recipe import Recipe
from dragoman.config.training import DecodingSettings
from dragoman.config.writing import recipe_to_toml
from dragoman.core.bounded_read import read_bounded
from dragoman.core.checksums import write_checked
from dragoman.core.errors import DataError, RunError
from dragoman.core.files import new_folder
from dragoman.data.tokenizer.imported import ImportedTokenizer, explain_errors
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.engine.checkpoint.weights import write_weights
from dragoman.engine.runtime import software_versions
from dragoman.interop.families.family import ImportPlan
from dragoman.interop.network import Tensors
from dragoman.interop.table import Account
from dragoman.tasks.common.pixels import PIXELS_NOTE

LICENSES = re.compile(r"(licen[cs]e|copying)(\.(md|txt|rst))?", re.IGNORECASE)
LARGEST_LICENSE = 1024 * 1024
LONGEST = 1024


@dataclass(frozen=True)
class Origin:
    """The origin of an imported network."""

    corpus: ImportedCorpus
    checksums: dict[str, str]
    licenses: tuple[Path, ...] = ()


def write_run(
    run: Path,
    plan: ImportPlan,
    tensors: Tensors,
    account: Account,
    tokenizer: TokenizerPair,
    origin: Origin,
) -> RunFolder:
    """Write the folder of an imported run; it appears whole, or not at all."""
    check_free(run)
    recipe = _recipe(run, plan, origin)
    with new_folder(run) as beside:
        folder = RunFolder(beside)
        write_checked(folder.recipe, recipe_to_toml(recipe))
        notes = {"step": "0", "chosen": f"imported from {origin.corpus.library}"}
        if plan.pixels is not None:
            notes[PIXELS_NOTE] = plan.pixels.to_json()
        write_weights(folder.model, tensors, notes)
        tokenizer.save(folder.tokenizer)
        folder.card.write_text(_card(recipe, plan, tensors, account, origin), encoding="utf-8")
        for path in origin.licenses:
            (beside / path.name).write_bytes(read_bounded(path, LARGEST_LICENSE))
    return RunFolder(run)


def check_free(run: Path) -> None:
    """Refuse a folder that is there already, before anything is read."""
    if run.exists():
        raise RunError(f"{run}: is there already. Name another folder by --to.")


def pad_vocabulary(tokenizer: ImportedTokenizer, rows: int, where: str) -> ImportedTokenizer:
    """Give rows of the table that have no word a name, so that vocabulary and table are one size.

    Tables are often rounded up. Their further rows are kept, for the scores have them too.
    """
    if tokenizer.size > rows:
        raise DataError(
            f"{where}: the tokenizer has {tokenizer.size:,} entries, but the network only "
            f"{rows:,}. Take both from the same model."
        )
    if tokenizer.size == rows:
        return tokenizer
    with explain_errors():
        library = Library.from_str(tokenizer.text)
        library.add_special_tokens([f"<unused {n}>" for n in range(tokenizer.size, rows)])
        grown = ImportedTokenizer(library.to_str(), tokenizer.special_tokens)
    if grown.size != rows:
        raise DataError(f"{where}: the tokenizer leaves out numbers, and cannot be filled up.")
    return grown


def checksum_of(files: dict[str, str]) -> str:
    """Return one checksum: that of the only file, or of the list of all."""
    if len(files) == 1:
        return next(iter(files.values()))
    listed = "".join(f"{digest}  {name}\n" for name, digest in sorted(files.items()))
    return hashlib.sha256(listed.encode()).hexdigest()


def licenses_in(folder: Path) -> tuple[Path, ...]:
    """Return the licence files of a folder."""
    found = [p for p in folder.iterdir() if LICENSES.fullmatch(p.name) and p.is_file()]
    return tuple(sorted(p for p in found if p.stat().st_size <= LARGEST_LICENSE))


def run_name(run: Path) -> str:
    """Return what a recipe may call a run of this folder."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", run.resolve().name).lstrip("._-") or "imported"


def _recipe(run: Path, plan: ImportPlan, origin: Origin) -> Recipe:
    longest = min(LONGEST, plan.settings.max_positions)
    return Recipe.model_validate(
        {
            "name": run_name(run),
            "task": plan.task,
            "corpus": origin.corpus,
            "model": plan.settings,
            "batches": BatchSettings(max_length=longest),
            "decoding": plan.decoding or DecodingSettings(),
            "made_with": software_versions(0),
        }
    )


def _card(
    recipe: Recipe, plan: ImportPlan, tensors: Tensors, account: Account, origin: Origin
) -> str:
    count = sum(tensor.numel() for tensor in tensors.values())
    corpus = origin.corpus
    lines = [
        f"# {recipe.name}",
        "",
        f"A network ({recipe.model.kind}) of {count:,} parameters, imported from {corpus.source} "
        f"({corpus.library}, {corpus.family}). It was not trained here.",
        "",
        f"Licence: {corpus.license or 'the source does not say'}.",
        *(f"- {path.name}, as it came with the weights" for path in origin.licenses),
        "",
        "| file | SHA-256 |",
        "|---|---|",
        *(f"| {name} | `{digest}` |" for name, digest in sorted(origin.checksums.items())),
        "",
        f"{len(account.found)} tensors were taken over, {len(account.copies)} only repeat others, "
        f"{len(account.dropped)} are no weights.",
        *_listed("Begun with fresh numbers, as allowed", account.missing),
        *_listed("Left out, as allowed", account.unused),
        *(f"- {note}" for note in plan.notes),
    ]
    return "\n".join(lines) + "\n"


def _listed(title: str, names: tuple[str, ...]) -> list[str]:
    return ["", f"{title}:", *(f"- {name}" for name in names)] if names else []
