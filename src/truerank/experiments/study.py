"""What a study is written with, under one name: see docs/extending/experiment.md.

Its functions are declared here; its texts and those of its tables stand in a file.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from truerank._support.tables import Table
from truerank.experiments.engine.experiment import (
    Experiment,
    Grid,
    Key,
    Row,
    Summary,
    Task,
    option,
    table,
)
from truerank.experiments.engine.run_results import Results

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.engine.experiment import Draw
    from truerank.report.charts.style import Chart, Size

__all__ = ["Chart", "DataFrame", "Draw", "Grid", "Key", "Results", "Row", "Size", "Summary", "Task"]
__all__ += ["declared", "every", "option", "tables"]


def declared(
    name: str,
    parameters: type[Any],
    work: Callable[..., Any],
    summarize: Callable[[Any], Summary],
    chunk: int,
    parts: Mapping[str, Any] = MappingProxyType({}),
    **functions: Any,
) -> Experiment:
    """An experiment with the texts of that name.

    Its load, prepare, grid and methods are those of `functions`, or of `parts`, which it shares with others.
    """
    texts = {key: value for key, value in _TEXTS[name].items() if key != "tables"}
    texts["references"] = tuple(texts.get("references", ()))
    given = {"parameters": parameters, "work": work, "summarize": summarize, "chunk": chunk}
    return Experiment(name=name, **{**given, **texts, **parts, **functions})


def every(**axes: str) -> Callable[[Any, Sequence[str]], Grid]:
    """A grid of whole trials, so that more can follow: in each all data, and all values of these axes.

    An axis has the values of the parameter that is named for it.
    """

    def grid(parameters: Any, data: Sequence[str]) -> Grid:
        result: dict[str, Sequence[Key]] = {"trial": range(parameters.trials), "data": data}
        return Grid(result | {axis: getattr(parameters, name) for axis, name in axes.items()})

    return grid


def tables(name: str, frames: Mapping[str, DataFrame], **words: Any) -> tuple[Table, ...]:
    """The frames as tables: order, captions and digits are those of the file; some words are filled in."""
    declarations = _TEXTS[name]["tables"]
    if unknown := frames.keys() - declarations.keys():
        raise LookupError(f"no text: [{name}.tables] has no {', '.join(sorted(unknown))}")
    made = []
    for key in sorted(frames, key=list(declarations).index):
        item = declarations[key]
        text, digits = (item, 4) if isinstance(item, str) else (item["caption"], item["digits"])
        made.append(table(key, text.format(**words), frames[key], digits))
    return tuple(made)


def add_texts(path: Traversable) -> None:
    """Make the texts of a file known: those of experiments outside this package."""
    _TEXTS.update(tomllib.loads(path.read_text("utf-8")))


_TEXTS: dict[str, Any] = {}

add_texts(files("truerank.experiments").joinpath("experiments.toml"))
