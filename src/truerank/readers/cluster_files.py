"""Clusters of topics from a file of their own: for runs, and for tables that have no column of them."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from truerank._support.arguments import setting
from truerank._support.types import frozen
from truerank.errors import InputError, reading
from truerank.readers.formats.source import Source
from truerank.readers.roles import column_named, find
from truerank.readers.sheets import Sheet
from truerank.readers.tables import with_topics_joined
from truerank.scores import ScoreMatrix

_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".gz")


def is_cluster_file(given: str) -> bool:
    """Whether `cluster` names a file, which a message says if it is not there; else it is a column."""
    return given.endswith(_ENDINGS) or os.path.isfile(given)


def with_clusters(scores: ScoreMatrix, path: str, topic_column: str | None = None) -> ScoreMatrix:
    """The scores with the clusters that a file names, one row per topic, in columns of these names.

    Where there is a column of data sets, too, it tells topics of one name apart.
    """
    if scores.battles is not None:
        where = f"{scores.where}these are battles, whose clusters are not read from a file"
        raise InputError(f"{where}; name their column with {setting('cluster', 'COLUMN')}")
    with reading(path):
        found = _by_topic(Source(path).sheet, topic_column)
    groups: list[tuple[str, str]] = []
    for data_set, topic in scores.keys:
        cluster = found.get((data_set, topic), found.get(("", topic)))
        if cluster is None:
            raise InputError(f"{path}: {scores.unit.one} {topic!r} has no cluster; add a row for it")
        groups.append((data_set, cluster))
    places = {group: k for k, group in enumerate(dict.fromkeys(groups))}
    own = len(places) == scores.n
    return replace(scores, clusters=None if own else frozen(np.array([places[group] for group in groups])))


def _by_topic(sheet: Sheet, topic_column: str | None) -> dict[tuple[str, str], str]:
    """The cluster of each topic, by its data set where a column names it."""
    header, place = sheet.header, sheet.place()
    given = None if topic_column in (None, "") else topic_column
    try:
        sheet = with_topics_joined(sheet, given)
        topic = None if given is None else column_named(sheet.header, given, place)
    except InputError:  # the option is of the table, and this file has a name that is known
        topic = None
    header = sheet.header
    topic = find(header, "topic", "topic_first", "topic_or_row") if topic is None else topic
    cluster, data_set = find(header, "cluster"), find(header, "data_set")
    if topic is None or cluster is None:
        lacks = "topic" if topic is None else "cluster"
        raise InputError(f"{place}no column {lacks!r}; name the columns topic and cluster in the first line")
    sets = sheet.names(data_set) if data_set is not None else [""] * sheet.rows
    found: dict[tuple[str, str], str] = {}
    for row, (of_set, name, group) in enumerate(
        zip(sets, sheet.names(topic), sheet.names(cluster), strict=True)
    ):
        if not name.strip() or not group.strip():
            raise InputError(f"{sheet.place(row)}a topic without a name, or without a cluster; fill the cell")
        if (other := found.setdefault((of_set, name), group)) != group:
            raise InputError(
                f"{sheet.place(row)}topic {name!r} has cluster {group!r} here and {other!r} above; "
                "give it one cluster"
            )
    return found
