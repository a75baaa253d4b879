"""The two arms of a comparison: which systems, and whether their scores can carry a verdict."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from truerank._support.arguments import either, setting
from truerank._support.notes import Note
from truerank._support.types import Vector
from truerank._support.wording import joined
from truerank.errors import InputError, at, unknown_name
from truerank.readers.missing import Filled, Missing, lacking_notes, treat_missing
from truerank.reliability.diagnostics import too_few
from truerank.scores import LARGEST, TIE, ScoreMatrix, unknown_system

FEWEST = 3
"""Fewest topics for any statement."""

FEWEST_SHARED = 0.5
"""Arms that share a smaller fraction of the topics of either are not compared."""


@dataclass(frozen=True, eq=False)
class Arms:
    """Baseline and candidate on the topics that both have: n × 2 scores, the baseline first; complete."""

    scores: ScoreMatrix
    notes: tuple[Note, ...]

    @property
    def baseline(self) -> str:
        """Its name."""
        return self.scores.systems[0]

    @property
    def candidate(self) -> str:
        """Its name."""
        return self.scores.systems[1]

    @property
    def differences(self) -> Vector:
        """n, candidate minus baseline."""
        return self.scores.values[:, 1] - self.scores.values[:, 0]


def name_arms(
    scores: ScoreMatrix, baseline: str | None, candidates: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    """The baseline and the candidates: of two systems the first and the second, unless said otherwise."""
    where = at(scores.source)
    if scores.m < 2:
        file = f" {shlex.quote(scores.source)}" if scores.source and os.path.isfile(scores.source) else ""
        alone = either("truerank.mean_score", f"truerank assess{file}")
        raise InputError(
            f"{where}only one system ({scores.systems[0]!r}); a comparison needs a baseline and a candidate. "
            f"For the interval of one mean use {alone}"
        )
    for name in (baseline, *candidates):
        if name is not None and name not in scores.systems:
            raise unknown_system(scores, name)
    if baseline is None:
        rest = [name for name in scores.systems if name not in candidates]
        if scores.m > 2 and len(rest) != 1:
            hints = [f". {note.text}" for note in scores.notes if note.code == "runs-as-systems"]
            raise InputError(
                f"{where}{scores.m} systems; say which one is the baseline "
                f"({setting('baseline', scores.systems[0])}){''.join(hints)}"
            )
        if not rest:
            raise InputError(f"{where}both systems are candidates; one must be the baseline")
        baseline = rest[0]
    chosen = tuple(dict.fromkeys(candidates)) or tuple(name for name in scores.systems if name != baseline)
    if baseline in chosen:
        raise InputError(f"{where}{baseline!r} is both baseline and candidate; compare two systems")
    return baseline, chosen


def arms_of(
    scores: ScoreMatrix, baseline: str, candidate: str, missing: Literal["error", "common"] = "common"
) -> Arms:
    """The scores of two systems on the topics that both have, or a refusal."""
    found = arms_or_reason(scores, baseline, candidate, missing)
    if isinstance(found, Arms):
        return found
    raise InputError(found)


def arms_or_reason(
    scores: ScoreMatrix, baseline: str, candidate: str, missing: Literal["error", "common"] = "common"
) -> Arms | str:
    """The same, or why there can be no verdict."""
    where, unit = at(scores.source), scores.unit
    if scores.n < FEWEST:
        return str(too_few(scores))
    pair = scores.select([scores.systems.index(baseline), scores.systems.index(candidate)])
    there = ~np.isnan(pair.values)
    for s, role in enumerate(("baseline", "candidate")):
        if not there[:, s].any():
            return f"{where}the {role} {pair.systems[s]!r} has no results{_by(pair)}; it may never have run"
    both = np.asarray(there.all(axis=1))
    shared, fewer = int(both.sum()), int(there.sum(axis=0).min())
    if shared < FEWEST or shared < FEWEST_SHARED * fewer:
        return (
            f"{where}{baseline!r} and {candidate!r} share {shared or 'no'} "
            f"{unit.one if shared == 1 else unit.many} of {len(both)}{_by(pair)}; a verdict needs the same "
            f"{unit.many} in both: are these the right files?"
        )
    lacking = there.any(axis=1) & ~both
    if missing == "error" and lacking.any():
        t = int(np.flatnonzero(lacking)[0])
        without = pair.systems[int(there[t, 0])]
        strata = None if pair.k == pair.n else pair.strata
        of_set = "" if strata is None else f" of data set {pair.data_sets[strata[t]]!r}"
        return (
            f"{where}{without!r} has no score on {unit.one} {pair.topics[t]!r}{of_set}{_by(pair)} "
            f"({int(lacking.sum())} of {len(both)} {unit.many} lack one of the two); add it, or use "
            f"{setting('missing', 'common')} or {setting('missing', 'zero')}"
        )
    kept = pair.rows(np.flatnonzero(both))
    answers = bool(np.isin(kept.values, (0, 1)).all())
    for s, role in enumerate(("baseline", "candidate")):
        all_right = answers and kept.values[0, s] == 1
        if np.ptp(kept.values[:, s]) <= TIE and not all_right:
            return (
                f"{where}the {role} {kept.systems[s]!r} has the same score ({kept.values[0, s]:g}) on all "
                f"{unit.count(kept.n)}{_by(pair)}; constant scores decide nothing: did it run?"
            )
    notes: tuple[Note, ...] = ()
    if lacking.any():
        facts = {
            "case": "pair",
            "pair": [baseline, candidate],
            "of": len(both),
            "topics": [pair.topics[t] for t in np.flatnonzero(lacking)],
            "data_sets": [pair.k - kept.k, pair.k] if kept.k < pair.k < pair.n else None,
            "listed": pair.k == pair.n > 1,
            "unit": unit.one,
        }
        notes = (Note("topics-left-out", facts),)
        notes += lacking_notes(pair.values, pair.systems, unit)
    return Arms(kept, notes)


def without_runs(arms: Arms) -> Arms:
    """The cell means alone: a gate is about their differences, which have the run noise in them."""
    return replace(arms, scores=replace(arms.scores, repeats=None, facets=None))


def one_data_set(arms: Arms, k: int) -> Arms:
    """The arms on the topics of data set k alone."""
    strata = arms.scores.strata
    assert strata is not None
    kept = arms.scores.rows(np.flatnonzero(strata == k))
    return Arms(replace(kept, strata=None, data_sets=(), weights=(), families=()), ())


def margins_of(
    tables: Sequence[ScoreMatrix],
    margin: float | Mapping[str, float],
    range: Sequence[float] | None = None,
) -> list[float]:
    """The margin of each measure: its own, or one for all of them if they have the same range."""
    names = [one.measure.removeprefix("−") for one in tables]  # without the sign of reversed scores
    if isinstance(margin, Mapping):
        for name in margin:
            if name not in names:
                raise unknown_name("measure with a margin", name, names)
        return [margin.get(name, 0.0) for name in names]
    if margin and len(tables) > 1:
        largest = {None if one.battles is not None else largest_difference(one, range) for one in tables}
        if None in largest or len(largest) > 1:
            each = [part for name in names for part in ("--margin", f"{name}={margin:g}")]
            hint = either(f"margin={dict.fromkeys(names, margin)}", shlex.join(each))
            raise InputError(
                f"{at(tables[0].source)}the margin {margin:g} may not mean the same by {joined(names)}; give "
                f"one for each: {hint}"
            )
    return [margin] * len(tables)


def check_margin(margin: float, scores: ScoreMatrix | None = None) -> None:
    """Refuse a margin larger than any difference that the scores allow."""
    if not (isinstance(margin, int | float | np.number) and 0 <= margin <= LARGEST):
        raise InputError(
            f"the margin must be a number of 0 or more ({LARGEST:g} at most), in units of the score, not "
            f"{margin!r}"
        )
    if scores is None:
        return
    low, high = float(np.nanmin(scores.values)), float(np.nanmax(scores.values))
    if margin >= high - low > 0:
        hint = f"; write {margin / 100:g} for {margin:g}%" if margin >= 1 and high <= 1 else ""
        raise InputError(
            f"{at(scores.source)}the margin {margin:g} is as wide as the range of all scores{_by(scores)} "
            f"({low:g} to {high:g}), so nothing could fail. It is in units of the score{hint}"
        )


def check_level(level: float) -> None:
    """Refuse a level at which no verdict is possible."""
    if not (isinstance(level, int | float | np.number) and 0.5 < level < 1):
        hint = (
            f"; write {level / 100:g} for {level:g}%"
            if isinstance(level, int | float) and 50 < level < 100
            else ""
        )
        raise InputError(f"the level must be above 0.5 and below 1, not {level!r}{hint}")


def _by(scores: ScoreMatrix) -> str:
    return f" by {scores.measure}" if scores.measure else ""


POLICIES = ("error", "common", "complete", "zero")


def before_arms(missing: Filled) -> Missing:
    """How scores are to be read: under ``error`` and ``common`` cells stay empty until the arms are known."""
    if missing not in POLICIES:
        raise unknown_name("way to treat missing scores", missing, POLICIES)
    return missing if missing in ("complete", "zero") else "model"


def treated(table: ScoreMatrix, missing: Filled) -> ScoreMatrix:
    """Scores that are read already, with their empty cells treated as ``complete`` or ``zero`` say."""
    return treat_missing(table, missing) if missing in ("complete", "zero") else table


Range = tuple[float, float]

SHARES = {
    *("ap", "map", "bpref", "err", "nerr", "infap", "iprec", "iprec_at_recall", "ndcg", "ndcg_cut", "p", "r"),
    *("rbp", "recip_rank", "rprec", "rr", "mrr", "success", "acc", "acc_norm", "accuracy", "em"),
    *("exact_match", "f1", "map_cut", "pass", "precision", "recall", "resolved"),
}
"""Measures whose scores lie between 0 and 1, without their cutoffs."""


def score_range(table: ScoreMatrix, given: Sequence[float] | None) -> Range | None:
    """The lowest and highest possible score; ``None`` where the range is unknown."""
    values = table.values[~np.isnan(table.values)]
    bounds = checked_range(given)
    if bounds is not None:
        low, high = float(values.min()), float(values.max())
        if not bounds[0] <= low <= high <= bounds[1]:
            outside = low if low < bounds[0] else high
            raise InputError(
                f"{at(table.source)}the score {outside:g} is outside of {bounds[0]:g} to {bounds[1]:g}; give "
                f"the range that scores can have with {setting('range')}, or leave it out"
            )
        return bounds
    name = table.measure.casefold().split("@")[0].split("(")[0].rstrip("_0123456789.")
    share = name in SHARES and values.min() >= 0 and values.max() <= 1
    scored = values if table.facets is None else table.facets.values[~np.isnan(table.facets.values)]
    of_runs = table.repeats is not None and table.repeats.binary
    return (0.0, 1.0) if share or of_runs or np.isin(scored, (0, 1)).all() else None  # all right or wrong


def largest_difference(table: ScoreMatrix, given: Sequence[float] | None = None) -> float | None:
    """The largest possible difference of two scores; ``None`` where their range is unknown."""
    bounds = score_range(table, given)
    return None if bounds is None else bounds[1] - bounds[0]


def checked_range(bounds: Sequence[float] | None) -> Range | None:
    """Two finite numbers, the first the smaller one."""
    if bounds is None:
        return None
    try:
        low, high = (float(one) for one in bounds)
    except (TypeError, ValueError):
        raise InputError(f"the range is two numbers, such as (0, 1), not {bounds!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError(f"the range must go from a number to a larger one, not from {low:g} to {high:g}")
    return low, high
