"""The plan of a server: settings, runs and folders, before anything is loaded."""

from dataclasses import dataclass
from pathlib import Path

from dragoman.config.serving import ServingSettings


@dataclass(frozen=True)
class ServerPlan:
    """All that a worker process needs to serve; it can be sent to another process."""

    settings: ServingSettings
    runs: tuple[Path, ...]
    scratch: Path
    """A folder for temporary files, shared by all workers."""
    runs_folder: Path | None = None
    """Where the studio finds runs, trained or in training."""
    lab_folder: Path | None = None
    """Where the studio finds results of experiments."""
    threads: int = 0
    """Threads for the networks of each worker; 0 takes one for each core."""
