"""How long `dragoman --help` takes: processor seconds, the least and the median of many.

    python benchmarks/start_up.py

The goal is 0.3 (P3). Measure on a quiet machine.
"""

import resource
import statistics
import subprocess
import sys

TIMES = 20


def seconds() -> float:
    """Return the processor time of one call."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "dragoman", "--help"], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the least and the median."""
    times = [seconds() for _ in range(TIMES)]
    print(
        f"dragoman --help: {min(times):.3f} at least, {statistics.median(times):.3f} in the middle"
    )


if __name__ == "__main__":
    main()
