"""`dragoman generate`."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.help import number_option


def generate(  # noqa: PLR0913 - one argument for each option
    run: Annotated[Path, typer.Argument(help="The run folder of a language model.")],
    prompt: Annotated[
        str | None, typer.Argument(help="How the text starts; without it, each line of stdin.")
    ] = None,
    temperature: Annotated[
        float, typer.Option(metavar="T", help="Below 1 sharpens the distribution; 0 is greedy.")
    ] = 0.8,
    top_k: Annotated[
        int, typer.Option(metavar="K", help="Sample from the K likeliest tokens; 0: all.", min=0)
    ] = 0,
    top_p: Annotated[
        float, typer.Option(metavar="P", help="Sample from the likeliest tokens of total mass P.")
    ] = 0.95,
    repetition_penalty: Annotated[
        float, typer.Option(metavar="X", help="Above 1, tokens already written are less likely.")
    ] = 1.0,
    max_tokens: Annotated[int, number_option(help="Stop after this many tokens.", min=1)] = 100,
    stop: Annotated[
        list[str] | None, typer.Option(metavar="TEXT", help="Stop at this text; repeatable.")
    ] = None,
    seed: Annotated[int, number_option(help="Seed of sampling.", min=0)] = 1,
) -> None:
    """Continue a text, token by token."""
    from pydantic import ValidationError

    from dragoman.config.sampling import SamplingSettings
    from dragoman.core.errors import ConfigError
    from dragoman.data.formats.text_stream import text_lines
    from dragoman.tasks.language_model.language_model import LanguageModel

    try:
        settings = SamplingSettings(
            temperature=temperature,
            top_k=top_k,
            top_p=top_p,
            repetition_penalty=repetition_penalty,
            max_tokens=max_tokens,
        )
    except ValidationError as error:
        first = error.errors()[0]
        key = str(first["loc"][0]).replace("_", "-") if first["loc"] else "generate"
        raise ConfigError(f"--{key}: {first['msg']}.") from None
    writer = LanguageModel.load(run)
    prompts = text_lines(sys.stdin.buffer, "stdin") if prompt is None else [prompt]
    for number, one in enumerate(prompts):
        sys.stdout.write(one)
        for _, text in writer.stream([one], settings, seed=seed + number, stop=stop or []):
            sys.stdout.write(text)
            sys.stdout.flush()
        sys.stdout.write("\n")
