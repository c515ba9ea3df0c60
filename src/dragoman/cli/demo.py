"""`dragoman demo`."""

from pathlib import Path
from typing import Annotated

import typer

SENTENCES = (
    "The boy is reading a book.",
    "Sita gave a red flower to the old woman.",
    "The man who pulled the cart when the king arrived was tired.",
    "Did the girls eat the sweet mangoes yesterday?",
    "Sir, please sit down.",
)


def demo(
    run: Annotated[Path, typer.Option("--run", help="The run folder.")] = Path("runs/demo"),
) -> None:
    """Train an English→Hindi translator on the embedded grammar, test it and try it."""
    from dragoman.cli.evaluate import print_scores
    from dragoman.core.console import progress_bar
    from dragoman.engine.checkpoint.folder import trained
    from dragoman.engine.inference.evaluate import evaluate, sets_to_test
    from dragoman.engine.inference.translator import Translator
    from dragoman.engine.inference.watched import watched
    from dragoman.engine.recipe import train
    from dragoman.pictures.attention_page import draw_attention_page

    finished = train("english-hindi", folder=run)
    if finished.interrupted is not None:
        raise typer.Exit(finished.interrupted)
    total = sum(len(pairs) for pairs in sets_to_test(trained(run)).values())
    with progress_bar("testing", total) as bar:
        judged = evaluate(run, after_batch=bar.advance)
    for one in judged:
        print_scores(one)
    translator = Translator.load(run)
    print("\nA few sentences:")
    seen = []
    for english, hindi in zip(SENTENCES, translator.translate(list(SENTENCES)), strict=True):
        print(f"  {english}\n    {hindi}")
        seen.append(watched(translator, english, hindi))
    picture = run / "attention.html"
    draw_attention_page([one for one in seen if one], picture, run.resolve().name)
    print(
        f"\nWhat the words looked at: {picture}\nHow the training went:    {run / 'curves.png'}\n"
        f"What the model is:        {run / 'card.md'}\n\nNow type:\n"
        f'  echo "The girl is drinking cold water." | dragoman translate {run}\n'
        "  dragoman show english-hindi            every setting of this recipe, explained\n"
        "  dragoman train RECIPE.toml             your own text: see the README"
    )
