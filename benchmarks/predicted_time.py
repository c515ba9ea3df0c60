"""Predicted and measured time of training: a few steps beside 200 of them, or beside all.

python benchmarks/predicted_time.py [RECIPE ...] [--steps N] [--full NAME ...] [--output FOLDER]

Each prediction is stored before its run begins. A recipe is predicted and trained in processes of
their own; one whose data is not on this machine is passed over, which is said. The table goes to
OUTPUT/predicted_time.md, the predictions to OUTPUT/NAME.json and the runs to OUTPUT/runs.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from dragoman.config.reading import shipped_recipes

GOAL = 0.15
HEAD = (
    "recipe",
    "steps",
    "predicted s",
    "measured s",
    "measured/predicted",
    "per step",
    "validation",
)


def dragoman(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "dragoman", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def row_of(name: str, steps: int | None, threads: int, output: Path) -> tuple[str, ...]:
    """Predict a recipe, train it, and compare; `steps` may shorten it."""
    label = name if steps is None else f"{name}-{steps}"
    record, run = output / f"{label}.json", output / "runs" / label
    changes = [f"training.threads={threads}"]
    if steps is not None:
        changes += [f"training.steps={steps}", f"training.validate_every={steps}"]
    if not record.exists():
        predicted = dragoman("plan", name, *changes, "--output", record)
        if predicted.returncode:
            return (name, predicted.stderr.strip().splitlines()[-1], *("-",) * (len(HEAD) - 2))
    trained = dragoman("train", name, *changes, "training.log_every=10", "--output", run)
    if trained.returncode:
        return (name, trained.stderr.strip().splitlines()[-1], *("-",) * (len(HEAD) - 2))
    checked = json.loads(dragoman("plan", "check", run, record, "--json").stdout)
    rows = {one["what"]: one for one in checked["rows"]}
    whole = checked["rows"][-1]
    judged = rows.get("seconds per validation")
    return (
        name,
        f"{checked['steps']:,}",
        f"{whole['predicted']:.1f}",
        f"{whole['measured']:.1f}",
        f"{whole['ratio']:.3f}",
        f"{rows['seconds per step']['ratio']:.3f}",
        f"{judged['ratio']:.3f}" if judged else "-",
    )


def table(rows: list[tuple[str, ...]]) -> str:
    """Return the rows as Markdown."""
    lines = [HEAD, ("---", *("---:",) * (len(HEAD) - 1)), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def main() -> None:
    """Predict, train, compare, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipes", nargs="*", help="default: all that are shipped")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--full", nargs="+", default=[], metavar="NAME", help="whole recipes")
    parser.add_argument("--threads", type=int, default=0, help="default: all cores")
    parser.add_argument("--output", type=Path, default=Path("runs/predicted-time"))
    asked = parser.parse_args()
    asked.output.mkdir(parents=True, exist_ok=True)
    short = asked.recipes or ([] if asked.full else [*shipped_recipes()])
    work = [(name, asked.steps) for name in short] + [(name, None) for name in asked.full]
    rows = []
    for name, steps in work:
        rows.append(row_of(name, steps, asked.threads, asked.output))
        print("  ".join(rows[-1]), flush=True)
    ratios = [float(row[4]) for row in rows if row[4] != "-"]
    within = sum(abs(ratio - 1) <= GOAL for ratio in ratios)
    text = f"{table(rows)}\n\n{within} of {len(ratios)} within {GOAL:.0%}.\n"
    (asked.output / "predicted_time.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
