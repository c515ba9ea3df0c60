"""The catalogue of experiments: every folder of `experiments/` with an `EXPERIMENT`."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import dragoman.lab.experiments
from dragoman.core.errors import ConfigError, nearest
from dragoman.lab.experiment import Experiment


def experiments() -> dict[str, Experiment[Any]]:
    """Return every experiment by its name, in the order of names."""
    package = dragoman.lab.experiments
    names = [one.name for one in iter_modules(package.__path__)]
    modules = [import_module(f"{package.__name__}.{name}.experiment") for name in names]
    found = [getattr(module, "EXPERIMENT", None) for module in modules]
    by_name = {one.name: one for one in found if isinstance(one, Experiment)}
    return dict(sorted(by_name.items()))


def find_experiment(name: str) -> Experiment[Any]:
    """Return the experiment of a name, or say which comes closest."""
    known = experiments()
    if name not in known:
        raise ConfigError(f"{name}: the lab has no experiment of this name. {nearest(name, known)}")
    return known[name]
