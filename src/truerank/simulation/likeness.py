"""How well a model's topics resemble the real ones: means, spreads, shapes, correlations, difficulty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from truerank._support.plain import Written
from truerank._support.seeds import stream
from truerank._support.tables import Column, Name, Number
from truerank._support.types import Fraction, Level, Matrix, OrNaN, Vector, Whole, WrittenAs
from truerank.errors import InputError
from truerank.readers import as_scores
from truerank.simulation.copulas import kendall_matrix
from truerank.simulation.model import SimulationModel

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)  # probabilities of the quantiles that are compared
SPLITS = 10  # random halvings of the real topics behind the noise of the correlations


@dataclass(frozen=True)
class SystemFit:
    """One system, real against simulated.

    Attributes:
        system: its name.
        family: of its margin; ``None`` where the simulator has none.
        true_mean: under the model.
        mean, sd: of the real scores.
        simulated_mean, simulated_sd: of the simulated ones.
        quantiles, simulated_quantiles: at `LEVELS`.
        distance: Kolmogorov's distance between real and simulated scores, in [0, 1].
        chance: the distance that a sample of as many topics from the model itself exceeds once in twenty
            times; a larger distance is a misfit.
    """

    system: Annotated[str, Column("System", Name())]
    family: str | None
    true_mean: float
    mean: Annotated[float, Column("Mean", Number(digits=4))]
    simulated_mean: Annotated[float, Column("Simulated mean", Number(digits=4))]
    sd: Annotated[float, Column("sd", Number(digits=4))]
    simulated_sd: Annotated[float, Column("Simulated sd", Number(digits=4))]
    quantiles: tuple[float, ...]
    simulated_quantiles: tuple[float, ...]
    distance: Annotated[Fraction, Column("Distance", Number(digits=2))]
    chance: Annotated[float, WrittenAs("chance", "misfit"), Column("Chance", Number(digits=2))]

    @property
    def misfit(self) -> bool:
        """Whether the distance is more than chance."""
        return self.distance > self.chance


@dataclass(frozen=True)
class Correlations:
    """τ_b between systems, simulated against real.

    Attributes:
        error: mean absolute difference over pairs; NaN where no pair varies.
        bias: mean difference, simulated minus real; NaN in the same cases.
        noise: approximate sampling error of the real τ_b; NaN below 6 topics.
    """

    error: OrNaN
    bias: OrNaN
    noise: OrNaN


@dataclass(frozen=True)
class RealAndSimulated:
    """Quantiles at the levels.

    Attributes:
        real: of the real topics.
        simulated: of simulated ones.
    """

    real: tuple[float, ...]
    simulated: tuple[float, ...]


@dataclass(frozen=True)
class Diagnostics(Written):
    """Simulated scores beside the real ones (docs/methods/simulation.md).

    Attributes:
        topics: how many real ones.
        simulated_topics: how many simulated ones.
        tau_b: τ_b between systems, simulated against real.
        levels: of all quantiles here, in (0, 1).
        difficulty: quantiles of a topic's mean score over systems.
        systems: one per system.

    Example:
        >>> from truerank.simulation import load_embedded
        >>> model = load_embedded("web2010-ap")
        >>> found = diagnose(model, model.sample(100, seed=3), topics=1000)
        >>> len(found.systems), found.topics
        (88, 100)
        >>> found.tau_b.error < 2 * found.tau_b.noise  # as like as one sample is to another
        True
    """

    topics: Whole
    simulated_topics: Whole
    tau_b: Correlations
    levels: tuple[Level, ...]
    difficulty: RealAndSimulated
    systems: tuple[SystemFit, ...]

    def worst(self, count: int = 5) -> tuple[SystemFit, ...]:
        """The systems whose simulated scores are least like the real ones, worst first."""
        ordered = sorted(self.systems, key=lambda s: s.distance - s.chance, reverse=True)
        return tuple(ordered[:count])


def diagnose(model: SimulationModel, scores: Any, topics: int = 20_000, seed: int = 0) -> Diagnostics:
    """Compare simulated topics with real ones.

    Args:
        model: the model.
        scores: the real scores, as :func:`truerank.read_scores` takes them; usually those that the model
            was fitted to. All the model's systems must be there.
        topics: how many to simulate.
        seed: the same seed gives the same digits.

    Returns:
        Means, spreads, quantiles and Kolmogorov's distance of each system, τ_b between the systems, and the
        difficulty of topics, real beside simulated.

    Raises:
        InputError: scores that lack a system of the model, or fewer than two topics.
        UnknownNameError: a column of the scores that is not there.

    Example:
        >>> from truerank.simulation import load_embedded
        >>> model = load_embedded("web2010-ap")
        >>> found = diagnose(model, model.sample(50, seed=3), topics=500)
        >>> found.worst(2)[0].distance < 0.5
        True
    """
    table = as_scores(scores)
    missing = [system for system in model.systems if system not in table.systems]
    if missing:
        raise InputError(
            f"these scores have no system {missing[0]!r}, which the model has "
            f"({len(missing)} such); give the scores that it was fitted to"
        )
    if table.n < 2 or topics < 2:
        raise InputError("at least two real and two simulated topics are needed to compare them")
    column = {system: s for s, system in enumerate(table.systems)}
    real = table.select([column[system] for system in model.systems])
    simulated = model.draw(topics, stream(seed, "diagnose"))
    chance = _chance_distances(real.n, seed)
    families = [margin.family for margin in getattr(model, "margins", ())] or [None] * real.m
    entries = [
        SystemFit(
            system=system,
            family=family,
            true_mean=float(mean),
            mean=float(x.mean()),
            sd=float(x.std(ddof=1)),
            simulated_mean=float(y.mean()),
            simulated_sd=float(y.std(ddof=1)),
            quantiles=_quantiles(x),
            simulated_quantiles=_quantiles(y),
            distance=kolmogorov_distance(x, y),
            chance=chance,
        )
        for system, family, mean, x, y in zip(
            model.systems, families, model.true_means, real.values.T, simulated.T, strict=True
        )
    ]
    pairs = np.triu_indices(real.m, 1)
    difference = (kendall_matrix(simulated) - kendall_matrix(real.values))[pairs]
    errors = Correlations(_mean(np.abs(difference)), _mean(difference), split_noise(real.values, seed))
    difficulty = RealAndSimulated(*(_quantiles(x.mean(axis=1)) for x in (real.values, simulated)))
    return Diagnostics(real.n, len(simulated), errors, LEVELS, difficulty, tuple(entries))


def _quantiles(scores: Vector) -> tuple[float, ...]:
    return tuple(np.quantile(scores, LEVELS).tolist())


def kolmogorov_distance(x: Vector, y: Vector) -> float:
    """The largest difference between two empirical distribution functions, at 4 decimals of scores."""
    x, y = np.sort(np.round(x, 4)), np.sort(np.round(y, 4))
    at = np.concatenate([x, y])
    shares = (np.searchsorted(sample, at, side="right") / len(sample) for sample in (x, y))
    return float(np.abs(np.subtract(*shares)).max())


def split_noise(values: Matrix, seed: int = 0) -> float:
    """Mean absolute difference of τ_b between halves of the topics, halved: about the whole's error."""
    n, m = values.shape
    if n < 6:
        return float("nan")
    rng, pairs, result = stream(seed, "diagnose", "split"), np.triu_indices(m, 1), []
    for _ in range(SPLITS):
        order = rng.permutation(n)
        halves = (kendall_matrix(values[part])[pairs] for part in (order[: n // 2], order[n // 2 :]))
        result.append(_mean(np.abs(np.subtract(*halves))) / 2)
    return _mean(np.array(result))


def _chance_distances(n: int, seed: int) -> float:
    """The 95% quantile of Kolmogorov's distance between n uniforms and their distribution."""
    u = np.sort(stream(seed, "diagnose", "chance").random((2_000, n)), axis=1)
    above, below = np.arange(1, n + 1) / n - u, u - np.arange(n) / n
    return float(np.quantile(np.maximum(above, below).max(axis=1), 0.95))


def _mean(values: Vector) -> float:
    kept = values[np.isfinite(values)]
    return float(kept.mean()) if len(kept) else float("nan")
