"""Missing scores in a comparison of two systems, where what other systems lack is no matter."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import count
from truerank.errors import InputError, at, unknown_name
from truerank.readers.missing import OLDER_NAME, Filled, Missing, systems_left_out
from truerank.scores import ScoreMatrix

POLICIES = ("error", "common", "complete", "zero")


def before_arms(missing: Filled) -> Missing:
    """How scores are to be read: under ``error`` and ``common`` cells stay empty until the arms are known."""
    if missing not in (*POLICIES, OLDER_NAME):
        raise unknown_name("way to treat missing scores", missing, POLICIES)
    return missing if missing in ("complete", "zero") else "model"


def treated(table: ScoreMatrix, missing: Filled) -> ScoreMatrix:
    """Scores that are read already, with their empty cells treated as ``complete`` or ``zero`` say."""
    empty = np.isnan(table.values)
    if missing not in ("complete", "zero") or not empty.any():
        return table
    if missing == "zero":
        note = f"{int(empty.sum())} of {count(empty.size, 'score')} missing, counted as zero"
        values = np.where(empty, 0.0, table.values)
        values.setflags(write=False)
        return replace(table, values=values, notes=(*table.notes, Note("counted-as-zero", note)))
    whole = [int(s) for s in np.flatnonzero(~empty.any(axis=0))]
    if len(whole) < 2:
        raise InputError(
            f"{at(table.source)}of {count(table.m, 'system')} {len(whole) or 'none'} has all scores, so "
            f"{setting('missing', missing)} leaves nothing to compare; use {setting('missing', 'common')}"
        )
    gone = [name for s, name in enumerate(table.systems) if s not in whole]
    kept = table.select(whole)
    return replace(kept, notes=(*kept.notes, systems_left_out(gone, table.m)))
