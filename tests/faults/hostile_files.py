"""What a stranger may do to a file: hostile values in JSON, broken bytes and headers, no file."""

import json
import math
import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

HOSTILE: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 7, 2**31, 2**63, 10**12, 10**400, 0.5, 1e308, math.nan),
    *(math.inf, -math.inf, "", "x", "x" * 10_000, "\x00", "\x1b[31m\r\n", "../../x", "/dev/zero"),
    *("é\ud800", [], {}, [[]], {"a": {}}, [None] * 1000, "model.safetensors", ["a", 1], "(a+)+$"),
)
DEEP = 100_000
TERABYTE = 1 << 40


def spoil(folder: Path, random: Random) -> str:
    """Do something to one file of a folder; say what."""
    path = random.choice(sorted(one for one in folder.rglob("*") if one.is_file()))
    ways: list[Callable[[Path, Random], str]] = [special_file, broken_bytes]
    if path.suffix == ".json":
        ways += [hostile_value] * 6 + [hostile_json]
    if path.suffix == ".safetensors":
        ways += [hostile_header] * 3 + [strange_numbers, hostile_index]
    if path.suffix in (".gguf", ".spm"):
        ways += [broken_bytes] * 4
    way = random.choice(ways)
    return f"{path.name}: {way(path, random)}"


def special_file(path: Path, random: Random) -> str:
    """Put something else in the place of a file."""
    kind = random.choice(("/dev/zero", "/dev/full", "fifo", "folder", "sparse", "loop", "nothing"))
    path.unlink()
    if kind.startswith("/dev"):
        path.symlink_to(kind)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "sparse":
        path.touch()
        os.truncate(path, TERABYTE)
    elif kind == "loop":
        path.symlink_to(path.name)
    return kind


def broken_bytes(path: Path, random: Random) -> str:
    """Change, cut, lengthen or repeat bytes."""
    data = bytearray(path.read_bytes())
    at = random.randrange(min(len(data), random.choice((64, 4096, len(data)))) or 1)
    what = random.choice(("flip", "cut", "more", "repeat", "ones", "zeros", "length"))
    if what == "flip":
        for place in (at, random.randrange(len(data)), random.randrange(len(data))):
            data[place] ^= 1 << random.randrange(8)
    elif what == "cut":
        del data[at:]
    elif what == "more":
        data += random.randbytes(9)
    elif what == "repeat":
        data[at:at] = data[: random.randrange(1, 200)]
    elif what == "length":
        data[at : at + 8] = struct.pack("<q", random.choice((-1, 2**62, 2**40, 0, 10**6)))
    else:
        data[at : at + 8] = (b"\xff" if what == "ones" else b"\x00") * 8
    path.write_bytes(data)
    return f"{what} at {at}"


def places(tree: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value of a tree, few of each long list or table."""
    keys = list(tree) if isinstance(tree, dict) else range(len(tree))
    for key in list(keys)[:40]:
        yield (*way, key)
        if isinstance(tree[key], dict | list):
            yield from places(tree[key], (*way, key))


def replace(tree: Any, random: Random) -> str:
    """Replace, remove or add a value somewhere in a tree."""
    ways = list(places(tree))
    *way, last = random.choice(ways) if ways else ["new"]
    for key in way:
        tree = tree[key]
    if not isinstance(tree, dict | list):
        return "nothing"
    kind = random.choice(("replace", "replace", "replace", "remove", "add"))
    value = random.choice(HOSTILE)
    if isinstance(value, int) and isinstance(tree, dict) and isinstance(tree.get(last), int):
        value = random.choice((value, tree[last] + 1, tree[last] * 1000))
    if kind == "remove" and ways:
        del tree[last]
    elif isinstance(tree, dict):
        tree["new" if kind == "add" else last] = value
    elif kind == "add" or not tree:
        tree.append(value)
    else:
        tree[last] = value
    return f"{kind} {'.'.join(map(str, (*way, last)))} by {str(value)[:40]!r}"


def hostile_value(path: Path, random: Random) -> str:
    """Change a value of a JSON file."""
    tree = json.loads(path.read_bytes())
    told = replace(tree, random)
    path.write_text(json.dumps(tree))
    return told


def hostile_json(path: Path, random: Random) -> str:
    """Write another JSON file: deep, long, of another kind, or none at all."""
    kind = random.choice(("deep", "deep table", "list", "number", "digits", "not UTF-8", "long"))
    text = {
        "deep": "[" * DEEP,
        "deep table": '{"model":' * DEEP,
        "list": "[1, 2]",
        "number": "NaN",
        "digits": '{"vocab_size": ' + "9" * 5000 + "}",
        "not UTF-8": '{"a": "\udcff"}',
        "long": '{"a": [' + "[]," * 3_000_000 + "1]}",
    }[kind]
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return kind


def hostile_header(path: Path, random: Random) -> str:
    """Change the header of a safetensors file."""
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    told = replace(header, random)
    text = json.dumps(header)
    if random.random() < 0.2:
        first = json.dumps({name: header[name] for name in list(header)[-1:]})
        text, told = f"{first[:-1]}, {text[1:]}", f"{told}, a name twice"
    packed = text.encode("utf-8", "surrogatepass")
    path.write_bytes(len(packed).to_bytes(8, "little") + packed + data[8 + size :])
    return told


def strange_numbers(path: Path, random: Random) -> str:
    """Put NaN, infinity or a huge number among the weights."""
    data = bytearray(path.read_bytes())
    begin = 8 + int.from_bytes(data[:8], "little")
    value = random.choice((math.nan, math.inf, -math.inf, 3e38))
    at = begin + 4 * random.randrange((len(data) - begin) // 4)
    data[at : at + 4] = struct.pack("<f", value)
    path.write_bytes(data)
    return f"{value} at {at}"


def hostile_index(path: Path, random: Random) -> str:
    """Let an index say where the tensors are."""
    names = ("x" * 5000 + ".safetensors", "../a.safetensors", "/dev/zero", "\x00.safetensors", "")
    name = random.choice((*names, "part.safetensors"))
    header = json.loads(path.read_bytes()[8 : 8 + int.from_bytes(path.read_bytes()[:8], "little")])
    header.pop("__metadata__", None)
    path.rename(path.with_name("part.safetensors"))
    places = dict.fromkeys(header, name)
    path.with_name(f"{path.name}.index.json").write_text(json.dumps({"weight_map": places}))
    return f"an index that names {name[:40]!r}"
