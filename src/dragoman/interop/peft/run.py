"""Adapters of runs as folders of peft, and runs made of folders of peft."""

from pathlib import Path

import torch
from torch import nn

from dragoman.config.corpus import ImportedCorpus
from dragoman.config.reading import read_recipe
from dragoman.config.start import LoraStart, PrefixStart
from dragoman.config.writing import recipe_to_toml
from dragoman.core.checksums import write_checked
from dragoman.core.errors import CheckpointError, ConfigError, RunError
from dragoman.core.files import new_folder, sha256
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.adapter import load_adapter, save_adapter
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.engine.checkpoint.merged_weights import plain_weights
from dragoman.engine.checkpoint.weights import read_weights, write_weights
from dragoman.interop.exporting import CLOSE, exchangeable, family_of_run, to_their_format
from dragoman.interop.peft.files import WEIGHTS, read_settings
from dragoman.interop.peft.lora import read_peft_lora, write_peft_lora
from dragoman.interop.peft.names import FAMILIES, FamilyName
from dragoman.interop.peft.prefix import read_peft_prefix, write_peft_prefix
from dragoman.interop.run import check_free, run_name
from dragoman.neural.adapt.prefix import prefixed_attentions
from dragoman.tasks.open import kind_of_run
from dragoman.tasks.translation.bare_translator import written_by

LIKE_OTHERS: dict[str, FamilyName] = {"pegasus": "marian"}
"""Families whose networks name their parts as another's do."""


def export_peft(run: Path, folder: Path) -> str:
    """Write the adapter of a run for peft; return the run or folder whose network it belongs on."""
    if folder.exists():
        raise RunError(f"{folder}: is there already. Name another folder.")
    source = trained_run(run)
    recipe = read_recipe(source.recipe)
    start = recipe.start
    if not isinstance(start, LoraStart | PrefixStart):
        raise ConfigError(
            f"{run}: has no adapter. One is learned with start.method = 'lora' or 'prefix'; any "
            "other run is exported whole, --to huggingface."
        )
    base = read_recipe(trained_run(start.run).recipe)
    on = base.corpus.source if isinstance(base.corpus, ImportedCorpus) else str(start.run)
    model, again = _network(run), _network(run)
    name = _family(start.run)
    with new_folder(folder) as beside:
        if isinstance(start, PrefixStart):
            write_peft_prefix(beside, model, on)
            for attention in prefixed_attentions(again).values():
                attention.prefix = None
        else:
            load_adapter(source.adapter, model, merged=True)
            write_peft_lora(beside, model, name, on)
        _put(beside, again, name)
        _check_same(model, again, folder)
    return on


def import_peft(folder: Path, base: Path, run: Path) -> RunFolder:
    """Make a run of an adapter of peft and the run whose network it was trained on.

    What a LoRA learned is added to the matrices; a prefix stays what it is, before them.
    """
    check_free(run)
    source = trained_run(base)
    before = read_recipe(source.recipe)
    if "translate" in before.task.verbs and written_by(before):
        raise ConfigError(
            f"{base}: writes several languages, which only its own corpus knows. Put the adapter "
            "on a run of one direction."
        )
    model = _network(base)
    name = _family(base)
    _put(folder, model, name)
    length = next(
        (a.prefix()[0].shape[1] for a in prefixed_attentions(model).values() if a.prefix), 0
    )
    corpus = ImportedCorpus(
        library="peft", family=name, source=str(folder), sha256=sha256(folder / WEIGHTS)
    )
    start = PrefixStart(run=base, length=length) if length else None
    recipe = before.model_copy(update={"name": run_name(run), "corpus": corpus, "start": start})
    with new_folder(run) as beside:
        made = RunFolder(beside)
        write_checked(made.recipe, recipe_to_toml(recipe))
        notes = {**read_weights(source.model).notes, "step": "0", "chosen": "imported from peft"}
        write_weights(made.model, plain_weights(model), notes)
        TokenizerPair.load(source.tokenizer).save(made.tokenizer)
        if start is not None:
            save_adapter(made.adapter, model, start)
        made.card.write_text(
            f"# {recipe.name}\n\nThe network of {base} with an adapter from {folder} (peft, {name};"
            f" SHA-256 of its weights `{corpus.sha256}`). It was not trained here.\n",
            encoding="utf-8",
        )
    return RunFolder(run)


def _network(run: Path) -> nn.Module:
    """Load the network of a run, whatever its task."""
    model = kind_of_run(run).load(run, device="cpu").model
    if model is None:
        raise RunError(f"{run}: holds no network of ours.")
    return model


def _family(run: Path) -> FamilyName:
    """Return how adapters call the family of a run's network, which transformers must have."""
    source = trained_run(run)
    recipe, tokenizer = read_recipe(source.recipe), TokenizerPair.load(source.tokenizer)
    settings = exchangeable(recipe.model, run)
    if settings.positions == "sinusoidal":
        raise ConfigError(
            f"{run}: model.positions = 'sinusoidal' has its numbers in another order there, and an "
            "adapter would have to follow. Train with model.positions = 'sinusoidal-halves'."
        )
    family = family_of_run(recipe, settings, run)
    words, tensors = tokenizer.target, read_weights(source.model).tensors
    two = None if tokenizer.numbered_alike else words.size
    to_their_format(family, settings, tokenizer.source.size, tensors, run, words.pad, two)
    gated = any(".feed_forward.gate." in name for name in tensors)
    wanted = LIKE_OTHERS.get(
        family.kind, "t5-gated" if family.kind == "t5" and gated else family.kind
    )
    for known in FAMILIES:
        if known == wanted:
            return known
    raise ConfigError(f"{run}: adapters of {wanted!r} are not known, but of {', '.join(FAMILIES)}.")


def _put(folder: Path, model: nn.Module, name: FamilyName) -> None:
    """Put an adapter of peft on a network, by what it says of itself."""
    if read_settings(folder).get("peft_type") == "PREFIX_TUNING":
        read_peft_prefix(folder, model)
    else:
        read_peft_lora(folder, model, name)


def _check_same(model: nn.Module, again: nn.Module, where: Path) -> None:
    """Compare a network with the one that was read back."""
    before, after = plain_weights(model), plain_weights(again)
    for name, tensor in before.items():
        if not torch.allclose(after[name], tensor, rtol=CLOSE, atol=CLOSE):
            raise CheckpointError(f"{where}: {name} does not come back as it was. Report this.")
