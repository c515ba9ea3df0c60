"""Real processes of the command, started quickly."""

from collections.abc import Iterator

import pytest
from tests.command import Command


@pytest.fixture(scope="session")
def command() -> Iterator[Command]:
    """Give the command as real processes."""
    command = Command()
    yield command
    command.close()
