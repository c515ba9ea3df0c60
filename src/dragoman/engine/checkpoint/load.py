"""Loading a trained run: its recipe, its tokenizer, its weights, and the network they fill."""

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import torch
from torch import nn

from dragoman.config.reading import read_recipe
from dragoman.config.recipe import Recipe
from dragoman.config.settings import Settings
from dragoman.core.errors import CheckpointError, RunError
from dragoman.data.tokenizer.pair import TokenizerPair
from dragoman.data.tokenizer.tokenizer import Tokenizer
from dragoman.engine.checkpoint.folder import RunFolder, trained_run
from dragoman.engine.checkpoint.merged_weights import build_filled
from dragoman.engine.checkpoint.weight_averaging import weights_to_use
from dragoman.engine.checkpoint.weights import StoredWeights
from dragoman.engine.runtime import choose_device

DEPTHS = frozenset(("layers", "encoder_layers", "decoder_layers"))
"""Keys of a network that say how many layers it has, each with a tensor or more."""

Network = TypeVar("Network", bound=nn.Module)


class LoadedRun:
    """A run whose training is over; each of its files is read when it is first needed."""

    def __init__(self, folder: RunFolder, device: torch.device, *, average: bool = False) -> None:
        self.folder, self.device, self.average = folder, device, average

    @cached_property
    def recipe(self) -> Recipe:
        """The recipe it was trained by."""
        return read_recipe(self.folder.recipe)

    @cached_property
    def tokenizer_pair(self) -> TokenizerPair:
        """The tokenizers of its two sides; a run of images alone has none."""
        if not self.folder.tokenizer.exists():
            raise RunError(
                f"{self.folder.tokenizer}: is not there, so that this run reads no text. "
                f"It was made for task.kind = {self.recipe.task.kind!r}."
            )
        return TokenizerPair.load(self.folder.tokenizer)

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer of a task in one language."""
        return self.tokenizer_pair.source

    @cached_property
    def weights(self) -> StoredWeights:
        """The weights to use, with the notes that were stored beside them."""
        return weights_to_use(self.folder, average=self.average)

    def network(self, build: Callable[[], Network]) -> Network:
        """Build its network, fill it with the weights and make it ready for inference."""
        self._check_depth(self.recipe.model)
        model = build_filled(build, self.weights, self.recipe.start, self.folder.model)
        return model.to(self.device).eval()

    def _check_depth(self, settings: Settings) -> None:
        """Refuse more layers than there are tensors, before they are built to be compared."""
        count = len(self.weights.tensors)
        for key, value in settings:
            if isinstance(value, Settings):
                self._check_depth(value)
            elif key in DEPTHS and isinstance(value, int) and value > count:
                raise CheckpointError(
                    f"{self.folder.recipe}: model.{key} = {value:,}, but {self.folder.model.name} "
                    f"holds {count:,} tensors. Take both from the same run."
                )


def load_run(run: str | Path, *, device: str = "auto", average: bool = False) -> LoadedRun:
    """Open a run folder that holds a trained network; refuse any other."""
    return LoadedRun(trained_run(Path(run)), choose_device(device), average=average)
