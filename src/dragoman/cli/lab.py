"""`dragoman lab`: every claim of the course, run and decided."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dragoman.cli.help import CliCommand, CliGroup, folder_option
from dragoman.cli.lab_run import OWN_OPTIONS, run

if TYPE_CHECKING:
    from dragoman.lab.claims import Claim
    from dragoman.lab.experiment import Experiment
    from dragoman.lab.records import ClaimRecord

LAB = Path("lab")
HEAD = (
    "", "topic", "claims", "confirmed", "corrected", "refuted", "convention", "undecided",
    "not run", "s",
)  # fmt: skip
lab_folder = folder_option(help="Folder of the results.")


class LabGroup(CliGroup):
    """A group that lists the topics where no command is given."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what was typed; nothing is `list`."""
        return super().parse_args(ctx, args or ["list"])


app = typer.Typer(cls=LabGroup, help="Run the claims of the course, and see what holds.")
app.command(cls=CliCommand, context_settings=OWN_OPTIONS)(run)


@app.command("list", cls=CliCommand)
def list_topics(output: Annotated[Path, lab_folder] = LAB) -> None:
    """List the topics with their verdicts, and the experiments; without a command, too."""
    from dragoman.lab.catalogue import experiments, topics
    from dragoman.lab.claims import MeasuredClaim
    from dragoman.lab.state import count_verdicts, state_of

    records = state_of(output)
    rows = []
    for topic in topics().values():
        counts = count_verdicts(topic.claims, records)
        missing = len(topic.claims) - sum(counts.values())
        timed = [records[one.id].seconds for one in topic.claims if _computed(one, records)]
        cells = (len(topic.claims), *counts.values(), missing)
        rows.append((topic.id, topic.name, *(str(n or "") for n in cells), f"{sum(timed):.1f}"))
    totals = [sum(int(row[column] or 0) for row in rows) for column in range(2, 9)]
    seconds = sum(float(row[-1]) for row in rows)
    rows.append(("", "all", *map(str, totals), f"{seconds:.1f}"))
    _print_columns([HEAD, *rows])
    measured = [one for topic in topics().values() for one in topic.claims]
    by_experiment: dict[str, list[str]] = {}
    for one in measured:
        if isinstance(one, MeasuredClaim):
            by_experiment.setdefault(one.experiment, []).append(one.id)
    print("\nSeconds are of the claims that are computed; experiments measure the others:")
    width = max(map(len, experiments()), default=0)
    for name, experiment in experiments().items():
        ids = _span(tuple(by_experiment.get(name, ())) or experiment.ids)
        print(f"  {name.ljust(width)}  {experiment.title} ({ids})")
    print("\nSee one: dragoman lab show A11    run it: dragoman lab run A11 K3 memory")
    print("All that is computed: dragoman lab run --all --exact    as a site: dragoman lab report")


@app.command(cls=CliCommand)
def show(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Ids of claims, topics, or experiments."),
    ],
    output: Annotated[Path, lab_folder] = LAB,
) -> None:
    """Print the statement, equation, numbers and verdict of a claim, or describe a topic.

    A claim that is computed is computed now; of one that is measured, the last result is shown.
    """
    from dragoman.cli.lab_print import print_claim, print_topic
    from dragoman.lab.claims import Claim, ExactClaim
    from dragoman.lab.execution import run_claim
    from dragoman.lab.experiment import Experiment
    from dragoman.lab.selection import resolve
    from dragoman.lab.state import state_of
    from dragoman.lab.topic import Topic

    chosen = [resolve(name) for name in names]
    records = state_of(output)
    for number, found in enumerate(chosen):
        if number:
            print()
        match found:
            case Topic():
                print_topic(found, records)
            case ExactClaim():
                print_claim(found, run_claim(found))
            case Claim():
                print_claim(found, records.get(found.id))
            case Experiment():
                _describe(found)


@app.command(cls=CliCommand)
def report(
    output: Annotated[Path, lab_folder] = LAB,
    site: Annotated[
        Path | None,
        folder_option(help="Folder for the pages. [default: lab/site]"),
    ] = None,
) -> None:
    """Write the course as a site: a page for each topic, the errata, an index; to be read offline.

    Claims that are computed and have no result yet are computed first.
    """
    from dragoman.core.console import progress_bar, say
    from dragoman.lab.catalogue import claims
    from dragoman.lab.claims import ExactClaim
    from dragoman.lab.execution import run_claims, store_records
    from dragoman.lab.site.writer import build_report
    from dragoman.lab.state import state_of

    known = state_of(output)
    missing = [
        one for one in claims().values() if isinstance(one, ExactClaim) and one.id not in known
    ]
    if missing:
        with progress_bar("claims", len(missing)) as bar:
            store_records(output, run_claims(missing, lambda: bar.advance(1)))
    index = build_report(site or output / "site", state_of(output))
    say(f"The course is in {index}")


def _computed(claim: "Claim", records: "dict[str, ClaimRecord]") -> bool:
    from dragoman.lab.claims import ExactClaim

    return isinstance(claim, ExactClaim) and claim.id in records


def _describe(experiment: "Experiment[Any]") -> None:
    from dragoman.lab.run import option_lines

    print(f"{experiment.name}: {experiment.title}\n\nClaims of the course notes")
    for one in experiment.hypotheses:
        print(f"  {', '.join(one.ids)}: {one.notes}")
        if one.power is not None:
            needed = f"a difference of {one.power.effect:g} takes {one.power.seeds} seeds"
            print(f"      {needed} (deviation {one.power.deviation:g})")
    options = option_lines(experiment.options)
    if options:
        print("\nOptions")
    for typed, meaning in options:
        print(f"  {typed}  {meaning}")
    print(f"\nRun it: dragoman lab run {experiment.name} --quick    or --full")


def _print_columns(rows: "list[tuple[str, ...]]") -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        left = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        right = [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        print("  ".join([*left, *right]).rstrip())


def _span(ids: tuple[str, ...]) -> str:
    """Write A18, A19, A20 as A18–A20."""
    spans: list[list[str]] = []
    for row in ids:
        last = spans[-1][-1] if spans else ""
        follows = last[:1] == row[:1] and last[1:].isdigit() and int(last[1:]) + 1 == int(row[1:])
        if follows:
            spans[-1].append(row)
        else:
            spans.append([row])
    return ", ".join(one[0] if len(one) == 1 else f"{one[0]}–{one[-1]}" for one in spans)
