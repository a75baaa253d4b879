"""The plain version of the document samples: draw all N documents, sort them, walk down the list.

Kept beside the fast one to test and to time it against; written from the paper's description of a sample
(yang-2018 §3.1; docs/methods/documents.md, One sample) without a glance at the fast one's shortcuts.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank.documents import DocumentList


def draw_ranking(documents: DocumentList, model: str, rng: Generator) -> NDArray[np.int64]:
    """Grades down one sampled ranking of a list with at least one relevant document."""
    n = documents.retrieved
    relevant = np.flatnonzero(documents.grades > 0)
    others = np.flatnonzero(documents.grades == 0)
    r = n if len(others) == 0 else min(rng.poisson(len(relevant)), n)
    chosen = np.concatenate([_draw(relevant, r, rng), _draw(others, n - r, rng)])
    scores = documents.scores[chosen]
    if model == "kde":
        noise = np.repeat(
            [_bandwidth(documents.scores[relevant]), _bandwidth(documents.scores[others])], [r, n - r]
        )
        scores = scores + noise * rng.standard_normal(n)
    # By score, then by the place that trec_eval's order gave the document; higher place, later.
    order = np.lexsort((chosen, -scores))
    if model == "bst":
        order = np.argsort(chosen, kind="stable")  # lists come sorted by score, then id
    return documents.grades[chosen[order]]


def _draw(places: NDArray[np.intp], size: int, rng: Generator) -> NDArray[np.intp]:
    if size == 0:
        return places[:0]
    return places[rng.integers(0, len(places), size)]


def _bandwidth(scores: NDArray[np.float64]) -> float:
    if len(np.unique(scores)) < 2:
        return 0.0
    return float(np.std(scores, ddof=1) / len(scores) ** 0.2)


def walk_ap(grades: NDArray[np.int64], missing: int) -> float:
    """AP of a ranking in a topic with so many more relevant documents, down the list."""
    seen, total = 0, 0.0
    for place, grade in enumerate(grades.tolist(), start=1):
        if grade > 0:
            seen += 1
            total += seen / place
    return total / (seen + missing) if seen + missing else 0.0


def walk_ndcg(grades: NDArray[np.int64], missing: NDArray[np.int64], cutoff: int) -> float:
    """nDCG at a cutoff, the ideal sorted anew."""
    discounts = [1 / np.log2(place + 1) for place in range(1, cutoff + 1)]
    ideal = sorted([*grades.tolist(), *missing.tolist()], reverse=True)
    best = sum(g * d for g, d in zip(ideal, discounts, strict=False))
    return sum(g * d for g, d in zip(grades.tolist(), discounts, strict=False)) / best if best else 0.0
