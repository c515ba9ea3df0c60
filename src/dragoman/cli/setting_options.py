"""Settings given as options: `--learning-rate 1e-3` is answered with the key of the recipe."""

from collections.abc import Sequence

SECTIONS = {"train": "", "compare": "", "show": "", "translate": "decoding", "serve": "serving"}
"""Verbs that settings can be given to; with a section, as `--set key=value`."""

MOST_NAMED = 3


def refuse_setting_as_option(verb: str, own: Sequence[str], arguments: Sequence[str]) -> None:
    """Refuse an option that a verb does not have and that a setting is called by, with its key."""
    for place, argument in enumerate(arguments):
        if argument == "--":
            return
        option, equals, value = argument.partition("=")
        if not option.startswith("--") or option in own:
            continue
        following = arguments[place + 1] if place + 1 < len(arguments) else "-"
        value = value if equals else "VALUE" if following.startswith("-") else following
        _refuse(option, value, SECTIONS[verb])


def _refuse(option: str, value: str, section: str) -> None:
    from dragoman.core.errors import ConfigError

    keys = [key for key in _keys(option[2:]) if key.startswith(section)]
    if not keys:
        return
    if section:
        wanted = [f"--set {key.partition('.')[2]}={value}" for key in keys]
    else:
        wanted = [f"{key}={value}" for key in keys if not key.startswith("serving.")]
    *others, last = wanted[:MOST_NAMED]
    choice = f"{', '.join(others)} or {last}" if others else last
    raise ConfigError(f"{option}: is a setting, not an option. Write {choice}")


def _keys(name: str) -> list[str]:
    """Return the keys that are called so here, or else those that are called so elsewhere."""
    from dragoman.config.sections import section_models
    from dragoman.config.serving import ServingSettings
    from dragoman.config.synonyms import keys_called

    leaf = name.replace("-", "_")
    ours = [
        f"{section}.{leaf}"
        for section, models in section_models().items()
        if section != "made_with" and any(leaf in model.model_fields for model in models)
    ]
    ours += [f"serving.{leaf}"] if leaf in ServingSettings.model_fields else []
    return ours + [key for key in keys_called(name) if key not in ours]
