"""Models of strangers, spoiled in every way, through the real commands that import and use them.

What `import` accepts is used then: text goes through `translate`, `generate`, `score` or `fill`.
Some trials change the recipe of an imported run instead.
"""

import shutil
from pathlib import Path
from random import Random

from tests.command import Command
from tests.faults.campaign import LONGEST, MISTAKE, Campaign, Tally, judge
from tests.faults.foreign_models import FOREIGN_MODELS, ForeignModel, base_run
from tests.faults.hostile_files import spoil

ADDRESSES = 8 << 30
"""Bytes of address space, so that a failure does not harm the machine; what counts is the peak."""

TEXT = "the word1 word2 ___ sings\n"
RECIPE_VALUES = ("-1", "0", "1000000000", "1e300", "nan", "inf", "''", "[]", "{}", "'x'", "true")
DECODING = (
    *("beam = 100000", "max_length_extra = 999999999", "max_length_ratio = 1e9", "samples = 9999"),
    *("batch_tokens = 10000000000", "no_repeat_ngram = 100000000", "seed = -1", "groups = 7"),
)


class Importer:
    """Runs the commands of the trials, in a folder with clean copies of all models."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.command = folder, Command()
        (folder / "text.txt").write_text(TEXT)
        self.base = base_run(folder)

    def clean(self, name: str) -> Path:
        """Return the folder of a clean model, written when it is first asked for."""
        path = self.folder / "clean" / name
        if not path.exists():
            path.mkdir(parents=True)
            FOREIGN_MODELS[name].write(path)
            self._check_clean(name, path)
        return path

    def _check_clean(self, name: str, path: Path) -> None:
        """Import and use a model as it is: only what works can be broken."""
        trial, model = self.folder / f"clean-{name}", FOREIGN_MODELS[name]
        shutil.copytree(path, trial / "model")
        for step in (self.bring_in, self.use):
            code, said, wrong = step(trial, model)
            assert (code, wrong) == (0, None), f"{name}: {said}"

    def run(self, trial: Path, *arguments: str) -> tuple[int | None, str, str | None]:
        """Run a command; return its exit code, its words, and what is wrong with them.

        One that takes too long is given a second chance, for the machine may be busy.
        """
        for _ in range(2):
            (trial / "errors.txt").unlink(missing_ok=True)
            process = self.command.start(
                trial,
                *arguments,
                memory=ADDRESSES,
                input=str(self.folder / "text.txt"),
                output=str(trial / "output.txt"),
            )
            code = process.end(LONGEST)
            if code is not None:
                break
            shutil.rmtree(trial / "run", ignore_errors=True)
        return code, process.said, judge(code, process.said, process.peak)

    def bring_in(self, trial: Path, model: ForeignModel) -> tuple[int | None, str, str | None]:
        """Import what lies in the folder of a trial."""
        places = {"model": "model", "base": str(self.base)}
        arguments = [places.get(one, one) for one in model.imports]
        return self.run(trial, "import", *arguments, "--to", "run")

    def use(self, trial: Path, model: ForeignModel) -> tuple[int | None, str, str | None]:
        """Use the run of a trial; what it prints must be numbers."""
        verb, *options = model.use
        more = ["out", "--to", "huggingface"] if verb == "export" else []
        code, said, wrong = self.run(trial, verb, "run", *more, *options)
        output = (trial / "output.txt").read_text(encoding="utf-8", errors="replace")
        if wrong is None and code == 0 and verb == "score" and "nan" in output:
            wrong = f"not a number: {output!r}"
        return code, said, wrong


def change_recipe(run: Path, random: Random) -> str:
    """Change one line of the recipe of a run."""
    path = run / "recipe.toml"
    lines = path.read_text().splitlines()
    if random.random() < 0.3:
        line = random.choice(DECODING)
        at, key = lines.index("[decoding]") + 1, line.partition(" ")[0]
        lines = [one for one in lines if not one.startswith(f"{key} =")]
        lines.insert(at, line)
    else:
        at = random.choice([n for n, one in enumerate(lines) if " = " in one])
        line = f"{lines[at].partition(' = ')[0]} = {random.choice(RECIPE_VALUES)}"
        lines[at] = line
    path.write_text("\n".join(lines) + "\n")
    return f"recipe.toml: {line}"


def one_trial(importer: Importer, name: str, random: Random, trial: Path) -> tuple[str, str | None]:
    """Spoil one model, import it and use it; say what was done, and what was wrong if anything."""
    model = FOREIGN_MODELS[name]
    shutil.copytree(importer.clean(name), trial / "model")
    of_run = random.random() < 0.2
    told = "" if of_run else spoil(trial / "model", random)
    code, _, wrong = importer.bring_in(trial, model)
    if of_run and code == 0:
        told = change_recipe(trial / "run", random)
    if wrong is None and code == 0:
        code, _, wrong = importer.use(trial, model)
    return told, wrong if code != MISTAKE or wrong else ""


def run(trials: int, seed: int, folder: Path) -> Tally:
    """Try so many spoiled models, each family in turn."""
    tally, importer = Tally(), Importer(folder)
    names = sorted(FOREIGN_MODELS)
    try:
        for number in range(trials):
            name = names[number % len(names)]
            trial = folder / f"trial-{number}"
            trial.mkdir()
            random = Random(f"{seed}-{number}")
            told, wrong = one_trial(importer, name, random, trial)
            repeat = f"trial {number} of seed {seed}, {name}, {told}"
            tally.count(repeat, wrong or None, refused=wrong == "")
            shutil.rmtree(trial)
    finally:
        importer.command.close()
    return tally


HOSTILE_IMPORTS = Campaign("models of strangers: imported, then used", run, proof=600, sample=24)
