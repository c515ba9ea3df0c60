"""`dragoman key`: who may ask a server."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.help import CliCommand, CliGroup

app = typer.Typer(
    cls=CliGroup, no_args_is_help=True, help="Add, list or remove API keys of a server."
)

File = Annotated[Path, typer.Argument(help="The key file of `dragoman serve --keys`.")]
Name = Annotated[str, typer.Argument(help="The owner of the key.")]


@app.command(cls=CliCommand)
def add(file: File, name: Name) -> None:
    """Create a key and print it once; the file stores only its SHA-256."""
    from dragoman.core.console import say
    from dragoman.server.middleware.api_keys import add_key

    key = add_key(file, name)
    say(f"The key of {name}; it cannot be shown again:")
    print(key)
    say('Send it as "Authorization: Bearer KEY", or as the password when a browser asks.')


@app.command("list", cls=CliCommand)
def list_keys(file: File) -> None:
    """List the owners of keys, and when each key was created."""
    from dragoman.server.middleware.api_keys import read_entries

    for entry in read_entries(file):
        print(f"{entry.made}  {entry.name}")


@app.command(cls=CliCommand)
def remove(file: File, name: Name) -> None:
    """Remove a key; running servers stop accepting it at once."""
    from dragoman.core.console import say
    from dragoman.server.middleware.api_keys import remove_key

    remove_key(file, name)
    say(f"Removed the key of {name}.")
