"""`dragoman key`: who may ask a server."""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, help="Make, list or remove the API keys of a server.")

File = Annotated[Path, typer.Argument(help="The file of keys that `dragoman serve --keys` reads.")]
Name = Annotated[str, typer.Argument(help="Whose key it is.")]


@app.command()
def add(file: File, name: Name) -> None:
    """Make a key and print it, once; the file keeps only its SHA-256."""
    from dragoman.core.console import say
    from dragoman.server.middleware.api_keys import add_key

    key = add_key(file, name)
    say(f"The key of {name}; it cannot be shown again:")
    print(key)
    say('Sent as "Authorization: Bearer KEY", or as the password where a browser asks for one.')


@app.command("list")
def list_keys(file: File) -> None:
    """List whose keys there are, and since when."""
    from dragoman.server.middleware.api_keys import read_entries

    for entry in read_entries(file):
        print(f"{entry.made}  {entry.name}")


@app.command()
def remove(file: File, name: Name) -> None:
    """Take a key away; a server that runs stops accepting it at once."""
    from dragoman.core.console import say
    from dragoman.server.middleware.api_keys import remove_key

    remove_key(file, name)
    say(f"The key of {name} opens nothing any more.")
