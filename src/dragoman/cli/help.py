"""Help of the command: options in groups, names in one column, lines broken only between words."""

import re
from collections.abc import Mapping
from functools import partial
from shutil import get_terminal_size
from textwrap import fill
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from dragoman.cli.setting_options import SECTIONS, refuse_setting_as_option

WIDEST, NAMES = 100, 24
"""Columns of the help at most, and of a name that has its explanation beside it."""

number_option = partial(typer.Option, metavar="N")
file_option = partial(typer.Option, metavar="FILE")
folder_option = partial(typer.Option, metavar="FOLDER")


class CliCommand(TyperCommand):
    """A verb."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what was typed; a setting that was given as an option is answered with its key."""
        if ctx.info_name in SECTIONS:
            own = [
                name for one in self.get_params(ctx) for name in (*one.opts, *one.secondary_opts)
            ]
            refuse_setting_as_option(ctx.info_name, own, args)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the arguments as the help names them."""
        return ["[OPTIONS]", *_arguments(self, ctx)]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write usage, description, arguments and the groups of options."""
        formatter.write(_page(self, ctx, {}))


class CliGroup(TyperGroup):
    """A verb that has verbs of its own."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return what follows the name of the group."""
        return ["[OPTIONS]", "COMMAND", "..."]

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write usage, description and the groups of verbs, then the options."""
        formatter.write(_page(self, ctx, self.commands))


def _page(command: Any, ctx: Any, verbs: Mapping[str, Any]) -> str:
    width = max(40, min(get_terminal_size().columns, WIDEST))
    groups: dict[str, list[tuple[str, str]]] = {}
    for name, verb in verbs.items():
        first = verb.help.split("\n\n")[0]
        groups.setdefault(verb.rich_help_panel or "Commands", []).append((name, first))
    for one in command.get_params(ctx):
        argument = one.param_type_name == "argument"
        group = one.rich_help_panel or ("Arguments" if argument else "Options")
        groups.setdefault(group, []).append((_name(one), _explanation(one)))
    sizes = [len(name) for rows in groups.values() for name, _ in rows]
    beside = max(size for size in sizes if size <= NAMES) + 4
    usage = " ".join(["Usage:", ctx.command_path, *command.collect_usage_pieces(ctx)])
    text = [_wrapped(part, width) for part in (usage, *command.help.split("\n\n"))]
    for title, rows in groups.items():
        lines = [_row(name, words, beside, width) for name, words in rows]
        text.append("\n".join([typer.style(title, bold=True), *lines]))
    return "\n\n".join(text) + "\n"


def _arguments(command: Any, ctx: Any) -> list[str]:
    found = [one for one in command.get_params(ctx) if one.param_type_name == "argument"]
    return [_name(one) if one.required else f"[{_name(one)}]" for one in found]


def _name(one: Any) -> str:
    """Return an argument as `FILE...`, an option as `--beam N`."""
    value = one.metavar or one.name.upper()
    if one.param_type_name == "argument":
        return f"{value}..." if one.nargs != 1 else value
    names = ", ".join(sorted(one.opts, key=len)) + "".join(f" / {no}" for no in one.secondary_opts)
    return names if one.is_flag else f"{names} {value}"


def _explanation(one: Any) -> str:
    usual = one.default
    if one.required and one.param_type_name == "option":
        return f"{one.help} [required]"
    plain = usual is None or usual == "" or isinstance(usual, bool) or callable(usual)
    return one.help if plain else f"{one.help} [default: {usual}]"


def _row(name: str, words: str, beside: int, width: int) -> str:
    text = _wrapped(words, width, " " * beside)
    return (
        f"  {name}\n{text}" if len(name) + 4 > beside else f"  {name}".ljust(beside) + text.lstrip()
    )


def _wrapped(text: str, width: int, indent: str = "") -> str:
    whole = re.sub(r"\[[^]]*\]", lambda part: part[0].replace(" ", "\0"), " ".join(text.split()))
    lines = fill(
        whole, width, initial_indent=indent, subsequent_indent=indent,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
    return lines.replace("\0", " ")
