"""Reading recipes strictly: every mistake is reported, with its file, its key and a way out."""

import errno
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from dragoman.config.former_keys import Tree, is_written_anew, with_new_keys
from dragoman.config.recipe import Recipe
from dragoman.config.sections import kind_of, members_of, section_models
from dragoman.config.settings import Settings
from dragoman.config.synonyms import FORMER_SECTIONS, former_value, new_names, our_name
from dragoman.core.checksums import read_checked
from dragoman.core.console import say
from dragoman.core.errors import ConfigError, nearest

Chosen = TypeVar("Chosen", bound=Settings)
FILE_KEYS = ("train", "valid", "test", "extra")
"""Keys of a corpus that name files."""

LARGEST_FILE = 65_536
"""Bytes; a recipe has a few thousand, and a file made to do harm takes long to read."""


def read_recipe(path: Path, changes: Sequence[str] = ()) -> Recipe:
    """Read a recipe file, with `section.key=value` changes applied to it.

    Paths in the file are relative to the file; paths in changes to the present folder.
    """
    tree = _in_new_keys(_read_toml(path), str(path))
    _anchor_paths(tree, path.parent)
    for change in changes:
        _apply(tree, change)
    _refuse_python_names(tree, str(path))
    _inherit(tree)
    return recipe_from_tree(tree, str(path))


def recipe_from_tree(tree: Tree, where: str) -> Recipe:
    """Check a tree of plain values and make it a recipe."""
    _fill_kinds(tree)
    try:
        return Recipe.model_validate(tree)
    except ValidationError as error:
        lines = [f"{where}: {_explain(one)}" for one in error.errors()]
        raise ConfigError("\n".join(lines)) from None


def stored_recipe(tree: Tree, where: str) -> Recipe:
    """Make a recipe of plain values that an earlier version may have stored."""
    return recipe_from_tree(with_new_keys(tree)[0], where)


def changed_settings(section: str, settings: Chosen, changes: Sequence[str]) -> Chosen:
    """Return the settings of a section with `key=value` changes applied to them."""
    tree: Tree = {section: settings.model_dump()}
    for change in changes:
        _apply(tree, f"{section}.{change}")
    try:
        return type(settings).model_validate(tree[section])
    except ValidationError as error:
        wrong = [{**one, "loc": (section, *one["loc"])} for one in error.errors()]
        raise ConfigError("\n".join(_explain(one) for one in wrong)) from None  # type: ignore[arg-type]


def changed_keys(before: Settings, after: Settings) -> Tree:
    """Return the keys in which settings differ from former ones, each with its new value."""
    old, new = (_flat(one.model_dump(mode="json")) for one in (before, after))
    return {key: value for key, value in new.items() if old.get(key) != value}


def find_recipe(name: str) -> Path:
    """Return the path of a recipe file, given as a path or as the name of a shipped recipe."""
    path = Path(name)
    if path.suffix == ".toml" or path.exists():
        if path.is_file():
            return path
        if (path / "recipe.toml").is_file():
            raise ConfigError(
                f"{name}: is a run folder, not a recipe. Go on with it by: "
                f"dragoman train {path / 'recipe.toml'} --output {name}"
            )
        raise ConfigError(f"{name}: there is no such recipe file. {_hint(path.stem)}")
    for folder in _shipped():
        if (folder / f"{name}.toml").is_file():
            return folder / f"{name}.toml"
    raise ConfigError(f"{name}: there is no recipe of this name. {_hint(name)}")


def shipped_recipes() -> dict[str, Path]:
    """Return the recipes that come with the package, by name."""
    return {p.stem: p for folder in _shipped() for p in sorted(folder.glob("*.toml"))}


def _shipped() -> list[Path]:
    package = Path(__file__).parents[1]
    return [f for f in (package / "recipes", package.parents[1] / "recipes") if f.is_dir()]


def _hint(name: str) -> str:
    see = "`dragoman show` lists them all."
    return nearest(name, shipped_recipes(), listed="Shipped recipes", most=3, see=see)


def _read_toml(path: Path) -> Tree:
    try:
        return _parse_toml(path)
    except ConfigError:
        if path.suffix == ".toml" or not path.is_file():
            raise
        raise ConfigError(
            f"{path}: is not a recipe. If it is a corpus, write a recipe for it: "
            f"dragoman new {path}"
        ) from None


def _parse_toml(path: Path) -> Tree:
    try:
        return tomllib.loads(read_checked(path, LARGEST_FILE).decode("utf-8-sig"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such recipe file.") from None
    except OSError as error:
        if path.is_dir():
            raise ConfigError(f"{path}: is a folder, not a recipe file.") from None
        if error.errno in (errno.EFBIG, errno.EINVAL):
            raise ConfigError(f"{path}: is {error.strerror}, and so no recipe.") from None
        raise ConfigError(f"{path}: cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text (byte {error.start}).") from None
    except (ValueError, RecursionError) as error:  # also numbers and nesting without measure
        raise ConfigError(f"{path}: is not valid TOML: {error}.") from None


def _in_new_keys(tree: Tree, where: str) -> Tree:
    """Read a stored run, or a recipe of former keys only, under the new names.

    In a recipe that has new names a former one is a mistake, and told as one.
    """
    new, renamed = with_new_keys(tree)
    if not renamed or "made_with" in tree:
        return new
    if is_written_anew(tree):
        lines = [f"{where}: {_called_now(key, [now])}" for key, now in renamed.items()]
        raise ConfigError("\n".join(lines))
    names = ", ".join(f"{key} → {now}" for key, now in renamed.items())
    say(f"{where}: former keys, read under their new names: {names}.")
    return new


def _anchor_paths(tree: Tree, folder: Path) -> None:
    start = tree.get("start")
    if isinstance(start, dict) and isinstance(start.get("from"), str):
        start["from"] = str((folder / start["from"]).absolute())
    corpus = tree.get("corpus")
    parts = corpus.get("parts") if isinstance(corpus, dict) else None
    for place in (corpus, *(parts if isinstance(parts, list) else ())):
        for key in FILE_KEYS if isinstance(place, dict) else ():
            files = place.get(key)
            if isinstance(files, str):
                place[key] = [str((folder / files).absolute())]
            elif isinstance(files, list):
                place[key] = [
                    str((folder / f).absolute()) if isinstance(f, str) else f for f in files
                ]


def _refuse_python_names(tree: Tree, where: str) -> None:
    """Refuse the name that a key has in Python where its name in a recipe is another one."""
    start = tree.get("start")
    if isinstance(start, dict) and "run" in start:
        raise ConfigError(f"{where}: start.run: is called start.from in a recipe.")


def _inherit(tree: Tree) -> None:
    """Let a recipe that starts from a run leave out what that run says: network and tokenizer."""
    start = tree.get("start")
    run = start.get("from") if isinstance(start, dict) else None
    if not isinstance(run, str) or "made_with" in tree:
        return
    if not (Path(run) / "recipe.toml").is_file():
        raise ConfigError(f"start.from: {run} is no run folder: it has no recipe.toml.")
    before = with_new_keys(_read_toml(Path(run) / "recipe.toml"))[0]
    for section in ("model", "tokenizer"):
        if section not in tree and section in before:
            tree[section] = before[section]


def _apply(tree: Tree, change: str) -> None:
    key, equals, text = change.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"{change!r} is not a change. Write it as section.key=value.")
    *sections, last = key.strip().split(".")
    if key.partition(".")[0].strip() in FORMER_SECTIONS:
        raise ConfigError(_called_now(key.strip(), new_names(key.strip())))
    place = tree
    for section in sections:
        place = place.setdefault(section, {})
        if not isinstance(place, dict):
            raise ConfigError(f"{change!r}: {section!r} is a value, not a section.")
    place[last] = _value(text.strip())
    if (*sections, last) == ("start", "from") or (
        sections == ["corpus"] and last in (*FILE_KEYS, "parts")
    ):
        _anchor_paths(tree, Path.cwd())


def _value(text: str) -> Any:
    """Read the right side of a change as TOML would; anything else is a plain string."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def _fill_kinds(tree: Tree) -> None:
    """Let `kind` be left out: it is then that of the section's default, or what fits the keys."""
    for name, models in section_models().items():
        section = tree.get(name)
        if not isinstance(section, dict) or "kind" in section:
            continue
        kinds = [m for m in models if "kind" in m.model_fields]
        if kinds:
            section["kind"] = kinds[0].model_fields["kind"].default
        elif name == "start":
            section.setdefault("method", "full")


def _explain(error: ErrorDetails) -> str:
    path, model, members = _follow([str(part) for part in error["loc"]])
    key = ".".join(path)
    match error["type"]:
        case "extra_forbidden":
            return _unknown(path, model, members)
        case "union_tag_invalid":
            given = str(error.get("ctx", {}).get("tag", ""))
            if now := former_value(f"{key}.kind", given):
                return f"{key}.kind: {given!r} is called {now!r} now."
            return f"{key}.kind: unknown kind {given!r}. {nearest(given, map(kind_of, members))}"
        case "union_tag_not_found":
            return f"{key}.kind: is missing. Known: {', '.join(sorted(map(kind_of, members)))}."
        case "literal_error" if value := former_value(key, error["input"]):
            return f"{key}: {error['input']!r} is called {value!r} now."
        case "missing":
            return f"{key}: is missing and has no default."
        case "value_error":
            return f"{key}: {error['ctx']['error']}"
        case _:
            return f"{key}: {error['msg']} (got {error['input']!r})."


def _unknown(path: list[str], model: type[BaseModel], members: list[type[BaseModel]]) -> str:
    """Explain an unknown key: of another kind, renamed, of another toolkit or misspelt."""
    key, name = ".".join(path), path[-1]
    if others := [kind_of(m) for m in members if name in m.model_fields]:
        having = ", ".join(others)
        return f"{key}: kind {kind_of(model)!r} has no such key. Kinds that have it: {having}."
    if now := new_names(key):
        return _called_now(key, now)
    ours = our_name(name)
    known = [field.alias or own for own, field in model.model_fields.items()]
    hint = f"Here it is called {ours!r}." if ours else nearest(name, known)
    return f"{key}: unknown key. {hint}"


def _called_now(key: str, names: Sequence[str]) -> str:
    return f"{key}: is called {' or '.join(names)} now."


def _follow(parts: list[str]) -> tuple[list[str], type[BaseModel], list[type[BaseModel]]]:
    """Follow an error to its place; return the keys, the settings there and what they may be."""
    model: type[BaseModel] = Recipe
    members: list[type[BaseModel]] = []
    path: list[str] = []
    while parts:
        key, *parts = parts
        path.append(key)
        found = members_of(model.model_fields.get(key))
        if not found:
            break
        chosen = [m for m in found if parts and kind_of(m) == parts[0]]
        parts = parts[1:] if chosen else parts
        model, members = (chosen or found)[0], found
    return [*path, *parts], model, members


def differences(one: Recipe, other: Recipe) -> dict[str, tuple[Any, Any]]:
    """Return the keys in which two recipes differ, with both values."""
    a, b = (_flat(r.model_dump(mode="json", exclude={"made_with"})) for r in (one, other))
    return {k: (a.get(k), b.get(k)) for k in sorted({*a, *b}) if a.get(k) != b.get(k)}


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Tree:
    flat: Tree = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            flat |= _flat(value, f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat
