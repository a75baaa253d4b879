"""Discriminative power of a ranking (Carterette 2009)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from truerank.coefficients import tied_ranks
from truerank.comparison.distance.rank_distance import refuse_swapped
from truerank.comparison.distance.reference import aligned
from truerank.comparison.significance.significance_test import pairwise_tests
from truerank.readers import as_scores


def significant_agreement(scores: Any, y: Any, alpha: float = 0.05) -> float:
    """Of the pairs that differ significantly in the baseline, the share that y orders the same way.

    This is what Carterette (2009, §3.1) calls the discriminative power of a ranking, by paired t-test
    at p < 0.05. A pair that y ties is not in the same order.

    Args:
        scores: the baseline, as in :func:`pairwise_tests`.
        y: the ranking, as in :func:`truerank.rank_distance`.
        alpha: p below it is significant.

    Returns:
        The share, in [0, 1]; NaN where no pair is significant.

    Raises:
        InputError: as :func:`pairwise_tests` and :func:`truerank.rank_distance`, or y before the scores.
        UnknownNameError: as :func:`truerank.read_scores`.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> significant_agreement(ap, [2, 3, 1])
        0.5
    """
    refuse_swapped("significant_agreement", scores, y)
    table = as_scores(scores)
    found = pairwise_tests(table).significant(alpha)
    base, other = tied_ranks(table.means), tied_ranks(aligned(table, y))
    same = np.sign(base[:, None] - base[None, :]) == np.sign(other[:, None] - other[None, :])
    pairs = np.triu(found, 1)
    return float(np.sum(same & pairs) / pairs.sum()) if pairs.any() else math.nan
