"""The catalogue of experiments: every folder of `experiments/` whose experiment is a `SUBJECT`."""

from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import dragoman.lab.experiments
from dragoman.core.errors import ConfigError, nearest
from dragoman.lab.experiment import Subject


def subjects() -> dict[str, Subject[Any]]:
    """Return every subject by its name, in the order of names."""
    package = dragoman.lab.experiments
    names = [one.name for one in iter_modules(package.__path__)]
    modules = [import_module(f"{package.__name__}.{name}.experiment") for name in names]
    found = [getattr(module, "SUBJECT", None) for module in modules]
    named = {one.name: one for one in found if isinstance(one, Subject)}
    return dict(sorted(named.items()))


def find_subject(name: str) -> Subject[Any]:
    """Return the subject of a name, or say which comes closest."""
    known = subjects()
    if name not in known:
        raise ConfigError(f"{name}: the lab has no subject of this name. {nearest(name, known)}")
    return known[name]
