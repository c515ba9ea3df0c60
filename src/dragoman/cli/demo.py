"""`dragoman demo`."""

from pathlib import Path
from typing import Annotated

import typer

from dragoman.cli.help import folder_option

SENTENCES = (
    "The boy is reading a book.",
    "The old man gave a red flower to the girl.",
    "The man who pulled the cart when the king arrived was tired.",
    "Did the boy eat the mango yesterday?",
    "How is your mother?",
    "Nice to meet you.",
    "Turn off the lights.",
    "I am a good boy.",
    "It is a piece of cake.",
    "The fisherman is eating an apple.",
)
CALIBRATED = 500
"""Pairs of a set on which the confidence is fitted or checked, so that nobody waits for it."""


def demo(
    run: Annotated[Path, folder_option("--output", help="Run folder.")] = Path("runs/demo"),
) -> None:
    """Train an English→Hindi translator on the built-in grammar, test it and try it."""
    from dragoman.core.console import progress_bar
    from dragoman.engine.checkpoint.folder import trained_run
    from dragoman.pipeline.calibrate import calibrate, sets_to_calibrate
    from dragoman.pipeline.translator import Translator
    from dragoman.plots.attention_page import draw_attention_page
    from dragoman.tasks.translation.attention_report import attention_report
    from dragoman.tasks.translation.evaluate import evaluate, sets_to_test
    from dragoman.trainer import train

    finished = train("english-hindi", folder=run)
    if finished.interrupted is not None:
        raise typer.Exit(finished.interrupted)
    folder = trained_run(run)
    total = sum(len(pairs) for pairs in sets_to_test(folder).values())
    with progress_bar("testing", total) as bar:
        judged = evaluate(run, after_batch=bar.advance)
    for one in judged:
        print(one.text())
    valid, tests = sets_to_calibrate(folder, CALIBRATED)
    with progress_bar("confidence", len(valid) + sum(map(len, tests.values()))) as bar:
        calibrate(run, most=CALIBRATED, after_batch=bar.advance)
    translator = Translator.load(run)
    print("\nA few sentences:")
    seen = []
    for english, hindi in zip(SENTENCES, translator.translate(list(SENTENCES)), strict=True):
        print(f"  {english}\n    {hindi}")
        seen.append(attention_report(translator.bare, english, hindi))
    picture = run / "attention.html"
    draw_attention_page([one for one in seen if one], picture, run.resolve().name)
    print(
        f"\nThe model is in {run}: card.md describes it, curves.png shows the training.\n\n"
        "Next:\n"
        f"  dragoman serve {run}   translate in the browser; doubtful sentences are marked\n"
        f"  open {picture}   explore the attention of these sentences\n"
        "  dragoman new my.tsv   train on your own pairs of sentences\n\n"
        "If the shell does not find dragoman: source .venv/bin/activate"
    )
