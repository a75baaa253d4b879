"""How commands are parsed: an option with one value is given once, and messages are in one style."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeVar, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup, TyperOption
from typer.exceptions import TyperException

RARE = "Reading of scores"
BATTLES = "Battles"
SPECIAL = "Special cases"
MORE = (SPECIAL, BATTLES, RARE)  # headings of the options that few need: last, and in `--help-all` alone
F = TypeVar("F", bound=Callable[..., Any])


class Conversion:
    """Turns what was typed into what an option takes, and refuses it in the words of all other messages.

    Typer would have Pydantic do it, whose import takes longer than that of all else on the command line.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value or values of an option, or of an argument; the name and the order are Typer's."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        kind = param.type_descriptor.annotation
        if get_origin(kind) not in (list, tuple):
            return _converted(value, kind, param, ctx)
        return get_origin(kind)(_converted(item, get_args(kind)[0], param, ctx) for item in value)


def _converted(value: Any, kind: Any, parameter: Any, context: Any) -> Any:
    """One value, or one line that says what would do."""
    limits = parameter.type_descriptor.parameter_info
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        *others, last = choices
        wanted, fits = f"{', '.join(others)} or {last}", value in choices
    else:
        wanted = {int: "a whole number", float: "a number"}.get(kind, "")
        try:
            value = kind(value)
        except ValueError:
            fits = False
        else:
            if limits.min is not None and value < limits.min:
                wanted, fits = f"at least {limits.min}", False
            elif limits.max is not None and value > limits.max:
                wanted, fits = f"at most {limits.max}", False
            else:
                fits = True
    if not fits:
        shown = value if re.fullmatch(r"[\d.+-]+", str(value)) else repr(value)
        context.fail(f"{_name(parameter)} must be {wanted}, not {shown}")
    return value


class _Converting:
    """What commands and groups of them share: their values are converted here."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments that remain without options and their values."""
        args = ["--help"] if args[:1] == ["--help-all"] else args  # of a group: all that it has
        for parameter in self.get_params(ctx):  # type: ignore[attr-defined]
            parameter.get_runtime_param = Conversion
        rest: list[str] = super().parse_args(ctx, args)  # type: ignore[misc]
        return rest


class Commands(_Converting, TyperGroup):
    """A group of commands that has options itself."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The commands, each with its first line in full."""
        rows = [
            (name, str(self.commands[name].help).partition("\n\n")[0]) for name in self.list_commands(ctx)
        ]
        with formatter.section("Commands"):
            formatter.write_dl([(name, " ".join(text.split())) for name, text in rows])


class Command(_Converting, TyperCommand):
    """A command that refuses an option with one value that is given twice: one of them would be ignored."""

    helps_with_all = False

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """The arguments that remain without options and their values."""
        self.helps_with_all = "--help-all" in args
        if self.helps_with_all:
            args = ["--help"]
        if not ctx.resilient_parsing:
            _, _, order = self.make_parser(ctx).parse_args(args=list(args))
            for option, times in Counter(order).items():
                takes_one = isinstance(option, TyperOption) and not (option.multiple or option.is_flag)
                if takes_one and times > 1:
                    ctx.fail(f"{_name(option)} is given {times} times and takes one value; give it once")
        rest: list[str] = super().parse_args(ctx, args)
        return rest

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """What the command does, and an example."""
        super().format_help_text(ctx, formatter)
        with formatter.indentation():
            formatter.write_text(self.epilog or "")

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Nothing: the example stands above the options."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The options under the headings of their groups; those that few need last, where asked for."""
        from textwrap import wrap

        groups: dict[str, list[tuple[str, str]]] = {}
        for parameters, names, text in entries(self.get_params(ctx), ctx):
            *lines, last = wrap(
                names,
                formatter.width - 2,
                subsequent_indent=" " * 2,
                break_long_words=False,
                break_on_hyphens=False,
            )
            records = groups.setdefault(_heading(parameters[0]), [])
            records += [*((line, "") for line in lines), (last, text)]
        left = [heading for heading in MORE if heading in groups and not self.helps_with_all]
        for heading, records in sorted(groups.items(), key=lambda item: item[0] in MORE):
            if heading in left or [names for names, _ in records] == ["-h, --help"]:
                continue
            with formatter.section(heading):
                formatter.write_dl(records, col_max=_names_width(records, formatter))
        if left:
            formatter.write_paragraph()
            formatter.write_text(f"--help-all shows more: {', '.join(left).lower()}.")


def _names_width(records: list[tuple[str, str]], formatter: Any) -> int:
    """The widest that the column of names may be, so that the entries take the fewest lines."""

    def lines(width: int) -> int:
        tried = type(formatter)(width=formatter.width)
        tried.indent()
        tried.write_dl(records, col_max=width)
        return len(tried.getvalue().splitlines())

    return min(range(24, 34), key=lines)


def entries(parameters: Iterable[Any], context: Any) -> Iterator[tuple[list[Any], str, str]]:
    """The entries of a help, each with its options, their names and text; options with one help share one."""
    shown: list[tuple[list[Any], str, str]] = []
    for parameter in parameters:
        record = parameter.get_help_record(context)
        if record is None:
            continue
        names, text = shortened(*record)
        if shown and shown[-1][2] == text and _heading(shown[-1][0][0]) == _heading(parameter):
            others, previous, _ = shown.pop()
            name, _, metavar = (
                previous.rpartition(" ")
                if previous.endswith(f" {names.partition(' ')[2]}")
                else (previous, "", "")
            )
            shown.append(([*others, parameter], f"{name or metavar}, {names}", text))
        else:
            shown.append(([parameter], names, text))
    return iter(shown)


def _heading(parameter: Any) -> str:
    return getattr(parameter, "rich_help_panel", None) or "Options"


def shortened(names: str, text: str) -> tuple[str, str]:
    """A line of the help without what the parser alone needs to know.

    >>> shortened("--draws N", "Joint draws.  [default: (10,000); x>=2]")
    ('--draws N', 'Joint draws. [default: 10,000]')
    """
    text = (
        re.sub(r" +\[required\]$", "", text) if not names.startswith("-") else text
    )  # the usage line says so
    text = re.sub(r"; x[<>]=?[\d.]+(?=[;\]])|\s*\[x[<>]=?[\d.]+\]$", "", text)  # an error says the limits
    text = re.sub(r"default: \((.*)\)(?=[;\]])", r"default: \1", text.replace("  [", " ["))
    names = re.sub(r"--([\w-]+) / --no-\1$", r"--[no-]\1", re.sub(r" <[^<>]*>$", "", names))
    names = re.sub(r"--(\w+)(-[\w-]+) / --(\w+)\2$", r"--\1|\3\2", names)
    return names, re.sub(r"\[x[<>]=?[\d.]+; ", "[", text)


class App(typer.Typer):
    """A group of commands that are all of this kind."""

    def __init__(self, **options: Any) -> None:
        super().__init__(cls=Commands, no_args_is_help=True, rich_markup_mode=None, **options)

    def command(self, name: str | None = None, **options: Any) -> Callable[[F], F]:
        """As Typer's own."""
        return super().command(name, **{"cls": Command, **options})


def message_of(error: TyperException) -> str:
    """The message of the parser, worded as all other messages."""
    if type(error).__name__ != "MissingParameter":
        return error.format_message()
    context, parameter = getattr(error, "ctx", None), getattr(error, "param", None)
    if context is None or parameter is None:
        return error.format_message()
    return f"{_name(parameter)} is missing. {context.command.epilog or ''}".rstrip()


def _name(parameter: Any) -> str:
    """An option as it is typed in full, or an argument as the help has it."""
    if parameter.param_type_name == "option":
        return str(max(parameter.opts, key=len))
    return str(parameter.metavar or parameter.name.upper())
