"""Run an experiment in a folder, from its options to its files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from dragoman.config.settings import Settings
from dragoman.core.errors import ConfigError, nearest
from dragoman.core.files import full_disk_said, said_plainly
from dragoman.core.lock import only_process
from dragoman.lab.bench import Bench
from dragoman.lab.experiment import Options, Result, Size, Subject
from dragoman.lab.results import write_results


def run_subject(
    subject: Subject[Options],
    size: Size,
    folder: Path,
    *,
    seeds: Sequence[int] = (),
    options: Mapping[str, str] | None = None,
    at_once: int = 1,
) -> Result:
    """Measure a subject, and write what was found into a folder; go on where it was left.

    With `at_once` so many units are measured at the same time, in processes of their own.
    """
    chosen = read_options(subject, options or {})
    with said_plainly(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with full_disk_said(folder), only_process(folder):
        bench = Bench(folder, subject.name, size, seeds or subject.seeds_for(size), at_once=at_once)
        result = subject.measure(bench, chosen)
        write_results(bench, subject, chosen, result)
    return result


def read_options(subject: Subject[Options], given: Mapping[str, str]) -> Options:
    """Read a subject's own options from what was typed; say which is wrong, and how."""
    known = [name.replace("_", "-") for name in subject.options.model_fields]
    for name in given:
        if name not in known:
            advice = nearest(name, known, listed="It has") if known else "It has none of its own."
            raise ConfigError(f"--{name}: {subject.name} has no such option. {advice}")
    tree = {key.replace("-", "_"): value for key, value in given.items()}
    try:
        return subject.options.model_validate(tree)
    except ValidationError as error:
        first: Any = error.errors()[0]
        name = "-".join(map(str, first["loc"])).replace("_", "-")
        raise ConfigError(f"--{name} {first['input']}: {first['msg']}.") from None


def option_lines(options: type[Settings]) -> list[tuple[str, str]]:
    """Return each option as it is typed, with what it is for."""
    return [
        (f"--{name.replace('_', '-')} {name.upper()}", field.description or "")
        for name, field in options.model_fields.items()
    ]
