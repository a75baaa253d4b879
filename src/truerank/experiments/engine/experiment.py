"""What an experiment is: parameters, a grid of tasks, the work of one task, and a summary."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from truerank._support.registry import Explained

if TYPE_CHECKING:
    from altair import TopLevelMixin
    from pandas import DataFrame

    from truerank.experiments.engine.run_results import Results

Key = int | str
Task = dict[str, Key]
Row = dict[str, Any]

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


@dataclass
class Clock:
    """Processor seconds that this thread spent on each named part of the work."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def measure(self, part: str) -> Iterator[None]:
        """Add the time of the block to a part."""
        started = time.thread_time()
        yield
        self.seconds[part] = self.seconds.get(part, 0.0) + time.thread_time() - started


@dataclass(frozen=True)
class Table:
    """A table of results.

    Attributes:
        name: of its files.
        caption: what it holds, one sentence.
        frame: the numbers, one column a field.
        digits: shown after the point in terminal, Markdown and LaTeX; CSV files have them all.
    """

    name: str
    caption: str
    frame: DataFrame
    digits: int = 4


@dataclass(frozen=True)
class Summary:
    """What an experiment found so far.

    Attributes:
        tables: in order of reading.
        figures: by name; drawn only when called for.
        notes: what to know of the tables, a sentence each.
    """

    tables: tuple[Table, ...]
    figures: Mapping[str, Callable[[], TopLevelMixin]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def no_methods(parameters: Any) -> Mapping[str, Sequence[Explained]]:
    """For an experiment that compares nothing that is known by name."""
    return {}


def option(default: Any, help: str, grows: bool = False) -> Any:
    """A field of a parameters dataclass.

    Args:
        default: its value; whole numbers, numbers, text, or a tuple of one of them.
        help: one sentence for users.
        grows: whether a finished folder may go on with a larger value (the number of trials).

    Returns:
        The field, for the body of a frozen dataclass.

    Example:
        >>> @dataclass(frozen=True)
        ... class Parameters:
        ...     trials: int = option(100, "How many.", grows=True)
        >>> Parameters().trials
        100
    """
    return field(default=default, metadata={"help": help, "grows": grows})


@dataclass(frozen=True)
class Experiment:
    """An experiment: its functions and the dataclass of its parameters.

    Everything that the work needs goes through `prepare`, in the main process; the context that it
    returns is sent to the workers by value, with the user's own estimators, coefficients and
    simulators in it.

    Attributes:
        name: what users type.
        label: one line on what it finds out.
        source: the paper and section that it repeats, or the project's own page.
        parameters: a frozen dataclass whose fields were made by :func:`option`.
        load: from the user's sources (paths, tables, a mapping of names to tables) and the parameters
            to the data by name; each must have ``fingerprint()``, and may have ``source``, and ``notes``
            on what is left out of it, which go into the manifest.
        prepare: from parameters, data and seed to the context of the work; the same again when resumed.
        grid: from parameters and the names of the data to all tasks.
        work: from context, one task, its own seed and a clock to a list of rows, or, where they differ in
            their fields, to several such lists by the names of their tables, the same names in every
            task. The rows of a table must hold the same fields in every task, numbers, text or arrays
            of numbers; the task's own fields are added.
        summarise: from the results so far to tables and figures.
        chunk: tasks that are stored, and lost on a kill, together; a few seconds of work.
        explanation: what it does and how to read it, as
            :class:`truerank._support.registry.Explained` says.
        formula: LaTeX; empty where there is none.
        references: keys of the publications it comes from.
        methods: from the parameters to what the run compares (estimators, coefficients …), by kind: things
            that say of themselves what they are, for whoever reads the results.
    """

    name: str
    label: str
    source: str
    parameters: type[Any]
    load: Callable[[Any, Any], Mapping[str, Any]]
    prepare: Callable[[Any, Mapping[str, Any], int], Any]
    grid: Callable[[Any, Sequence[str]], Grid]
    work: Callable[[Any, Task, int, Clock], list[Row] | Mapping[str, list[Row]]]
    summarise: Callable[[Results], Summary]
    chunk: int = 20
    explanation: str = ""
    formula: str = ""
    references: tuple[str, ...] = ()
    methods: Callable[[Any], Mapping[str, Sequence[Explained]]] = no_methods
