"""Language models that are served, each with its queue in the scheduler."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dragoman.config.serving import ServingSettings
from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.server.scheduler.generation import GenerationQueue
from dragoman.server.scheduler.scheduler import Scheduler
from dragoman.tasks.language_model.adapted_models import load_language_models
from dragoman.tasks.language_model.continuous_batching import GenerationBatch
from dragoman.tasks.language_model.language_model import LanguageModel


@dataclass(frozen=True)
class ServedLanguageModel:
    """A language model in the model registry, with its queue in the scheduler."""

    name: str
    folder: RunFolder
    model: LanguageModel
    queue: GenerationQueue

    @cached_property
    def parameters(self) -> int:
        """Parameters of the network, those of a base that it shares included."""
        weights = {one.data_ptr(): one.numel() for one in self.model.model.parameters()}
        return sum(weights.values())

    @cached_property
    def created(self) -> int:
        """When its weights were saved, in seconds of Unix time."""
        return int(self.folder.model.stat().st_mtime)


def serve_language_models(
    folders: Mapping[str, RunFolder], scheduler: Scheduler, settings: ServingSettings
) -> dict[str, ServedLanguageModel]:
    """Load language models with their queues; adapters of one base share its weights."""
    loaded = load_language_models({name: folder.path for name, folder in folders.items()})
    served: dict[str, ServedLanguageModel] = {}
    for name, model in loaded.items():
        batch = GenerationBatch(
            model, max_rows=settings.max_batch_rows, max_tokens=settings.max_cached_tokens
        )
        queue = GenerationQueue(scheduler, batch, max_waiting=settings.max_queued_texts)
        served[name] = ServedLanguageModel(name, folders[name], model, queue)
    return served
