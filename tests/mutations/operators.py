"""Mutation operators on syntax trees: one expression becomes another of the same kind."""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

BINARY = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
}
COMPARE = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
NAMES = {
    "sum": "mean", "mean": "sum", "max": "min", "min": "max", "amax": "amin", "exp": "cos",
    "log": "exp", "tanh": "sigmoid", "sigmoid": "tanh", "relu": "abs", "sin": "cos", "cos": "sin",
    "softmax": "log_softmax", "sqrt": "square", "rsqrt": "sqrt", "tril": "triu", "triu": "tril",
    "argmax": "argmin", "cumsum": "cumprod", "prod": "sum", "cumprod": "cumsum", "any": "all",
    "all": "any", "norm": "sum", "diag": "abs", "zeros": "ones", "ones": "zeros", "abs": "square",
}  # fmt: skip
LEFT_ALONE = {"plot", "numbers", "name", "title", "label", "names"}
"""Keywords of figures and words, which decide nothing."""


@dataclass(frozen=True)
class Mutation:
    """One place of a function, and what stands there instead."""

    tree: ast.Module
    path: tuple[str, ...]
    """Of the function: its class, if it has one, and its name."""
    number: int
    """Of the node, among those of the function."""
    line: int
    before: str
    after: ast.AST

    @property
    def change(self) -> str:
        """The change, as people read it."""
        return f"{self.before} → {_short(self.after)}"

    def module(self) -> ast.Module:
        """Return the whole module with the change."""
        return _replaced(self.tree, self.path, self.number, self.after)


def mutations(source: str, lines: set[int]) -> Iterator[Mutation]:
    """Yield every mutation of the functions of a module on the lines that were executed."""
    tree = ast.parse(source)
    for path, function in _functions(tree, ()):
        for number, node in enumerate(_walk(function)):
            if getattr(node, "lineno", 0) in lines:
                for after in _replacements(node):
                    yield Mutation(tree, path, number, node.lineno, _short(node), after)


def _functions(node: ast.AST, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], ast.AST]]:
    for one in ast.iter_child_nodes(node):
        if isinstance(one, ast.FunctionDef):
            yield (*path, one.name), one
        elif isinstance(one, ast.ClassDef):
            yield from _functions(one, (*path, one.name))


def _walk(function: ast.AST) -> Iterator[ast.AST]:
    """Walk the statements of a function, not its signature, and nothing that only shows."""
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        yield node
        children = [
            one
            for one in ast.iter_child_nodes(node)
            if not (isinstance(one, ast.keyword) and one.arg in LEFT_ALONE)
        ]
        waiting.extend(reversed(children))


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.BinOp(op=op) if type(op) in BINARY:
            yield ast.BinOp(node.left, BINARY[type(op)](), node.right)
        case ast.Compare(ops=[op]) if type(op) in COMPARE:
            yield ast.Compare(node.left, [COMPARE[type(op)]()], node.comparators)
        case ast.UnaryOp(op=ast.USub()):
            yield node.operand
        case ast.Constant():
            yield from _other_constant(node.value)
        case ast.IfExp():
            yield ast.IfExp(node.test, node.orelse, node.body)
        case ast.Call(func=ast.Attribute(attr=name)) if name in NAMES:
            called = ast.Attribute(node.func.value, NAMES[name], ast.Load())
            yield ast.Call(called, node.args, node.keywords)


def _other_constant(value: object) -> Iterator[ast.AST]:
    match value:
        case bool():
            yield ast.Constant(not value)
        case int():
            yield ast.Constant(value + 1)
        case float():
            yield ast.Constant(value * 1.5 + 0.5)


def _replaced(tree: ast.Module, path: tuple[str, ...], number: int, after: ast.AST) -> ast.Module:
    """Return a copy of the module with one node of a function replaced."""
    whole = copy.deepcopy(tree)
    function = next(one for where, one in _functions(whole, ()) if where == path)
    target = next(node for place, node in enumerate(_walk(function)) if place == number)
    new = ast.copy_location(copy.deepcopy(after), target)
    for parent in ast.walk(function):
        for field, value in ast.iter_fields(parent):
            if value is target:
                setattr(parent, field, new)
            elif isinstance(value, list) and any(one is target for one in value):
                setattr(parent, field, [new if one is target else one for one in value])
    return ast.fix_missing_locations(whole)


def _short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else f"{text[:57]}…"
