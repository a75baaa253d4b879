"""How often a gate's claims are false, and how often it decides, beside the t-test.

Pairs of systems of real tables stand for populations: their differences on topics are drawn with replacement,
so that the truth is known. Real-valued scores are drawn with a little normal noise, for more topics would
have more values; graded and binary ones as they are. Every claim is asked of both systems, where it is just
false and where the truth is 2.5 standard errors above it. What decides is what `truerank gate` prints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

import truerank
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from validation.checks import Checks, data_folder
from validation.studies.gate import confidences, moments

GRADED = ("robust2004_p10", "web2010_p10", "web2011_p10")
PAIRS = {"TREC": 18, "graded": 20, "binary": 8}
"""Pairs of systems from each table."""

SIZES = (10, 20, 30, 50, 100, 200)
COLLECTIONS = 3_000
LEVEL = 0.95
SMOOTH = 0.25
"""Standard deviation of the noise, in those of the differences."""

SUCCESS = 0.3
"""Score from which a topic counts as a success, where scores are made binary."""

AHEAD = 2.5
"""Standard errors by which the truth is above the value, for power."""

PROMISED = {20: 0.075, 50: 0.065}
"""What nine tenths of the pairs err less than, by number of topics."""

CHECKED = 4
"""Collections of each pair whose confidence is compared with the p-value of a gate."""


@dataclass(frozen=True, eq=False)
class Population:
    """The differences of a pair of systems on the topics of a table."""

    kind: str
    name: str
    values: Vector

    @property
    def largest(self) -> float | None:
        """The largest difference that scores can have, where values are not smoothed."""
        return None if self.kind == "TREC" else 1.0

    def skewness(self, sign: int) -> float:
        """Of a topic's difference, seen from one of the two systems."""
        centered = sign * (self.values - self.values.mean())
        return float(np.mean(centered**3) / np.mean(centered**2) ** 1.5)

    def collections(self, n: int) -> Matrix:
        """Differences on n random topics, a collection per row."""
        rng = stream(0, "validation", "gate", self.kind, self.name, n)
        d = rng.choice(self.values, (COLLECTIONS, n))
        if self.kind != "TREC":
            return d
        return d + SMOOTH * self.values.std() * rng.standard_normal(d.shape)


def populations() -> Iterator[Population]:
    """Pairs of the upper three quarters of each table, up to eight ranks apart."""
    for path in sorted((data_folder() / "trec").glob("*.csv")):
        table = truerank.read_scores(path).ranked()
        kinds = ("graded", "binary") if path.stem in GRADED else ("TREC", "binary")
        for kind in kinds:
            rng = stream(0, "validation", "gate", "pairs", kind, path.stem)
            values = (table.values >= SUCCESS).astype(float) if kind == "binary" else table.values
            upper, taken = 3 * table.m // 4, set[tuple[int, int]]()
            while len(taken) < PAIRS[kind]:
                a = int(rng.integers(0, upper - 1))
                b = min(a + int(rng.integers(1, 9)), upper - 1)
                d = values[:, a] - values[:, b]
                if (a, b) in taken or np.ptp(d) == 0:
                    continue
                taken.add((a, b))
                yield Population(kind, f"{path.stem} {table.systems[a]} {table.systems[b]}", d)


def run(checks: Checks) -> None:
    """Print errors and power by kind of scores and number of topics; check what the docs promise."""
    pairs = list(populations())
    checks.that("gate: at least 300 pairs", len(pairs) >= 300, f"{len(pairs)} pairs")
    apart = max(_apart(one) for one in pairs)
    checks.that("gate: the study's p-values are those of gates", apart < 1e-9, f"{apart:.1e}")
    for n in SIZES:
        rows = [_rates(one, n, sign) for one in pairs for sign in (1, -1)]
        kinds = np.array([one.kind for one in pairs for _ in range(2)])
        skewed = np.array([one.skewness(sign) < -1 for one in pairs for sign in (1, -1)]) & (kinds == "TREC")
        found = np.array(rows)
        for kind in ("TREC", "graded", "binary", "all"):
            some = kinds == kind if kind != "all" else np.ones(len(kinds), dtype=bool)
            checks.note(f"  n = {n:3d} {kind:7s} {_line(found[some])}")
        checks.note(f"  n = {n:3d} skewness below -1 ({skewed.sum()}): {_line(found[skewed])}")
        worst = int(found[:, 0].argmax())
        checks.note(f"          worst: {pairs[worst // 2].name}, {kinds[worst]}, {found[worst, 0]:.3f}")
        errors = [found[kinds == kind, 0] for kind in PAIRS]
        mean = max(float(some.mean()) for some in errors)
        checks.that(f"gate: mean error at {n}, the worst kind", mean < 0.055, f"{mean:.4f} (at most .055)")
        if n in PROMISED:
            high = max(float(np.quantile(some, 0.9)) for some in errors)
            checks.that(
                f"gate: error of 90% of pairs at {n}", high < PROMISED[n], f"{high:.3f} (< {PROMISED[n]})"
            )


def _rates(one: Population, n: int, sign: int) -> list[float]:
    """Share of collections with a false claim and with a true one: of the gate, and of t."""
    d = sign * one.collections(n)
    found, truth = moments(d), float(sign * one.values.mean())
    rates = []
    for value in (truth, truth - AHEAD * float(one.values.std()) / np.sqrt(n)):
        ours = confidences(d, value, one.largest) >= LEVEL
        rates += [float(ours.mean()), float((stdtr(n - 1, found.t(value)) >= LEVEL).mean())]
    return rates


def _line(rates: Matrix) -> str:
    """Mean (its standard error), ninetieth percentile and largest error, and mean power."""
    parts = []
    for name, error, power in (("gate", 0, 2), ("t", 1, 3)):
        e, p = rates[:, error], rates[:, power]
        se = e.std() / np.sqrt(len(e))
        parts.append(
            f"{name}: {e.mean():.4f} ({se:.4f}) / {np.quantile(e, 0.9):.3f} / {e.max():.3f}; {p.mean():.3f}"
        )
    return "   ".join(parts)


def _apart(one: Population) -> float:
    """How far the study's confidences are from those that gates print, on a few collections of 30."""
    d = one.collections(30)[:CHECKED]
    d = d[np.ptp(d, axis=1) > 0]
    expected = 1 - confidences(d, 0.0, one.largest)
    largest = 0.0
    for row, p in zip(d, expected, strict=True):
        known = None if one.largest is None else (0, 1)
        found = truerank.gate(np.column_stack([0.5 - row / 2, 0.5 + row / 2]), range=known).decisions[0]
        own = 1 - found.probability_better
        if p < 1:  # the study leaves out exact bounds that are far from deciding
            largest = max(largest, abs(own - p))
    return largest
