"""The example of carterette-2009 §3.1 and its Figure 2: every ranking of three systems over four topics."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from typing import Any

from truerank._support.seeds import stream
from truerank.coefficients import kendall_interval, tau
from truerank.comparison.distance import rank_distance_test
from truerank.comparison.significance import significant_agreement
from truerank.experiments.study import Grid, Results, Row, Summary, Task, declared, tables
from truerank.scores import ScoreMatrix

AP = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
P10 = [0.5, 0.75, 0.7]
KENDALL = 0.9, 25
"""τ and number of systems of the example of equation 1."""


@dataclass(frozen=True)
class ThreeSystemsParameters:
    """None: the example is the paper's, and all resamples of its four topics are enumerated."""


def load(sources: Any, parameters: ThreeSystemsParameters) -> dict[str, ScoreMatrix]:
    """The paper's scores, whatever the sources."""
    return {"example": ScoreMatrix.build(AP, systems=["A", "B", "C"], measure="AP")}


def work(scores: ScoreMatrix, task: Task, seed: int) -> list[Row]:
    """How one ranking agrees with that by AP."""
    values = [-str(task["ranking"]).index(system) for system in scores.systems]
    test = rank_distance_test(scores, values, seed=int(stream(seed, "example").integers(1 << 31)))
    kept = significant_agreement(scores, values)
    return [{"tau": tau(scores.means, values), "kept": kept, "distance": test.distance, "p": test.p_value}]


def summarize(results: Results) -> Summary:
    """The table of §3.1, Figure 2, and the example of equation 1."""
    import pandas as pd

    def figure(size: Any) -> Any:
        from truerank.experiments.shared.cone import cone_figure

        scores = load(None, results.parameters)["example"]
        return cone_figure(scores, P10, size)

    rows = results.frame()[["ranking", "tau", "kept", "distance", "p"]]
    low, high = kendall_interval(*KENDALL)
    interval = pd.DataFrame(
        [dict(zip(("tau", "systems", "low", "high"), (*KENDALL, low, high), strict=True))]
    )
    frames = {"rankings": rows, "interval": interval}
    return Summary(tables("three-systems", frames), {"contours": figure})


EXPERIMENT = declared(
    "three-systems",
    ThreeSystemsParameters,
    work,
    summarize,
    6,
    load=load,
    prepare=lambda parameters, data, seed: data["example"],
    grid=lambda parameters, data: Grid({"ranking": tuple("".join(order) for order in permutations("ABC"))}),
)
