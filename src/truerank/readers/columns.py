"""Which column of a score table holds what, by the columns' names: one list of names for each part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from truerank._support.arguments import either
from truerank.errors import UnknownNameError, unknown_name

TOPIC = (
    "topic",
    "topic_id",
    "qid",
    "q_id",
    "query_id",
    "query",
    "topic_number",
    "topic_no",
    "topic_num",
    "query_number",
    "query_no",
    "query_num",
    "question_id",
    "question_number",
    "question",
    "tid",
    "instance_id",
    "task_id",
    "sample_id",
    "example_id",
    "item_id",
    "prompt_id",
    "test_case_id",
    "test_case",
    "user_input",
    "prompt",
    "input",
    "inputs",
)
TOPIC_FIRST = (
    "topics",
    "topicid",
    "topicno",
    "queries",
    "queryid",
    "query_ids",
    "questions",
    "qnum",
    "qno",
    "num",
    "id",
    "index",
    "#",
)
"""What the topics are also called when they are the first column of a wide table."""
SYSTEM = (
    "system",
    "system_id",
    "system_name",
    "run",
    "run_id",
    "runid",
    "run_name",
    "name",
    "model",
    "model_name",
    "model_id",
    "method",
    "tag",
    "retriever",
    "pipeline",
    "engine",
    "llm",
)
VALUE = ("value", "score", "main_score", "metric_value", "score_value")
MEASURE = ("measure", "metric", "metric_name", "measure_name", "scorer", "scorer_name", "evaluator")
DATA_SET = ("data_set", "dataset", "data_set_name", "dataset_name", "dataset_id")
TASK = ("task", "task_name", "test_collection", "collection", "corpus", "benchmark")
"""What data sets are also called, by people who may mean something else by it."""
ABOUT_DATA_SET = ("is_public", "trained_on")
"""What mteb's frames say of a data set, or of a model on it, beside the scores."""
CLUSTER = ("cluster", "cluster_id")
WEIGHT = ("weight", "data_set_weight", "dataset_weight", "task_weight")


def plain(name: str) -> str:
    """A column's name for comparing: `Query ID` is `query_id`."""
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


def is_unnamed(name: str) -> bool:
    """Whether a column has no name, or the one that pandas gives to an index without one."""
    return plain(name) in ("", "unnamed:_0", "__index_level_0__")


def is_topic(name: str) -> bool:
    """Whether a wide table's first column, by its name, holds the topics."""
    return is_unnamed(name) or plain(name) in (*TOPIC, *TOPIC_FIRST)


def is_data_set(name: str) -> bool:
    """Whether a column, by its name, holds the data sets."""
    return plain(name) in (*DATA_SET, *TASK)


def is_column_of_long(name: str) -> bool:
    """Whether a name has a meaning in a long table."""
    return plain(name) in (*TOPIC, *SYSTEM, *VALUE, *MEASURE, *DATA_SET, *TASK)


def find(header: Iterable[str], aliases: Sequence[str]) -> int | None:
    """The first column that bears one of `aliases`, the first alias first."""
    plain_header = [plain(name) for name in header]
    return next((plain_header.index(alias) for alias in aliases if alias in plain_header), None)


def find_named(header: Sequence[str], name: str | None, place: str) -> int | None:
    """The column that the user calls `name`, exactly or in another case; None where nothing is asked for.

    Raises:
        UnknownNameError: no such column; the message has the nearest.
    """
    if name is None:
        return None
    if name in header:
        return list(header).index(name)
    column = find(header, [plain(name)])
    if column is None:
        raise UnknownNameError(f"{place}{unknown_name('column', name, header)}")
    return column


def transposing(rows: bool) -> str:
    """How a message names the argument that says whether rows are systems, or the option.

    >>> transposing(True), transposing(False)
    ('transpose=True', 'transpose=False')
    """
    return either(f"transpose={rows}", "--transpose" if rows else "--no-transpose")


@dataclass(frozen=True)
class Asked:
    """What the user says of a table.

    Attributes:
        measure: which measure of a long table; for a table that names none, what to call it.
        cluster: the column of the clusters of topics.
        family: the column of the families of data sets.
        data_set: the name of the one data set that the table is of, where it is known before.
        own_weights: whether weights come from elsewhere, so that a column of them is not used.
        format: the name of the format, where the user says it.
        transpose: whether the rows of a wide table are systems; None where its names and shape are to tell.
    """

    measure: str | None = None
    cluster: str | None = None
    family: str | None = None
    data_set: str | None = None
    own_weights: bool = False
    format: str | None = None
    transpose: bool | None = None


@dataclass(frozen=True)
class Parts:
    """The columns that say what a topic belongs to; None where there is no such column.

    `cluster` and `family` may be columns of any name that the user gave.
    """

    topic: int | None = None
    data_set: int | None = None
    cluster: int | None = None
    weight: int | None = None
    family: int | None = None

    @property
    def used(self) -> set[int]:
        """The columns that have a part."""
        columns = (self.topic, self.data_set, self.cluster, self.weight, self.family)
        return {column for column in columns if column is not None}


@dataclass(frozen=True)
class LongLayout:
    """Which columns of a long table hold what; without `value`, each of `others` is a measure."""

    parts: Parts
    system: int
    value: int | None
    measure: int | None
    others: tuple[int, ...]


def long_layout(
    header: Sequence[str], cluster: int | None = None, family: int | None = None, alone: bool = False
) -> LongLayout | None:
    """The layout of a long table, by its column names; None when they are those of a wide one.

    A long table has a column of systems, one of values (or one for each measure), and one of topics, of
    data sets, or both.

    Args:
        header: the columns' names.
        cluster: the column that the user calls the clusters.
        family: the column that the user calls the families.
        alone: whether the table is known to be of one data set, so that weights have something to weigh.
    """
    asked = {cluster, family}
    names = ["" if column in asked else name for column, name in enumerate(header)]
    topic, system = find(names, TOPIC), find(names, SYSTEM)
    value, measure = find(names, VALUE), find(names, MEASURE)
    data_set = find(names, (*DATA_SET, *TASK))
    weight = find(names, WEIGHT)
    parts = Parts(
        topic,
        data_set,
        find(names, CLUSTER) if cluster is None else cluster,
        weight if data_set is not None or alone else None,
        family,
    )
    used = {system, value, measure} | parts.used
    others = tuple(c for c, name in enumerate(header) if c not in used and not is_unnamed(name))
    if system is None or (topic is None and data_set is None) or (value is None and not others):
        return None
    return LongLayout(parts, system, value, measure, others)
