"""Lists and collections to test on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truerank.documents import DocumentList
from truerank.documents.collection import DocumentCollection, read_collection


def list_of(
    scores: Sequence[float], grades: Sequence[int], missing: Sequence[int] = (), ids: Sequence[str] = ()
) -> DocumentList:
    """One list through the front door: scores, grades and unretrieved grades."""
    names = list(ids) or [f"d{i:04d}" for i in range(len(scores))]
    judged = dict(zip(names, grades, strict=True)) | {f"m{i}": g for i, g in enumerate(missing)}
    run = {"t": dict(zip(names, scores, strict=True))}
    return read_collection({"t": judged}, {"run": run}).lists[0][0]


def random_list(rng: np.random.Generator, n: int = 60, r: int = 9, missing: int = 3) -> DocumentList:
    """A list where relevant documents tend to score higher; grades 1 to 3."""
    grades = np.zeros(n, dtype=int)
    grades[:r] = rng.integers(1, 4, r)
    scores = rng.normal(0, 1, n) + 1.2 * (grades > 0)
    return list_of(scores.tolist(), grades.tolist(), rng.integers(1, 4, missing).tolist())


def small_collection(topics: int = 12, systems: int = 4, n: int = 40, seed: int = 5) -> DocumentCollection:
    """Systems of falling quality on topics of varying difficulty."""
    rng = np.random.default_rng(seed)
    qrels, runs = {}, {f"s{s}": {} for s in range(systems)}
    for t in range(topics):
        r = int(rng.integers(2, 10))
        qrels[f"t{t}"] = {f"d{i:03d}": int(rng.integers(1, 3)) * (i < r) for i in range(n)}
        ease = rng.normal(1.0, 0.5)
        for s in range(systems):
            score = rng.normal(0, 1, n) + (ease - 0.25 * s) * (np.arange(n) < r)
            runs[f"s{s}"][f"t{t}"] = {f"d{i:03d}": float(score[i]) for i in range(n)}
    return read_collection(qrels, runs)
