"""The mean on one data set: plain, clustered, or least squares over empty cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.reliability.means.least_squares import additive, usable
from truerank.reliability.means.means import effective_number, summed


@dataclass(frozen=True, eq=False)
class DataSetMeans:
    """The systems' means on one data set, with their errors.

    Attributes:
        means: m, NaN for a system that has too few topics here.
        contrasts: the same but for a common constant.
        influences: N × m, one row per topic or cluster, 0 for a system without a mean.
        count: rows that count, N or fewer.
        size: effective number of topics, of which each cluster counts as one.
        variances: m × m, the covariance of the means from scores of variance 1; ``None`` where all systems
            have all topics, so that it is 1/size for each.
    """

    means: Vector
    contrasts: Vector
    influences: Matrix
    count: int
    size: float
    variances: Matrix | None


def means_alone(values: Matrix) -> Vector:
    """The means of :func:`data_set_means`, without what their errors need."""
    if not np.isnan(values).any():
        return np.asarray(values.mean(axis=0))
    cells = usable(~np.isnan(values))
    topics, systems = cells.any(axis=1), cells.any(axis=0)
    means = np.full(values.shape[1], np.nan)
    if systems.any():
        kept = np.where(cells, values, np.nan)[np.ix_(topics, systems)]
        fit = additive(kept, np.full(len(kept), 1 / len(kept)))
        means[systems] = fit.contrasts + fit.level
    return means


def data_set_means(values: Matrix, clusters: NDArray[np.intp] | None = None) -> DataSetMeans:
    """The means of n × m scores, NaN in empty cells, that count alike. O(n·m), O(n·m² + m³) with holes."""
    n, m = values.shape
    present = ~np.isnan(values)
    if present.all():
        means = values.mean(axis=0)
        contrasts = (values - values.mean(axis=1, keepdims=True)).mean(axis=0)
        influences, variances = (values - means) / n, None
        topics = present.any(axis=1)
    else:
        cells = usable(present)
        topics, systems = cells.any(axis=1), cells.any(axis=0)
        means, contrasts = np.full(m, np.nan), np.full(m, np.nan)
        influences, variances = np.zeros((n, m)), np.zeros((m, m))
        if systems.any():
            here = np.ix_(topics, systems)
            kept = np.where(cells, values, np.nan)[here]
            fit = additive(kept, np.full(len(kept), 1 / len(kept)))
            means[systems], contrasts[systems] = fit.contrasts + fit.level, fit.contrasts
            influences[here] = fit.influences
            variances[np.ix_(systems, systems)] = fit.variances
        influences = influences[topics]
    if clusters is None:
        count = int(topics.sum())
        return DataSetMeans(means, contrasts, influences, count, float(count), variances)
    groups = clusters[topics]
    influences = summed(influences, groups)
    size = effective_number(groups) if len(groups) else 0.0
    if variances is not None:
        variances = variances * (len(groups) / max(size, 1.0))
    return DataSetMeans(means, contrasts, influences, len(influences), size, variances)
