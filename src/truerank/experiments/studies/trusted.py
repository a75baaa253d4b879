"""How rankings agree with a trusted one, by its scores and the distances that its topics allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from truerank.coefficients import kendall_interval, tau, tau_ap, tau_b
from truerank.comparison.distance import BootstrapDistribution, Reference
from truerank.comparison.distance.rank_distance import bootstrap_distribution
from truerank.comparison.significance import significant_agreement
from truerank.errors import InputError
from truerank.experiments.experiment import Row
from truerank.readers import as_scores
from truerank.reliability.diagnostics import check_rankable
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.experiment import Draw
    from truerank.report.charts.style import Chart, Size

ALPHA = 0.05  # the level of all tests, as in the paper
GOOD = 0.9  # the τ from which rankings are customarily regarded as equivalent (Voorhees 2000)
# Columns of tables with one row per ranking; ``kept`` is the share of significant pairs in order.
SHOWN = ["tau", "tau_ap", "distance", "critical", "p", "kept"]


@dataclass(frozen=True, eq=False)
class Trusted:
    """A ranking to measure others against: its scores, and the distances of rankings by resampled topics."""

    reference: Reference
    distribution: BootstrapDistribution

    @classmethod
    def of(cls, scores: ScoreMatrix, resamples: int, seed: int) -> Trusted:
        """Prepare scores; the same seed gives the p-values of ``truerank compare``."""
        check_rankable(scores)
        reference = Reference.of(scores)
        return cls(reference, bootstrap_distribution(reference, resamples, seed))

    @property
    def critical(self) -> float:
        """The distance above which p ≤ 0.05."""
        return self.distribution.critical_value(ALPHA)

    def agreement(self, rankings: ArrayLike) -> list[Row]:
        """One row per ranking: coefficients, Kendall's interval, distance, p and significant pairs kept."""
        values = np.atleast_2d(np.asarray(rankings, dtype=np.float64))
        scores = self.reference.scores
        means = scores.means
        rows: list[Row] = []
        for y, distance in zip(values, self.reference.distances(values).tolist(), strict=True):
            kendall = tau(means, y)
            low, high = kendall_interval(kendall, scores.m)
            p, kept = self.distribution.p_value(distance), significant_agreement(scores, y)
            rows.append(
                {"tau": kendall, "tau_low": low, "tau_high": high}
                | {"tau_b": tau_b(means, y), "tau_ap": tau_ap(means, y)}
                | {"distance": distance, "critical": self.critical, "p": p, "kept": kept}
            )
        return rows


def listed(sources: Any) -> list[Any]:
    """The sources of an experiment, which may be only one."""
    return list(sources) if isinstance(sources, list | tuple) else [sources]


def named(sources: Any) -> dict[str, Any]:
    """Sources by name: a path is known by its stem, a table by its measure."""
    if isinstance(sources, Mapping):
        pairs = [(str(name), source) for name, source in sources.items()]
    else:
        pairs = [
            (Path(item).name.split(".")[0], item)
            if isinstance(item, str | Path)
            else (getattr(item, "measure", "") or "scores", item)
            for item in listed(sources)
        ]
    names = Counter(name for name, _ in pairs)
    if twice := [name for name, count in names.items() if count > 1]:
        raise InputError(f"two sources are named {twice[0]!r}; rename one")
    if not names:
        raise InputError("name at least one score table or simulation model")
    return dict(pairs)


def tables_by_name(sources: Any) -> dict[str, ScoreMatrix]:
    """Score tables by name."""
    return {name: as_scores(source) for name, source in named(sources).items()}


def trusted_by_name(scores: Mapping[str, ScoreMatrix], resamples: int, seed: int) -> dict[str, Trusted]:
    """Several references, each with its own bootstrap under the same seed."""
    return {name: Trusted.of(table, resamples, seed) for name, table in scores.items()}


def tau_text(row: Any) -> str:
    """τ with Kendall's interval as the paper prints it: ``0.84 (0.64, 0.93)``."""
    return f"{row.tau:.2f} ({row.tau_low:.2f}, {row.tau_high:.2f})".replace("-", "−")


def distance_text(row: Any) -> str:
    """Distance and p as the paper prints them, with a dagger where p ≥ 0.05: ``5.83, p=0.37†``."""
    return f"{row.distance:.2f}, p={row.p:.2f}" + ("†" if row.p >= ALPHA else "")


def agreement_panels(rows: DataFrame, x: str, x_title: str, data: str) -> Draw:
    """τ, distance and p, one line per measure; dashed: τ = 0.9, each critical distance, p = 0.05."""
    titles = {"tau": "Kendall's τ", "distance": "Rank distance", "p": "p"}
    rules = {"tau": [GOOD], "distance": sorted(set(rows["critical"])), "p": [ALPHA]}
    long = rows.melt([x, "measure"], list(titles), "what", "value").assign(data=data)
    long["panel"] = long["what"].map(titles)

    def panel(frame: DataFrame, series: Any) -> Any:
        from truerank.report.charts.panels import lines

        what = frame["what"].iloc[0]
        return lines(frame, x, "value", x_title, titles[what], series, rules=rules[what])

    def draw(size: Size) -> Chart:
        from truerank.report.charts.panels import panels

        return panels(long, size, "data", "panel", panel, series="measure", title="Measure")

    return draw
