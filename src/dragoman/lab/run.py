"""Run an experiment in a folder, from its options to its files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dragoman.config.settings import Settings
from dragoman.core.errors import ConfigError, nearest
from dragoman.core.files import explain_full_disk, explain_write_error
from dragoman.core.lock import only_process
from dragoman.data.corpus.catalogue.entries import find_entry
from dragoman.data.corpus.catalogue.store import present
from dragoman.lab.experiment import Experiment, Options, Result, Size
from dragoman.lab.hypotheses import ClaimVerdict
from dragoman.lab.report import write_results
from dragoman.lab.runner import TrialRunner


def run_experiment(
    experiment: Experiment[Options],
    size: Size,
    folder: Path,
    *,
    seeds: Sequence[int] = (),
    options: Mapping[str, str] | None = None,
    at_once: int = 1,
    verbose: bool = False,
) -> Result:
    """Run the trials of an experiment, and write its result into a folder; resume where it stopped.

    With `at_once` so many trials run at the same time, in processes of their own. `verbose` runs
    them one after the other and says what each training says, which else goes into files.
    """
    chosen = read_options(experiment.name, experiment.options, options or {})
    with explain_write_error(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with explain_full_disk(folder), only_process(folder):
        seeds = seeds or experiment.seeds_for(size)
        runner = TrialRunner(folder, experiment.name, size, seeds, at_once=at_once, verbose=verbose)
        result = _with_enough_seeds(experiment.measure(runner, chosen), len(seeds))
        write_results(runner, experiment, chosen, result)
    return result


def _with_enough_seeds(result: Result, count: int) -> Result:
    """Leave undecided what fewer seeds than its power estimate asks for would decide."""
    return replace(result, verdicts=[_powered(one, count) for one in result.verdicts])


def _powered(found: ClaimVerdict, count: int) -> ClaimVerdict:
    power = found.hypothesis.power
    if power is None or count >= power.seeds or found.verdict == "undecided":
        return found
    because = f"{found.because} That takes {power.seeds} seeds to decide; these are {count}."
    return replace(found, verdict="undecided", because=because)


def missing_data(experiment: Experiment[Options]) -> list[str]:
    """Return the entries of the catalogue that an experiment needs and that are not here."""
    return [name for name in experiment.needs if not present(find_entry(name))]


def read_options(name: str, options: type[Options], given: Mapping[str, str]) -> Options:
    """Read the own options of an experiment or a claim from what was typed; say which is wrong."""
    known = [key.replace("_", "-") for key in options.model_fields]
    for key in given:
        if key not in known:
            advice = nearest(key, known, listed="It has") if known else "It has none of its own."
            raise ConfigError(f"--{key}: {name} has no such option. {advice}")
    tree = {key.replace("-", "_"): value for key, value in given.items()}
    try:
        return options.model_validate(tree)
    except ValidationError as error:
        first: Any = error.errors()[0]
        key = "-".join(map(str, first["loc"])).replace("_", "-")
        raise ConfigError(f"--{key} {first['input']}: {first['msg']}.") from None


def option_lines(options: type[Settings]) -> list[tuple[str, str]]:
    """Return each option as it is typed, with what it is for."""
    return [
        (f"--{name.replace('_', '-')} {name.upper()}", field.description or "")
        for name, field in options.model_fields.items()
    ]
