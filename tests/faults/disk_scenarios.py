"""Commands that touch the disk, with what each may replace; all begin from one stocked folder."""

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.command import Command
from tests.conftest import write_recipe
from tests.faults.folders import Tree

from dragoman.core.errors import CheckpointError
from dragoman.engine.checkpoint.state import check_state, stored_states

SHORT = ("training.steps=8", "training.checkpoint_every=4", "training.validate_every=4")
BEGUN = 4
"""The step to which the run that is resumed has come."""
WORDS = "# sun moon\n\nred *blue* cat dog.\n\n- sea sky\n- tree bird fish\n"


@dataclass(frozen=True)
class Scenario:
    """A command, in a folder `work` that holds what it needs."""

    name: str
    line: str
    own: tuple[str, ...] = ()
    """How the paths begin that the command may replace."""
    input: str = ""
    """A file for stdin."""
    verdict: str = ""
    """Words on stdout that are an answer to a file that cannot be read, with exit code 2."""
    most: int = 0
    """How many faults are tried of a command that takes long; 0 for all."""

    @property
    def arguments(self) -> Sequence[str]:
        """The words of the command."""
        return self.line.split()

    def lost(self, before: Tree, after: Tree, work: Path) -> str | None:
        """Say which files that were there are not as they were, but for those it may replace."""
        if "work/begun" in self.line:
            steps = [
                int(one.name[5:]) for one in stored_states(work / "begun/state") if _whole(one)
            ]
            if max(steps, default=0) < BEGUN:
                return "the stored state is lost"
        own = self.own or ("\0",)
        lost = [
            path for path in before if after.get(path) != before[path] and not path.startswith(own)
        ]
        return f"changed or gone: {lost}" if lost else None


def _whole(state: Path) -> bool:
    try:
        check_state(state)
    except CheckpointError:
        return False
    return True


def stock(command: Command, home: Path) -> Path:
    """Fill a folder `work` with a recipe, runs and files, and return it.

    Recipes name their corpus by its whole path: a copy is to be used at the place of this one.
    """
    work = home / "work"
    write_recipe(work)
    (work / "letter.md").write_text(WORDS, encoding="utf-8")
    (work / "lines.txt").write_text("sun moon\nred sea\n", encoding="utf-8")
    for line in (
        f"train work/tiny.toml {' '.join(SHORT)} --output work/run",
        f"train work/tiny.toml {' '.join(SHORT)} training.steps={BEGUN} --output work/begun",
        "export work/run work/exported --no-proof",
        "key add work/keys.json anna",
    ):
        code, said = command(home, *line.split())
        assert code == 0, f"{line}: {said}"
    return work


@contextmanager
def stocked(folder: Path) -> Iterator[tuple[Command, Path]]:
    """Give the command, and a stock to be copied to `trial/work` in this folder."""
    command = Command()
    yield command, Path(shutil.move(stock(command, folder / "trial"), folder / "stock"))
    command.close()


UNREADABLE = "Training would REFUSE this corpus."
TRAIN = f"train work/tiny.toml {' '.join(SHORT)} --output work"
TRAININGS = (
    Scenario("train", f"{TRAIN}/fresh"),
    Scenario("train, resumed", f"{TRAIN}/begun", own=("begun/",)),
)
OTHERS = (
    Scenario("translate lines", "translate work/run", input="work/lines.txt"),
    Scenario("translate a file", "translate work/run work/letter.md --output work/out.md --force"),
    Scenario("translate in place", "translate work/run work/letter.md --in-place", own=("letter",)),
    Scenario("evaluate", "evaluate work/run", own=("run/scores", "run/card", "run/translations")),
    Scenario("evaluate --confidence", "evaluate work/run --confidence", own=("run/",), most=60),
    Scenario("export to Hugging Face", "export work/run work/new --no-proof"),
    Scenario("export to CTranslate2", "export work/run work/new --to ctranslate2"),
    Scenario("export to Argos", "export work/run work/n.argosmodel --to argos --languages en,es"),
    Scenario("import", "import huggingface work/exported --to work/new"),
    Scenario("new", "new work/corpus.tsv --time 1m --output work/new.toml --force", most=12),
    Scenario("data make", "data make arithmetic --number 50 --output work/new.tsv"),
    Scenario("data make shapes", "data make shapes --number 6 --size 8 --output work/new"),
    Scenario("check", "check work/corpus.tsv", verdict=UNREADABLE),
    Scenario("check --list", "check work/corpus.tsv --list work/list.txt", verdict=UNREADABLE),
    Scenario("key add", "key add work/keys.json berta", own=("keys.json",)),
    Scenario("key remove", "key remove work/keys.json anna", own=("keys.json",)),
    Scenario("show", "show work/run/recipe.toml"),
    Scenario(
        "compare",
        f"compare work/tiny.toml {' '.join(SHORT)} --tokens 300 --seeds 1,2 --output work/new",
        most=40,
    ),
)
