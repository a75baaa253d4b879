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

F = TypeVar("F", bound=Callable[..., Any])


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
    parameters, annotations = [], {}
    for name, parameter in signature.parameters.items():
        for one, hint, default in (
            _members(groups[name]) if name in groups else [(name, hints[name], parameter.default)]
        ):
            kind = inspect.Parameter.KEYWORD_ONLY
            parameters.append(inspect.Parameter(one, kind, default=default, annotation=hint))
            annotations[one] = hint

    @functools.wraps(function)
    def call(**given: Any) -> Any:
        made = {
            name: group(**{field.name: given.pop(field.name) for field in fields(group)})
            for name, group in groups.items()
        }
        return function(**made, **given)

    del call.__wrapped__  # its signature is another one
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__annotations__ = annotations
    return call  # type: ignore[return-value]


@functools.cache
def _members(group: Any) -> list[tuple[str, Any, Any]]:
    """The options of a group, each under the heading of the class that declares it; inherited ones last."""
    hints, by_name = get_type_hints(group, include_extras=True), {one.name: one for one in fields(group)}
    found: dict[str, tuple[str, Any, Any]] = {}
    for owner in group.__mro__:
        for name in vars(owner).get("__annotations__", {}):
            if name not in by_name or name in found:
                continue
            kind, *extras = get_args(hints[name])
            options = [copy(extra) for extra in extras]
            for option in options:
                option.rich_help_panel = owner.heading
            default = by_name[name].default
            found[name] = (
                name,
                Annotated[kind, *options],
                inspect.Parameter.empty if default is MISSING else default,
            )
    return list(found.values())
