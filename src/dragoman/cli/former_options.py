"""Options that were renamed: typed under a former name, they are answered with the new one."""

from collections.abc import Sequence

from dragoman.core.errors import ConfigError

RENAMED = {
    "train": {"--run": "--output"},
    "demo": {"--run": "--output"},
    "translate": {"--with": "--ensemble"},
    "evaluate": {"--with": "--ensemble"},
    "generate": {"--longest": "--max-tokens"},
    "fill": {"--pieces": "--max-subwords"},
    "lab": {"--at-once": "--jobs"},
}


def refuse_former_options(arguments: Sequence[str]) -> None:
    """Refuse a command that has an option under its former name, and say what it is called now."""
    renamed = RENAMED.get(arguments[0], {}) if arguments else {}
    for argument in arguments:
        if argument == "--":
            return
        name = argument.partition("=")[0]
        if name in renamed:
            raise ConfigError(f"{name}: is called {renamed[name]} now.")
