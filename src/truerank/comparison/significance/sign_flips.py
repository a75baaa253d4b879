"""p-values adjusted by the largest statistic over flipped signs: what max-T is here."""

from __future__ import annotations

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.comparison.significance.significance_test import Family
from truerank.numerics.max_t import signed_statistics, step_down_p_values
from truerank.numerics.resampling import sign_vectors


def sign_flipped_family(differences: Matrix, permutations: int, seed: int) -> Family:
    """Step-down max-T over sign vectors, the same for all differences, which keeps their dependence.

    The statistic is |t|, up to an increasing function that is at most √n; over resampled topics t has no
    bound, and two systems that differ on a topic or two would set the largest of all. O(permutations·n·k).

    Args:
        differences: n × k, a column for each pair of systems.
        permutations: sign vectors to draw, where there are more of them.
        seed: of these.

    Returns:
        The adjusted p-values of the k pairs.
    """
    n = len(differences)
    signs, exact = sign_vectors(n, permutations, stream(seed, "randomization"))
    (observed,) = signed_statistics(differences, np.ones((1, n)))
    p = step_down_p_values(observed[0], signed_statistics(differences, signs), own=0 if exact else 1)
    return Family(p, len(signs), exact)
