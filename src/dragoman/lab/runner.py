"""The trial runner of an experiment: its size and its seeds besides its trials."""

from collections.abc import Sequence
from pathlib import Path

from dragoman.lab.experiment import Size
from dragoman.trials.runner import ResumableRunner


class TrialRunner(ResumableRunner):
    """Runs the trials of an experiment, and finds the results of those that are done."""

    def __init__(
        self,
        folder: Path,
        experiment: str,
        size: Size,
        seeds: Sequence[int],
        *,
        at_once: int = 1,
        verbose: bool = False,
    ) -> None:
        """`verbose` says what each training says; trials are then run one after the other."""
        super().__init__(folder, experiment, at_once=at_once, verbose=verbose)
        self.experiment, self.size = experiment, size
        self.seeds = tuple(seeds)
