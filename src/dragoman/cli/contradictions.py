"""Options that contradict each other are refused: neither is silently ignored."""

from collections.abc import Mapping, Sequence


def refuse_both(options: Mapping[str, object]) -> None:
    """Refuse options that exclude each other, where more than one of them is given."""
    from dragoman.core.errors import ConfigError

    given = [name for name, value in options.items() if value]
    if len(given) > 1:
        raise ConfigError(f"{given[0]} and {given[1]} exclude each other. Leave one out.")


def refuse_beside(option: str, others: Mapping[str, object], why: str) -> None:
    """Refuse what says nothing beside an option, and say why."""
    from dragoman.core.errors import ConfigError

    for name, value in others.items():
        if value:
            raise ConfigError(f"{name} does not go with {option}, {why}. Leave it out.")


def refuse_set_twice(options: Mapping[str, object], changes: Sequence[str]) -> None:
    """Refuse a setting that is given both as an option and by `--set`."""
    set_keys = [change.partition("=")[0].strip() for change in changes]
    for key, value in options.items():
        if value is not None and key in set_keys:
            refuse_both({f"--{key.replace('_', '-')}": True, f"--set {key}": True})
