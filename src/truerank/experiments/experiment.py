"""What an experiment is: parameters, a grid of tasks, the work of one task, and a summary.

The texts of the package's own, and of their tables, stand in ``experiments.toml``.
"""

from __future__ import annotations

import dataclasses
import math
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

import numpy as np

from truerank._support.registry import Entry
from truerank._support.tables import Column, Count, Kind, Name, Number, PValue, Table, Text, Word
from truerank.coefficients import COEFFICIENTS
from truerank.errors import InputError, unknown_name

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.report.charts.style import Size

    Draw = Callable[[Size], Any]

Key = int | str
Task = dict[str, Key]  # one combination of the axes of a grid, by their names
Row = dict[str, Any]  # numbers, text or arrays of numbers by the names of their fields
SOLE_TABLE = "rows"  # of an experiment whose tasks return a list of rows


@dataclass(frozen=True)
class Grid:
    """All combinations of some axes, as tasks by number; the first axis moves slowest.

    Nothing is listed in advance: a grid of millions of tasks takes no more memory than its axes. With
    the trial as first axis, more trials only append tasks.

    Attributes:
        axes: the values of each, by name.

    Example:
        >>> grid = Grid({"trial": range(2), "n": (10, 20)})
        >>> len(grid), grid[2]
        (4, {'trial': 1, 'n': 10})
    """

    axes: Mapping[str, Sequence[Key]]

    def __len__(self) -> int:
        return math.prod(map(len, self.axes.values()))

    def __getitem__(self, number: int) -> Task:
        if not 0 <= number < len(self):
            raise IndexError(number)
        places = np.unravel_index(number, [len(values) for values in self.axes.values()])
        pairs = zip(self.axes.items(), places, strict=True)
        return {name: values[int(place)] for (name, values), place in pairs}


def table(name: str, caption: str, frame: DataFrame, digits: int = 4) -> Table:
    """A data frame as a table of results.

    Whole numbers are shown as counts and a column ``p`` as p-values. Texts before the first fraction are
    names of rows, unless they are made of numbers, which are never shortened. Columns ``warning`` and
    ``note`` have sentences, which are never shortened either.

    Args:
        name: of its files.
        caption: what it holds, one sentence.
        frame: the numbers, one column per field; an underscore in its name is shown as a space, unless it is
            the name of a row too.
        digits: of fractions, shown after the point; CSV files have them all.

    Returns:
        The table, for :class:`Summary`.

    Example:
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"topics": [25, 50], "bias": [0.0213, -0.0008]})
        >>> found = table("bias", "Mean error of the estimates, by number of topics", frame, digits=3)
        >>> [(column.heading, column.kind.text(value)) for column, value in zip(found.columns, found.rows[1])]
        [('topics', '50'), ('bias', '−0.001')]
    """
    kinds: list[Kind] = []
    for key, values in frame.items():
        if values.dtype.kind not in "iuf":
            made_of_numbers = all(_NUMBERS.fullmatch(str(value)) for value in values)
            sentences = key in ("warning", "note")
            named = not (made_of_numbers or sentences or any(isinstance(kind, Number) for kind in kinds))
            kinds.append(_SYMBOLS if key == "coefficient" else Name() if named else Text())
        elif key == "p":
            kinds.append(PValue())
        else:
            known = values.dropna()
            whole = values.dtype.kind != "f" or ((known % 1 == 0).all() and (known.abs() >= 2).any())
            kinds.append(Count() if whole else Number(digits=digits))
    rows = set(frame.iloc[:, 0]) if len(frame.columns) else set()

    def heading(key: Any) -> str:
        return (
            _SYMBOLS.text(key) if key in COEFFICIENTS else str(key).replace("_", "_" if key in rows else " ")
        )

    pairs = zip(frame.columns, kinds, strict=True)
    columns = tuple(Column(heading(key), kind, str(key)) for key, kind in pairs)
    cells = frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None)
    return Table(name, caption.rstrip("."), columns, list(cells))


_NUMBERS = re.compile(r"[\d\s.,()=p†−]*")
"""Cells as ``0.80 (0.58, 0.91)`` and ``1.04, p=1.00†``."""

_SYMBOLS = Word(shown={one.name: one.label for one in COEFFICIENTS.values()})


@dataclass(frozen=True)
class Summary:
    """What an experiment found so far.

    Attributes:
        tables: in order of reading; :func:`table` makes them.
        figures: by name what draws each, in a given size.
        notes: a sentence each.

    Example:
        >>> Summary(()).notes
        ()
    """

    tables: tuple[Table, ...]
    figures: Mapping[str, Draw] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def option(
    default: Any,
    help: str = "",
    grows: bool = False,
    least: float | None = None,
    empty: bool = False,
    check: Callable[[Any], object] | None = None,
) -> Any:
    """A field of a parameters dataclass; what it leaves open is as in the field that it overrides.

    Args:
        default: its value; whole numbers, numbers, text, or a tuple of one of them.
        help: one sentence for users.
        grows: whether a finished folder may go on with a larger value (the number of trials).
        least: the smallest number that a run takes.
        empty: whether a tuple may be empty though its default is not. None names anything twice.
        check: called with the value; raises :class:`truerank.InputError` where it makes no sense.

    Returns:
        The field, for the body of a frozen dataclass.

    Example:
        >>> @dataclass(frozen=True)
        ... class Parameters:
        ...     trials: int = option(100, "How many.", grows=True)
        >>> Parameters().trials
        100
    """
    metadata = {"help": help, "grows": grows, "least": least, "empty": empty, "check": check}
    return field(default=default, metadata={key: value for key, value in metadata.items() if value})


@dataclass(frozen=True)
class Experiment(Entry):
    """An experiment: its functions and the dataclass of its parameters.

    Everything that the work needs goes through `prepare`, in the main process. The context that it
    returns is sent to the workers by value, with the user's own estimators and simulators in it.

    Attributes:
        source: the paper and section that it repeats, or the project's own page.
        parameters: a frozen dataclass whose fields were made by :func:`option`.
        load: from the user's sources and the parameters to the data by name. Each must have
            ``fingerprint()``, and may have ``source`` and ``warnings``, which go into the manifest.
        prepare: from parameters, data and seed to the context of the work; the same again when resumed.
        grid: from parameters and the names of the data to all tasks.
        work: from context, one task and its own seed to a list of rows, or to several lists by the names of
            their tables. The rows of a table hold the same fields in every task: numbers,
            text or arrays of numbers. The task's own fields are added.
        summarize: from the results so far, a :class:`~truerank.experiments.store.Results`
            with at least one row, to tables and figures.
        chunk: tasks that are stored, and lost on a kill, together; a few seconds of work.
        methods: from the parameters to what the run compares, by kind: estimators, coefficients …

    Example:
        The mean score of a random topic, by system, from topics drawn one a task:

        >>> import tempfile
        >>> from truerank.experiments import run
        >>> from truerank.scores import ScoreMatrix
        >>> @dataclass(frozen=True)
        ... class Parameters:
        ...     trials: int = option(5, "How many topics.", grows=True)
        >>> def work(scores, task, seed):
        ...     topic = seed % scores.n
        ...     return [{"system": s, "score": x} for s, x in zip(scores.systems, scores.values[topic])]
        >>> def summarize(results):
        ...     means = results.moments(["system"], ["score"])
        ...     return Summary((table("means", "Mean scores", means),))
        >>> experiment = Experiment(
        ...     name="topic-draws",
        ...     label="mean scores of random topics",
        ...     source="an example",
        ...     parameters=Parameters,
        ...     load=lambda sources, parameters: {"scores": ScoreMatrix.build(sources)},
        ...     prepare=lambda parameters, data, seed: data["scores"],
        ...     grid=lambda parameters, names: Grid({"trial": range(parameters.trials)}),
        ...     work=work,
        ...     summarize=summarize,
        ... )
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     results = run(experiment, [[0.9, 0.5], [0.8, 0.6], [0.7, 0.2]], folder, workers=1, trials=40)
        ...     means = results.to_frame("means")
        >>> means["system"].tolist(), means["score_count"].tolist()
        (['sys1', 'sys2'], [40, 40])
    """

    source: str
    parameters: type[Any]
    load: Callable[[Any, Any], Mapping[str, Any]]
    prepare: Callable[[Any, Mapping[str, Any], int], Any]
    grid: Callable[[Any, Sequence[str]], Grid]
    work: Callable[[Any, Task, int], list[Row] | Mapping[str, list[Row]]]
    summarize: Callable[[Any], Summary]
    chunk: int = 20
    methods: Callable[[Any], Mapping[str, Sequence[Entry]]] = lambda parameters: {}


def build(kind: type[Any], given: Mapping[str, Any]) -> Any:
    """The dataclass of parameters with the given values, text being read as the type of its field."""
    types = get_type_hints(kind)
    names = [item.name for item in dataclasses.fields(kind)]
    values = {}
    for written, value in given.items():
        name = written.replace("-", "_")
        if name not in names:
            raise unknown_name("parameter", written, [n.replace("_", "-") for n in names])
        try:
            values[name] = _convert(value, types[name])
        except (TypeError, ValueError, OverflowError):
            wanted = describe_type(types[name])
            raise InputError(f"{written.replace('_', '-')} takes {wanted}, not {value!r}") from None
    built = kind(**values)
    check(built)
    return built


def options(kind: type[Any]) -> dict[str, dict[str, Any]]:
    """What each parameter declares; what it leaves open is as in the field that it overrides."""
    result: dict[str, dict[str, Any]] = {}
    for base in filter(dataclasses.is_dataclass, reversed(kind.__mro__)):
        for item in dataclasses.fields(base):
            result[item.name] = {**result.get(item.name, {}), **item.metadata, "default": item.default}
    return result


def check(parameters: Any) -> None:
    """Refuse values that their fields don't take, and tuples that are empty or name a thing twice."""
    for key, declared in options(type(parameters)).items():
        value, name = getattr(parameters, key), key.replace("_", "-")
        values = value if isinstance(value, tuple) else (value,)
        if not values and declared["default"] and not declared.get("empty"):
            raise InputError(f"{name}: name at least one")
        if "least" in declared and values and min(values) < declared["least"]:
            raise InputError(f"{name} must be at least {declared['least']:g}, not {min(values):g}")
        named = declared["check"](value) if "check" in declared else None
        if len(set(named if isinstance(named, list) else values)) != len(values):
            raise InputError(f"{name} names something twice: {','.join(map(str, values))}")


def each(check: Callable[[Any], object]) -> Callable[[tuple[Any, ...]], list[str]]:
    """A check of every value of a tuple, of which no two may name the same thing."""

    def name_of(value: Any) -> str:
        result = check(value)
        return str(value if result is None else getattr(result, "name", result))

    return lambda values: list(map(name_of, values))


def share(name: str) -> Callable[[float], None]:
    def check(value: float) -> None:
        if not 0 < value < 1:
            raise InputError(f"{name} must be between 0 and 1, not {value:g}")

    return check


def _convert(value: Any, kind: Any) -> Any:
    if get_origin(kind) is tuple:
        if isinstance(value, str):
            value = [part.strip() for part in value.split(",") if part.strip()]
        elif isinstance(value, int | float):
            value = [value]
        return tuple(_convert(part, get_args(kind)[0]) for part in value)
    if kind is str:
        return ("yes" if value else "no") if isinstance(value, bool) else str(value)
    number = kind(value)
    largest = sys.maxsize if kind is int else sys.float_info.max
    if not abs(number) <= largest or (kind is int and isinstance(value, float) and number != value):
        raise ValueError(value)
    return number


def describe_type(kind: Any) -> str:
    if get_origin(kind) is tuple:
        plural = {int: "whole numbers", float: "numbers", str: "names"}
        return f"{plural[get_args(kind)[0]]} separated by commas"
    return {int: "a whole number", float: "a number", str: "text"}[kind]


def as_text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


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
    texts = {
        key: (item, 4) if isinstance(item, str) else (item["caption"], item["digits"])
        for key, item in declarations.items()
    }
    return tuple(
        table(key, text.format(**words), frames[key], digits)
        for key, (text, digits) in texts.items()
        if key in frames
    )


def named_sources(sources: Any) -> dict[str, Any]:
    """Sources by name: a path is known by its stem, a table by its measure."""
    if isinstance(sources, Mapping):
        pairs = [(str(name), source) for name, source in sources.items()]
    else:
        pairs = [
            (Path(item).name.split(".")[0], item)
            if isinstance(item, str | Path)
            else (getattr(item, "measure", "") or "scores", item)
            for item in (sources if isinstance(sources, list | tuple) else [sources])
        ]
    if not pairs:
        raise InputError("name at least one score table or simulation model")
    if twice := [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]:
        raise InputError(f"two sources are named {twice[0]!r}; rename one")
    return dict(pairs)


def add_texts(path: Traversable) -> None:
    """Make the texts of a file known: those of experiments outside this package."""
    _TEXTS.update(tomllib.loads(path.read_text("utf-8")))


_TEXTS: dict[str, Any] = {}

add_texts(files("truerank.experiments").joinpath("experiments.toml"))
