"""`dragoman lab run`: the checks of claims and the trainings of experiments."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.help import folder_option, number_option

if TYPE_CHECKING:
    from dragoman.lab.claims import ExactClaim
    from dragoman.lab.experiment import Experiment, Size
    from dragoman.lab.records import ClaimRecord
    from dragoman.lab.selection import Selection

OWN_OPTIONS = {"ignore_unknown_options": True}
FEW = 3
"""So many claims are printed in full; more, a line each."""


def run(  # noqa: PLR0913 - one argument for each option
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME...",
            help="Ids of claims, topics, experiments, or a Python file with a topic; then the "
            "options of a single claim or experiment.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Run everything.")] = False,
    exact: Annotated[
        bool, typer.Option("--exact", help="Only what is computed; no experiment.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Experiments take a minute or two; the default.")
    ] = False,
    full: Annotated[bool, typer.Option("--full", help="Experiments take up to an hour.")] = False,
    seeds: Annotated[
        str, typer.Option(metavar="N,N", help="Seeds. [default: the experiment's]")
    ] = "",
    output: Annotated[Path, folder_option(help="Folder for the results.")] = Path("lab"),
    jobs: Annotated[int, number_option(min=0, help="Parallel trials; 0: one per core.")] = 0,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show each training; trials run one by one.")
    ] = False,
) -> None:
    """Run claims and experiments, and decide; the same command again resumes an experiment.

    A claim or an experiment may have options of its own: see `dragoman lab show NAME`.
    """
    from dragoman.cli.contradictions import refuse_both
    from dragoman.cli.seeds import seeds_of
    from dragoman.lab.selection import select, select_all

    refuse_both({"--quick": quick, "--full": full})
    refuse_both({"--exact": exact, "--full": full})
    refuse_both({"--verbose": verbose, f"--jobs {jobs}": jobs > 1})
    targets, own = parted(names or [])
    refuse_both({"--all": every, "a name": bool(targets)})
    _refuse_nothing(every, targets)
    selection = select_all() if every else select(targets)
    _refuse_options_of_many(own, targets, selection)
    chosen = seeds_of(seeds) if seeds else []
    if selection.exact:
        _run_exact(selection.exact, own, output)
    if not exact:
        size: Size = "full" if full else "quick"
        plan = _ExperimentPlan(size, chosen, own, output, jobs, verbose, skipping=every)
        plan.run(selection.experiments)


class _ExperimentPlan:
    """How the experiments of a command are run."""

    def __init__(  # noqa: PLR0913 - what was typed
        self,
        size: "Size",
        seeds: Sequence[int],
        own: dict[str, str],
        output: Path,
        jobs: int,
        verbose: bool,
        *,
        skipping: bool,
    ) -> None:
        """With `skipping`, an experiment whose data is not on this machine is left out."""
        self.size, self.seeds, self.own, self.output = size, seeds, own, output
        self.jobs, self.verbose, self.skipping = jobs, verbose, skipping

    def run(self, experiments: "Sequence[Experiment[Any]]") -> None:
        """Run experiments one after the other."""
        from dragoman.core.console import say
        from dragoman.lab.run import missing_data

        for one in experiments:
            absent = missing_data(one) if self.skipping else []
            if absent:
                fetch = " and ".join(f"dragoman data get {name}" for name in absent)
                say(f"{one.name}: left out, for its data is not on this machine: {fetch}")
            else:
                self._run_one(one)

    def _run_one(self, experiment: "Experiment[Any]") -> None:
        from dragoman.core.console import say
        from dragoman.engine.training.interruption import Interrupted
        from dragoman.lab.report import TABLE
        from dragoman.lab.run import run_experiment
        from dragoman.trials.workers import most_at_once

        folder = self.output / f"{experiment.name}-{self.size}"
        try:
            run_experiment(
                experiment,
                self.size,
                folder,
                seeds=self.seeds,
                options=self.own,
                at_once=self.jobs or most_at_once(),
                verbose=self.verbose,
            )
        except Interrupted as interrupted:
            raise typer.Exit(interrupted.exit_code) from None
        print((folder / TABLE).read_text(encoding="utf-8"), end="")
        say(f"\nresult.json, table.md and picture.png are in {folder}")


def _run_exact(claims: "Sequence[ExactClaim[Any]]", own: dict[str, str], output: Path) -> None:
    from dragoman.cli.lab_print import print_claim
    from dragoman.core.console import progress_bar, say
    from dragoman.lab.execution import RECORDS, draw_plot, run_claim, run_claims, store_records
    from dragoman.lab.run import read_options

    if len(claims) <= FEW:
        for number, one in enumerate(claims):
            record = run_claim(one, read_options(one.id, one.parameters, own))
            if not own:
                store_records(output, {one.id: record})
            print("\n" * bool(number), end="")
            print_claim(one, record)
            plot = draw_plot(output, one, record)
            if plot:
                say(f"plot: {plot}")
        return
    with progress_bar("claims", len(claims)) as bar:
        records = run_claims(claims, lambda: bar.advance(1))
    store_records(output, records)
    _print_lines(claims, records)
    say(f"\nThe records are in {output / RECORDS}; as a site: dragoman lab report")


def _print_lines(claims: "Sequence[ExactClaim[Any]]", records: "dict[str, ClaimRecord]") -> None:
    from dragoman.cli.lab_print import claim_line
    from dragoman.lab.state import count_verdicts

    for one in claims:
        print(claim_line(one, records[one.id]))
    counts = count_verdicts(claims, records)
    told = ", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)
    seconds = sum(one.seconds for one in records.values())
    print(f"\n{len(claims)} claims: {told}; {seconds:.1f} s")


def parted(words: list[str]) -> tuple[list[str], dict[str, str]]:
    """Part the names from the options `--key VALUE` and `--key=VALUE` that follow them."""
    from dragoman.core.errors import ConfigError

    first = next((n for n, word in enumerate(words) if word.startswith("--")), len(words))
    found: dict[str, str] = {}
    remaining = iter(words[first:])
    for word in remaining:
        key, equals, value = word.removeprefix("--").partition("=")
        if not word.startswith("--") or not key:
            raise ConfigError(f"{word}: is not an option. Write names first, then --key VALUE.")
        answer = value if equals else next(remaining, None)
        if answer is None:
            raise ConfigError(f"{word}: has no value. Write it as {word} VALUE.")
        found[key] = answer
    return words[:first], found


def _refuse_nothing(every: bool, targets: list[str]) -> None:
    from dragoman.core.errors import ConfigError

    if not every and not targets:
        raise ConfigError(
            "Nothing is named. Name claims, topics or experiments (dragoman lab), or say --all."
        )


def _refuse_options_of_many(
    own: dict[str, str], targets: list[str], selection: "Selection"
) -> None:
    from dragoman.core.errors import ConfigError

    if own and len(selection.exact) + len(selection.experiments) != 1:
        option = f"--{next(iter(own))}"
        raise ConfigError(f"{option}: is an option of one claim or experiment; name a single one.")
