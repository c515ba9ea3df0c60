"""Mutations of a file: what bad disks, bad copies and bad habits make of one."""

import json
import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

SPARSE = 8 << 30
"""Bytes by which a sparse file grows; none of them is on the disk."""

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 10**30, float("nan"), float("inf"), "", "text", [], {}, [[[]]], "\ud800",
)  # fmt: skip
"""What a value of a JSON file is changed into."""

TOML_VALUES = ("-1", "0", "1" + "0" * 30, "nan", "inf", '""', '"text"', "[]", "{}", "[" * 5000, "=")


def flip(path: Path, draw: random.Random) -> None:
    """Flip one bit."""
    content = bytearray(path.read_bytes())
    if content:
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)


def overwrite(path: Path, draw: random.Random) -> None:
    """Write random bytes over a part."""
    content = bytearray(path.read_bytes())
    begin = draw.randrange(len(content) + 1)
    part = draw.randbytes(draw.randint(1, 64))
    content[begin : begin + len(part)] = part[: len(content) - begin]
    path.write_bytes(content)


def truncate(path: Path, draw: random.Random) -> None:
    """Cut the end off."""
    path.write_bytes(path.read_bytes()[: draw.randrange(path.stat().st_size + 1)])


def empty(path: Path, draw: random.Random) -> None:
    """Leave nothing."""
    path.write_bytes(b"")


def garbage(path: Path, draw: random.Random) -> None:
    """Leave random bytes, as many as there were."""
    path.write_bytes(draw.randbytes(path.stat().st_size))


def lengthen(path: Path, draw: random.Random) -> None:
    """Add a few random bytes."""
    path.write_bytes(path.read_bytes() + draw.randbytes(draw.randint(1, 64)))


def swap(path: Path, draw: random.Random) -> None:
    """Change places with another file of the run, of the same kind if there is one."""
    run = next(one for one in path.parents if (one / "data").is_dir())
    others = sorted(one for one in run.rglob("*") if one.is_file() and one != path)
    alike = [one for one in others if one.suffix == path.suffix]
    other = draw.choice(alike or others)
    beside = path.with_name("swapped")
    path.rename(beside)
    other.rename(path)
    beside.rename(other)


def remove(path: Path, draw: random.Random) -> None:
    """Take it away."""
    path.unlink()


def folder(path: Path, draw: random.Random) -> None:
    """Put a folder in its place."""
    path.unlink()
    path.mkdir()


def device(path: Path, draw: random.Random) -> None:
    """Put a link to an endless device in its place."""
    path.unlink()
    path.symlink_to("/dev/zero")


def pipe(path: Path, draw: random.Random) -> None:
    """Put a named pipe in its place, which nobody writes to."""
    path.unlink()
    os.mkfifo(path)


def lock_out(path: Path, draw: random.Random) -> None:
    """Take all permissions; root may read it all the same."""
    path.chmod(0)


def sparse(path: Path, draw: random.Random) -> None:
    """Make it huge without filling the disk."""
    os.truncate(path, path.stat().st_size + SPARSE)


def change_json(path: Path, draw: random.Random) -> None:
    """Change one value of a JSON file, or of one line of several."""
    lines = path.read_text().splitlines() if path.suffix == ".jsonl" else [path.read_text()]
    place = draw.randrange(max(1, len(lines) - 1))  # a kill may have cut off the last line
    tree = json.loads(lines[place])
    holder, key = draw.choice(_values(tree) or [([0], 0)])
    holder[key] = draw.choice(VALUES)
    lines[place] = json.dumps(tree)
    path.write_text("\n".join(lines) + "\n")


def nest_json(path: Path, draw: random.Random) -> None:
    """Nest one value of a JSON file deeper than any parser follows."""
    tree = json.loads(
        path.read_text().splitlines()[0] if path.suffix == ".jsonl" else path.read_text()
    )
    holder, key = draw.choice(_values(tree))
    holder[key] = "nested here"
    path.write_text(json.dumps(tree).replace('"nested here"', "[" * 100_000 + "]" * 100_000))


def change_toml(path: Path, draw: random.Random) -> None:
    """Change one value of a TOML file."""
    lines = path.read_text().splitlines()
    place = draw.choice([at for at, line in enumerate(lines) if re.match(r"\w+ = ", line)])
    lines[place] = f"{lines[place].partition(' = ')[0]} = {draw.choice(TOML_VALUES)}"
    path.write_text("\n".join(lines) + "\n")


def _values(tree: Any) -> list[tuple[Any, Any]]:
    """Return every place in a tree that holds a value."""
    keys = tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ()
    return [place for key in keys for place in ((tree, key), *_values(tree[key]))]


Mutation = Callable[[Path, random.Random], None]
ANY: tuple[Mutation, ...] = (
    flip, overwrite, truncate, empty, garbage, lengthen, swap, remove, folder, device, pipe,
    lock_out, sparse,
)  # fmt: skip
OWN: dict[str, tuple[Mutation, ...]] = {
    ".json": (change_json, change_json, nest_json),
    ".jsonl": (change_json, change_json, nest_json),
    ".toml": (change_toml,) * 3,
}


def mutate(run: Path, draw: random.Random) -> tuple[Path, str]:
    """Damage one file of a run; return which, and how."""
    file = draw.choice(sorted(one for one in run.rglob("*") if one.is_file()))
    how = draw.choice((*ANY, *OWN.get(file.suffix, ())))
    how(file, draw)
    return file, how.__name__


def copy_run(run: Path, to: Path) -> Path:
    """Copy a run where a former, damaged copy may be."""
    shutil.rmtree(to, ignore_errors=True)
    return Path(shutil.copytree(run, to))
