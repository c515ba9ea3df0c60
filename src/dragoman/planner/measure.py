"""Training speed of a recipe on this machine, measured by some of its steps."""

import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

from dragoman.config.recipe import Recipe
from dragoman.config.task import TranslationTaskSettings
from dragoman.data.batching.store import write_store
from dragoman.data.batching.stream import BatchStream, Position
from dragoman.data.formats.pair import Pair
from dragoman.data.tokenizer.train import train_tokenizer_pair
from dragoman.engine.build import build_model
from dragoman.engine.runtime import start
from dragoman.neural.optim.average import WeightAverage
from dragoman.neural.optim.optimizer import build_optimizer
from dragoman.tasks.common.teacher_forcing import SequenceToSequenceObjective

WARM_UP = 5
"""Steps that are not counted: the first ones pay for memory and for kernels being chosen."""


@dataclass(frozen=True)
class Speed:
    """The speed of a recipe's steps on this machine."""

    seconds: float
    """Of a step, by the clock; the mean, for batches differ."""

    tokens: float
    """Target tokens of a step, on average."""

    tokens_per_pair: float
    parameters: int


def measure(recipe: Recipe, pairs: Sequence[Pair], seconds: float) -> Speed:
    """Train on a sample for some seconds and say what a step takes; the weights are thrown away."""
    runtime = start(recipe.training)
    tokenizer = train_tokenizer_pair(recipe.tokenizer, pairs)
    sources = [tokenizer.encode_source(pair.source) for pair in pairs]
    targets = tokenizer.target.encode_batch([pair.target for pair in pairs])
    network = build_model(recipe.model_for(TranslationTaskSettings), tokenizer, recipe.seed)
    model = network.to(runtime.device).train()
    objective = SequenceToSequenceObjective(model, recipe.objective)
    objective.progress = 0.5  # scheduled sampling may begin with a step or two that are faster
    optimizer = build_optimizer(model, recipe.optimizer)
    average = WeightAverage(model, recipe.training.ema_decay) if recipe.training.ema_decay else None
    took: list[float] = []
    tokens: list[int] = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        store = write_store(Path(folder), "train", zip(sources, targets, strict=True))
        stream = BatchStream(store, recipe.batches, recipe.seed).at(Position())
        try:
            while sum(took[WARM_UP:]) < seconds:
                began = time.perf_counter()
                batch, _ = next(stream)
                loss = objective.loss(batch, runtime.device)
                (loss.smoothed / batch.target_count).backward()
                nn.utils.clip_grad_norm_(
                    model.parameters(), recipe.training.clip_norm or float("inf")
                )
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
                if average:
                    average.update(model)
                if runtime.device.type != "cpu":
                    torch.accelerator.synchronize()
                took.append(time.perf_counter() - began)
                tokens.append(batch.target_count)
        finally:
            stream.close()
    return Speed(
        seconds=statistics.fmean(took[WARM_UP:]),
        tokens=statistics.fmean(tokens),
        tokens_per_pair=statistics.fmean(len(ids) + 1 for ids in targets),
        parameters=sum(weight.numel() for weight in model.parameters()),
    )
