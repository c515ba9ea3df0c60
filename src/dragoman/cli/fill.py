"""`dragoman fill`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from dragoman.cli.help import number_option

MASK = "___"


def fill(  # noqa: PLR0913 - one argument for each option
    run: Annotated[Path, typer.Argument(help="The run folder of a masked language model.")],
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="Texts; without any, each line of stdin is one."),
    ] = None,
    mask: Annotated[str, typer.Option(help="What stands for a masked word in the text.")] = MASK,
    top: Annotated[int, number_option(help="Predictions for each masked word.", min=1)] = 5,
    max_subwords: Annotated[
        int, number_option(help="Subwords that a masked word has at most.", min=1)
    ] = 1,
    anywhere: Annotated[
        bool,
        typer.Option("--anywhere", help="No word is masked: find the missing word and its place."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line.")] = False,
) -> None:
    """Predict masked words, or the one word that is missing anywhere in a sentence.

    Prints one line per text, tab-separated: the text with the best predictions filled in, then for
    each masked word the likeliest predictions with their probabilities. With --anywhere, each
    prediction is a gap (0: before the first word), a word and the log-probability of the sentence;
    left-to-right language models can do this too.
    """
    from dragoman.cli.contradictions import refuse_both
    from dragoman.core.errors import DataError
    from dragoman.data.formats.text_stream import text_lines

    refuse_both({"--anywhere": anywhere, "--mask": mask != MASK})
    if not mask.strip():
        raise DataError("--mask: whitespace cannot stand for a masked word. Use another sign.")
    for text in texts or ():
        if mask not in text and not anywhere:
            raise DataError(
                f"{text!r} contains no {mask!r}. Write it where a word is masked, set another mask "
                "with --mask, or find the missing word with --anywhere."
            )
    given = texts or text_lines(sys.stdin.buffer, "stdin")
    rows = (
        _found(run, given, top, max_subwords)
        if anywhere
        else _filled(run, given, top, mask, max_subwords)
    )
    for row, line in rows:
        print(json.dumps(row, ensure_ascii=False) if as_json else line, flush=True)


Rows = Iterator[tuple[dict[str, Any], str]]


def _filled(run: Path, texts: Any, top: int, mask: str, max_subwords: int) -> Rows:
    """Yield for each text what was guessed, for programs and for people."""
    from dataclasses import asdict

    from dragoman.tasks.masked_lm.masked_language_model import MaskedLanguageModel

    filler = MaskedLanguageModel.load(run)
    for text in texts:
        guesses = filler.fill(text, top, mark=mask, max_subwords=max_subwords)
        best = [words[0].word if words else mask for words in guesses]
        first, *others = text.split(mask)
        whole = first + "".join(word + part for word, part in zip(best, others, strict=True))
        told = [
            ", ".join(f"{one.word} {one.probability:.3f}" for one in words) for words in guesses
        ]
        row = {
            "text": text,
            "filled": whole,
            "masks": [[asdict(one) for one in words] for words in guesses],
        }
        yield row, "\t".join([whole, *told])


def _found(run: Path, texts: Any, top: int, max_subwords: int) -> Rows:
    """Yield for each text which word may be missing where."""
    from dataclasses import asdict

    from dragoman.tasks.missing_word import WordFinder

    finder = WordFinder.load(run, max_subwords=max_subwords)
    for text in texts:
        found = finder.find(text, top)
        told = [f"{one.place} {one.word} {one.score:.3f}" for one in found]
        whole = found[0].text if found else text
        yield {"text": text, "found": [asdict(one) for one in found]}, "\t".join([whole, *told])
