"""One order of the topics whatever order a table has them in: random draws take topics by their place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, frozen
from truerank.battles import places_of
from truerank.scores import MachineScores, ScoreMatrix


def canonical_rows(scores: ScoreMatrix) -> ScoreMatrix:
    """The same scores with topics ordered by their content, not by their position."""
    held = scores.values
    if scores.battles is not None:
        battles, places = scores.battles.in_order(scores.m)
        names = tuple(scores.topics[c] for c in places.tolist())
        return replace(scores, battles=battles, topics=names, values=frozen(scores.values[places]))
    if scores.machine:
        held = np.concatenate([held, scores.machine.values[scores.machine.matched]], axis=1)
    content = _content(held)
    named = sorted(range(len(scores.data_sets)), key=scores.data_sets.__getitem__)
    strata = np.zeros(scores.n, np.intp) if scores.strata is None else np.argsort(named)[scores.strata]
    clusters = np.zeros(scores.n, np.intp) if scores.clusters is None else scores.clusters
    kinds = strata * (int(content.max(initial=0)) + 1) + content
    order = np.lexsort((content, places_of(clusters, kinds)[clusters], strata))
    found = scores.rows(order)
    return replace(found, machine=found.machine and _machine(found.machine))


def _machine(machine: MachineScores) -> MachineScores:
    """The machine's scores: first the topics that people judged, in their order, then the others."""
    rest = machine.rest
    rows = np.concatenate([machine.matched, rest[np.argsort(_content(machine.values[rest]))]])
    return replace(
        machine,
        values=frozen(machine.values[rows]),
        topics=tuple(machine.topics[t] for t in rows),
        matched=frozen(np.arange(len(machine.matched), dtype=np.intp)),
    )


def _content(values: Matrix) -> NDArray[np.intp]:
    """A number for each row, the same for the same scores, by the first system's score, then the next …"""
    if not len(values):
        return np.empty(0, dtype=np.intp)
    plain = np.where(np.isnan(values), np.nan, values + 0.0)  # one representation of missing and of zero
    bits = plain.view(np.uint64)
    sign = np.uint64(1 << 63)
    bits = np.where(bits & sign, ~bits, bits | sign).astype(">u8")
    rows = np.ascontiguousarray(bits).view(np.dtype((np.void, 8 * bits.shape[1])))
    return np.unique(rows.ravel(), return_inverse=True)[1].astype(np.intp)
