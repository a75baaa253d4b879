"""How rankings agree with a trusted one: what every experiment on rank distances reports of a ranking."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from truerank.coefficients import kendall_interval, tau, tau_ap, tau_b
from truerank.comparison.distance import BootstrapDistribution, Reference
from truerank.comparison.distance.bootstrap import bootstrap_distribution
from truerank.comparison.significance import significant_agreement
from truerank.errors import InputError
from truerank.experiments.engine.rows import Row
from truerank.readers import as_scores
from truerank.reliability.diagnostics import check_rankable
from truerank.scores import ScoreMatrix

ALPHA = 0.05
"""The level of all tests, as in the paper."""

GOOD = 0.9
"""The τ from which rankings are customarily taken for the same (Voorhees 2000)."""


@dataclass(frozen=True, eq=False)
class Trusted:
    """A ranking to measure others against, prepared once: its scores and their bootstrap distribution.

    Attributes:
        reference: the scores, with λ.
        distribution: of the distances of rankings by resampled topics.
    """

    reference: Reference
    distribution: BootstrapDistribution

    @classmethod
    def of(cls, scores: ScoreMatrix, samples: int, seed: int) -> Trusted:
        """Prepare scores; the same seed gives the p-values of ``truerank compare``."""
        check_rankable(scores)
        reference = Reference.of(scores)
        return cls(reference, bootstrap_distribution(reference, samples, seed))

    @property
    def critical(self) -> float:
        """The distance above which p ≤ 0.05."""
        return self.distribution.critical_value(ALPHA)

    def agreement(self, rankings: ArrayLike) -> list[Row]:
        """One row a ranking: coefficients, Kendall's interval, distance, p and significant pairs kept.

        Args:
            rankings: B × m values, higher is better, in the order of the reference's systems.
        """
        values = np.atleast_2d(np.asarray(rankings, dtype=np.float64))
        scores = self.reference.scores
        means = scores.means
        rows: list[Row] = []
        for y, distance in zip(values, self.reference.distances(values).tolist(), strict=True):
            kendall = tau(means, y)
            low, high = kendall_interval(kendall, scores.m)
            rows.append(
                {
                    "tau": kendall,
                    "tau_low": low,
                    "tau_high": high,
                    "tau_b": tau_b(means, y),
                    "tau_ap": tau_ap(means, y),
                    "distance": distance,
                    "critical": self.critical,
                    "p": self.distribution.p_value(distance),
                    "kept": significant_agreement(scores, y),
                }
            )
        return rows


def ranked_tables(sources: Any, top: int = 0) -> dict[str, ScoreMatrix]:
    """Score tables by name, systems in ranking order.

    Args:
        sources: a path, a table, a list of them, or a mapping from names to them.
        top: only so many of the best systems; 0: all.

    Raises:
        InputError: no table, one that cannot be ranked, or two of the same name.
    """
    if isinstance(sources, Mapping):
        named = [(str(name), as_scores(source)) for name, source in sources.items()]
    else:
        tables = [as_scores(s) for s in (sources if isinstance(sources, list | tuple) else [sources])]
        named = [(Path(t.source).stem if t.source else t.measure or "scores", t) for t in tables]
    if not named:
        raise InputError("name at least one score table")
    found: dict[str, ScoreMatrix] = {}
    for name, table in named:
        if name in found:
            raise InputError(f"two sources are named {name!r}; rename one")
        check_rankable(table)
        order = table.order
        found[name] = table.select(order[:top] if top else order)
    return found


def trusted_by_name(scores: Mapping[str, ScoreMatrix], samples: int, seed: int) -> dict[str, Trusted]:
    """Several references, each with its own bootstrap under the same seed."""
    return {name: Trusted.of(table, samples, seed) for name, table in scores.items()}


SHOWN = ["tau", "tau_ap", "distance", "critical", "p", "kept"]
"""Columns of tables with a row a ranking; ``kept`` is the share of significant pairs in order."""


def tau_text(row: Any) -> str:
    """τ with Kendall's interval as the paper prints it: ``0.84 (0.64, 0.93)``."""
    return f"{row.tau:.2f} ({row.tau_low:.2f}, {row.tau_high:.2f})"


def distance_text(row: Any) -> str:
    """Distance and p as the paper prints them, with a dagger where p ≥ 0.05: ``5.83, p=0.37†``."""
    return f"{row.distance:.2f}, p={row.p:.2f}" + ("†" if row.p >= ALPHA else "")


def summed_over_trials(rows: Any, by: list[str], values: list[str]) -> Any:
    """Mean and standard deviation (n − 1) of columns by groups, and the share of trials with p < 0.05.

    Args:
        rows: a data frame of rows of :meth:`Trusted.agreement` with more columns.
        by: columns that make the groups.
        values: columns to average; the first three also get a standard deviation.
    """
    import pandas as pd

    found = []
    for key, group in rows.groupby(by, sort=False):
        one: Row = dict(zip(by, key, strict=True)) | {"trials": len(group)}
        for place, value in enumerate(values):
            one[value] = float(group[value].mean())
            if place < 3:
                one[f"{value}_sd"] = float(group[value].std(ddof=1))
        one["rejected"] = float((group["p"] < ALPHA).mean())
        found.append(one)
    return pd.DataFrame(found)
