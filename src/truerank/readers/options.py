"""How scores are read: every option, declared once for Python and for the command line."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from numbers import Real
from typing import Annotated, Any, Concatenate, Literal, NamedTuple, ParamSpec, Self, TypeVar

from truerank._support.arguments import check_whole, either, keywords_checked, setting
from truerank.errors import InputError

P = ParamSpec("P")
T = TypeVar("T")

Filled = Literal["error", "common", "complete", "zero"]
"""The policies of what takes no empty cells."""

Missing = Literal[Filled, "model"]


class Option(NamedTuple):
    """How the command line offers a field: what stands for its value, its help, its names, its default."""

    metavar: str | None
    text: str
    names: tuple[str, ...] = ()
    default: bool | str = True
    kind: Any = None
    """The type on the command line, where that is not the field's."""
    min: int | None = None
    max: int | None = None
    check: Callable[[Any], Any] | None = None
    """Refuses a value, or makes another of it."""
    heading: str | None = None
    """The heading in the help, where that is not its group's."""
    argument: bool = False


_NAMED = "Names of columns that are not recognized."
_TOPIC = "Columns that name the topics: one, or several between commas."
_FACETS = "Prompts, judges …; what to leave out; repeatable."
_CLUSTERS = "Clusters of topics: a column, or a file of topic and cluster."
_SEVERAL = list[str] | None
_DIRECTION = ("--lower-is-better/--higher-is-better",)
_STYLE = "Battles: position, or columns NAME_a, NAME_b: strengths at equal NAME."


@dataclass(frozen=True)
class ReadOptions:
    """How scores are read; every path that reads takes these, and refuses by name what it has no use for.

    Attributes:
        measure: which measure, where there are several: its name in ir_measures' or trec_eval's spelling, or
            a measure of ir_measures. For scores that come without a measure's name, what to call it.
            Measures of data sets: ``{"arc": "acc", "mmlu_*": "f1"}``, or ``arc=acc,mmlu_*=f1``.
        missing: ``error`` refuses missing scores. ``common`` keeps the topics that all systems have,
            ``complete`` the systems that have all topics. ``model`` leaves the cells empty;
            ``zero`` counts them as zero.
        topic_column: the column of a table that names the topics, where its name does not say so. Several
            columns name them together: ``"Size,Radius"``, or a list.
        system_column: the same of the systems, in a table with one row per score.
        score_column: the same of the scores.
        data_set_column: the same of the data sets.
        measure_column: the same of the names of measures, in a table with one row per measure.
        run_column: the column that tells several runs of a system on a topic apart; a cell is their mean, and
            their noise is kept. ``"#"`` where no column does, and rows are runs.
        facet: columns of what all topics share at several levels, such as prompts or judges.
        ignore_columns: columns that are left out.
        missing_value: the numbers or words that stand for a missing score in a table, such as −1 or
            ``["TIMEOUT", "ERROR"]``; ``none`` where no number does.
        lower_is_better: whether lower scores are better; without it the measure's name tells (latency,
            perplexity, WER …), and the notes say so. The scores then get a minus sign, as higher is better
            everywhere else.
        direction: the same of single measures, such as ``{"WER": "lower"}`` or ``WER=lower``.
        cluster: the column of the clusters of topics (variants of one query, turns of one conversation),
            where it is not called ``cluster``; or a file with columns ``topic`` and ``cluster``.
        family: the column of the families of data sets.
        weights: what each data set counts in an average, by name, in the place of a column ``weight``.
        format: the name of the format, where the content does not say it; see ``docs/formats.md``.
        transpose: whether the rows of a wide table are systems, and its columns topics or data sets; without
            it names and shape tell, and the notes say what was assumed.
        topics: a file of all topics, one per line, for lists of solved topics (SWE-bench).
        runs_of: how the names of runs are made of a system and a run, such as ``{system}-seed{run}``: they
            become runs of the system.
        min_battles: of battles, leave out the systems that have fewer, until all have so many.
        covariates: of battles, what else may have decided them, such as ``length``: columns ``length_a`` and
            ``length_b``, or one of differences; ``position`` is who stands first.
    """

    # The commands declare these two, as they take one measure or several, and empty cells or none.
    measure: Any = None
    missing: Missing = "error"
    _: KW_ONLY
    topic_column: Annotated[str | None, Option("COLUMN", _TOPIC)] = None
    system_column: Annotated[str | None, Option("COLUMN", _NAMED)] = None
    score_column: Annotated[str | None, Option("COLUMN", _NAMED)] = None
    data_set_column: Annotated[str | None, Option("COLUMN", _NAMED)] = None
    measure_column: Annotated[str | None, Option("COLUMN", _NAMED)] = None
    run_column: Annotated[str | None, Option("COLUMN", _NAMED)] = None
    facet: Annotated[str | Sequence[str], Option("COLUMN", _FACETS, kind=_SEVERAL)] = ()
    ignore_columns: Annotated[
        str | Sequence[str], Option("COLUMN", _FACETS, ("--ignore-column",), kind=_SEVERAL)
    ] = ()
    missing_value: Annotated[
        float | str | Sequence[float | str] | None,
        Option("X|none", "Number or word for a missing score; repeatable.", kind=_SEVERAL),
    ] = ()
    lower_is_better: Annotated[
        bool | None, Option(None, "Direction of the score.", _DIRECTION, default="by measure")
    ] = None
    direction: Annotated[
        str | Sequence[str] | Mapping[str, str],
        Option("NAME=lower|higher", "Direction of one measure; repeatable.", kind=_SEVERAL),
    ] = ()
    cluster: Annotated[str | None, Option("COLUMN|FILE", _CLUSTERS, default=False)] = None
    family: Annotated[str | None, Option("COLUMN", "Families of data sets.")] = None
    weights: Mapping[str, float] | None = None
    format: Annotated[str | None, Option("NAME", "Name of the format.", default="by content")] = None
    transpose: Annotated[
        bool | None,
        Option(None, "Systems in rows.", ("--transpose/--no-transpose",), default="by names and shape"),
    ] = None
    topics: Annotated[
        str | os.PathLike[str] | None,
        Option("FILE", "File of all topics, for lists of solved ones.", kind=str | None),
    ] = None
    runs_of: Annotated[str | None, Option("PATTERN", "Pattern of runs to average: '{system}-{run}'.")] = None
    min_battles: Annotated[int | None, Option("N", "Battles: leave out systems with fewer.", min=1)] = None
    covariates: Annotated[str | Sequence[str], Option("NAME", _STYLE, ("--covariate",), kind=_SEVERAL)] = ()

    def __post_init__(self) -> None:
        check_whole("min_battles", self.min_battles, 1)
        for name in SEVERAL:
            given = getattr(self, name)
            if isinstance(given, Mapping):
                given = [f"{key}={value}" for key, value in given.items()]
            if isinstance(given, str | Real):
                given = (given,)
            object.__setattr__(self, name, () if given is None else tuple(given))
        if isinstance(self.cluster, os.PathLike):
            object.__setattr__(self, "cluster", os.fspath(self.cluster))
        object.__setattr__(self, "topic_column", _between_commas(self.topic_column))
        for text in self.direction:
            if not re.fullmatch(".+=(lower|higher)", text):
                raise InputError(f"{setting('direction', text)}: give NAME=lower or NAME=higher")

    def lower(self, measure: str) -> bool | None:
        """Whether lower is better by a measure, as an option says; ``None`` where none does."""
        told = self.directed(measure)
        return self.lower_is_better if told is None else told

    def directed(self, measure: str) -> bool | None:
        """Whether lower is better by `direction` alone, which names the measure."""
        of = dict(text.rpartition("=")[::2] for text in self.direction)
        return of[measure] == "lower" if measure in of else None

    def with_directions(self, kept: Callable[[str], bool]) -> Self:
        """The options with the directions of these measures alone."""
        return replace(self, direction=[one for one in self.direction if kept(one.rpartition("=")[0])])

    @property
    def options(self) -> ReadOptions:
        """These options alone, where a command's group has more than them."""
        return ReadOptions(**{name: getattr(self, name) for name in NAMES})

    def given(self, *names: str) -> list[str]:
        """Which of these options are given (of all, unless some are named), as a message has them."""
        found = []
        for name in names or NAMES:
            value = getattr(self, name)
            if name == "ignore_columns":
                found += [ignoring(one) for one in value]
            elif name in SEVERAL:
                found += [setting(name, one) for one in value]
            elif value is not None and not (name == "missing" and value == "error"):
                found.append(setting(name, value))
        return found


def _between_commas(names: str | Sequence[str] | None) -> str | None:
    """Names as the command line has them; one that holds a comma is quoted."""
    if names is None or isinstance(names, str):
        return names
    if len(names) == 1:
        return names[0]
    return ",".join('"' + name.replace('"', '""') + '"' if set(name) & set(',"') else name for name in names)


NAMES = tuple(item.name for item in fields(ReadOptions))
SEVERAL = ("facet", "ignore_columns", "missing_value", "covariates", "direction")
"""The options that may be given several times; one text stands for a list of one."""
COLUMNS = (*(name for name in NAMES if name.endswith("_column")), "ignore_columns", "facet")
"""What names the columns of a table."""


@dataclass(frozen=True, kw_only=True)
class Options(ReadOptions):
    """The options of one read, with what its caller knows.

    Attributes:
        data_set: the name of the one data set that the source holds, where it is known before.
        of_data_sets: the measures of data sets, where they differ; `measure` is the one that is read.
        cluster_file: the file that `cluster` named, which is read later unless a column is called so.
    """

    data_set: str | None = None
    of_data_sets: Mapping[str, str] | None = None
    cluster_file: str | None = None

    @classmethod
    def of(cls, options: ReadOptions, **known: Any) -> Options:
        """The options of a user, or of another read."""
        return cls(**{**vars(options.options), **known})


def ignoring(*names: str) -> str:
    """How a message names the argument that leaves columns out.

    >>> ignoring("latency", "cost")
    "ignore_columns=['latency', 'cost']"
    """
    return either(
        f"ignore_columns={list(names)!r}", " ".join(setting("ignore_columns", name) for name in names)
    )


Way = tuple[dict[str, Any], str]
"""Options that decide how a table is read, and when they fit."""


class UnsureError(InputError):
    """What names do not decide: what is unsure, and the ways to decide it.

    Attributes:
        what: the message without the ways.
        ways: options to paste, each with when it fits.
    """

    def __init__(self, what: str, *ways: Way) -> None:
        """Word the message."""
        use = [f"{_stated(options)} {when}".rstrip() for options, when in ways]
        super().__init__(f"{what}. Use {', or '.join(use)}" if use else what)
        self.what, self.ways = what, ways


def _stated(options: Mapping[str, Any]) -> str:
    found = list[str]()
    for name, value in options.items():
        several = list(value) if name in SEVERAL and not isinstance(value, str) else [value]
        if name == "ignore_columns":
            found.append(ignoring(*several))
        elif name == "missing_value" and len(several) > 1:
            words = " ".join(setting(name, one) for one in several)
            found.append(either(f"{name}={several!r}", words))
        else:
            found += [setting(name, one) for one in several]
    return either(", ", " ").join(found)


def taking(
    make: Callable[P, ReadOptions],
) -> Callable[[Callable[..., T]], Callable[Concatenate[Any, P], T]]:
    """For a function of a source and ``**options``: it takes what `make` takes, and refuses the rest."""

    def decorate(function: Callable[..., T]) -> Callable[Concatenate[Any, P], T]:
        return keywords_checked(function, NAMES)

    return decorate
