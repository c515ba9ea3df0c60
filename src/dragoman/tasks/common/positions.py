"""Learned positions: a table that no text may be longer than."""

from dragoman.config.settings import Settings
from dragoman.core.errors import ConfigError


def check_positions(model: Settings, max_length: int, section: str = "model") -> None:
    """Refuse texts that are longer than the table of positions of a network, if it has one."""
    most = getattr(model, "max_positions", max_length)
    if getattr(model, "positions", "") == "learned" and max_length > most:
        raise ConfigError(
            f"batches.max_length = {max_length} is more than {section}.max_positions = {most} "
            "learned positions. Make them equal."
        )
