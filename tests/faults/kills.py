"""Commands killed with SIGKILL: trainings at random moments, others at each of their disk calls."""

import random
import signal
import time
from pathlib import Path

from tests.command import Command, DiskFault
from tests.conftest import result_of, write_recipe
from tests.faults.campaign import Tally, spread
from tests.faults.disk_scenarios import OTHERS, SHORT, stocked
from tests.faults.failing_disk import Bench, Fault, chosen_of
from tests.faults.folders import finished

VARIANTS = {
    "plain": [],
    "average": ["training.ema_decay=0.9"],
    "accumulated": ["training.accumulate=2", "batches.max_tokens=64"],
    "dropout": ["tokenizer.dropout=0.2"],
    "averaged": ["training.final=averaged", "training.keep=2", "training.validate_every=24"],
    "everything": [
        "training.ema_decay=0.9",
        "training.accumulate=2",
        "tokenizer.dropout=0.2",
        "training.final=averaged",
    ],
}
KILLED = {"translate a file", "translate in place", "evaluate", "data make", "data make shapes"} | {
    f"export to {library}" for library in ("Hugging Face", "CTranslate2", "Argos")
}


def leftovers(folder: Path) -> list[Path]:
    """Return the temporary files in a folder."""
    return [path for path in folder.rglob("*.tmp*") if "tensorboard" not in path.parts]


def kill_often(command: Command, recipe: Path, changes: list[str], kills: int, seed: str) -> None:
    """Kill runs at random moments until there were enough; compare each one that finishes."""
    home, moments = recipe.parent, random.Random(seed)
    code, said = command(home, "train", recipe, *changes, "--output", "whole")
    assert code == 0, said
    expected, killed, folder = result_of(home / "whole"), 0, 0
    while killed < kills:
        process = command.start(home, "train", recipe, *changes, "--output", f"killed-{folder}")
        enough = len(process.said) + moments.uniform(0.0, 0.6 * len(said))
        process.wait_until(lambda process=process, enough=enough: len(process.said) >= enough)
        time.sleep(moments.uniform(0.0, 0.1))
        ended = not process.runs()
        process.send(signal.SIGKILL)
        code = process.wait()
        assert code in (0, -signal.SIGKILL), process.said
        if ended:
            assert code == 0, process.said
            assert result_of(home / f"killed-{folder}") == expected
            folder += 1
        else:
            killed += 1
    code, said = command(home, "train", recipe, *changes, "--output", f"killed-{folder}")
    assert code == 0, said
    assert result_of(home / f"killed-{folder}") == expected
    assert leftovers(home) == []


def die_everywhere(command: Command, recipe: Path, every: int) -> int:
    """Kill a short training at each so many-th call that changes the disk; return how many."""
    home = recipe.parent
    assert command(home, "train", recipe, *SHORT, "--output", "whole")[0] == 0
    expected, number = result_of(home / "whole"), 1
    while True:
        folder = f"died-{number}"
        disk = DiskFault(below=str(home), journal=str(home / "calls.txt"), at=number)
        arguments = (home, "train", recipe, *SHORT, "--output", folder)
        code = command.start(*arguments, disk=disk).wait()
        if code == 0:
            return number
        assert code == -signal.SIGKILL
        code, said = command(*arguments)
        assert code == 0, f"died at call {number}: {said}"
        assert result_of(home / folder) == expected, f"died at call {number}"
        assert leftovers(home / folder) == [], f"died at call {number}"
        number += every


def kill_trainings(trials: int, seed: int, folder: Path) -> Tally:
    """Kill trainings of every variant at random moments; each ends as one never interrupted."""
    tally, command = Tally(), Command()
    for number, (name, changes) in enumerate(VARIANTS.items()):
        kills = (trials + number) // len(VARIANTS)
        failure = None
        try:
            if kills:
                kill_often(command, write_recipe(folder / name), changes, kills, f"{seed} {name}")
        except AssertionError as wrong:
            failure = str(wrong)[:500]
        for kill in range(kills):
            tally.count(f"{name}, {kills} kills with seed {seed}", failure if kill == 0 else None)
    command.close()
    return tally


def kill_commands(trials: int, seed: int, folder: Path) -> Tally:
    """Kill other commands at calls that change the disk; nothing half-written has a final name."""
    tally = Tally()
    with stocked(folder) as (command, template):
        chosen = chosen_of([one for one in OTHERS if one.name in KILLED], trials)
        benches = [Bench(command, one, template, folder / "trial") for one in chosen]
        places = [(bench, at + 1) for bench in benches for at in range(bench.changes)]
        for number in spread(len(places), trials):
            bench, at = places[number]
            tally.count(f"{bench.scenario.name}, killed at call {at}", _killed(bench, at))
    return tally


def _killed(bench: Bench, at: int) -> str | None:
    """Kill a command once; say what is wrong with what it left."""
    met = bench.fresh(Fault(at, "KILL"))
    if met.code not in (0, -signal.SIGKILL):
        return f"exit code {met.code}: {met.said[-300:]!r}"
    left = finished(bench.stable(met.left))
    half = [
        path
        for path, one in left.items()
        if one not in (bench.before.get(path), bench.expected.get(path))
    ]
    if half:
        return f"half-written: {half}"
    if left == finished(bench.expected):
        return None
    again = bench.again()
    if again.code != 0 or finished(bench.stable(again.left)) != finished(bench.expected):
        return f"afterwards, exit code {again.code}: {again.said[-300:]!r}"
    return None
