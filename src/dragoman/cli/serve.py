"""`dragoman serve`."""

import json
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

network = partial(typer.Option, rich_help_panel="Network and access")
speed = partial(typer.Option, rich_help_panel="Models and speed")
studio = partial(typer.Option, rich_help_panel="Studio")


def serve(  # noqa: PLR0913 - one argument for each option
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="RUN", help="Run folders of any task.")
    ] = None,
    host: Annotated[str | None, network(help="Address to bind. [default: 127.0.0.1]")] = None,
    port: Annotated[
        int | None, network(help="Port; 0 picks a free one. [default: 5000]", min=0, max=65535)
    ] = None,
    keys: Annotated[
        Path | None, network(metavar="FILE", help="API keys, from `dragoman key add`.")
    ] = None,
    allow_host: Annotated[
        list[str] | None, network(metavar="NAME", help="Another trusted host name; repeatable.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None, network(metavar="URL", help="An allowed CORS origin; repeatable.")
    ] = None,
    workers: Annotated[
        int | None, speed(metavar="N", help="Worker processes. [default: 1]", min=1)
    ] = None,
    engine: Annotated[
        Literal["torch", "ctranslate2"] | None,
        speed(metavar="torch|ctranslate2", help="Inference engine. [default: torch]"),
    ] = None,
    change: Annotated[
        list[str] | None,
        speed("--set", metavar="KEY=VALUE", help="Any server setting; repeatable."),
    ] = None,
    studio_runs: Annotated[
        Path | None,
        studio("--runs", metavar="FOLDER", help="Runs to show. [default: beside the first run]"),
    ] = None,
    lab: Annotated[Path, studio(metavar="FOLDER", help="Experiments to show.")] = Path("lab"),
) -> None:
    """Serve runs: LibreTranslate and OpenAI compatible APIs, and the studio in the browser."""
    from dragoman.cli.contradictions import refuse_set_twice
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
    refuse_set_twice(given, change or [])
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
