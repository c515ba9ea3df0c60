"""Language models that are served, each with its queue in the scheduler."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dragoman.config.serving import ServingSettings
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.server.scheduler.generation import WritingLane
from dragoman.server.scheduler.worker_thread import Engine
from dragoman.tasks.language_model.adapted_models import load_language_models
from dragoman.tasks.language_model.continuous_batching import ContinuousWriter
from dragoman.tasks.language_model.language_model import LanguageModel


@dataclass(frozen=True)
class ServedWriter:
    """A run that writes, with its place in the engine's work."""

    name: str
    folder: RunFolder
    writer: LanguageModel
    lane: WritingLane

    @cached_property
    def parameters(self) -> int:
        """How many numbers the network is made of; those of a base that it shares included."""
        weights = {one.data_ptr(): one.numel() for one in self.writer.model.parameters()}
        return sum(weights.values())

    @cached_property
    def created(self) -> int:
        """When its weights were written, in seconds of Unix time."""
        return int(self.folder.model.stat().st_mtime)


def serve_writers(
    folders: Mapping[str, RunFolder], engine: Engine, settings: ServingSettings
) -> dict[str, ServedWriter]:
    """Load language models, those adapted from one base around one copy of it."""
    loaded = load_language_models({name: folder.path for name, folder in folders.items()})
    return {
        name: ServedWriter(name, folders[name], writer, _lane(writer, engine, settings))
        for name, writer in loaded.items()
    }


def _lane(writer: LanguageModel, engine: Engine, settings: ServingSettings) -> WritingLane:
    machine = ContinuousWriter(
        writer, most_rows=settings.max_batch_rows, most_tokens=settings.max_cached_tokens
    )
    return WritingLane(engine, machine, most_waiting=settings.max_queued_texts)
