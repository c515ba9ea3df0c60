"""One mutation of the code behind a claim, tried in a process of its own."""

import importlib
import json
import os
import select
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from random import Random
from types import CodeType, FunctionType
from typing import Literal

from tests.mutations.operators import Mutation, mutations

import dragoman
from dragoman.lab.claims import ExactClaim
from dragoman.lab.evidence import Evidence

SOURCE = Path(dragoman.__file__).parent
FRAME = ("lab/evidence.py", "lab/claims.py", "lab/topic.py", "plots/", "core/", "config/", "cli/")
"""The judge and what only shows or reads: never mutated."""
SECONDS = 20

Fate = Literal["killed", "survived", "unseen", "raised", "late"]
"""Another verdict; the same from other numbers; the same numbers; an exception; no end."""


@dataclass(frozen=True)
class Tried:
    """A mutation and what became of the claim."""

    claim: str
    place: str
    """own: in the check and what stands beside it; product: in the code that it calls."""
    where: str
    change: str
    fate: Fate
    verdict: str


def executed(claim: ExactClaim) -> dict[Path, set[int]]:
    """Run a check and return the lines of the package that were executed, by file."""
    found: dict[Path, set[int]] = {}

    def trace(frame, event, _):
        path = Path(frame.f_code.co_filename)
        if not path.is_relative_to(SOURCE) or str(path.relative_to(SOURCE)).startswith(FRAME):
            return None
        if event == "line":
            found.setdefault(path, set()).add(frame.f_lineno)
        return trace

    parameters = claim.parameters()
    sys.settrace(trace)
    try:
        claim.check(parameters)
    finally:
        sys.settrace(None)
    return found


def try_mutations(claim: ExactClaim, most: int, seed: int = 1) -> Iterator[Tried]:
    """Try so many mutations of a claim's own code, and as many of the product's."""
    own = Path(sys.modules[claim.check.__module__].__file__).parent
    before = claim.check(claim.parameters())
    places: dict[str, list[tuple[Path, Mutation]]] = {"own": [], "product": []}
    for path, lines in executed(claim).items():
        place = "own" if path.parent == own else "product"
        source = path.read_text(encoding="utf-8")
        places[place] += [(path, one) for one in mutations(source, lines)]
    for place, candidates in places.items():
        chosen = Random(f"{seed}/{claim.id}/{place}").sample(candidates, len(candidates))
        tried = 0
        for path, mutation in chosen:
            fate, verdict = _try(claim, path, mutation, before)
            if fate in ("killed", "survived"):
                tried += 1
            where = f"{path.relative_to(SOURCE)}:{mutation.line}"
            yield Tried(claim.id, place, where, mutation.change, fate, verdict)
            if tried >= most:
                break


def _try(claim: ExactClaim, path: Path, mutation: Mutation, before: Evidence) -> tuple[Fate, str]:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        found: dict[str, object] = {"raised": True}
        try:
            _apply(path, mutation)
            evidence = claim.check(claim.parameters())
            same = repr(evidence.criteria) == repr(before.criteria)
            found = {"raised": False, "verdict": evidence.verdict, "same": same}
        except BaseException:
            pass
        os.write(writer, json.dumps(found).encode())
        os._exit(0)
    os.close(writer)
    ready, _, _ = select.select([reader], [], [], SECONDS)
    answer = os.read(reader, 4096) if ready else b""
    os.close(reader)
    if not answer:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if not answer:
        return "late", ""
    found = json.loads(answer)
    if found["raised"]:
        return "raised", ""
    if found["verdict"] != before.verdict:
        return "killed", found["verdict"]
    return ("unseen" if found["same"] else "survived"), found["verdict"]


def _apply(path: Path, mutation: Mutation) -> None:
    """Put the mutated code into the function that is there already."""
    name = ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
    whole = compile(mutation.module(), str(path), "exec")
    function = live(importlib.import_module(name), mutation.path)
    function.__code__ = code_of(whole, mutation.path)


def live(module: object, names: tuple[str, ...]) -> FunctionType:
    """Return a function of a module by its class and name, without what is around it."""
    found = module
    for part in names:
        found = vars(found)[part] if isinstance(found, type) else getattr(found, part)
    for inner in ("check", "fget", "func", "__func__", "__wrapped__"):
        if isinstance(found, ExactClaim | property | cached_property | staticmethod | classmethod):
            found = getattr(found, inner, found)
    while hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return found


def code_of(whole: CodeType, names: tuple[str, ...]) -> CodeType:
    """Return the code of a function within that of its module."""
    for part in names:
        whole = next(
            one for one in whole.co_consts if isinstance(one, CodeType) and one.co_name == part
        )
    return whole
