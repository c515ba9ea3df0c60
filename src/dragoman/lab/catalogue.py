"""The catalogue of the lab: the topics with their claims, and the experiments."""

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import dragoman.lab.experiments
import dragoman.lab.topics
from dragoman.core.errors import ConfigError, nearest
from dragoman.lab.claims import Claim
from dragoman.lab.experiment import Experiment
from dragoman.lab.topic import Topic


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


@cache
def topics() -> dict[str, Topic]:
    """Return every topic by its id: K1, K2, … in the order of numbers."""
    found = sorted(
        (module.TOPIC for module in _topic_modules() if isinstance(module.TOPIC, Topic)),
        key=lambda topic: (len(topic.id), topic.id),
    )
    return {topic.id: topic for topic in found}


def _topic_modules() -> Iterator[ModuleType]:
    """Import each topic: a folder with a `topic.py`, or a single file."""
    package = dragoman.lab.topics
    for one in iter_modules(package.__path__):
        name = f"{package.__name__}.{one.name}"
        yield import_module(f"{name}.topic" if one.ispkg else name)


def claims() -> dict[str, Claim]:
    """Return every claim by its id, topic by topic."""
    return {one.id: one for topic in topics().values() for one in topic.claims}
