"""`dragoman serve`."""

import json
from pathlib import Path
from typing import Annotated, Literal

import typer


def serve(  # noqa: PLR0913 - one argument for each option
    runs: Annotated[
        list[Path] | None, typer.Argument(help="Run folders: translators, language models, …")
    ] = None,
    host: Annotated[
        str | None, typer.Option(help="The address to listen at: 127.0.0.1 unless told.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(help="5000 unless told; 0 takes one that is free.", min=0, max=65535),
    ] = None,
    keys: Annotated[
        Path | None, typer.Option(help="The file of API keys, from `dragoman key add`.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Processes; 1 unless told.", min=1)] = None,
    engine: Annotated[
        Literal["torch", "ctranslate2"] | None, typer.Option(help="Who translates.")
    ] = None,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="Another name the server is asked by.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None, typer.Option(help="A page elsewhere that may ask, as https://my.org.")
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", help="Another of the settings, as deadline=30; may be repeated."),
    ] = None,
    studio_runs: Annotated[
        Path | None,
        typer.Option("--runs", help="The folder whose runs the studio shows."),
    ] = None,
    lab: Annotated[
        Path, typer.Option(help="The folder whose experiments the studio shows.")
    ] = Path("lab"),
) -> None:
    """Serve runs: the API of LibreTranslate, that of OpenAI, and a studio for people."""
    from dragoman.config.reading import changed_settings
    from dragoman.config.serving import ServingSettings
    from dragoman.core.errors import ConfigError

    try:
        from dragoman.server.serve import serve as listen
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"serving needs {error.name}. Install it with: pip install 'dragoman[serve]'"
        ) from None
    given = {
        "host": None if host is None else json.dumps(host),
        "port": port,
        "keys": None if keys is None else json.dumps(str(keys)),
        "workers": workers,
        "engine": engine,
    }
    several = {"hosts": allow_host, "origins": allow_origin}
    said = [f"{key}={value}" for key, value in given.items() if value is not None]
    lists = [f"{key}={json.dumps(values)}" for key, values in several.items() if values]
    settings = changed_settings("serving", ServingSettings(), [*(change or []), *said, *lists])
    folders = tuple(runs or ())
    listen(
        settings,
        folders,
        runs_folder=studio_runs or (folders[0].resolve().parent if folders else Path("runs")),
        lab_folder=lab,
    )
