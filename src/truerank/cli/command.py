"""Commands: their options, declared in groups, how these are parsed, and the help.

A command says ``def assess(scores: ScoreInput, files: Files)``; on the command line it has the options of
both, under their headings.
"""

from __future__ import annotations

import difflib
import functools
import inspect
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cached_property
from textwrap import wrap
from typing import Any, ClassVar, Literal, NamedTuple, get_args, get_origin, get_type_hints

from truerank.errors import InputError
from truerank.readers.options import Option

RARE = "Reading of scores"
BATTLES = "Battles"
SPECIAL = "Special cases"
MORE = (SPECIAL, BATTLES, RARE)  # headings of the options that few need: last, and in `--help-all` alone
HELPS = ("-h", "--help", "--help-all")


class UsageError(InputError):
    """Options that cannot be used like that; `command` is the one whose help says how."""

    command = ""


def option(
    metavar: str | None, text: str, *names: str, default: bool | str = True, **settings: Any
) -> Option:
    """An option: what stands for its value, its help, its names where they do not follow from the field.

    `default` is what the help says of the default, where that is not its value; `False`: nothing.
    """
    return Option(metavar, text, names, default, **settings)


def switch(text: str, *names: str) -> Option:
    return Option(None, text, names)


def argument(metavar: str, text: str, default: bool = False) -> Option:
    return Option(metavar, text, (), default, argument=True)


class Needs:
    """Beside an option: what it would do nothing without, fields of groups; one of these is enough."""

    def __init__(self, *names: str) -> None:
        self.names = names


class Group:
    """Options that belong together, under a heading of the help."""

    heading: ClassVar[str] = "Options"

    def __init_subclass__(cls, heading: str | None = None) -> None:
        cls.heading = heading or cls.heading


@dataclass(frozen=True)
class Parameter:
    """An option or an argument of a command."""

    name: str
    option: Option
    default: Any  # MISSING where it must be given
    heading: str
    needs: tuple[str, ...]  # options without which it would do nothing
    several: bool
    takes: int  # values; 0 of a switch
    kind: Any  # the type of one value
    flags: dict[str, bool]  # how it is typed, each with the value of a switch
    choices: tuple[str, ...]  # what it takes, where that is little; of a switch how it is typed

    @classmethod
    def of(cls, name: str, hint: Any, default: Any, heading: str) -> Parameter:
        kind, *extras = get_args(hint)
        option: Option = next(extra for extra in extras if isinstance(extra, Option))
        needs = next((extra.names for extra in extras if isinstance(extra, Needs)), ())
        kind = option.kind or kind
        kind = get_args(kind)[0] if type(None) in get_args(kind) else kind
        whole, inner = get_origin(kind), get_args(kind)
        takes = 0 if kind is bool else len(inner) if whole is tuple else 1
        kind = inner[0] if whole in (list, tuple) else kind
        names = () if option.argument else option.names or (f"--{name.replace('_', '-')}",)
        flags = {flag: no == 0 for name in names for no, flag in enumerate(name.split("/"))}
        choices = get_args(kind) if get_origin(kind) is Literal else () if takes else tuple(flags)
        heading = option.heading or heading
        return cls(name, option, default, heading, needs, whole is list, takes, kind, flags, choices)

    @property
    def shown(self) -> str:
        """How a message names it."""
        return next((flag for flag in self.flags if flag.startswith("--")), self.option.metavar or "")

    @property
    def metavar(self) -> str:
        return f" {self.option.metavar}" if self.flags and self.takes and self.option.metavar else ""

    @property
    def text(self) -> str:
        """What the help says of it, with its default."""
        shown = self.option.default
        if shown is True:
            shown = str(self.default) if self.takes and self.default not in (None, (), MISSING) else ""
        if self.default is MISSING and self.flags:
            return f"{self.option.text} [required]"
        return f"{self.option.text} [default: {shown}]" if shown else self.option.text

    def value(self, texts: Sequence[Any]) -> Any:
        """What was typed, as its type, and as its own check has it."""
        values = [self._converted(text) for text in texts] if self.takes else texts
        value = values if self.several else tuple(values) if self.takes > 1 else values[0]
        return value if self.option.check is None else self.option.check(value)

    def _converted(self, text: str) -> Any:
        least, most, wanted = self.option.min, self.option.max, ""
        value: Any = text
        if self.choices:
            *others, last = self.choices
            wanted = "" if text in self.choices else f"{', '.join(others)} or {last}"
        else:
            try:
                value = self.kind(text)
            except ValueError:
                wanted = "a whole number" if self.kind is int else "a number"
            else:
                wanted = f"at least {least}" if least is not None and value < least else ""
                wanted = f"at most {most}" if most is not None and value > most else wanted
        if wanted:
            given = text if re.fullmatch(r"[\d.+-]+", text) else repr(text)
            raise UsageError(f"{self.shown} must be {wanted}, not {given}")
        return value


class Entry(NamedTuple):
    """A line of the help: options with one text share one."""

    parameters: list[Parameter]
    names: str
    text: str


@dataclass(frozen=True)
class Command:
    """A command: a function whose parameters are options, or groups of them."""

    name: str
    function: Callable[..., Any]
    example: str = ""
    open: bool = False  # whether unknown options stand among its arguments

    @property
    def path(self) -> str:
        return f"truerank {self.name}".rstrip()

    @cached_property
    def about(self) -> list[str]:
        return [" ".join(part.split()) for part in (inspect.getdoc(self.function) or "").split("\n\n")]

    @cached_property
    def groups(self) -> dict[str, Any]:
        """The parameters of the function that are groups of options, and their classes."""
        hints = get_type_hints(self.function, include_extras=True)
        return {name: hint for name, hint in hints.items() if is_dataclass(hint)}

    @cached_property
    def parameters(self) -> list[Parameter]:
        hints = get_type_hints(self.function, include_extras=True)
        found: list[Parameter] = []
        for name, item in inspect.signature(self.function).parameters.items():
            default = MISSING if item.default is item.empty else item.default
            if name in self.groups:
                found += parameters_of(self.groups[name])
            else:
                found.append(Parameter.of(name, hints[name], default, "Options"))
        return found

    def run(self, words: Sequence[str]) -> int | None:
        try:
            typed, free = self.split(words)
            if "help" in typed:
                print(self.help(typed["help"] == ["--help-all"]))
                return 0
            values = self.values(typed, free)
            if plugins := values.get("plugins"):
                from truerank.readers.plugins import load

                load(plugins)
            made = {
                name: group(
                    **{item.name: values.pop(item.name) for item in fields(group) if item.name in values}
                )
                for name, group in self.groups.items()
            }
            code: int | None = self.function(**made, **values)
            return code
        except UsageError as error:
            error.command = error.command or self.path
            raise

    def values(self, typed: dict[str, list[Any]], free: list[str]) -> dict[str, Any]:
        """The value of each option and argument that is given."""
        for item in self.parameters:
            if item.option.argument:
                count = len(free) if item.several else 1
                typed |= {item.name: free[:count]} if free else {}
                free = free[count:]
            if item.name not in typed and item.default is MISSING:
                raise UsageError(f"{item.shown} is missing. {self.shown_example}".rstrip())
        if free:
            raise UsageError(f"unexpected {', '.join(map(repr, free))}; leave out what is not an option")
        named = {item.name: item for item in self.parameters}
        values = {name: named[name].value(texts) for name, texts in typed.items()}
        chosen = {name for name, value in values.items() if value not in (named[name].default, [])}
        for item in self.parameters:
            if item.name in chosen and item.needs and chosen.isdisjoint(item.needs):
                wanted = " or ".join(named[one].shown + named[one].metavar for one in item.needs)
                raise UsageError(f"{item.shown} needs {wanted}; give that too, or leave {item.shown} out")
        return values

    def split(self, words: Sequence[str], leading: bool = False) -> tuple[dict[str, list[Any]], list[str]]:
        """What is typed of each option, and the other words; on request only options before these."""
        flags = {flag: item for item in self.parameters for flag in item.flags}
        typed: dict[str, list[Any]] = {}
        free: list[str] = []
        left = [*words]
        while left:
            word = left.pop(0)
            flag, equals, value = word.partition("=")
            if not word.startswith("--"):
                flag, value = word[:2], word[2:]
            if word == "--" or (leading and not word.startswith("-")):
                return typed, [*free, *([word] if word != "--" else []), *left]
            if word in HELPS:
                return {"help": [word]}, []
            item = flags.get(flag)
            if word == "-" or not word.startswith("-") or (item is None and self.open and word[1] == "-"):
                free.append(word)
                continue
            if item is None:
                raise UsageError(f"No such option: {flag}{_similar(flag, [*flags])}")
            given = [value] if value or equals else []
            if item.takes == 0 and equals:
                raise UsageError(f"{flag} takes no value; give it alone")
            if item.takes == 0:
                left[:0] = [f"-{value}"] if value else []  # letters in one word
                typed[item.name] = [item.flags[flag]]
                continue
            given += [left.pop(0) for _ in range(min(item.takes - len(given), len(left)))]
            if len(given) < item.takes:
                raise UsageError(f"{flag} is not complete; give {item.shown}{item.metavar}")
            if item.name in typed and not item.several:
                raise UsageError(f"{item.shown} is given twice and takes one value; give it once")
            typed.setdefault(item.name, []).extend(given)
        return typed, free

    @property
    def shown_example(self) -> str:
        """The example, as messages and the help have it."""
        return f"Example: {self.path} {self.example}" if self.example else ""

    @property
    def usage(self) -> str:
        words = []
        for item in self.parameters:
            if item.option.argument:
                name = f"{(item.option.metavar or '').strip('[].')}{'...' * item.several}"
                words.append(name if item.default is MISSING else f"[{name}]")
        return " ".join([self.path, "[OPTIONS]", *words])

    def entries(self) -> list[Entry]:
        """The entries of the help; options with one text share one."""
        shown: list[Entry] = []
        for item in self.parameters:
            names = (", ".join(sorted(item.flags, key=len)) or item.shown) + item.metavar
            last = shown[-1] if shown else None
            if last and (last.text, last.parameters[0].heading) == (item.text, item.heading):
                before = last.names.removesuffix(item.metavar)
                shown[-1] = Entry([*last.parameters, item], f"{before}, {names}", item.text)
            else:
                shown.append(Entry([item], names, item.text))
        return shown

    def help(self, whole: bool = False) -> str:
        lines = _headed(self.usage, [*self.about, *filter(None, [self.shown_example])])
        by_heading: dict[str, list[tuple[str, str]]] = {}
        for entry in self.entries():
            by_heading.setdefault(entry.parameters[0].heading, []).append(entry[1:])
        left = [heading for heading in MORE if heading in by_heading and not whole]
        for heading in sorted(by_heading, key=MORE.__contains__):
            if heading not in left:
                lines += ["", f"{heading}:", *_two_columns(by_heading[heading])]
        if left:
            lines += ["", f"--help-all shows more: {', '.join(left).lower()}."]
        return "\n".join(lines)


def command(name: str, example: str, open: bool = False) -> Callable[[Callable[..., int | None]], Command]:
    """Make a command of a function, with what follows its name in an example."""
    return lambda function: Command(name, function, example, open)


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@dataclass(frozen=True)
class Commands:
    """Commands under one name."""

    name: str
    about: str
    names: Sequence[str]
    find: Callable[[str], Command | Commands]
    before: Callable[..., AbstractContextManager[None]] = _nothing

    @cached_property
    def options(self) -> Command:
        """The options before the name of a command, which hold while it runs."""
        return Command(self.name, self.before)

    @property
    def usage(self) -> str:
        return f"{self.options.path} [OPTIONS] COMMAND [ARGS]..."

    def run(self, words: Sequence[str]) -> int | None:
        try:
            typed, rest = self.options.split(words, leading=True)
            if "help" in typed and not rest:
                print(self.help())
                return 0
            with self.before(**self.options.values(typed, [])):  # --version ends here
                if not rest:
                    print(self.help())
                    return 2
                if rest[0] not in self.names:
                    raise UsageError(f"No such command {rest[0]!r}{_similar(rest[0], self.names)}")
                return self.find(rest[0]).run(rest[1:])
        except UsageError as error:
            error.command = error.command or self.options.path
            raise

    def help(self) -> str:
        rows = [entry[1:] for entry in self.options.entries()]
        found = [(name, self.find(name)) for name in self.names]
        about = [(name, one.about if isinstance(one, Commands) else one.about[0]) for name, one in found]
        lines = _headed(self.usage, [self.about])
        lines += ["", "Options:", *_two_columns([*rows, ("-h, --help", "Show this message and exit.")])]
        return "\n".join([*lines, "", "Commands:", *_two_columns(about)])


def commands(name: str, about: str, *commands: Command) -> Commands:
    """The commands that stand in one module."""
    by_name = {one.name.rpartition(" ")[2]: one for one in commands}
    return Commands(name, about, [*by_name], by_name.__getitem__)


def _similar(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, known)
    return f" (did you mean {' or '.join(near)}?)" if near else ""


@functools.cache
def parameters_of(group: Any) -> list[Parameter]:
    """The options of a group, each under the heading of the class that declares it; inherited ones last.

    An option that is declared again keeps its place, but an argument takes the new one: arguments are read in
    their order.
    """
    hints, by_name = get_type_hints(group, include_extras=True), {item.name: item for item in fields(group)}
    result: dict[str, Parameter] = {}
    for owner in group.__mro__:
        own = vars(owner).get("__annotations__", {})
        declared = get_type_hints(owner, include_extras=True) if own else {}
        for name in own:
            if _is_option(declared[name]) and _is_option(hints[name]):
                heading = getattr(owner, "heading", RARE)
                item = Parameter.of(name, hints[name], by_name[name].default, heading)
                if item.flags:
                    result.pop(name, None)
                result.setdefault(name, item)
    return list(result.values())


def _is_option(hint: Any) -> bool:
    return any(isinstance(extra, Option) for extra in get_args(hint)[1:])


def given_of(group: Any, kind: type) -> list[str]:
    """The options of a kind of group that were given in one."""
    return [
        item.shown
        for item in parameters_of(kind)
        if item.flags and getattr(group, item.name) not in (item.default, None, [], ())
    ]


def _width() -> int:
    return max(min(shutil.get_terminal_size().columns, 80) - 2, 50)


def _headed(usage: str, about: Sequence[str]) -> list[str]:
    width, lines = _width(), wrap(f"Usage: {usage}", _width(), subsequent_indent=" " * 7)
    for paragraph in about:
        gap = [""] * (not paragraph.startswith("Example:"))
        lines += [*gap, *wrap(paragraph, width, initial_indent="  ", subsequent_indent="  ")]
    return lines


def _two_columns(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Names and texts side by side, the column of names as wide as takes the fewest lines."""

    def laid(most: int) -> Iterator[str]:
        first = min(max(len(names) for names, _ in rows), most)
        for names, text in rows:
            *above, last = wrap(
                names, width - 2, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
            )
            if len(last) > first:
                above, last = [*above, last], ""
            yield from (f"  {line}" for line in above)
            for line in wrap(text, max(width - first - 4, 10)):
                yield f"  {last:<{first}}  {line}"
                last = ""

    width = _width()
    return min((list(laid(most)) for most in range(24, 34)), key=len)
