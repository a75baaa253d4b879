"""What to do about scores that are not there: refuse, leave out, keep the cells empty, or count as zero."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import doing, either, setting
from truerank._support.notes import Note
from truerank._support.types import frozen
from truerank._support.units import Unit
from truerank._support.wording import count
from truerank.errors import InputError, unknown_name
from truerank.readers.names import check_names
from truerank.readers.options import Filled as Filled
from truerank.readers.options import Missing as Missing
from truerank.repeats import Facets
from truerank.scores import ScoreMatrix

POLICIES = ("error", "common", "complete", "model", "zero")
FILLED = ("common", "complete", "zero")
"""The policies that leave no cell empty: offered where only complete tables help."""

ALL_WAYS = ("model", *FILLED)
"""What is offered where empty cells are possible."""


def zero_is_worst(raw: ScoreMatrix) -> bool:
    """Whether no score is below 0; errors, which have a minus sign here, are."""
    return not bool((raw.values < 0).any())


def check_policy(missing: str) -> None:
    """Refuse a policy that does not exist."""
    if missing not in POLICIES:
        raise unknown_name("way to treat missing scores", missing, POLICIES)


def treat_missing(raw: ScoreMatrix, missing: Missing, ways: Sequence[str] = ALL_WAYS) -> ScoreMatrix:
    """The scores as they will be used: missing ones are treated as the policy says."""
    check_policy(missing)
    check_names(raw)
    if raw.battles is not None:
        if missing not in ("error", "model"):
            raise InputError(
                f"{raw.where}battles have no missing scores; leave out {setting('missing', missing)}"
            )
        return raw
    absent = np.isnan(raw.values)
    if not absent.any():
        return raw
    n, m = absent.shape
    if m > 1 and (~absent).sum(axis=1).max(initial=0) < 2:
        what = "topic" if raw.strata is None else "topic of any data set"
        if raw.facets is not None:
            name = raw.facets.names[0]
            raise InputError(
                f"{raw.where}no {what} has scores of two systems at all levels of {name!r}. To average those "
                f"that there are, use {setting('run_column', name)}"
            )
        raise InputError(f"{raw.where}no {what} has scores of two systems; give systems that share topics")
    if missing == "error":
        used = np.flatnonzero(~absent.all(axis=1)).tolist()
        if m == 1 or not used or absent[used].any():
            raise _refused(raw, absent, ways)
        return _with_scores(raw, used)  # tools put in the topics without judgments like this
    lacking = absent if raw.facets is None else np.isnan(raw.facets.values)  # a cell may lack one level
    if missing == "zero":
        if not zero_is_worst(raw):
            why = "lower is better here" if raw.measure.startswith("−") else "some scores are below 0"
            raise InputError(
                f"{raw.where}{why}, so a missing score that counts as 0 is not the worst; "
                f"{_choices(raw, absent, ways or FILLED, _unit(raw))}"
            )
        # What is counted as zero has no runs to be noisy, and no levels.
        facets = raw.facets and raw.facets.filled(0.0)
        filled = np.where(absent, 0.0, raw.values) if facets is None else facets.table()
        of_each = np.moveaxis(lacking, 1, 0).reshape(m, -1).sum(axis=1).tolist()
        each = {system: number for system, number in zip(raw.systems, of_each, strict=True) if number}
        zeros = {"case": "cells", "each": each, "of": m, "cells": lacking.size // m}
        repeats = raw.repeats and raw.repeats.certain(absent)
        noted = raw.noting(Note("counted-as-zero", zeros))
        return replace(noted, values=frozen(filled), repeats=repeats, facets=facets)
    if missing == "common":
        kept = np.flatnonzero(~absent.any(axis=1)).tolist()
        if not kept:
            raise InputError(
                f"{raw.where}every topic lacks the score of some system, so {setting('missing', missing)} "
                f"leaves none; leave out the incomplete systems with {setting('missing', 'complete')}, or "
                f"use {setting('missing', 'model')} of {doing('assess')}"
            )
        facts = {"case": "incomplete", "number": n - len(kept), "of": n, "scores": int(lacking.sum())}
        return _topics_kept(raw, kept, facts).noting(*lacking_notes(raw.values, raw.systems, _unit(raw)))
    used = np.flatnonzero(~absent.all(axis=1)).tolist()
    if len(used) < n:
        raw, absent = _with_scores(raw, used), absent[used]
    if missing == "model" or not absent.any():
        return raw
    kept = np.flatnonzero(~absent.any(axis=0)).tolist()
    if len(kept) < 2:
        alone = f"only {raw.systems[kept[0]]!r}" if kept else "none"
        raise InputError(
            f"{raw.where}of {count(m, 'system')} {alone} has all scores, so {setting('missing', 'complete')} "
            f"leaves no ranking; use {setting('missing', 'common')}, or {setting('missing', 'model')} of "
            f"{doing('assess')}"
        )
    gone = [raw.systems[s] for s in np.flatnonzero(absent.any(axis=0)).tolist()]
    left = {"case": "incomplete", "names": gone, "of": m}
    return raw.select(kept).noting(Note("systems-left-out", left, systems=tuple(sorted(gone))))


def lacking_notes(values: NDArray[np.float64], systems: Sequence[str], unit: Unit) -> tuple[Note, ...]:
    """Whose topics are left out, and how hard they are: what the others score there, and elsewhere.

    An alert where these differ by more than two standard errors, or as much as is as rare in so many systems.
    Topics without any score say nothing.
    """
    from truerank.numerics.special import ndtr, ndtri

    values = values[~np.isnan(values).all(axis=1)]
    lacks = np.isnan(values)
    lacking = np.flatnonzero(lacks.any(axis=0) & ~lacks.all(axis=0)).tolist()
    limit = -float(ndtri(ndtr(-2.0) / max(len(lacking), 1)))
    found = sorted(((s, *_elsewhere(values, s)) for s in lacking), key=lambda one: -abs(one[3]))
    notes = []
    for s, on_them, elsewhere, errors in ([one for one in found if abs(one[3]) > limit] or found[:1])[:NAMED]:
        differ = abs(errors) > limit
        facts = {
            "case": "of-system",
            "number": int(lacks[:, s].sum()),
            "other": systems[1 - s] if len(systems) == 2 else None,
            "there": on_them,
            "elsewhere": elsewhere,
            "differ": differ,
            "unit": unit.one,
        }
        notes.append(Note("missing-topics", facts, "alert" if differ else "warning", (systems[s],)))
    return tuple(notes)


NAMED = 3  # the most systems whose missing topics are said to be harder or easier


def _elsewhere(values: NDArray[np.float64], system: int) -> tuple[float, float, float]:
    """What the other systems score on the topics that one lacks, and elsewhere, and how many errors apart.

    Each is taken against its own mean.
    """
    lacks = np.isnan(values[:, system])
    others = np.delete(values, system, axis=1)
    others = others[:, ~np.isnan(others).all(axis=0)]
    means = np.nanmean(others, axis=0)
    known = ~np.isnan(others).all(axis=1)
    y = np.nanmean((others - means)[known], axis=1) + means.mean()
    there, elsewhere = y[lacks[known]], y[~lacks[known]]
    if not len(there) or len(elsewhere) < 2:
        return math.nan, math.nan, 0.0
    k, rest = len(there), len(elsewhere)
    spread = (k * there.var() + rest * elsewhere.var()) / (k + rest - 2)
    error = math.sqrt(spread * (1 / k + 1 / rest))
    gap = float(there.mean() - elsewhere.mean())
    errors = gap / error if error > 0 else math.copysign(math.inf, gap) if gap else 0.0
    return float(there.mean()), float(elsewhere.mean()), errors


def _topics_kept(raw: ScoreMatrix, rows: Sequence[int], facts: Mapping[str, Any]) -> ScoreMatrix:
    """Only some topics, with a note that says so and names the data sets that go with the others."""
    kept = raw.rows(rows)
    gone = [name for name in raw.data_sets if name not in kept.data_sets]
    each = [*raw.topics] == raw.data_set_of_each
    return kept.noting(Note("topics-left-out", {**facts, "data_sets": gone, "each": each}))


def _with_scores(raw: ScoreMatrix, used: Sequence[int]) -> ScoreMatrix:
    """Only the topics on which some system has a score, and which these are not."""
    n, kept = len(raw.topics), set(used)
    gone = [raw.topics[t] for t in range(n) if t not in kept]
    return _topics_kept(raw, used, {"case": "empty", "topics": gone, "of": n})


def _refused(raw: ScoreMatrix, absent: NDArray[np.bool_], ways: Sequence[str]) -> InputError:
    t, s = (int(i) for i in np.argwhere(absent)[0])
    on, facets = f"{raw.unit.one} {raw.topics[t]!r}", raw.facets
    if raw.strata is not None:
        name = raw.data_sets[raw.strata[t]]
        on = f"data set {name!r}" if raw.topics[t] == name else f"{on} of data set {name!r}"
    number = int((absent if facets is None else np.isnan(facets.values)).sum())
    more = ""
    if number > 1:
        lacking = int(absent.any(axis=0).sum())
        more = f" ({number} scores are missing in all, of {lacking} of {count(raw.m, 'system')})"
    if facets is not None:
        cell = first_missing(facets, t, s)
        named = zip(facets.names, facets.levels, facets.codes, strict=True)
        on += "".join(f" at {name} {levels[codes[cell]]!r}" for name, levels, codes in named)
    place = raw.where if raw.origin is None else raw.origin.at(t, s)
    unit = _unit(raw)
    return InputError(
        f"{place}system {raw.systems[s]!r} has no score on {on}{more}; add it, or "
        f"{_choices(raw, absent, ways, unit)}"
    )


def _unit(raw: ScoreMatrix) -> Unit:
    """The unit of a row: a data set, where each row is one of several."""
    return raw.unit_of("data set") if raw.k == raw.n > 1 else raw.unit


def first_missing(facets: Facets, topic: int, system: int) -> int:
    """The first cell of a topic in which a system lacks a score."""
    return int(np.argmax((facets.topics == topic) & np.isnan(facets.values[:, system])))


def _choices(raw: ScoreMatrix, absent: NDArray[np.bool_], ways: Sequence[str], unit: Unit) -> str:
    """Those of the ways to treat missing scores that leave something to rank."""
    topics, systems = (int((~absent.any(axis=axis)).sum()) for axis in (1, 0))
    offered = {
        "model": ""
        if absent[~absent.all(axis=1)].all(axis=0).any()  # nothing is known of a system without any score
        else f"cells stay empty, systems are compared on the {unit.many} that they share",
        "common": f"the {unit.count(topics)} that all systems have" if topics > 2 else "",
        "complete": f"the {systems} systems that have all" if systems > 1 else "",
        "zero": "a system without a score counts as one that failed" if zero_is_worst(raw) else "",
    }
    usable = [way for way in ways or FILLED if offered[way]]
    if not usable:
        return "write the worst possible score into the empty cells"
    if not ways:
        made = setting("missing", usable[0])
        return either(
            f"give what truerank.read_scores makes of it with {made}",
            f"make a table without such cells by truerank import {made}",
        )
    first, *others = usable
    said = [f"{setting('missing', first)} ({offered[first]})", *(f"{way} ({offered[way]})" for way in others)]
    return "use " + " or ".join(filter(None, [", ".join(said[:-1]), said[-1]]))
