"""Every disk call of a command fails once, or from then on; afterwards the disk is whole again.

A call that reads fails with EIO; those that change something with each of the errors in turn, and
another seed begins at another one.

Required: an error of ours that names the file, or the result of a command never disturbed; what
was stored before is still there, nothing temporary stays, and the same command on the healed disk
gives that result too.
"""

import errno
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.command import Command, DiskFault
from tests.faults.campaign import MISTAKE, Tally, judge, spread
from tests.faults.disk_scenarios import OTHERS, TRAININGS, Scenario, stocked
from tests.faults.folders import STDOUT, Tree, digest, is_temporary, tree_of

PATIENCE = 60.0
"""Seconds that a command may take which goes on in spite of the fault."""
FEW = 100
"""Fewer trials than these are a sample."""
ERRORS = (
    *(("EIO", False), ("ENOSPC", False), ("EACCES", False), ("EROFS", False)),
    *(("ENOSPC", True), ("EROFS", True)),
)
"""What calls that change something meet in turn, and whether all after them meet it too."""


@dataclass(frozen=True)
class Fault:
    """A call of the disk that fails, by its number."""

    at: int
    name: str
    stays: bool = False
    reads: bool = False
    """Whether calls that only read are counted."""

    def __str__(self) -> str:
        return f"{self.name} at call {self.at}{' and from then on' if self.stays else ''}"


@dataclass(frozen=True)
class Trial:
    """The end of one process."""

    code: int | None
    said: str
    peak: int
    calls: list[str]
    left: Tree

    @property
    def failed_call(self) -> str:
        """The first call that failed."""
        return next((call for call in self.calls if call.endswith(" FAILS")), "none")


class Bench:
    """A scenario with its undisturbed result, and a place to disturb it in."""

    def __init__(
        self, command: Command, scenario: Scenario, template: Path, place: Path, seed: int = 0
    ) -> None:
        self.command, self.scenario, self.seed = command, scenario, seed
        self.template, self.place = template, place
        self.before = tree_of(template)
        whole, twin = self.fresh(Fault(0, "", reads=True)), self.fresh(Fault(0, ""))
        assert whole.code == twin.code == 0, f"{scenario.name}: {whole.said} {twin.said}"
        assert {*whole.left} == {*twin.left}, f"{scenario.name}: {whole.left} {twin.left}"
        self.volatile = {path for path in whole.left if whole.left[path] != twin.left[path]}
        self.expected = self.stable(whole.left)
        self.changes = len(twin.calls)
        """How many calls there are that change something."""
        changing = {call.split()[0] for call in twin.calls}
        self.reads = [
            at for at, call in enumerate(whole.calls, 1) if call.split()[0] not in changing
        ]
        """The numbers of those that only read, among all."""

    def stable(self, tree: Tree) -> Tree:
        """Leave out what two undisturbed results do not share, such as times; its place counts."""
        return {path: "" if path in self.volatile else tree[path] for path in tree}

    def faults(self) -> list[Fault]:
        """Name all faults there are, or of a long command some."""
        whole = [*self._faults()]
        most = self.scenario.most or len(whole)
        return [whole[number] for number in spread(len(whole), most)]

    def _faults(self) -> Iterator[Fault]:
        for at in self.reads:
            yield Fault(at, "EIO", reads=True)
        for at in range(1, self.changes + 1):
            yield Fault(at, *ERRORS[(at + self.seed) % len(ERRORS)])

    def fresh(self, fault: Fault | None = None) -> Trial:
        """Run the command in a fresh copy of what it needs."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.template, self.place / "work", symlinks=True)
        (self.place / "work/temporary").mkdir()
        return self.again(fault)

    def again(self, fault: Fault | None = None) -> Trial:
        """Run the command where it ran before."""
        journal = self.place / "calls.txt"
        for path in (journal, self.place / "errors.txt"):
            path.unlink(missing_ok=True)
        asked = self.scenario
        process = self.command.start(
            self.place,
            *asked.arguments,
            disk=fault and self._armed(fault, journal),
            environment={
                "TMPDIR": str(self.place / "work/temporary"),
                "DRAGOMAN_CACHE": str(self.place / "work/cache"),
                "GIT_DIR": str(self.place / "none"),  # a commit meanwhile is no difference
            },
            **({"input": str(self.place / asked.input)} if asked.input else {}),
            output=str(self.place / "output.txt"),
        )
        code = process.end(PATIENCE)
        calls = journal.read_text().splitlines() if journal.exists() else []
        left = {**tree_of(self.place / "work"), STDOUT: digest(self.place / "output.txt")}
        return Trial(code, process.said, process.peak, calls, left)

    def _armed(self, fault: Fault, journal: Path) -> DiskFault:
        return DiskFault(
            below=str(self.place / "work"),
            journal=str(journal),
            at=fault.at,
            error=getattr(errno, fault.name, 0),
            stays=fault.stays,
            reads=fault.reads,
        )

    def count(self, tally: Tally, fault: Fault) -> None:
        """Try one fault."""
        met = self.fresh(fault)
        failure = self._judge(met, fault) or self._judge_healed(met)
        title = f"{self.scenario.name}, {fault} ({met.failed_call})"
        tally.count(title, failure, refused=met.code == MISTAKE)

    def _judge(self, met: Trial, fault: Fault) -> str | None:
        if self.scenario.verdict and met.code == MISTAKE and not met.said:
            printed = (self.place / "output.txt").read_text(encoding="utf-8")
            return None if self.scenario.verdict in printed else "exit code 2, and not a word"
        wrong = judge(met.code, met.said, met.peak)
        if wrong:
            return wrong
        if met.code == MISTAKE and "work" not in met.said.rpartition("dragoman: ")[2]:
            return f"the file is not named: {met.said[-300:]!r}"
        left = [path for path in met.left if is_temporary(path)]
        if left and not fault.stays and not self._fails_to_remove(met.failed_call):
            return f"temporary files are left: {left}"
        if met.code == 0 and (wrong := self._judge_passed_over(met)):
            return wrong
        return self.scenario.lost(self.before, met.left, self.place / "work")

    def _judge_passed_over(self, met: Trial) -> str | None:
        """A fault that ended nothing may leave something unwritten, and says so."""
        differing = self._differing(met)
        if any(met.left.get(path) not in (None, self.before.get(path)) for path in differing):
            return f"another result, and exit code 0: {differing}"
        if differing and not any(words in met.said for words in ("cannot be written", "no space")):
            return f"nothing is said of what is missing: {differing}"
        return None

    def _fails_to_remove(self, call: str) -> bool:
        """Say whether a call was to take something away: such things stay, and no one can help."""
        name, _, path = call.removesuffix(" FAILS").partition(" ")
        path = path.removeprefix(f"{self.place / 'work'}/")
        opens_folder = name.startswith("open") and (self.place / "work" / path).is_dir()
        return name in {"unlink", "unlinkat", "rmdir"} or (opens_folder and is_temporary(path))

    def _judge_healed(self, met: Trial) -> str | None:
        if met.code == 0 and not self._differing(met):
            return None
        healed = self.again()
        if healed.code != 0:
            return f"afterwards, exit code {healed.code}: {healed.said[-300:]!r} after {met.said!r}"
        if differing := self._differing(healed):
            return f"afterwards, another result ({differing}): {met.said[-300:]!r}"
        return None

    def _differing(self, met: Trial) -> list[str]:
        """Name what is not as an undisturbed command leaves it, but for temporary files."""
        got = {path: one for path, one in self.stable(met.left).items() if not is_temporary(path)}
        both = sorted({*got, *self.expected})
        return [path for path in both if got.get(path) != self.expected.get(path)]


def chosen_of(scenarios: Sequence[Scenario], trials: int) -> list[Scenario]:
    """Return the scenarios for so many trials: of few, some that are quick, with four each."""
    if trials >= FEW:
        return [*scenarios]
    quick = [one for one in scenarios if not one.most]
    return [quick[number] for number in spread(len(quick), max(1, trials // 4))]


def _try(scenarios: Sequence[Scenario], trials: int, seed: int, folder: Path) -> Tally:
    """Try the faults of some scenarios, evenly spread over all there are."""
    tally = Tally()
    with stocked(folder) as (command, template):
        chosen = chosen_of(scenarios, trials)
        benches = [Bench(command, one, template, folder / "trial", seed) for one in chosen]
        faults = [(bench, fault) for bench in benches for fault in bench.faults()]
        for number in spread(len(faults), trials):
            bench, fault = faults[number]
            bench.count(tally, fault)
    return tally


def fail_trainings(trials: int, seed: int, folder: Path) -> Tally:
    """Let the disk calls of a training fail, from its beginning and resumed."""
    return _try(TRAININGS, trials, seed, folder)


def fail_commands(trials: int, seed: int, folder: Path) -> Tally:
    """Let the disk calls of all other commands fail."""
    return _try(OTHERS, trials, seed, folder)
