"""Options of commands: how they are declared in groups, and those that several commands share.

A command says ``def assess(scores: ScoreInput, files: Files)``; on the command line it has the options of
both, under their headings.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path, PureWindowsPath
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypeVar,
    get_args,
    get_type_hints,
)

import typer
from typer.models import ArgumentInfo, ParameterInfo

from truerank._support.plain import encoded, versioned
from truerank._support.resources import Progress
from truerank.cli.parsing import BATTLES, RARE
from truerank.errors import PairError
from truerank.readers.options import Option

if TYPE_CHECKING:
    from truerank._support.outputs import Outputs


F = TypeVar("F", bound=Callable[..., Any])


def option(metavar: str | None, text: str, *names: str, default: bool | str = True, **settings: Any) -> Any:
    """An option: what stands for its value, its help, its names where they do not follow from the field.

    `default` is what the help says of the default, where that is not its value; `False`: nothing.
    """
    return typer.Option(*names, metavar=metavar, help=text, show_default=default, **settings)


def switch(text: str, *names: str) -> Any:
    """An option without a value."""
    return typer.Option(*names, help=text)


def argument(metavar: str, text: str, default: bool | str = False) -> Any:
    """An argument."""
    return typer.Argument(metavar=metavar, help=text, show_default=default)


class Needs:
    """Beside an option: what it would do nothing without, fields of groups; one of these is enough."""

    def __init__(self, *names: str) -> None:
        self.names = names


class Group:
    """Options that belong together, under a heading of the help."""

    heading: ClassVar[str] = "Options"

    def __init_subclass__(cls, heading: str | None = None) -> None:
        cls.heading = heading or cls.heading


class _Member(NamedTuple):
    name: str
    hint: Any
    default: Any
    needs: tuple[str, ...]


def _member(name: str, hint: Any, default: Any, heading: str | None = None) -> _Member:
    kind, *extras = get_args(hint)
    kind = next((extra.kind for extra in extras if isinstance(extra, Option) and extra.kind), kind)
    options = [_typed(extra) for extra in extras if not isinstance(extra, Needs)]
    needs = tuple(needed for extra in extras if isinstance(extra, Needs) for needed in extra.names)
    for one in options:
        one.rich_help_panel = one.rich_help_panel or heading
        if kind is bool and one.default is ...:  # no second option that says no
            one.default = f"--{name.replace('_', '-')}"
    return _Member(name, Annotated[kind, *options], default, needs)


def _typed(extra: Any) -> Any:
    """An option of reading as Typer has it; a copy of any other."""
    if not isinstance(extra, Option):
        return copy(extra)
    limits = {} if extra.min is None else {"min": extra.min}
    return option(extra.metavar, extra.text, *extra.names, default=extra.default, **limits)


def _offered(hint: Any) -> bool:
    """Whether a field is on the command line."""
    return any(isinstance(extra, Option | ParameterInfo) for extra in get_args(hint)[1:])


def grouped(function: F) -> F:
    """The function with the fields of its groups as its parameters, for Typer to read."""
    hints = get_type_hints(function, include_extras=True)
    signature = inspect.signature(function)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    members: list[_Member] = []
    for name, parameter in signature.parameters.items():
        if name in groups:
            members += _members(groups[name])
        else:
            members.append(_member(name, hints[name], parameter.default))
    annotations = {item.name: item.hint for item in members}

    @functools.wraps(function)
    def call(**given: Any) -> Any:
        chosen = {item.name for item in members if given[item.name] not in (item.default, None, [])}
        for item in members:
            if item.name in chosen and item.needs and chosen.isdisjoint(item.needs):
                wanted = " or ".join(flag(annotations[one], one, value=True) for one in item.needs)
                name = flag(item.hint, item.name)
                raise typer.BadParameter(f"{name} needs {wanted}; give that too, or leave {name} out")
        if given.get("plugins"):
            from truerank.experiments.workers import load

            load(given["plugins"])
        made = {
            name: group(**{item.name: given.pop(item.name) for item in fields(group) if item.name in given})
            for name, group in groups.items()
        }
        return function(**made, **given)

    del call.__wrapped__  # its signature is another one
    kind = inspect.Parameter.KEYWORD_ONLY
    call.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[inspect.Parameter(i.name, kind, default=i.default, annotation=i.hint) for i in members]
    )
    call.__annotations__ = annotations
    return call  # type: ignore[return-value]


def given_of(group: Any, kind: type) -> list[str]:
    """The options of a kind of group that were given in one."""
    given = [item for item in _members(kind) if getattr(group, item.name) not in (item.default, None, [], ())]
    return [flag(item.hint, item.name) for item in given]


def flag(hint: Any, name: str, value: bool = False) -> str:
    """An option as it is typed, on request with what stands for its value."""
    _, one, *_ = get_args(hint)
    declared = [str(item).split("/")[0] for item in (one.default, *(one.param_decls or ()))]
    typed = next((item for item in declared if item.startswith("--")), f"--{name.replace('_', '-')}")
    return f"{typed} {one.metavar}" if value and one.metavar else typed


@functools.cache
def _members(group: Any) -> list[_Member]:
    """The options of a group, each under the heading of the class that declares it; inherited ones last.

    An option that is declared again keeps its place, but an argument takes the new one: arguments are read in
    their order.
    """
    hints, by_name = get_type_hints(group, include_extras=True), {item.name: item for item in fields(group)}
    result: dict[str, _Member] = {}
    declared = [(owner, [*filter(by_name.get, _own_options(owner))]) for owner in group.__mro__]
    for place, (owner, names) in enumerate(declared):
        for name in names:
            if name in result or not _offered(hints[name]):
                continue
            again = any(name in inherited for _, inherited in declared[place + 1 :])
            if again and not any(isinstance(extra, ArgumentInfo) for extra in get_args(hints[name])):
                continue
            default = by_name[name].default
            default = inspect.Parameter.empty if default is MISSING else None if default == () else default
            result[name] = _member(name, hints[name], default, getattr(owner, "heading", RARE))
    return list(result.values())


def _own_options(owner: type) -> list[str]:
    """The options that a class declares itself."""
    own = vars(owner).get("__annotations__", {})
    hints = get_type_hints(owner, include_extras=True) if own else {}
    return [name for name in own if _offered(hints[name])]


Plugins = Annotated[
    list[str] | None, option("MODULE|FILE", "Register your own estimators …; repeatable.", "--plugin")
]
Overwrite = Annotated[bool, switch("Write into a folder that is not empty.")]
Seed = Annotated[int, option("N", "The same seed gives the same digits.", min=0)]

MeasureOption = Annotated[str | None, option("NAME", "Measure, where there are several.", "--measure", "-m")]
Level = Annotated[float, option("L", "Confidence level of intervals.")]
DropBottom = Annotated[float, option("Q", "Drop systems with a mean below this quantile.", default=False)]
Aggregate = Annotated[str, option("RULE", "Data sets: mean, borda, win-rate.")]

# What the commands of this run have written and not yet reported.
_FINISHED: ContextVar[list[Outputs] | None] = ContextVar("finished outputs", default=None)


@contextmanager
def writing(
    inputs: Iterable[str | None],
    quiet: bool = False,
    listed: bool = True,
    overwrite: bool = False,
) -> Iterator[Outputs]:
    """The files that a command writes: put in place when the block ends well, and reported last."""
    from truerank._support.outputs import Outputs

    with Outputs(inputs, overwrite) as outputs:
        yield outputs
    if quiet:
        return
    finished = _FINISHED.get()
    if finished is None or not listed:
        _say(outputs, listed)
    else:
        finished.append(outputs)


@contextmanager
def written_last() -> Iterator[None]:
    """Report what the commands inside wrote after everything else is printed."""
    finished: list[Outputs] = []
    token = _FINISHED.set(finished)
    try:
        yield
        sys.stdout.flush()
    finally:
        _FINISHED.reset(token)
    for outputs in finished:
        _say(outputs)


def _say(outputs: Outputs, listed: bool = True) -> None:
    if outputs.replaced:
        notify(f"truerank: {outputs.replaced}")
    if listed and outputs.written:
        notify(f"truerank: wrote {outputs.written}")


def notify(text: str) -> None:
    """Print one line on standard error, so that standard output holds results alone."""
    from truerank._support.escaping import line, terminal

    print(line(terminal(text)), file=sys.stderr, flush=True)


def add_json(outputs: Outputs, document: Any, target: str) -> None:
    """A document for a file, or for standard output where that is ``-``."""
    text = encoded(versioned(document)) + b"\n"
    if target == "-":
        if (sys.stdout.encoding or "").casefold() not in ("utf-8", "utf8"):
            text = json.dumps(json.loads(text), indent=2).encode() + b"\n"
        # Printed to a log, "##[" in a name would be a command to a pipeline's host.
        text = text.replace(b"##", rb"#\u0023")
    outputs.add(target, text)


def command_line() -> str:
    """The command as it was typed, for the reports to show; where files lie on this machine is left out."""
    return shlex.join(["truerank", *map(_without_place, sys.argv[1:])])


def _without_place(argument: str) -> str:
    """An argument with the name of a file alone in place of an absolute path.

    >>> _without_place("/home/me/scores.csv"), _without_place("--html=/home/me/page.html")
    ('scores.csv', '--html=page.html')
    """
    option, equals, value = argument.partition("=") if argument.startswith("--") else ("", "", argument)
    absolute = [path for path in (Path(value), PureWindowsPath(value)) if path.is_absolute()]
    return f"{option}{equals}{absolute[0].name or '.'}" if absolute else argument


Pareto = Annotated[str | None, option("MEASURE|FILE", "Frontier of quality and this, such as cost.")]
GeneralizeTo = Annotated[str | None, option("WHAT", "Population: topics, data-sets; topics,FACET.")]


def population(chosen: str | None) -> str | None:
    """What --generalize-to says, as functions take it."""
    if chosen is not None and chosen.split(",")[0] not in ("topics", "data-sets"):
        raise typer.BadParameter(
            f"--generalize-to takes topics or data-sets, and facets after a comma, not {chosen!r}"
        )
    return None if chosen is None else re.sub("^data-sets", "data_sets", chosen)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on standard error where that is a terminal; else nothing."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from truerank._support.escaping import terminal as printable
    from truerank._support.wording import shortened

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda done, total, label: bar.update(
            task, completed=done, total=total, description=shortened(printable(label), 40)
        )


@contextmanager
def naming_gate(command: Callable[[str, str], str]) -> Iterator[None]:
    """Let the refusal of two systems name the command that compares them."""
    try:
        yield
    except PairError as pair:
        refused = pair.baseline, pair.candidate
        raise PairError(*refused, command(*refused)) from None


@dataclass(kw_only=True)
class Counting(Group, heading=BATTLES):
    """Which battles count, and how much."""

    pairs_alike: Annotated[bool, switch("Let every pair that met count alike.")] = False
    draw_prior: Annotated[float, option("X", "Drawn battles added.", min=0, default="0")] = 0.0


@dataclass(kw_only=True)
class Arena(Counting, heading=BATTLES):
    """How battles count, and the unit of strengths."""

    scale: Annotated[
        Literal["logit", "elo"] | None, option("X", "Unit of strengths: logit or elo.", default="logit")
    ] = None


def numbers(value: str | None, option: str, kind: type) -> list[Any] | None:
    """Numbers with commas between them, as an option gives them."""
    if value is None:
        return None
    try:
        return [kind(part) for part in value.split(",")]
    except ValueError:
        example = "50,100,200" if kind is int else "0,100"
        raise typer.BadParameter(
            f"{option} takes numbers with commas, such as {example}, not {value!r}"
        ) from None


def _looks(value: str | None) -> str | None:
    given = numbers(value, "--looks", int)
    if given is not None:
        from truerank.numerics.error_spending import check_looks

        check_looks(given)
    return value


Looks = Annotated[
    str | None, option("N,N,…", "Planned looks; the last is the largest.", "--looks", callback=_looks)
]
SpendingOption = Annotated[
    Literal["pocock", "obrien-fleming"],
    option("NAME", "Error spending: pocock (default) or obrien-fleming.", "--spending", default=False),
    Needs("looks"),
]


def looks_of(value: str | None) -> list[int] | None:
    """The numbers of ``--looks``."""
    return numbers(value, "--looks", int)
