"""How accurate numbers were on measured boards like this one: one consequence for all notes on accuracy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from truerank._support.notes import Note
from truerank._support.units import Unit
from truerank.scores import ScoreMatrix

FEW_TOPICS = 25
"""Below this many topics the published estimators are clearly overconfident (docs/methods/estimators.md)."""

FEW_SYSTEMS = 11
"""With fewer systems, `eb` learns little about how far apart systems are (docs/methods/held-out.md)."""

GRAVEST = ("skewed", "few-systems", "few-topics")
"""Codes of notes on accuracy: of several, the first says what follows."""


@dataclass(frozen=True)
class Measured:
    """A board where the truth was known: its size, its kind of scores, and how far numbers were off."""

    kind: str
    topics: int
    systems: int
    high: float | None = None
    ranges: float | None = None
    leader: float | None = None


FEW_SETS = 5
"""Fewest data sets in effect for ranges that hold together (docs/methods/evidence/ranks.md)."""

RIGHT, SHARES, NUMBERS, SETS = "scores of right or wrong", "scores from 0 to 1", "skewed scores", "data sets"

SKEWED = (
    *(
        Measured(RIGHT, n, 52, high, held)
        for n, high, held in ((10, 0.12, None), (30, 0.03, 0.77), (100, 0.01, 0.97))
    ),
    *(Measured(RIGHT, n, 20, high, held) for n, high, held in ((20, 0.09, 0.94), (50, 0.06, 0.90))),
    *(Measured(SHARES, n, 58, high, held) for n, high, held in ((30, 0.05, 0.81), (100, 0.01, 0.91))),
    *(Measured(SHARES, n, 25, *off) for n, off in ((20, (0.05, 0.92, 0.72)), (50, (0.03, 0.9, 0.82)))),
    *(Measured(NUMBERS, n, 20, 0.02, held) for n, held in ((20, 0.88), (50, 0.84))),
    *(Measured(SETS, n, 22, None, held) for n, held in ((8, 0.86), (15, 0.88), (30, 0.96))),
    *(Measured(SETS, n, 40, None, held) for n, held in ((8, 0.98), (15, 0.97), (30, 0.92))),
)
"""Boards with skewed differences (held-out.md and evidence/ranks.md of docs/methods, docs/how-right.md)."""

ALIKE = tuple(Measured(NUMBERS, n, 8, high) for n, high in ((30, 0.13), (50, 0.09), (100, 0.05)))
"""Few systems that are nearly alike (docs/methods/held-out.md)."""

OFF = {10: 0.09, 20: 0.07}
"""Mean absolute error of τ on real boards, by number of topics (docs/methods/held-out.md)."""


def nearest(boards: Sequence[Measured], n: int, m: int) -> Measured:
    """The board whose size is closest, as ratios of topics and of systems."""
    return min(boards, key=lambda one: abs(math.log(one.topics / n)) + abs(math.log(one.systems / m)))


def size_notes(
    n: int, m: int, unit: Unit, units: str, learning: bool = True, like: str = "test collections"
) -> list[Note]:
    """Notes on few topics, `units` in words, and on few systems, which matter to estimators that learn.

    These rely on data `like` those that they know.
    """
    found = []
    if learning and m < FEW_SYSTEMS:
        near = nearest(ALIKE, n, m)
        said = (
            f"where systems are nearly alike τ is too high, by {near.high:.2f} on a board of {near.systems} "
            f"such systems and {near.topics} {unit.many}"
        )
        what = f"only {m} systems, so eb relies on the differences in typical {like}"
        found.append(Note("few-systems", what, meaning=said))
    if n < FEW_TOPICS:
        topics = min(OFF, key=lambda one: abs(one - n))
        others = "; other estimators are too high where systems are close" * (not learning)
        said = (
            f"with {topics}, one estimate of τ was off by {OFF[topics]:.2f} on average on real boards{others}"
            ". Where the best systems were nearly alike, τ_AP was 0.1 too high or more"
        )
        found.append(Note("few-topics", f"only {units}", meaning=said))
    return found


def skewed_notes(share: float, n: int, ranked: ScoreMatrix, unit: Unit) -> list[Note]:
    """A note on this share of pairs with skewed differences, and what was seen on the closest board."""
    instead = f"res and kd need more {unit.many}" if n < FEW_TOPICS else "compare with res"
    what = f"{share:.0%} of the pairs have skewed differences; eb, ml and msqd assume normal ones ({instead})"
    values = ranked.values
    inside = np.nanmin(values) >= 0 and np.nanmax(values) <= 1
    whole = inside and bool(np.isin(values[~np.isnan(values)], (0, 1)).all())
    kind = SETS if unit.one == "data set" else RIGHT if whole else SHARES if inside else NUMBERS
    if kind == SETS and n < FEW_SETS:
        return [Note("skewed", what)]
    near = nearest([one for one in SKEWED if one.kind == kind], n, values.shape[1])
    off = [] if near.high is None else [f"τ was {near.high:.2f} too high"]
    off += [] if near.ranges is None else [f"95% rank ranges held in {near.ranges:.0%}"]
    off += [] if near.leader is None else [f"the leader’s interval in {near.leader:.0%}"]
    of = "data sets" if kind == SETS else f"{ranked.unit.many}, {kind}"
    size = f"{near.systems} systems, {near.topics} {of}"
    worst = ". Where systems fail badly on few data sets, ranges held in 47 to 60%" if kind == SETS else ""
    said = f"on the closest board measured ({size}) {', '.join(off)}{worst}"
    return [Note("skewed", what, meaning=said, held=near.ranges)]


def one_consequence(notes: Sequence[Note]) -> tuple[Note, ...]:
    """The notes, those on accuracy first, with what follows from the gravest of them."""
    about = sorted(
        (note for note in notes if note.code in GRAVEST), key=lambda note: GRAVEST.index(note.code)
    )
    meaning = next((note.meaning for note in about if note.meaning), "")
    others = [note for note in notes if note.code not in GRAVEST]
    return (*(replace(note, meaning=meaning) for note in about), *others)
