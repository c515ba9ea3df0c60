"""Search engines for translation: our own searches, or another library in their stead."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

import torch

from dragoman.backends.ctranslate2.folder import (
    ExportedModel,
    Quantization,
    exported_beside,
    is_export,
    read_folder,
)
from dragoman.backends.stutter_guard import stutter_guard_of
from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError
from dragoman.engine.checkpoint.folder import trained_run
from dragoman.neural.decoding.protocol import Hypothesis

EngineName = Literal["torch", "ctranslate2"]


class SearchEngine(Protocol):
    """From batches of source numbers to hypotheses."""

    def __call__(
        self,
        sources: Sequence[Sequence[int]],
        settings: DecodingSettings,
        nbest: int,
        prefixes: Sequence[Sequence[int]],
    ) -> list[list[Hypothesis]]:
        """Return the `nbest` outputs of each source, without END, that begins with its prefix."""
        ...


@dataclass(frozen=True)
class OpenedEngine:
    """Another library's engine, with what it was exported with."""

    exported: ExportedModel
    search: SearchEngine


def open_ctranslate2(
    path: Path, device: torch.device, quantization: Quantization | None = None
) -> OpenedEngine:
    """Open an exported folder, or that of a run, which is exported into it where it is not yet."""
    from dragoman.backends.ctranslate2.engine import Ctranslate2Engine

    if is_export(path):
        exported = read_folder(path)
        if quantization not in (None, exported.facts.quantization):
            raise ConfigError(
                f"{path}: was exported as {exported.facts.quantization}, not as {quantization}. "
                "Name the run folder, or export it again."
            )
    else:
        exported = read_folder(exported_beside(trained_run(path), quantization or "int8"))
    engine = Ctranslate2Engine(
        exported.path,
        exported.tokenizer,
        exported.facts.room,
        device,
        lambda: stutter_guard_of(path, exported.tokenizer),
    )
    return OpenedEngine(exported, engine)
