"""The machine that a speed was measured on."""

import platform
from dataclasses import dataclass
from pathlib import Path

from dragoman.engine.runtime import cores

CPU_INFO = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Machine:
    """Processor, cores and threads."""

    cpu: str
    cores: int
    threads: int


def this_machine(threads: int) -> Machine:
    """Describe the present machine."""
    return Machine(cpu_name(), cores(), threads)


def cpu_name() -> str:
    """Return the name of the processor, as far as the system tells it."""
    try:
        lines = CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not Linux
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, [*names, platform.processor(), platform.machine()]), "unknown")
