"""Several language models at once; adapters (LoRA, prefix) of one base share its weights.

    base run ─ network ─┬─ itself
                        ├─ the same tensors, with A and B beside them (LoRA)
                        └─ the same tensors, with keys and values before them (prefix)

An adapted model is a network of its own, made of the base's tensors; only what its adapter learned
is added. So no weight is ever changed while it is in use, and every model can be used at any time.
"""

import copy
from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TypeVar

from torch import nn

from dragoman.config.reading import read_recipe
from dragoman.config.start import LoraStart, PrefixStart
from dragoman.core.console import say
from dragoman.core.errors import DragomanError
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.engine.checkpoint.adapter import WEIGHTS, WORDS, load_adapter
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.engine.checkpoint.weights import read_weights
from dragoman.neural.adapt.fast_inference import quick
from dragoman.tasks.language_model.language_model import LanguageModel

Network = TypeVar("Network", bound=nn.Module)


def load_language_models(
    runs: Mapping[str, Path], *, device: str = "auto"
) -> dict[str, LanguageModel]:
    """Load language models by name, in their quicker form; each base is held once.

    A run that was adapted by LoRA or a prefix is put on its base where that is among the runs, or
    where another run was adapted from it too. Any other is loaded by itself.
    """
    bases = {name: _base(path) for name, path in runs.items()}
    wanted = Counter(base for base in bases.values() if base is not None)
    served = {path.resolve() for path in runs.values()}
    shared = {base for base, count in wanted.items() if base in served or count > 1}
    plain = {base: LanguageModel.load(base, device=device) for base in shared}
    loaded: dict[str, LanguageModel] = {}
    for name, path in runs.items():
        base, model = bases[name], plain.get(path.resolve())
        if model is None and base is not None and base in plain:
            model = _load_adapted(path, plain[base])
        loaded[name] = accelerate(model or LanguageModel.load(path, device=device))
    return loaded


def load_adapted(run: Path, base: LanguageModel) -> LanguageModel:
    """Return the model of an adapted run, whose network shares the base's weights."""
    folder = trained_run(run)
    names = read_weights(folder.adapter / WEIGHTS).tensors.keys()
    network = share_weights(base.model, names)
    load_adapter(folder.adapter, network)
    for weight in network.parameters():
        weight.requires_grad_(False)
    words = TokenizerPair.load(folder.tokenizer).source
    longest = read_recipe(folder.recipe).batches.max_length
    network = network.to(base.device).eval()
    return LanguageModel(network, words, longest=longest, device=base.device)


def share_weights(network: Network, own: Collection[str]) -> Network:
    """Return a copy that shares every tensor but those named; tied weights stay tied."""
    named = [*network.named_parameters(), *network.named_buffers()]
    return copy.deepcopy(network, {id(part): part for name, part in named if name not in own})


def accelerate(model: LanguageModel) -> LanguageModel:
    """Return a language model of the same weights, whose steps are quicker."""
    network = quick(model.model, "float32", fused=False)  # joined matrices would be copies
    return LanguageModel(network, model.tokenizer, longest=model.longest, device=model.device)


def _base(run: Path) -> Path | None:
    """Return the run that another one was adapted from, where its adapter is there by itself."""
    folder = RunFolder(run)
    if not (folder.adapter / WORDS).is_file():
        return None
    start = read_recipe(folder.recipe).start
    if not isinstance(start, LoraStart | PrefixStart):
        return None
    base = RunFolder(start.run.resolve())
    return base.path if base.model.is_file() and base.recipe.is_file() else None


def _load_adapted(run: Path, base: LanguageModel) -> LanguageModel | None:
    """Put a run on its base; None where the base has changed since."""
    try:
        return load_adapted(run, base)
    except DragomanError as error:
        say(f"{error} It is loaded by itself.", style="yellow")
        return None
