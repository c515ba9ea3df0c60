"""The run folder: what lies where. A documented, versioned format.

recipe.toml          all that determines the run, fully resolved, with the versions that made it
model.safetensors    the weights to use: the best so far, or their average when training has ended
tokenizer.json       text to token numbers and back
scores.json          every evaluation, with signatures and intervals
card.md              what the model is and how good, for people
metrics.jsonl        one line per logged step and per validation
curves.png           the same as a figure
data/                held-out sets as plain text, and the training tokens
checksums.json       SHA-256 digests of recipe and tokenizer; data/checksums.json of the data
best/step-N.safetensors   the best weights so far
shortlist.safetensors     which target entries each source entry makes likely, once asked for
doubles.json          which phrases the training targets say twice in a row, once asked for
confidence.json      how likely a translation is to be good, once fitted; reliability.png shows it
robustness.json      how the model fares with text as people type it, once tested
adapter/             what was learned beside the weights a run started from (LoRA, prefix)
state/step-N/        trainer states for an exact resume, each with a manifest of checksums
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dragoman.core.checksums import CHECKSUMS
from dragoman.core.console import say
from dragoman.core.errors import RunError, nearest

FORMAT = 1
"""Version of the run folder's format; raised when its meaning changes."""

RUNS = Path("runs")
"""Where `dragoman train` puts its runs."""

OFFERED = 5
"""Runs that are named to somebody who asked for one that is not there."""


@dataclass(frozen=True)
class RunFolder:
    """The paths inside one run's folder."""

    path: Path

    @property
    def recipe(self) -> Path:
        """The fully resolved recipe."""
        return self.path / "recipe.toml"

    @property
    def model(self) -> Path:
        """The weights to use."""
        return self.path / "model.safetensors"

    @property
    def tokenizer(self) -> Path:
        """Text to token numbers and back."""
        return self.path / "tokenizer.json"

    @property
    def scores(self) -> Path:
        """Every evaluation so far."""
        return self.path / "scores.json"

    @property
    def card(self) -> Path:
        """The model card."""
        return self.path / "card.md"

    @property
    def metrics(self) -> Path:
        """The log for programs."""
        return self.path / "metrics.jsonl"

    @property
    def curves(self) -> Path:
        """The log as a figure."""
        return self.path / "curves.png"

    @property
    def data(self) -> Path:
        """Held-out sets and training tokens."""
        return self.path / "data"

    @property
    def doctor(self) -> Path:
        """The doctor's report on the corpus, where it was examined."""
        return self.data / "doctor.json"

    @property
    def best(self) -> Path:
        """The best weights so far."""
        return self.path / "best"

    @property
    def states(self) -> Path:
        """Trainer states."""
        return self.path / "state"

    @property
    def adapter(self) -> Path:
        """The adapter: what a run learned beside the weights it started from."""
        return self.path / "adapter"

    @property
    def shortlist(self) -> Path:
        """The shortlist: likely target tokens of each source token."""
        return self.path / "shortlist.safetensors"

    @property
    def confidence(self) -> Path:
        """The fitted confidence of translations."""
        return self.path / "confidence.json"

    @property
    def reliability(self) -> Path:
        """The reliability diagram of that confidence."""
        return self.path / "reliability.png"

    @property
    def robustness(self) -> Path:
        """The robustness scores on text as people type it."""
        return self.path / "robustness.json"

    @property
    def translations(self) -> Path:
        """The translations of the test sets."""
        return self.path / "translations"


def trained_run(path: Path) -> RunFolder:
    """Return the folder of a run that has a model, or say what is there instead."""
    folder = RunFolder(path)
    if path.is_file():
        raise RunError(f"{path}: is a file, not a run folder.")
    if not path.is_dir():
        elsewhere = [] if path.parent == RUNS else [str(RUNS / name) for name in runs_in(RUNS)]
        beside = [*runs_in(path.parent), *elsewhere]
        hint = f" {nearest(path.name, beside, listed='Runs', most=OFFERED)}" if beside else ""
        raise RunError(f"{path}: there is no such run folder.{hint}")
    for part in (folder.recipe, folder.model):
        if not part.is_file():
            raise RunError(
                f"{path}: has no {part.name}, so it is not a trained run (yet). "
                "Train it with `dragoman train`."
            )
    if not (path / CHECKSUMS).exists():
        _say_unchecked(path)
    return folder


@cache
def _say_unchecked(path: Path) -> None:
    """Say once that damage to what surrounds the weights of a run would not be noticed."""
    say(
        f"{path}: has no {CHECKSUMS}, as earlier versions stored none; damage to its tokenizer, "
        "recipe or data may go unnoticed. `dragoman train` adds them."
    )


def runs_in(folder: Path) -> list[str]:
    """Return the names of the runs in a folder: those with a recipe, and weights or a state."""
    try:
        return sorted(one.name for one in folder.iterdir() if _holds_run(RunFolder(one)))
    except OSError:  # missing, or not ours to look into
        return []


def _holds_run(run: RunFolder) -> bool:
    return run.recipe.is_file() and (run.model.is_file() or any(run.states.glob("step-*")))
