"""p-values adjusted by the largest statistic over flipped signs: what max-T is here."""

from __future__ import annotations

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.comparison.significance.significance_test import Family
from truerank.numerics.max_t import signed_statistics, step_down_p_values
from truerank.numerics.resampling import order_of_rows, sign_vectors


def sign_flipped_family(differences: Matrix, permutations: int, seed: int) -> Family:
    """Step-down max-T over sign vectors, the same for all differences, which keeps their dependence."""
    n = len(differences)
    signs, exact = sign_vectors(n, permutations, stream(seed, "randomization"))
    differences = differences[order_of_rows(np.abs(differences))]
    (observed,) = signed_statistics(differences, np.ones((1, n)))
    p = step_down_p_values(observed[0], signed_statistics(differences, signs), own=0 if exact else 1)
    return Family(p, len(signs), exact)
