"""The proof by faults: run every campaign whole, and write the table of what was tried and failed.

    python -m tests.faults [NAME...] [--sample] [--trials N] [--seed N]

With names, only the campaigns whose names hold one of them are run, and their rows alone are
replaced in docs/results/faults.md. Each failure is printed at once, with what repeats it.
"""

import argparse
import tempfile
import time
from pathlib import Path

from tests.faults.campaigns import CAMPAIGNS
from tests.faults.table import Row, read_rows, write_rows

PAGE = Path(__file__).parents[2] / "docs/results/faults.md"
SEED = 20261118


def main() -> int:
    """Run campaigns; return how many trials failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", help="only campaigns whose names hold one of these")
    parser.add_argument("--sample", action="store_true", help="as few trials as in CI, no table")
    parser.add_argument("--trials", type=int, help="at most so many of each campaign")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_args()
    failed = 0
    for campaign in CAMPAIGNS:
        if options.names and not any(name in campaign.name for name in options.names):
            continue
        trials = campaign.sample if options.sample else campaign.proof
        trials = min(trials, options.trials or trials)
        begin = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="faults-") as folder:
            tally = campaign.run(trials, options.seed, Path(folder))
        seconds = time.monotonic() - begin
        failed += len(tally.failures)
        row = Row(tally.tried, tally.refused, len(tally.failures), round(seconds))
        print(
            f"{campaign.name}: {tally.tried} tried, {len(tally.failures)} failed, {seconds:.0f} s",
            flush=True,
        )
        if not options.sample:
            rows = {**read_rows(PAGE), campaign.name: row}
            write_rows(PAGE, {one.name: rows[one.name] for one in CAMPAIGNS if one.name in rows})
    return failed


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
