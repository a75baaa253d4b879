"""The scores that commands start from: one group of options, and how they are read."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_type_hints

from truerank._support.arguments import setting
from truerank._support.resources import Progress
from truerank.cli.command import RARE, Group, Needs, UsageError, argument, given_of, option
from truerank.cli.options import Plugins
from truerank.readers.options import Filled, Missing, ReadOptions

if TYPE_CHECKING:
    from truerank.readers.beside_scores import Criterion
    from truerank.scores import ScoreMatrix


def _declared(name: str) -> Any:
    """An option of reading, for a command that takes no others."""
    return get_type_hints(ReadOptions, include_extras=True)[name]


MissingOption = Annotated[
    Missing, option("RULE", "error (default), common, complete, zero, model.", default=False)
]
FilledOption = Annotated[Filled, option("RULE", "error (default), common, complete, zero.", default=False)]
FormatOption = _declared("format")
RelevanceOption = Annotated[int | None, option("GRADE", "Lowest grade that is relevant.")]
RunsOfOption = _declared("runs_of")
NamesOption = Annotated[Literal["tag", "file"], option("tag|file", "Name of a run: tag or file.")]


OF_RUNS = "--qrels --measure --machine-qrels --relevance-level --names --runs-of --format --cluster --plugin"
"""Options of runs; the others are of score tables."""


@dataclass(frozen=True, kw_only=True)
class _Judged(Group, heading=RARE):
    """What else decides how scores are read: a machine's judgments, how runs are evaluated, plug-ins."""

    machine: Annotated[list[str] | None, option("FILE", "Machine scores of the same systems.")] = None
    machine_qrels: Annotated[str | None, option("FILE", "Machine judgments of the runs."), Needs("qrels")] = (
        None
    )
    relevance_level: Annotated[RelevanceOption, Needs("qrels")] = None
    names: Annotated[NamesOption, Needs("qrels")] = "tag"
    plugins: Plugins = None


@dataclass(frozen=True, kw_only=True)
class ScoreInput(ReadOptions, _Judged, heading="Scores"):
    """Scores: tables, other tools' results, or runs with relevance judgments."""

    holes: ClassVar[bool] = True
    """Whether the command takes empty cells."""

    sources: Annotated[list[str], argument("SCORES|RUN", "Score tables or tool output; with --qrels, runs.")]
    qrels: Annotated[str | None, option("FILE|ID", "Relevance judgments, or an id of ir_datasets.")] = None
    measures: Annotated[
        list[str] | None, option("NAME", "AP, P@10, nDCG@20, TASK=MEASURE …; repeatable.", "--measure", "-m")
    ] = None
    missing: MissingOption = "error"

    @property
    def files(self) -> list[str | None]:
        return [
            *self.sources,
            self.qrels,
            *(self.machine or []),
            self.machine_qrels,
            *(self.plugins or []),
        ]

    @property
    def judged_by_machine(self) -> bool:
        return bool(self.machine or self.machine_qrels)

    def read(self, progress: Progress | None = None, battles: bool = False) -> list[ScoreMatrix]:
        """One score matrix per measure; a machine judge's scores are joined to the human ones."""
        tables = self._from_tables(battles) if self.qrels is None else self._from_runs(progress)
        if not battles:
            _refuse_battles(tables)
        return tables

    def weighed(self, pareto: str | None) -> tuple[Self, Criterion | None]:
        """The second criterion, of a file or another measure of the same scores, and these without it."""
        if pareto is None:
            return self, None
        from truerank.readers.beside_scores import Criterion

        def read(source: Any, measure: str | None) -> ScoreMatrix:
            wanted = replace(self.with_directions(lambda name: name == measure), lower_is_better=None)
            alone: Any = {"qrels": None, "machine": None, "machine_qrels": None, "measures": None}
            if measure is not None:
                (table,) = replace(wanted, measures=[measure]).read()
            else:  # a table by itself, of the form of the scores
                (table,) = replace(wanted, sources=[source], **alone).read()
            return table

        found = Criterion.of(pareto, read, self.directed)
        if found.measure in (self.measures or []):
            return self, found
        return self.with_directions(lambda name: name != found.measure), found

    def _check_runs(self) -> None:
        """Refuse options that do not go with runs."""
        from truerank.readers.beside_scores import is_cluster_file

        for name in given_of(self, ScoreInput):
            if name not in OF_RUNS.split():
                instead = "; give --machine-qrels" if name == "--machine" else ""
                raise UsageError(f"{name} is for score tables, and with --qrels the files are runs{instead}")
        if not self.measures:
            raise UsageError("--qrels needs a measure, e.g. -m AP")
        if self.cluster is not None and self.judged_by_machine:
            raise UsageError("--cluster: no machine is corrected on clusters; leave one out")
        if self.cluster is not None and not is_cluster_file(self.cluster):
            raise UsageError("--cluster: runs have no columns; give a file of topics and clusters")

    def _from_runs(self, progress: Progress | None) -> list[ScoreMatrix]:
        from truerank.readers import with_machine
        from truerank.readers.beside_scores import with_clusters
        from truerank.readers.records import runs_together
        from truerank.readers.runs import evaluated, judgments, measures_of

        self._check_runs()
        qrels, machine, wanted = (
            self.qrels,
            self.machine_qrels,
            measures_of(self.measures or [], self.relevance_level),
        )
        how = (self.sources, wanted, self.names, self.format, progress)
        assert qrels is not None
        if machine is None:
            tables = [*evaluated(qrels, *how).values()]
        else:
            by_people, by_machine = judgments(qrels), judgments(machine)
            topics = by_people.keys() | by_machine.keys()  # a topic of the runs that neither has is ignored
            scored, judged = (evaluated(item, *how, topics) for item in (by_people, by_machine))
            tables = [
                with_machine(replace(table, source=qrels), replace(judged[name], source=machine))
                for name, table in scored.items()
            ]
        if self.cluster is not None:
            tables = [with_clusters(table, self.cluster) for table in tables]
        if self.runs_of is None:
            return tables
        return [runs_together(table, self.runs_of, table.measure) for table in tables]

    def _from_tables(self, battles: bool) -> list[ScoreMatrix]:
        import numpy as np

        from truerank.readers.joining import measures_by_data_set
        from truerank.readers.missing import ALL_WAYS, FILLED
        from truerank.readers.score_reading import read_measures

        source = self.sources[0] if len(self.sources) == 1 else self.sources
        options, ways = self.options, ALL_WAYS if self.holes and not self.machine else FILLED
        if not self.machine and (by_measure := self._by_measure(ways)):
            return by_measure
        wanted: Sequence[str | None] = self.measures or [None]
        if self.measures and all(map(measures_by_data_set, self.measures)):
            wanted = [",".join(self.measures)]  # one board
        tables = read_measures(source, wanted, options, ways)
        first = tables[0].values
        if len(tables) > 1 and all(np.array_equal(t.values, first, equal_nan=True) for t in tables):
            raise UsageError(f"{self.sources[0]}: holds one measure only; give one -m, which names it")
        if not self.machine:
            return tables
        from truerank.readers import with_machine

        if not battles:
            _refuse_battles(tables)
        judge = self.machine[0] if len(self.machine) == 1 else self.machine
        return [
            with_machine(table, by_machine)
            for table, by_machine in zip(tables, read_measures(judge, wanted, options, ways), strict=True)
        ]

    def _by_measure(self, ways: Sequence[str]) -> list[ScoreMatrix]:
        """The scores of tables that are each called like another measure; none where they are not."""
        from truerank.readers.folders import tables_by_measure
        from truerank.readers.measures import same_measure
        from truerank.readers.score_reading import read_measures

        files = tables_by_measure(self.sources)
        for one in self.measures or ():
            files = {one if same_measure(one, name) else name: path for name, path in files.items()}
        chosen = [name for name in files if not self.measures or name in self.measures]
        tables = [read_measures(files[name], [name], self.options, ways)[0] for name in chosen]
        return tables if all(table.m > 1 for table in tables) else []

    def gate_command(self, baseline: str, candidate: str, generalize_to: str | None = None) -> str:
        pair = ["--baseline", baseline, "--candidate", candidate]
        population = [] if generalize_to is None else shlex.split(setting("generalize_to", generalize_to))
        # A gate leaves no cell empty: of a pair, the topics that both have are those that model compares.
        missing = "common" if self.missing == "model" else self.missing
        given = replace(self, missing=missing)._given()
        return shlex.join(["truerank", "gate", *self.sources, *given, *pair, *population])

    def _given(self) -> Iterator[str]:
        for item in fields(ScoreInput):
            value = getattr(self, item.name)
            if item.name == "sources" or value in (item.default, [], ()):
                continue
            for each in value if isinstance(value, list | tuple) else [value]:
                yield from shlex.split(setting(item.name.replace("measures", "measure"), each))


def _refuse_battles(tables: list[ScoreMatrix]) -> None:
    from truerank.kinds import InBattles

    for table in tables:
        table.refuse("this command", InBattles)


@dataclass(frozen=True, kw_only=True)
class HumanScores(ScoreInput):
    """Scores of a command that takes no machine's."""

    machine: None = None
    machine_qrels: None = None


@dataclass(frozen=True, kw_only=True)
class FilledScores(ScoreInput):
    """Scores of a command that takes no empty cells."""

    holes: ClassVar[bool] = False

    missing: FilledOption = "error"


@dataclass(frozen=True, kw_only=True)
class FilledHumanScores(HumanScores, FilledScores):
    """Scores of a command that takes neither empty cells nor a machine's."""


@dataclass(frozen=True, kw_only=True)
class TableOptions(ReadOptions, Group, heading=RARE):
    """How score tables are read by a command whose ``--topics`` is a number."""

    topics: str | None = None
    plugins: Plugins = None
