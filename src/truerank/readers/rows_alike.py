"""Several rows of one system on one topic: which columns distinguish them, with the options to paste."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from truerank._support.arguments import setting
from truerank.readers.cell_values import Codes, all_differ, different, joint
from truerank.readers.labels import Labels
from truerank.readers.layout import Layout
from truerank.readers.roles import PATTERNS, has_role
from truerank.readers.sheets import ROWS, Sheet

_CROSSED = 0.9
"""Share of topics × systems × levels from which on rows are crossed with the levels of a column."""


def remedy_for_repeats(
    sheet: Sheet,
    rows: Codes,
    keys: Codes,
    columns: Sequence[int],
    labels: Labels,
    systems: Codes,
    layout: Layout,
) -> str:
    """What to do about rows of one system and topic: what distinguishes them, with the options to paste.

    `keys` are what each row is the score of; `systems` are the same without data sets and topics.
    """
    cells = {
        c: sheet.column(c).codes[rows] for c in columns if not PATTERNS["spent"].fullmatch(sheet.header[c])
    }
    found = [c for c, codes in cells.items() if all_differ(joint(keys, codes))]
    runs_known, facets_known = bool(layout.runs), [sheet.header[c] for c in layout.facets]
    if not found:
        several = _for_several(sheet, keys, cells, facets_known)
        return several or _for_rows_alike(sheet, rows, keys, labels, facets_known)
    found.sort(key=lambda column: _likely(sheet.header[column]))
    name, codes = sheet.header[found[0]], cells[found[0]]
    levels, of_topics = different(codes), different(labels.codes[rows])
    ids, named = has_role(name, "topic", "topic_or_row", "topic_of_long"), sheet.column(found[0]).holds_names
    every = len(rows) >= _CROSSED * different(keys) * levels
    crossed = every and 2 * levels <= of_topics
    runs = [] if runs_known else [f"{setting('run_column', name)} averages runs"]
    topics, sets, facets = [], [], []
    if not has_role(name, "run") or runs_known:
        apart = joint(systems, codes, labels.data_sets.codes[rows])  # the rows, were these the topics
        alone = all_differ(apart)
        taken = (c for c in range(len(sheet.header)) if sheet.column(c) is labels.topics)
        beside = [setting("facet", sheet.header[c]) for c in taken if not alone and levels > of_topics]
        if (labels.one_score or ids or levels > 2) and (alone or beside):
            options = " ".join([setting("topic_column", name), *beside])
            topics = [f"{options} if it names the {labels.unit.many}"]
        if not beside:
            facets = [f"{setting('facet', name)} if it names prompts or judges"]
        if not labels.several and levels <= len(rows) / 2 and named and not (every and (ids or beside)):
            sets = [f"{setting('data_set_column', name)} if it names data sets"]
            sets = [f"{sets[0]} with {labels.unit.many} of their own"] if crossed else sets
    finer = bool(topics) and levels > of_topics
    if topics and (has_role(name, "topic", "topic_or_row") or labels.one_score or finer):
        offers = topics + sets + facets + runs
    elif has_role(name, "data_set", "task"):
        offers = sets + topics + facets + runs
    elif crossed and (named or ids) and not has_role(name, "run"):
        offers = facets + runs + topics + sets
    else:
        offers = runs + facets + sets + topics
    all_of_it = f", and each {labels.unit.one} has all {levels} of its values" if crossed else ""
    return f"column {name!r} distinguishes them{all_of_it}: {', '.join(offers)}"


def _for_several(sheet: Sheet, keys: Codes, cells: Mapping[int, Codes], facets: Sequence[str]) -> str:
    """What to do about rows that several columns distinguish together, or some of them."""
    alone = different(keys)
    kept = [c for c, codes in cells.items() if different(codes) <= len(keys) / 2]
    kept = [c for c in kept if different(joint(keys, cells[c])) > alone]
    together = bool(kept) and all_differ(joint(keys, *(cells[c] for c in kept)))
    for column in kept if together else ():
        fewer = [c for c in kept if c != column]
        if fewer and all_differ(joint(keys, *(cells[c] for c in fewer))):
            kept = fewer
    numbered = [c for c in kept if not sheet.column(c).holds_names] if together else []
    runs = sheet.header[numbered[-1]] if numbered else "" if together else ROWS
    levels = [name for name in (sheet.header[c] for c in kept) if name != runs]
    if not levels:
        return ""
    named = [setting("facet", name) for name in (*facets, *levels)]
    options = " ".join([*named, *([setting("run_column", runs)] if runs else [])])
    of_runs = "; runs are averaged" if runs else ""
    found = (
        "several columns together distinguish them"
        if together
        else f"{levels[0]!r} distinguishes some of them"
    )
    return f"{found}: use {options} (facets are prompts, judges …{of_runs})"


def _for_rows_alike(sheet: Sheet, rows: Codes, keys: Codes, labels: Labels, facets: Sequence[str]) -> str:
    """What to do about rows that no column distinguishes."""
    everything = joint(*(sheet.column(c).codes[rows] for c in range(len(sheet.header))))
    times = np.unique(keys, return_counts=True)[1]
    if different(everything) == len(times):
        return "the rows are copies of one another: remove all but one"
    if len(times) > 1 and (times == times[0]).all():
        at = "".join(f" at each {name}" for name in facets)
        options = " ".join([*(setting("facet", name) for name in facets), setting("run_column", ROWS)])
        return (
            f"each system has {times[0]} rows on each {labels.unit.one}{at}, which no column distinguishes. "
            f"If they are runs, use {options}, which takes them in their order"
        )
    return (
        "no column distinguishes the rows: number them in a new column 'run' and use "
        f"{setting('run_column', 'run')} to average them, or remove the wrong one{labels.remedy}"
    )


def _likely(name: str) -> tuple[bool, bool]:
    ids = ("data_set", "task", "topic", "topic_or_row", "topic_of_long")
    return not has_role(name, "run"), not has_role(name, *ids)
