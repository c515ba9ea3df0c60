"""`dragoman fill`."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer


def fill(  # noqa: PLR0913 - one argument for each option
    run: Annotated[Path, typer.Argument(help="The run folder of a masked language model.")],
    texts: Annotated[
        list[str] | None, typer.Argument(help="Texts; without them, a line of stdin is one.")
    ] = None,
    mask: Annotated[str, typer.Option(help="What stands for a hidden word.")] = "___",
    top: Annotated[int, typer.Option(help="Guesses for each hidden word.", min=1)] = 5,
    pieces: Annotated[
        int, typer.Option(help="Tokens that a hidden word may have: 1 up to so many.", min=1)
    ] = 1,
    anywhere: Annotated[
        bool,
        typer.Option("--anywhere", help="Nothing is marked: find the missing word and its place."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Guess hidden words of texts, or the one word that is missing anywhere.

    For each text one line comes out, its parts between tabs: the text with the best guess in it,
    then for each hidden word the likeliest guesses with their probabilities. With --anywhere each
    guess is a gap (0 is before the first word), a word and the log-probability of the sentence; a
    language model that reads from the left can do this too.
    """
    from dragoman.core.errors import DataError

    if not mask.strip():
        raise DataError("--mask: a blank cannot stand for a hidden word. Give some other sign.")
    for text in texts or ():
        if mask not in text and not anywhere:
            raise DataError(
                f"{text!r} holds no {mask!r}. Write it where a word is hidden, name what stands "
                "there with --mask, or find the missing word with --anywhere."
            )
    given = texts or (line.rstrip("\n") for line in sys.stdin)
    rows = _found(run, given, top, pieces) if anywhere else _filled(run, given, top, mask, pieces)
    for row, line in rows:
        print(json.dumps(row, ensure_ascii=False) if as_json else line, flush=True)


Rows = Iterator[tuple[dict[str, Any], str]]


def _filled(run: Path, texts: Any, top: int, mask: str, pieces: int) -> Rows:
    """Yield for each text what was guessed, for programs and for people."""
    from dataclasses import asdict

    from dragoman.tasks.masked_lm.masked_language_model import MaskedLanguageModel

    filler = MaskedLanguageModel.load(run)
    for text in texts:
        guesses = filler.fill(text, top, mark=mask, pieces=pieces)
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


def _found(run: Path, texts: Any, top: int, pieces: int) -> Rows:
    """Yield for each text which word may be missing where."""
    from dataclasses import asdict

    from dragoman.tasks.missing_word import WordFinder

    finder = WordFinder.load(run, pieces=pieces)
    for text in texts:
        found = finder.find(text, top)
        told = [f"{one.place} {one.word} {one.score:.3f}" for one in found]
        whole = found[0].text if found else text
        yield {"text": text, "found": [asdict(one) for one in found]}, "\t".join([whole, *told])
