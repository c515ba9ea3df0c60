"""Every command that the page, the documentation or a message prints is one that can be typed."""

import ast
import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
import typer
from tests.architecture.test_documentation import PAGES, ROOT

from dragoman.cli.lab_run import parted
from dragoman.cli.main import app
from dragoman.config.reading import read_recipe, shipped_recipes
from dragoman.config.recipe import Recipe
from dragoman.config.sections import section_models
from dragoman.config.serving import ServingSettings
from dragoman.config.training import DecodingSettings
from dragoman.core.errors import ConfigError
from dragoman.data.corpus.catalogue.entries import ENTRIES
from dragoman.lab.catalogue import claims, experiments, topics
from dragoman.lab.claims import ExactClaim

SOURCE = ROOT / "src/dragoman"
STUDIO = SOURCE / "server/studio/page"
BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(dragoman [^`]+)`")
QUOTED = re.compile(r"""(["'`])(dragoman (?:(?!\1).)+)\1""")
AFTER_WORDS = re.compile(r"(?:: +|^ +)(dragoman [a-z].*?)(?= {2,}|\n| \(|$)", re.MULTILINE)
PLACEHOLDER = re.compile(r"(--)?[A-Z_]+(\.\.\.)?|…|\[.*|.*\]|\.\.\.")
NAME = re.compile(r"[a-z0-9-]+")
OPERATORS = set("();<>|&")
Command = tuple[str, ...]


@cache
def root() -> Any:
    """Return the command itself, with all its verbs."""
    return typer.main.get_command(app)


@cache
def catalogues() -> dict[str, tuple[str, frozenset[str]]]:
    """Return for a verb the argument that names something, and the names there are."""
    recipes = frozenset(shipped_recipes())
    named = {one.name for one in topics().values()}
    subjects = frozenset({*experiments(), *topics(), *claims(), *named})
    return {
        "lab run": ("names", subjects),
        "lab show": ("names", subjects),
        "data get": ("name", frozenset(entry.name for entry in ENTRIES)),
        "train": ("recipe", recipes),
        "show": ("recipe", recipes),
        "compare": ("recipes", recipes),
    }


@cache
def keys() -> dict[str, set[str]]:
    """Return the keys that each section of a recipe may have."""
    return {
        section: {f.alias or key for model in models for key, f in model.model_fields.items()}
        for section, models in section_models().items()
    }


def commands_in(line: str) -> Iterator[Command]:
    """Yield the words after `dragoman` of every command in a line of a shell, or of a synopsis."""
    line = re.sub(r"\[(--[^]]*)\]", lambda optional: optional[1].replace("|", ""), line)
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, ";"]:
        if not set(word) <= OPERATORS:
            words.append(word)
            continue
        starts = [at for at, one in enumerate(words) if one.split("/")[-1] == "dragoman"]
        if starts and words[starts[-1] + 1 :]:
            yield tuple(words[starts[-1] + 1 :])
        words = []


def of_blocks(text: str) -> Iterator[str]:
    """Yield the lines of fenced blocks that begin with the command, or have another run it."""
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if re.match(r"(\$ )?(.*\| *|sudo .*|ExecStart=\S*/)?dragoman [a-z]", line):
                yield line.removeprefix("$ ")


def of_messages(path: Path) -> Iterator[str]:
    """Yield the commands in the strings of a Python file; a value that is filled in is `X`."""
    text = path.read_text(encoding="utf-8")
    if not re.search(r"(?<!from )dragoman [a-z{]", text):
        return
    for node in ast.walk(ast.parse(text)):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        constants = [one.value if isinstance(one, ast.Constant) else "X" for one in parts]
        if all(isinstance(one, str) for one in constants):
            text = "".join(map(str, constants))
            yield from INLINE.findall(text)
            yield from AFTER_WORDS.findall(text)


def whole() -> list[tuple[str, str]]:
    """Return the commands that can be copied as they are, with the file of each."""
    found = [(page.name, line) for page in PAGES for line in of_blocks(page.read_text("utf-8"))]
    for path in sorted([*STUDIO.rglob("*.js"), *STUDIO.rglob("*.html")]):
        found += [(path.name, line) for _, line in QUOTED.findall(path.read_text("utf-8"))]
    return found


def mentioned() -> list[tuple[str, str]]:
    """Return the commands that texts speak of, which may leave out what follows the verb."""
    found = [
        (page.name, line) for page in PAGES for line in INLINE.findall(page.read_text("utf-8"))
    ]
    for path in sorted(SOURCE.rglob("*.py")):
        found += [(path.name, line) for line in of_messages(path)]
    return found


def complaints(line: str, *, complete: bool) -> list[str]:
    """Say what is wrong with the commands of a line."""
    return [wrong for words in commands_in(line) for wrong in _complaints(words, complete)]


def _complaints(words: Command, complete: bool) -> Iterator[str]:
    command = root()
    rest = list(words)
    verbs = []
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        if PLACEHOLDER.fullmatch(rest[0]):
            return
        if rest[0] not in command.commands and getattr(command, "default_command", None):
            rest.insert(0, command.default_command)
        if rest[0] not in command.commands:
            yield f"there is no {' '.join([*verbs, rest[0]])}"
            return
        command = command.commands[rest[0]]
        verbs.append(rest.pop(0))
    context = command.context_class(command, info_name="dragoman", **command.context_settings)
    given = [one for one in rest if not PLACEHOLDER.fullmatch(one) or one[0].isupper()]
    try:
        values, extra, _ = command.make_parser(context).parse_args(given)
    except Exception as error:
        if complete or "requires" not in str(error):
            yield str(error)
        return
    if hasattr(command, "commands"):
        return
    yield from _extras(values) if verbs == ["lab", "run"] else _too_many(extra)
    yield from _values(command, values, complete)
    yield from _names(" ".join(verbs), values)


def _too_many(extra: list[str]) -> list[str]:
    return [f"{extra[0]} is one word too many"] if extra else []


def _extras(values: dict[str, Any]) -> list[str]:
    """Part the names of `lab run` from options, and say which of these a claim does not have."""
    names, own = parted(list(values.get("names") or ()))
    values["names"] = [name for name in names if not name.endswith(".py")]
    known = {**{name: one.options for name, one in experiments().items()}}
    known |= {id_: one.parameters for id_, one in claims().items() if isinstance(one, ExactClaim)}
    fields = known[names[0]].model_fields if len(names) == 1 and names[0] in known else {}
    return [f"{names[0]} has no --{one}" for one in own if one.replace("-", "_") not in fields]


def _values(command: Any, values: dict[str, Any], complete: bool) -> Iterator[str]:
    hints = get_type_hints(command.callback)
    for one in command.params:
        value = values.get(one.name)
        if complete and one.required and value in (None, ()):
            yield f"{one.name} is missing"
        choices = get_args(hints.get(one.name))
        literal = get_origin(hints.get(one.name)) is Literal
        if literal and isinstance(value, str) and _literal(value) and value not in choices:
            yield f"{one.name} is one of {choices}"


def _literal(word: str) -> bool:
    return NAME.fullmatch(word) is not None


def _key(change: str) -> str:
    return change.partition("=")[0]


def _exists(key: str) -> bool:
    section, _, name = key.partition(".")
    return name in keys().get(section, ()) if name else key in Recipe.model_fields


def _names(verb: str, values: dict[str, Any]) -> Iterator[str]:
    """Say which experiments, recipes, corpora and settings do not exist."""
    parameter, names = catalogues().get(verb, ("", frozenset()))
    asked = values.get(parameter) or ()
    for one in (asked,) if isinstance(asked, str) else asked:
        if _literal(one) and one not in names:
            yield f"{verb} knows no {one}"
    changes = [one for one in values.get("changes") or () if re.match(r"\w+(\.\w+)?=", one)]
    yield from (f"there is no key {key}" for key in map(_key, changes) if not _exists(key))
    if verb == "train" and values["recipe"] in names:
        try:
            read_recipe(shipped_recipes()[values["recipe"]], changes)
        except ConfigError as error:
            yield str(error)
    settings = ServingSettings if verb == "serve" else DecodingSettings
    for change in values.get("change") or ():
        key = _key(change).split(".")[0]
        if key.islower() and key not in settings.model_fields:
            yield f"there is no setting {key}"


def test_every_command_that_can_be_copied_can_be_run():
    found = whole()
    assert len(found) > 100
    assert [
        (where, line, wrong) for where, line in found for wrong in complaints(line, complete=True)
    ] == []


def test_every_command_that_a_text_speaks_of_exists():
    found = mentioned()
    assert len(found) > 100
    assert [
        (where, line, wrong) for where, line in found for wrong in complaints(line, complete=False)
    ] == []


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("dragoman lab run gradient-flaw --quick", "lab run knows no gradient-flaw"),
        ("dragoman train grammer-gpt", "train knows no grammer-gpt"),
        ("dragoman train english-hindi model.widht=3", "model.widht"),
        ("dragoman train my.toml model.widht=3", "there is no key model.widht"),
        ("dragoman train my.toml --run runs/a", "--run"),
        ("dragoman data get smollm", "data get knows no smollm"),
        ("dragoman evaluate", "run is missing"),
        ("dragoman export runs/a b --to tensorflow", "to is one of"),
        ("dragoman demo && dragoman sreve runs/demo", "there is no sreve"),
        ("dragoman import gguf $(dragoman data got smollm2) --to runs/a", "there is no data got"),
        ("dragoman serve runs/my --set prot=1", "there is no setting prot"),
        ("dragoman translate runs/my --set baem=1 < a.txt", "there is no setting baem"),
        ("dragoman generate runs/my a b c", "is one word too many"),
        ("dragoman lab run memory --words a.txt", "memory has no --words"),
    ],
)
def test_a_command_that_cannot_be_run_is_found(line, wrong):
    assert [one for one in complaints(line, complete=True) if wrong in one]


@pytest.mark.parametrize(
    "line",
    [
        "dragoman lab run pig-latin --quick --words a.txt",
        "dragoman train english-hindi model.width=192 \"corpus={kind = 'grammar', pairs = 3}\"",
        "printf 'a b' | dragoman translate runs/my --set beam=3 < a.txt > b.txt  # as it is",
    ],
)
def test_a_command_that_can_be_run_is_let_pass(line):
    assert complaints(line, complete=True) == []
