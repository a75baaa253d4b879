"""What the experiments on runs and judgments share: they score the same runs again with other judgments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truerank._support.arguments import setting
from truerank.errors import InputError
from truerank.experiments.engine.experiment import Grid, option
from truerank.experiments.engine.parameters import check
from truerank.experiments.shared.agreement import Trusted, trusted_by_name
from truerank.readers.measures import parse_measure
from truerank.readers.names import file_stem
from truerank.readers.ranked_runs import Judgments, RankedRuns, read_ranked_runs


@dataclass(frozen=True)
class JudgedParameters:
    """What every experiment on runs and judgments can be told."""

    qrels: str = option("", "The judgments, in TREC's format; the sources are the runs.")
    measures: tuple[str, ...] = option(("AP",), "Measures to rank by.")
    resamples: int = option(10_000, "Bootstrap resamples for the p-values.", least=1)

    def __post_init__(self) -> None:
        """Refuse what no experiment can use."""
        check(self)
        names = [str(parse_measure(name)) for name in self.measures]
        if len(set(names)) != len(names):
            raise InputError(f"measures names one twice: {','.join(names)}")


def load(sources: Any, parameters: JudgedParameters) -> dict[str, RankedRuns]:
    """The one collection, by the name of its qrels."""
    if isinstance(sources, RankedRuns):
        return {"runs": sources}
    if not parameters.qrels:
        raise InputError(f"name the judgments of the runs: {setting('qrels', 'FILE')}")
    runs = read_ranked_runs(parameters.qrels, sources)
    if runs.m < 2:
        raise InputError("name at least two runs, or a folder of them")
    return {file_stem(parameters.qrels): runs}


@dataclass(frozen=True, eq=False)
class JudgedContext:
    """What tasks on runs and judgments need: the runs, and each measure's ranking by all judgments."""

    parameters: Any
    runs: RankedRuns
    trusted: Mapping[str, Trusted]

    def agreement(self, judgments: Sequence[Judgments]) -> list[dict[str, Any]]:
        """One row per measure: its ranking with these judgments against its ranking with all of them."""
        result = self.runs.evaluate(self.parameters.measures, judgments)
        return [
            {"measure": name, **row}
            for name, trusted in self.trusted.items()
            for row in trusted.agreement(result[name].means)
        ]


def prepare(parameters: JudgedParameters, data: Mapping[str, RankedRuns], seed: int) -> JudgedContext:
    """Rank by all judgments."""
    runs = next(iter(data.values()))
    scores = runs.evaluate(parameters.measures, runs.judgments())
    return JudgedContext(parameters, runs, trusted_by_name(scores, parameters.resamples, seed))


def trials_grid(parameters: Any, data: Sequence[str]) -> Grid:
    """One task per trial."""
    return Grid({"trial": range(parameters.trials)})


PARTS: dict[str, Any] = {"load": load, "prepare": prepare}
"""What an experiment on runs and judgments is made of, but for what it declares itself."""
