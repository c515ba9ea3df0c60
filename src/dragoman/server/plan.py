"""What a server is made of, before anything is loaded."""

from dataclasses import dataclass
from pathlib import Path

from dragoman.config.serving import ServingSettings


@dataclass(frozen=True)
class ServerPlan:
    """All that a worker must know to serve; it can be handed to another process."""

    settings: ServingSettings
    runs: tuple[Path, ...]
    scratch: Path
    """A folder for files that come and go, which all workers see."""
    runs_folder: Path | None = None
    """Where the studio finds runs, trained or in training."""
    lab_folder: Path | None = None
    """Where the studio finds results of experiments."""
    threads: int = 0
    """For the networks of each worker; 0 takes one to a core."""
