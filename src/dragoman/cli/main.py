"""The command `dragoman`: its verbs in the order of the pipeline.

Only typer is imported here; a verb imports what it needs when it runs, so that help comes at once.
"""

import os
import signal
import sys
from types import FrameType
from typing import Annotated, NoReturn

import typer

from dragoman import __version__
from dragoman.cli.check import check
from dragoman.cli.classify import classify
from dragoman.cli.compare import compare
from dragoman.cli.data import app as data
from dragoman.cli.demo import demo
from dragoman.cli.evaluate import evaluate
from dragoman.cli.export import export
from dragoman.cli.fill import fill
from dragoman.cli.former_options import refuse_former_options
from dragoman.cli.generate import generate
from dragoman.cli.help import CliCommand, CliGroup
from dragoman.cli.import_ import app as import_
from dragoman.cli.key import app as key
from dragoman.cli.lab import app as lab
from dragoman.cli.match import match
from dragoman.cli.new import new
from dragoman.cli.plan import app as plan
from dragoman.cli.runs import runs
from dragoman.cli.score import score
from dragoman.cli.serve import serve
from dragoman.cli.show import show
from dragoman.cli.tag import tag
from dragoman.cli.train import train
from dragoman.cli.translate import translate
from dragoman.core.errors import DragomanError

app = typer.Typer(
    name="dragoman",
    cls=CliGroup,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
VERBS = {
    "Prepare": (new, show, check),
    "Train": (train, compare, runs, demo),
    "Use": (translate, generate, score, fill, classify, tag, match),
    "Exchange": (export,),
    "Serve": (serve,),
    "Understand": (evaluate,),
}
"""The verbs in the order of the pipeline, as help groups them."""

for group, verbs in VERBS.items():
    for verb in verbs:
        app.command(cls=CliCommand, rich_help_panel=group)(verb)
app.add_typer(data, name="data", rich_help_panel="Prepare")
app.add_typer(plan, name="plan", rich_help_panel="Prepare")
app.add_typer(import_, name="import", rich_help_panel="Exchange")
app.add_typer(key, name="key", rich_help_panel="Serve")
app.add_typer(lab, name="lab", rich_help_panel="Understand")

LONGEST = 4000
"""Characters of an error; what it quotes of a file may be long, and may hold control characters."""


def _version(asked: bool) -> None:
    if asked:
        print(f"dragoman {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Train your own translator on your own machine, and see why it works."""


def main() -> None:
    """Run a verb; a user's mistake is one line and exit code 2."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)
    # Threads that wait look out for work for some microseconds, then sleep: small steps follow each
    # other too fast for sleeping, and on a busy machine endless looking takes the core from others.
    os.environ.setdefault("GOMP_SPINCOUNT", "10000")
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        refuse_former_options(sys.argv[1:])
        app()
    except DragomanError as error:
        _fail(str(error))
    except MemoryError:
        _fail("not enough memory for this. Give it less at a time, or a smaller model.")
    except OSError as error:  # of the disk, where no part of the program knew more about it
        from dragoman.core.file_of_error import file_of_error

        where = file_of_error(error)
        _fail(f"{where}{where and ': '}{error.strerror or error}.")
    finally:
        _flush()


def _fail(message: str) -> NoReturn:
    """Print an error in one line, and leave with exit code 2."""
    from dragoman.core.console import say

    line = " ".join(line.strip() for line in message.splitlines())
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    say(f"dragoman: {plain if len(plain) <= LONGEST else plain[:LONGEST] + ' ...'}")
    sys.exit(2)


def leave(number: int, _: FrameType | None) -> None:
    """End at once at a signal that no verb waits for; a training does, and stores its state."""
    os.write(2, f"dragoman: stopped by {signal.Signals(number).name}.\n".encode())
    os._exit(128 + number)


def _flush() -> None:
    """Send the last lines off; if their reader has gone, as `head` does, that is no error."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
