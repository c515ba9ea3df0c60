"""The count of a recipe, a run or a named network: its tree, and the memory it takes."""

from collections.abc import Sequence
from dataclasses import dataclass

from dragoman.planner.count.families import count_network
from dragoman.planner.count.memory import (
    CacheMemory,
    TrainingMemory,
    cache_memory,
    training_memory,
)
from dragoman.planner.count.subject import (
    AS_IN_THE_RECIPE,
    BatchShape,
    CountSubject,
    find_subject,
)
from dragoman.planner.count.tree import Cost, CountNode


@dataclass(frozen=True, slots=True)
class ModelCount:
    """All that is known of a network before it is built."""

    subject: CountSubject
    network: CountNode
    memory: TrainingMemory
    cache: CacheMemory | None

    @property
    def total(self) -> Cost:
        """Parameters, FLOPs and activations in all."""
        return self.network.total

    @property
    def tokens(self) -> int:
        """Tokens of a batch that a step learns from: of the target, else of the text; or images."""
        sizes = self.subject.sizes
        if sizes.image_size:
            return sizes.batch
        return sizes.batch * (sizes.target_length or sizes.source_length)


def count_subject(subject: CountSubject) -> ModelCount:
    """Count a network and one step of its training."""
    network = count_network(
        subject.model,
        subject.sizes,
        subject.start,
        new=subject.new,
        tags=subject.tags,
        checkpointing=subject.training.gradient_checkpointing,
    )
    return ModelCount(subject, network, training_memory(subject, network), cache_memory(subject))


def count_model(
    name: str, changes: Sequence[str] = (), shape: BatchShape = AS_IN_THE_RECIPE
) -> ModelCount:
    """Count a recipe, a run or a network known by name."""
    return count_subject(find_subject(name, changes, shape))
