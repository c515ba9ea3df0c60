"""Mutated runs: any file of a run folder is damaged, and five verbs are tried on it.

Each must do what it does with the undamaged run, or be refused in one line that names the place;
a repair is said, and its result is the right one. Every fourth run is taken for one of an earlier
version, without checksums: damage to it may go unnoticed, but never ends in a traceback, a hang
or too much memory.
"""

import hashlib
import json
import random
import shutil
import signal
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError, URLError

from tests.command import Command, DiskFault, Process
from tests.conftest import result_of, write_recipe
from tests.faults.campaign import LONGEST, Campaign, Tally, judge
from tests.faults.mutations import copy_run, mutate

SHORT = (
    "training.steps=8", "training.checkpoint_every=2", "training.validate_every=4",
    "training.log_every=2", "decoding.shortlist=50", "decoding.beam=2",
)  # fmt: skip
TEXT = "sun moon sea\nred cat\nblue song sky tree\n"
SAFE = 6 << 30
"""Bytes of address space beyond those of the process that forks, for the machine's sake."""
SERVER = ("dragoman.server.app", "dragoman.server.serve", "dragoman.pipeline.load")
EARLIER = 4
"""One run in so many has no checksums."""


@dataclass
class Outcome:
    """How a verb ended, and what came of it."""

    code: int | None
    said: str
    peak: int
    result: object


class Workshop:
    """The undamaged runs, and the verbs that are tried on copies of them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.command = Command(*SERVER)
        self.recipe = write_recipe(home / "recipe", pairs=80)
        (home / "text.txt").write_text(TEXT)
        self.finished, self.begun = home / "finished", home / "begun"
        self.verbs: dict[str, Callable[[Path, float], Outcome]] = {
            "train": self.train,
            "translate": self.translate,
            "evaluate": self.evaluate,
            "export": self.export,
            "serve": self.serve,
        }
        self.usual: dict[str, Outcome] = {}
        self.seconds: dict[str, float] = {}

    def prepare(self) -> None:
        """Train a run to its end and another one half way, and see what the verbs usually do."""
        self._train(self.finished, 600.0)
        number = 40
        while not (self.begun / "state/step-6").is_dir():
            shutil.rmtree(self.begun, ignore_errors=True)
            calls = str(self.home / "calls.txt")
            self._train(self.begun, 600.0, DiskFault(str(self.home), calls, at=number))
            number += 10
        for verb in ("translate", "evaluate"):  # which leave further files
            self.verbs[verb](self.finished, 600.0)
        for verb in self.verbs:
            begin = time.monotonic()
            self.usual[verb] = self.verbs[verb](self.copy(verb), 600.0)
            self.seconds[verb] = time.monotonic() - begin
            if self.usual[verb].code != 0 or not self.usual[verb].result:
                raise RuntimeError(f"{verb} fails without any damage: {self.usual[verb]}")

    def copy(self, verb: str) -> Path:
        """Give a verb a copy of its run, to be damaged."""
        return copy_run(self.begun if verb == "train" else self.finished, self.home / "run")

    def attempt(self, verb: str, run: Path) -> Outcome:
        """Try a verb for as long as it may take."""
        return self.verbs[verb](run, LONGEST + 3 * self.seconds[verb])

    def train(self, run: Path, seconds: float) -> Outcome:
        """Go on with a training."""
        return self._train(run, seconds)

    def _train(self, run: Path, seconds: float, disk: DiskFault | None = None) -> Outcome:
        process = self._start("train", self.recipe, *SHORT, "--output", run, disk=disk)
        return self._end(process, seconds, lambda: result_of(run))

    def translate(self, run: Path, seconds: float) -> Outcome:
        """Translate a few lines."""
        output = self.home / "output.txt"
        process = self._start(
            "translate", run, input=str(self.home / "text.txt"), output=str(output)
        )
        return self._end(process, seconds, output.read_text)

    def evaluate(self, run: Path, seconds: float) -> Outcome:
        """Score the test set."""
        output = self.home / "output.txt"
        process = self._start("evaluate", run, "--json", output=str(output))
        return self._end(process, seconds, lambda: _scores(json.loads(output.read_text())))

    def export(self, run: Path, seconds: float) -> Outcome:
        """Export it for another library."""
        folder = self.home / "exported"
        shutil.rmtree(folder, ignore_errors=True)
        process = self._start("export", run, folder, "--to", "ctranslate2", "--no-proof")
        return self._end(process, seconds, lambda: _digests(folder))

    def serve(self, run: Path, seconds: float) -> Outcome:
        """Start a server, ask it once and stop it."""
        process = self._start("serve", run, "--port", 0)
        answer: list[str] = []
        until = time.monotonic() + seconds
        while "http://" not in process.said and process.runs() and time.monotonic() < until:
            time.sleep(0.02)
        while "http://" in process.said and not answer and time.monotonic() < until:
            try:
                answer.append(_ask(process, seconds))
            except HTTPError as error:
                answer.append(f"status {error.code}")
            except TimeoutError:
                break
            except URLError:  # the address is told a moment before anybody listens
                time.sleep(0.02)
        process.send(signal.SIGTERM)
        outcome = self._end(process, seconds, lambda: answer)
        late = outcome.code == 0 and not answer
        return Outcome(None, process.said, process.peak, None) if late else outcome

    def _start(self, *arguments: object, **wishes: str | int) -> Process:
        (self.home / "errors.txt").unlink(missing_ok=True)
        return self.command.start(self.home, *arguments, memory=self._memory(), **wishes)

    def _memory(self) -> int:
        status = Path(f"/proc/{self.command.zygote.pid}/statm").read_text()
        return int(status.split()[0]) * 4096 + SAFE

    def _end(self, process: Process, seconds: float, result: Callable[[], object]) -> Outcome:
        code = process.end(seconds)
        found = result() if code == 0 else None
        return Outcome(code, process.said, process.peak, found)


def _ask(process: Process, seconds: float) -> str:
    port = process.said.split("http://127.0.0.1:")[1].split("/")[0]
    body = json.dumps({"q": TEXT, "source": "auto", "target": "target"}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/translate", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=seconds) as response:
        return response.read().decode()


def _scores(told: object) -> str:
    return json.dumps(told, sort_keys=True)


def _digests(folder: Path) -> dict[str, str]:
    return {
        one.name: hashlib.sha256(one.read_bytes()).hexdigest()
        for one in sorted(folder.iterdir())
        if one.is_file()
    }


def what_is_wrong(
    outcome: Outcome, usual: Outcome, run: Path, file: Path, *, checked: bool
) -> str | None:
    """Say what is wrong with how a verb dealt with a damaged file."""
    failure = judge(outcome.code, outcome.said, max(0, outcome.peak - usual.peak))
    if failure:
        return failure
    if outcome.code == 0:
        if not checked or outcome.result == usual.result:
            return None
        if "holds the weights that were written as" in outcome.said:
            return None  # told: somebody may have chosen them
        if file.name == "metrics.jsonl" and str(file) in outcome.said:
            return None if outcome.result[0] == usual.result[0] else "other weights"  # type: ignore[index]
        return f"a silent change: {outcome.said[-300:]!r}"
    line = next(one for one in outcome.said.splitlines() if one.startswith("dragoman: "))
    return None if str(run) in line else f"names no place: {line}"


def mutated_runs(trials: int, seed: int, folder: Path) -> Tally:
    """Try every verb on as many damaged runs as there are trials for."""
    tally, workshop = Tally(), Workshop(folder)
    try:
        workshop.prepare()
        for trial in range(trials):
            number, verb = trial // len(workshop.verbs), [*workshop.verbs][trial % 5]
            name, outcome, failure = _try(workshop, verb, seed, number)
            if outcome.code is None:  # too late: once more, for others may have had the processor
                name, outcome, failure = _try(workshop, verb, seed, number)
            tally.count(name, failure, refused=outcome.code == 2)
    finally:
        workshop.command.close()
    return tally


def _try(workshop: Workshop, verb: str, seed: int, number: int) -> tuple[str, Outcome, str | None]:
    """Try a verb on one damaged run: return the name of the trial, its end, and what is wrong."""
    draw = random.Random(f"{seed} {number}")
    run = workshop.copy(verb)
    checked = number % EARLIER != 0
    for noted in [] if checked else [*run.rglob("checksums.json")]:
        noted.unlink()
    file, how = mutate(run, draw)
    outcome = workshop.attempt(verb, run)
    failure = what_is_wrong(outcome, workshop.usual[verb], run, file, checked=checked)
    name = f"seed {seed}, mutation {number}, {verb}: {how} {file.relative_to(run)}"
    return name, outcome, failure


CAMPAIGN = Campaign("a file of a run, mutated", mutated_runs, proof=5000, sample=20)
