"""Selection by name: ids of claims, topics and experiments, as they are typed."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from dragoman.core.errors import ConfigError, DataError, nearest
from dragoman.lab.catalogue import experiments, topics
from dragoman.lab.claims import Claim, ExactClaim, MeasuredClaim
from dragoman.lab.experiment import Experiment
from dragoman.lab.topic import Topic


@dataclass(frozen=True)
class Selection:
    """What is to be run: claims that are computed, and experiments that measure the others."""

    exact: tuple[ExactClaim[Any], ...]
    experiments: tuple[Experiment[Any], ...]


def select_all() -> Selection:
    """Select every claim of every topic, and every experiment."""
    chosen = [one for topic in topics().values() for one in topic.claims]
    return Selection(tuple(_exact(chosen)), tuple(experiments().values()))


def select(names: Sequence[str]) -> Selection:
    """Select what some names stand for, each thing once; of an unknown name, say what is near.

    Beside a file, ids are looked for in its topic first: `powers.py Z1` is one claim of it.
    """
    own = {
        one.id: one
        for name in names
        if name.endswith(".py")
        for one in topic_from(Path(name)).claims
    }
    named = [name for name in names if not name.endswith(".py")]
    chosen = [own[name] for name in named if name in own] or [*own.values()]
    measuring: dict[str, Experiment[Any]] = {}
    for name in named:
        match found := own.get(name) or resolve(name):
            case Topic():
                chosen += found.claims
            case Claim():
                chosen.append(found)
            case Experiment():
                measuring[found.name] = found
    known = experiments()
    for one in chosen:
        if isinstance(one, MeasuredClaim):
            measuring[one.experiment] = known[one.experiment]
    return Selection(tuple(_exact(chosen)), tuple(measuring.values()))


def resolve(name: str) -> Topic | Claim | Experiment[Any]:
    """Return what a name stands for: a claim, a topic by id or name, or an experiment."""
    by_topic = {one.name: one for one in topics().values()}
    by_id = {one.id: one for topic in topics().values() for one in topic.claims}
    known: dict[str, Topic | Claim | Experiment[Any]] = {
        **experiments(), **by_topic, **topics(), **by_id,
    }  # fmt: skip
    found = known.get(name) or known.get(name.upper())
    if found is None:
        named = [one for one in known if one[1:2].isalpha()]
        near = nearest(name, named, listed="A claim has an id such as A11, a topic K3; else")
        raise ConfigError(f"{name}: the lab has no claim, topic or experiment of this name. {near}")
    return found


def topic_from(path: Path) -> Topic:
    """Return the topic of a Python file of the user's own, which is run as any program is."""
    if not path.is_file():
        raise DataError(f"{path}: there is no such file. A topic is a Python file with a TOPIC.")
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise DataError(f"{path}: cannot be read as a Python file.")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        why = next(iter(str(error).splitlines()), "")
        raise DataError(f"{path}: cannot be run ({type(error).__name__}: {why}).") from error
    topic = getattr(module, "TOPIC", None)
    if not isinstance(topic, Topic):
        raise DataError(f"{path}: has no TOPIC. See `dragoman.lab.topic.Topic`.")
    return topic


def _exact(chosen: Iterable[Claim]) -> Iterable[ExactClaim[Any]]:
    return {one.id: one for one in chosen if isinstance(one, ExactClaim)}.values()
