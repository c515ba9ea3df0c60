"""`dragoman generate`."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def generate(  # noqa: PLR0913 - one argument for each option
    run: Annotated[Path, typer.Argument(help="The run folder of a language model.")],
    prompt: Annotated[
        str | None, typer.Argument(help="How the text begins; without it, a line of stdin does.")
    ] = None,
    temperature: Annotated[
        float, typer.Option(help="Below 1 the likely becomes likelier; 0 takes the likeliest.")
    ] = 0.8,
    top_k: Annotated[int, typer.Option(help="Draw from so many tokens; 0 is all.", min=0)] = 0,
    top_p: Annotated[
        float, typer.Option(help="Draw from the likeliest tokens with this probability together.")
    ] = 0.95,
    repetition_penalty: Annotated[
        float, typer.Option(help="Above 1, what has come already becomes less likely.")
    ] = 1.0,
    max_tokens: Annotated[
        int, typer.Option(help="Tokens after which the text is cut.", min=1)
    ] = 100,
    stop: Annotated[
        list[str] | None, typer.Option(help="Ends the text where it comes; may be repeated.")
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same text.", min=0)] = 1,
) -> None:
    """Go on writing a text, token by token as they come."""
    from pydantic import ValidationError

    from dragoman.config.sampling import SamplingSettings
    from dragoman.core.errors import ConfigError
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
    prompts = [line.rstrip("\n") for line in sys.stdin] if prompt is None else [prompt]
    for number, one in enumerate(prompts):
        sys.stdout.write(one)
        for _, text in writer.stream([one], settings, seed=seed + number, stop=stop or []):
            sys.stdout.write(text)
            sys.stdout.flush()
        sys.stdout.write("\n")
