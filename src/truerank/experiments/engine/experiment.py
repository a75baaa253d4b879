"""What an experiment is: parameters, a grid of tasks, the work of one task, and a summary."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from truerank._support.registry import Entry
from truerank._support.tables import Column, Count, Kind, Name, Number, PValue, Table, Text, Word
from truerank.coefficients import COEFFICIENTS

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.report.charts.style import Size

    Draw = Callable[[Size], Any]

Key = int | str
"""The value of one axis of a grid."""

Task = dict[str, Key]
"""One combination of the axes, by their names."""

Row = dict[str, Any]
"""Fields of a row by name: numbers, text or arrays of numbers."""

SOLE_TABLE = "rows"
"""Name of the only table of an experiment whose tasks return a list of rows."""


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
        total = 1
        for values in self.axes.values():
            total *= len(values)
        return total

    def __getitem__(self, number: int) -> Task:
        if not 0 <= number < len(self):
            raise IndexError(number)
        task: Task = {}
        for name in reversed(list(self.axes)):
            values = self.axes[name]
            number, position = divmod(number, len(values))
            task[name] = values[position]
        return dict(reversed(list(task.items())))


def table(name: str, caption: str, frame: DataFrame, digits: int = 4) -> Table:
    """A data frame as a table of results.

    Whole numbers are shown as counts and a column ``p`` as p-values. Texts before the first fraction are
    names of rows, unless they are made of numbers, which are never shortened.

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
            named = not made_of_numbers and not any(isinstance(kind, Number) for kind in kinds)
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
    """What an experiment found so far: tables in order of reading, what draws each figure, sentences."""

    tables: tuple[Table, ...]
    figures: Mapping[str, Draw] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def no_methods(parameters: Any) -> Mapping[str, Sequence[Entry]]:
    """Methods of an experiment that compares nothing with a name."""
    return {}


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
    return field(default=default, metadata=metadata)


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
        summarize: from the results so far, a :class:`~truerank.experiments.engine.run_results.Results`
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
    methods: Callable[[Any], Mapping[str, Sequence[Entry]]] = no_methods
