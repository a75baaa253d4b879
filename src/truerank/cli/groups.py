"""Options declared once, in groups: a dataclass per group, which commands take as one argument.

A command says ``def assess(scores: ScoreInput, files: Files)``; on the command line it has the options of
both, under their headings.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from copy import copy
from dataclasses import MISSING, dataclass, fields, is_dataclass
from typing import Annotated, Any, ClassVar, TypeVar, get_args, get_type_hints

import typer

F = TypeVar("F", bound=Callable[..., Any])


class Needs:
    """Beside an option: what it would do nothing without; one of these is enough.

    Attributes:
        names: of fields of the command's groups.
    """

    def __init__(self, *names: str) -> None:
        self.names = names


@dataclass(kw_only=True)
class Group:
    """Options that belong together.

    Attributes:
        heading: above them in the help.
    """

    heading: ClassVar[str] = "Options"


def grouped(function: F) -> F:
    """The function with the fields of its groups as its parameters, for Typer to read."""
    hints = get_type_hints(function, include_extras=True)
    signature = inspect.signature(function)
    groups: dict[str, Any] = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    parameters, annotations, needs = [], {}, {}
    for name, parameter in signature.parameters.items():
        for one, hint, default, needed in (
            _members(groups[name]) if name in groups else [(name, hints[name], parameter.default, ())]
        ):
            needs[one] = needed
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(inspect.Parameter(one, kind, default=default, annotation=hint))
            annotations[one] = hint

    @functools.wraps(function)
    def call(**given: Any) -> Any:
        asked = {one.name for one in parameters if given[one.name] not in (one.default, None, [])}
        for name in (one.name for one in parameters if one.name in asked):
            if needs[name] and asked.isdisjoint(needs[name]):
                wanted = " or ".join(flag(annotations[one], one, value=True) for one in needs[name])
                option = flag(annotations[name], name)
                raise typer.BadParameter(f"{option} needs {wanted}; give that too, or leave {option} out")
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        return function(**made, **given)

    del call.__wrapped__  # its signature is another one
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__annotations__ = annotations
    return call  # type: ignore[return-value]


def given_of(group: Any, kind: type) -> list[str]:
    """The options of a kind of group that were given in one."""
    return [
        flag(hint, name)
        for name, hint, default, _ in _members(kind)
        if getattr(group, name) not in (default, None, [])
    ]


def flag(hint: Any, name: str, value: bool = False) -> str:
    """An option as it is typed, on request with what stands for its value."""
    _, option, *_ = get_args(hint)
    declared = [str(one).split("/")[0] for one in (option.default, *(option.param_decls or ()))]
    typed = next((one for one in declared if one.startswith("--")), f"--{name.replace('_', '-')}")
    return f"{typed} {option.metavar}" if value and option.metavar else typed


@functools.cache
def _members(group: Any) -> list[tuple[str, Any, Any, tuple[str, ...]]]:
    """The options of a group, each under the heading of the class that declares it; inherited ones last.

    Each has its name, hint, default and what it needs.
    """
    hints, by_name = get_type_hints(group, include_extras=True), {one.name: one for one in fields(group)}
    found: dict[str, tuple[str, Any, Any, tuple[str, ...]]] = {}
    for owner in group.__mro__:
        for name in vars(owner).get("__annotations__", {}):
            if name not in by_name or name in found:
                continue
            kind, *extras = get_args(hints[name])
            options = [copy(extra) for extra in extras if not isinstance(extra, Needs)]
            for option in options:
                option.rich_help_panel = owner.heading
            default = by_name[name].default
            found[name] = (
                name,
                Annotated[kind, *options],
                inspect.Parameter.empty if default is MISSING else default,
                tuple(needed for extra in extras if isinstance(extra, Needs) for needed in extra.names),
            )
    return list(found.values())
