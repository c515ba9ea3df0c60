"""The machine: device, threads, memory and seeds, set once at the start and stated."""

import ctypes
import os
import platform
import random
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tokenizers
import torch

import dragoman
from dragoman.config.recipe import MadeWith
from dragoman.config.training import TrainingSettings
from dragoman.core.errors import ConfigError

M_TRIM_THRESHOLD, M_MMAP_MAX, M_ARENA_MAX = -1, -4, -8


@dataclass(frozen=True)
class Runtime:
    """The device of tensors, and the threads and memory of the process."""

    device: torch.device
    threads: int
    malloc: bool
    """Freed memory is kept for the next step instead of going back to the system."""

    def __str__(self) -> str:
        memory = "freed memory kept" if self.malloc else "system malloc"
        return f"device {self.device}, {self.threads} threads, {memory}"


def start(settings: TrainingSettings) -> Runtime:
    """Set threads and memory for training, and choose the device."""
    threads = settings.threads or cores()
    torch.set_num_threads(threads)
    return Runtime(choose_device(settings.device), threads, keep_freed_memory())


def choose_device(name: str) -> torch.device:
    """Return the device of that name; `auto` takes an accelerator where there is one."""
    available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": _has_mps()}
    if name == "auto":
        name = next(d for d in ("cuda", "mps", "cpu") if available[d])
    if not available.get(name, False):
        raise ConfigError(f"training.device: there is no {name} on this machine. Use 'auto'.")
    return torch.device(name)


def cores() -> int:
    """Return how many processors this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def memory() -> float:
    """Return how many GiB this machine has; where it does not tell, take it for a small one."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    except (AttributeError, OSError, ValueError):  # not on this system
        return 8.0


def keep_freed_memory() -> bool:
    """Tell glibc to keep freed blocks, or every step pays for its memory page by page again."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        libc = ctypes.CDLL("libc.so.6")
        # No block by mmap, which is given back when freed, no trimming of the heap's end, and no
        # heaps of other threads, which are small and given back nevertheless.
        wanted = ((M_MMAP_MAX, 0), (M_TRIM_THRESHOLD, 2**31 - 1), (M_ARENA_MAX, 1))
        return all([libc.mallopt(what, value) for what, value in wanted])
    except (OSError, AttributeError):  # another C library
        return False


def seed_everything(seed: int, step: int) -> None:
    """Make all randomness of a step a function of the seed and the step alone.

    So a resumed run draws what the uninterrupted one drew, with no random state to store.
    """
    mixed = np.random.SeedSequence((seed, step)).generate_state(2, np.uint32)
    number = int(mixed[0]) << 32 | int(mixed[1])
    random.seed(number)
    torch.manual_seed(number & (2**63 - 1))


def software_versions(threads: int) -> MadeWith:
    """Describe the software that makes a run."""
    return MadeWith(
        dragoman=dragoman.__version__,
        python=platform.python_version(),
        torch=torch.__version__,
        tokenizers=tokenizers.__version__,
        platform=f"{platform.system()} {platform.machine()}",
        threads=threads,
        commit=_commit(),
    )


def _commit() -> str:
    here = Path(__file__).parent
    try:
        answer = subprocess.run(
            ["git", "-C", str(here), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""


def _has_mps() -> bool:
    return torch.backends.mps.is_available()
