"""`dragoman data make`: corpora made by rule.

Two have options of their own; all others are rows of one table: what they are called, what they
write, and who draws it. A row imports its generator when it runs, so that help comes at once.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from dragoman.cli.data_make_shapes import shapes
from dragoman.cli.help import CliCommand, CliGroup, file_option, number_option

make = typer.Typer(
    cls=CliGroup, no_args_is_help=True, help="Generate a synthetic corpus of any size."
)

Number = Annotated[int, number_option(help="Number of examples.", min=1)]
Output = Annotated[Path | None, file_option(help="The file to write. [default: stdout]")]
Seed = Annotated[int, number_option(help="Seed of sampling.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite a file that exists.")]


@make.command(cls=CliCommand)
def grammar(  # noqa: PLR0913 - one argument for each option
    pairs: Number = 20_000,
    difficulty: Annotated[
        int, typer.Option(metavar="1-5", help="From 1 (short) to 5.", min=1, max=5)
    ] = 4,
    seed: Seed = 1,
    output: Output = None,
    alignments: Annotated[
        Path | None, file_option(help="Write word alignments, such as 0-0 1-2, line by line.")
    ] = None,
    force: Force = False,
) -> None:
    """Generate English–Hindi sentences from the built-in grammar."""
    from dragoman.core.files import write_atomic
    from dragoman.data.grammar.sample import draw_sets

    check_free(force, output, alignments)
    drawn = draw_sets(pairs=pairs, held_out=0, difficulty=difficulty, seed=seed).train
    write(tabbed((one.source, one.target) for one in drawn), output)
    if alignments is not None:
        links = (" ".join(f"{s}-{t}" for s, t in one.alignment) for one in drawn)
        write_atomic(alignments, "".join(f"{line}\n" for line in links))


@make.command("pig-latin", cls=CliCommand)
def pig_latin(
    words: Annotated[
        int | None, number_option(help="Number of words, by frequency. [default: 3198]", min=1)
    ] = None,
    listed: Annotated[
        Path | None, file_option("--list", help="Your own words, one per line.")
    ] = None,
    output: Output = None,
    force: Force = False,
) -> None:
    """Generate English words and their Pig Latin; without --list, common words are fetched."""
    from dragoman.data.corpus.catalogue.entries import find_entry
    from dragoman.data.corpus.catalogue.store import obtain
    from dragoman.data.corpus.generators.pig_latin import SMALL, make_pairs, read_words

    check_free(force, output)
    if listed is not None:
        chosen = read_words(listed, words)
    else:
        chosen = read_words(obtain(find_entry("common-words")).path, words or SMALL)
    write(tabbed(make_pairs(chosen)), output)


class MakeOptions(NamedTuple):
    """What one call of a maker is to draw."""

    number: int
    seed: int
    size: int | None = None
    """The option that the maker has of its own; None where it is left out."""


class Size(NamedTuple):
    """The one option that a maker may have of its own: a number."""

    option: str
    help: str
    least: int
    most: int
    usual: int | None = None


@dataclass(frozen=True)
class Maker:
    """A generator as a command: its name, what a line of its file is, and who draws them."""

    name: str
    help: str
    lines: Callable[[MakeOptions], Iterable[str]]
    number: int = 1000
    """Lines unless asked for more or fewer."""
    size: Size | None = None


def arithmetic(asked: MakeOptions) -> Iterator[str]:
    """Give rows of the grid in an order that the seed decides."""
    from random import Random

    from dragoman.core.errors import DataError
    from dragoman.data.corpus.generators.arithmetic import make_grid

    grid = make_grid()
    if asked.number > len(grid):
        raise DataError(f"the grid has only {len(grid)} rows, not {asked.number:,}. Ask for fewer.")
    return tabbed(Random(f"arithmetic/{asked.seed}").sample(grid, asked.number))


def agreement(asked: MakeOptions) -> Iterator[str]:
    """Give sentences up to their verb, with the number of that verb."""
    from dragoman.data.corpus.generated_labels import draw_beginnings

    return tabbed(draw_beginnings(asked.number, asked.seed, asked.size))


def agreement_pairs(asked: MakeOptions) -> Iterator[str]:
    """Give whole sentences, right and wrong."""
    from dragoman.data.corpus.generators.agreement import draw_agreements

    drawn = draw_agreements(asked.number, seed=asked.seed, distractors=asked.size)
    return objects({"good": one.good, "bad": one.bad, **one._asdict()} for one in drawn)


def remembering(asked: MakeOptions) -> Iterator[str]:
    """Give letters, with the capital among them."""
    from dragoman.data.corpus.generated_labels import EARLIER
    from dragoman.data.corpus.generators.lag import draw_lagged

    lag = asked.size or 0
    drawn = draw_lagged(asked.number, lag, seed=asked.seed, earlier=EARLIER, distinct=True)
    return tabbed((one.text, one.label) for one in drawn)


def right_context(asked: MakeOptions) -> Iterator[str]:
    """Give sentences with the tag of their first word; all other words are alike."""
    from dragoman.data.corpus.generators.right_context import draw_tagged

    drawn = draw_tagged(asked.number, seed=asked.seed, asides=asked.size)
    return tabbed((one.text, one.tags[0]) for one in drawn)


def homophones(asked: MakeOptions) -> Iterator[str]:
    """Give pairs of sentences of which one is right."""
    from dragoman.data.corpus.generators.homophones import draw_homophones

    return objects(one._asdict() for one in draw_homophones(asked.number, seed=asked.seed))


def corruptions(asked: MakeOptions) -> Iterator[str]:
    """Give sentences of the grammar as they are and spoilt, one after the other."""
    from dragoman.data.corpus.generators.corruptions import correct_and_corrupted

    sentences = english(-(-asked.number // 2), asked.seed)
    known = set(sentences)
    rows = (
        (one.text, one.label)
        for one in correct_and_corrupted(sentences, seed=asked.seed)
        if one.label == "right" or one.text not in known
    )
    return tabbed(islice(rows, asked.number))


def missing_words(asked: MakeOptions) -> Iterator[str]:
    """Give sentences of the grammar without one of their words."""
    from dragoman.data.corpus.generators.corruptions import make_missing

    rows = make_missing(english(asked.number, asked.seed), seed=asked.seed)
    return objects(one._asdict() for one in islice(rows, asked.number))


def in_context(asked: MakeOptions) -> Iterator[str]:
    """Give texts to learn from: examples of one rule each."""
    from dragoman.data.corpus.generators.in_context import draw_documents

    return iter(draw_documents(asked.number, shots=asked.size or 0, seed=asked.seed))


def in_context_questions(asked: MakeOptions) -> Iterator[str]:
    """Give questions after some examples, of rules that no text to learn from shows."""
    from dragoman.data.corpus.generators.in_context import draw_prompts

    drawn = draw_prompts(asked.number, shots=asked.size or 0, seed=asked.seed)
    return objects(one._asdict() for one in drawn)


def addition(asked: MakeOptions, *, steps: bool = False) -> Iterator[str]:
    """Give sums, each with its answer."""
    from dragoman.data.corpus.generators.addition import draw_additions

    drawn = draw_additions(asked.number, digits=asked.size or 1, seed=asked.seed)
    return (one.question + one.written(steps=steps) for one in drawn)


SOME = 5000
"""Sentences of the grammar that are drawn at least: they show which words can stand together."""

DISTRACTORS = Size("distractors", "Nouns before the verb. [default: random, 0 to 4]", 0, 4)
SHOTS = Size("shots", "Examples before the last question.", 0, 1000, 8)
DIGITS = Size("digits", "Digits of each number.", 1, 50, 3)
MAKERS = (
    Maker(
        "arithmetic", "Generate sums and differences in words, with their signs.", arithmetic, 800
    ),
    Maker(
        "agreement",
        "Generate sentences up to the verb, labelled singular or plural.",
        agreement,
        size=DISTRACTORS,
    ),
    Maker(
        "agreement-pairs",
        "Generate sentences with the right and the wrong verb form, as JSON lines.",
        agreement_pairs,
        size=DISTRACTORS,
    ),
    Maker(
        "lag",
        "Generate strings of letters, labelled with the one capital among them.",
        remembering,
        size=Size("lag", "Letters after the capital.", 0, 1000, 10),
    ),
    Maker(
        "right-context",
        "Generate sentences, labelled by whether their first word is a person or a thing.",
        right_context,
        size=Size("asides", "Clauses in between. [default: random, 0 to 4]", 0, 4),
    ),
    Maker(
        "homophones",
        "Generate sentences with and without a wrong homophone, as JSON lines.",
        homophones,
    ),
    Maker("corruptions", "Generate sentences, labelled right or wrong.", corruptions),
    Maker(
        "missing-words", "Generate sentences with one word missing, as JSON lines.", missing_words
    ),
    Maker("in-context", "Generate texts with examples of one rule each.", in_context, size=SHOTS),
    Maker(
        "in-context-questions",
        "Generate questions about rules that in-context leaves out, as JSON lines.",
        in_context_questions,
        size=SHOTS,
    ),
    Maker("addition", "Generate sums with their answers.", addition, size=DIGITS),
    Maker(
        "addition-steps",
        "Generate sums with every step and their answers.",
        partial(addition, steps=True),
        size=DIGITS,
    ),
)  # fmt: skip


def add_command(maker: Maker) -> None:
    """Make a row of the table a command."""
    size = maker.size

    def plain(
        number: Number = maker.number, seed: Seed = 1, output: Output = None, force: Force = False
    ) -> None:
        check_free(force, output)
        write(maker.lines(MakeOptions(number, seed)), output)

    if size is None:
        make.command(maker.name, cls=CliCommand, help=maker.help)(plain)
        return
    least, most = size.least, size.most
    own = typer.Option(f"--{size.option}", metavar="N", help=size.help, min=least, max=most)

    def sized(
        number: Number = maker.number,
        chosen: Annotated[int | None, own] = size.usual,
        seed: Seed = 1,
        output: Output = None,
        force: Force = False,
    ) -> None:
        check_free(force, output)
        write(maker.lines(MakeOptions(number, seed, chosen)), output)

    make.command(maker.name, cls=CliCommand, help=maker.help)(sized)


def english(count: int, seed: int) -> list[str]:
    """Draw sentences of the embedded grammar, and somewhat more than are asked for."""
    from dragoman.data.grammar.sample import draw_sets

    pairs = max(SOME, count + count // 10)
    drawn = draw_sets(pairs=pairs, held_out=0, difficulty=4, seed=seed)
    return [one.source for one in drawn.train]


def tabbed(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Write rows with tabs between their cells."""
    return ("\t".join(row) for row in rows)


def objects(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Write rows as JSON lines."""
    return (json.dumps(row, ensure_ascii=False) for row in rows)


def check_free(force: bool, *paths: Path | None) -> None:
    """Refuse to write over a file, before anything is drawn, unless told to."""
    from dragoman.core.errors import DataError

    named = [path.resolve() for path in paths if path is not None]
    if len(set(named)) < len(named):
        raise DataError(f"{named[0]}: is named twice, and the second would replace the first.")
    for path in paths:
        if path is not None and path.exists() and not force:
            raise DataError(f"{path}: exists already. Name another, or use --force.")


def write(lines: Iterable[str], output: Path | None) -> None:
    """Write lines to a file, all or none, or to stdout."""
    from dragoman.core.files import write_atomic

    text = "".join(f"{line}\n" for line in lines)
    if output is None:
        sys.stdout.write(text)
    else:
        write_atomic(output, text)


for _maker in MAKERS:
    add_command(_maker)
make.command(cls=CliCommand)(shapes)
