"""SpeedMeasurements without a clock: closed forms for one shape of batch, and a made-up speed."""

from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from dragoman.engine.checkpoint.folder import RunFolder
from dragoman.planner.batch_cost import BatchCost
from dragoman.planner.measure import Speed, SpeedMeasurement

BATCH = SimpleNamespace(source=np.zeros((16, 12)), target=np.zeros((16, 11)))
FLOPS_PER_SECOND = 50e9


def batch_cost(recipe):
    cost = BatchCost(recipe, RunFolder(Path("nowhere")), 0)
    cost.note(BATCH, 16 * 10)
    return cost


class MadeUpSample:
    """A sample whose steps take as long as their FLOPs say; remembers what was measured."""

    def __init__(self):
        self.measured = []

    def measure(self, recipe, seconds, *, whole=False):
        self.measured.append(recipe)
        cost = batch_cost(recipe)
        speed = Speed(
            seconds=cost.flops / FLOPS_PER_SECOND,
            tokens=160.0,
            steps_per_epoch=500.0,
            parameters=cost.parameters,
            flops=cost.flops,
            memory=cost.memory,
            validation=2.0 if whole else 0.0,
            checkpoint=0.5 if whole else 0.0,
            error=0.01,
            threads=1,
        )
        return SpeedMeasurement(speed, cost)


def made_up_measurements(monkeypatch):
    """Let plans be made without training; return the sample that they ask."""
    from dragoman.planner.budget import plan

    made = MadeUpSample()

    @contextmanager
    def sample_run(recipe):
        yield made

    monkeypatch.setattr(plan, "sample_run", sample_run)
    return made
