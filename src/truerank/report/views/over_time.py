"""Records over time in the view of an assessment: whether each new leader beat the record before it."""

from __future__ import annotations

from truerank._support.tables import Table
from truerank._support.wording import count, level_text, listed
from truerank.reliability.over_time import Record
from truerank.reliability.results import Assessment
from truerank.report.sampled import score_word
from truerank.report.view import Section

NAMED = 4
"""Records that a sentence names."""


def records_answer(a: Assessment) -> list[str]:
    """How many records beat the one before them, and which."""
    found = a.over_time
    if found is None:
        return []
    if not found.tested:
        return [f"The first leader, {listed([found.records[0].system])}, still leads: no record was broken."]
    beat = [one for one in found.tested if one.beats]
    names = f": {listed([one.system for one in beat])}" if 0 < len(beat) <= NAMED else ""
    return [
        f"Of {count(len(found.tested), 'record')} after the first, {len(beat) or 'none'} beat the one before "
        f"({level_text(found.level)}, all together){names}."
    ]


def records_section(a: Assessment) -> Section | None:
    """The table of all records."""
    found = a.over_time
    if found is None:
        return None
    table = Table.of(
        "records",
        f"Records among {found.submissions:,} submissions",
        Record,
        found.records,
        {"score": score_word(a).capitalize(), "level": level_text(found.level)},
        note="p: two-sided; of several submissions on one date it is multiplied by their number. Holm: for "
        "all records together.",
    )
    table = table.rounded_for([s.mean for s in a.ranking])
    text = [
        "A record that did not beat the one before it need not be worse: these scores do not separate them."
    ]
    return Section("records", "Records over time", text, tables=[table])
