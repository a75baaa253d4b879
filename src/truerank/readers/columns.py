"""Which column of a score table holds what, by the columns' names: one list of names for each part."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace

from truerank._support.arguments import either, setting
from truerank.errors import InputError, UnknownNameError, unknown_name

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
    "item",
    "problem_id",
    "prompt_id",
    "test_case_id",
    "test_case",
    "user_input",
    "prompt",
    "input",
    "inputs",
    "instruction",
    "instance",
    "problem",
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
    "model",
    "model_name",
    "model_id",
    "model_name_or_path",
    "method",
    "retriever",
    "pipeline",
    "engine",
    "llm",
    "generator",
    "agent",
    "agent_name",
    "submission",
    "submission_id",
    "participant",
    "subject_id",
    "candidate",
    "assistant",
    "policy",
    "run_id",
    "runid",
    "run_name",
    "name",
    "tag",
    "run",
)
REPEATS = (
    "epoch",
    "trial",
    "train_trial_index",
    "attempt",
    "repeat",
    "replicate",
    "rollout",
    "sample_index",
    "run",
)
"""What tells the runs of a system on a topic apart, where another column has the systems."""
SYSTEM_WIDE = ("seed", "index_build")
"""Runs that all topics share."""
FACETS = (
    "template",
    "prompt_id",
    "variant",
    "query_variant",
    "paraphrase",
    "judge",
    "assessor",
    "annotator",
    "rater",
    "fold",
    "experiment",
)
"""What all topics and systems share at several levels."""
TURN = ("turn",)
"""Another question of one conversation."""
SUCCESSES = ("successes", "n_successes", "num_successes", "passes", "n_correct", "num_correct")
ATTEMPTS = ("attempts", "n_attempts", "num_attempts", "n_trials", "num_trials", "n_samples", "num_samples")
"""Counts in place of scores: a cell is the share of successes."""
RUN = (
    "run",
    "run_id",
    "run_number",
    "seed",
    "trial",
    "trial_id",
    "attempt",
    "epoch",
    "repeat",
    "repetition",
    "iteration",
    "replicate",
    "sample",
    "sample_index",
    "time_stamp",
    "timestamp",
    "tstamp",
    "date",
    "created_at",
)
"""What tells several outputs of a system for one topic apart."""
TOPIC_OR_ROW = ("id", "index", "uid", "uuid", "hash", "key", "row_id")
"""What topics are called, and rows too: a column of such a name holds topics where its cells come again."""
SCORE_BY_MEANING = (
    "preference",
    "resolved",
    "is_resolved",
    "correct",
    "is_correct",
    "passed",
    "is_passed",
    "pass",
    "success",
    "succeeded",
    "solved",
    "reward",
    "graded",
    "rating",
)
"""What the column of scores is called where others hold what was spent, or how it was judged."""
VALUE = ("value", "score", "main_score", "metric_value", "score_value")
MEASURE = ("measure", "metric", "metric_name", "measure_name", "scorer", "scorer_name", "evaluator")
DATA_SET = ("data_set", "dataset", "data_set_name", "dataset_name", "dataset_id")
TASK = ("task", "task_name", "test_collection", "collection", "corpus", "benchmark")
"""What data sets are also called, by people who may mean something else by it."""
ABOUT_DATA_SET = ("is_public", "trained_on")
"""What mteb's frames say of a data set, or of a model on it, beside the scores."""
CLUSTER = ("cluster", "cluster_id")
WEIGHT = ("weight", "data_set_weight", "dataset_weight", "task_weight")

_COUNTS = [
    "case",
    "case_id",
    "case_no",
    "example",
    "row",
    "row_id",
    "row_no",
    "no",
    "nr",
    "number",
    "nr_",
    "q",
    "n",
    "k",
    "line",
    "step",
    "seed",
    "trial",
    "epoch",
    "fold",
    "attempt",
    "repeat",
    "repetition",
    "iteration",
    "replicate",
    "turn",
    "round",
    "position",
    "rank",
    "version",
    "year",
    "month",
    "day",
]
"""What columns of whole numbers are called that number the rows, or runs of them."""
_ABOUT_TOPICS = [
    "latency",
    "latency_ms",
    "latency_s",
    "time",
    "time_s",
    "time_ms",
    "runtime",
    "run_time",
    "wall_time",
    "response_time",
    "duration",
    "seconds",
    "secs",
    "elapsed",
    "elapsed_time",
    "timestamp",
    "date",
    "datetime",
    "created",
    "created_at",
    "updated_at",
    "cost",
    "costs",
    "cost_usd",
    "total_cost",
    "price",
    "usd",
    "tokens",
    "n_tokens",
    "num_tokens",
    "total_tokens",
    "prompt_tokens",
    "completion_tokens",
    "input_tokens",
    "output_tokens",
    "length",
    "len",
    "n_words",
    "num_words",
    "count",
    "counts",
    "size",
    "n_rel",
    "num_rel",
    "n_relevant",
    "num_relevant",
    "rel_count",
    "relevant_count",
    "n_docs",
    "num_docs",
    "num_ret",
    "num_rel_ret",
    "n_judged",
    "num_judged",
    "n_topics",
    "num_q",
    "n_samples",
    "n_total",
    "n_wins",
    "n_wins_base",
    "n_draws",
    "n_losses",
    "avg_length",
    "num_samples",
    "difficulty",
    "label",
    "labels",
    "target",
    "gold",
    "gold_label",
    "ground_truth",
    "expected",
    "reference",
]
"""What columns of numbers are called that say something about the topics, and are no system's scores."""


def is_about_topics(name: str, whole: bool) -> bool:
    """Whether a column of numbers, by its name, tells of the rows and is no system.

    Args:
        name: of the column.
        whole: whether its numbers are whole, and not 0 and 1 alone, which scores may be.

    >>> is_about_topics("Latency", False), is_about_topics("seed", True), is_about_topics("N", False)
    (True, True, False)
    """
    bare = plain(name).lstrip("_")
    return bare in _ABOUT_TOPICS or (whole and bare in _COUNTS)


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
class ColumnNames:
    """Which columns of a table hold what, as the user says it; None where the names are to tell.

    Attributes:
        topic: the column of the topics.
        system: the column of the systems, of a long table.
        score: the column of the scores, of a long table.
        data_set: the column of the data sets.
        run: the column that tells several runs of a system on a topic apart; a cell is their mean.
        ignore: columns that are left out.
        facets: columns of what all topics share at several levels, such as prompts or judges.
    """

    topic: str | None = None
    system: str | None = None
    score: str | None = None
    data_set: str | None = None
    run: str | None = None
    ignore: tuple[str, ...] = ()
    facets: tuple[str, ...] = ()

    @property
    def given(self) -> list[str]:
        """The arguments that say something, by name and value as a message has them."""
        found = []
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "ignore":
                found += [ignoring(name) for name in value]
            elif one.name == "facets":
                found += [setting("facet", name) for name in value]
            elif value is not None:
                found.append(setting(f"{one.name}_column", value))
        return found


def ignoring(name: str) -> str:
    """How a message names the argument that leaves a column out.

    >>> ignoring("latency")
    "ignore_columns=['latency']"
    """
    return either(f"ignore_columns=[{name!r}]", setting("ignore_column", name))


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
        columns: which columns hold what.
        lower_is_better: whether lower scores are better; None where the measure's name is to tell.
        topics: a file of all topics, for formats that list only some.
    """

    measure: str | None = None
    cluster: str | None = None
    family: str | None = None
    data_set: str | None = None
    own_weights: bool = False
    format: str | None = None
    transpose: bool | None = None
    columns: ColumnNames = field(default=ColumnNames())
    lower_is_better: bool | None = None
    topics: str | None = None

    @property
    def told(self) -> Asked:
        """The same, with what :func:`telling` says where nothing is said here."""
        said = _TOLD.get()
        if said is None:
            return self
        return replace(
            self,
            columns=self.columns if self.columns.given else said.columns,
            lower_is_better=said.lower_is_better if self.lower_is_better is None else self.lower_is_better,
            topics=self.topics or said.topics,
        )


_TOLD: ContextVar[Asked | None] = ContextVar("what is said of all tables", default=None)


@contextmanager
def telling(asked: Asked) -> Iterator[None]:
    """While the block runs, all tables are read with these columns, direction and topics."""
    token = _TOLD.set(asked)
    try:
        yield
    finally:
        _TOLD.reset(token)


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
class Named:
    """The places of the columns that the user named, by what they hold; None where nothing is said."""

    topic: int | None = None
    system: int | None = None
    score: int | None = None
    data_set: int | None = None
    run: int | None = None
    cluster: int | None = None
    family: int | None = None
    ignore: frozenset[int] = frozenset()
    facets: tuple[int, ...] = ()

    @classmethod
    def of(cls, header: Sequence[str], asked: Asked, place: str) -> Named:
        """The places in a header.

        Raises:
            UnknownNameError: no such column; the message has the nearest.
            InputError: one column is to hold two things.
        """
        names = asked.columns
        wanted = {
            "topic": names.topic,
            "system": names.system,
            "score": names.score,
            "data_set": names.data_set,
            "run": names.run,
            "cluster": asked.cluster,
            "family": asked.family,
        }
        found = {part: find_named(header, name, place) for part, name in wanted.items()}
        levels = tuple(find_named(header, name, place) for name in names.facets)
        facets = tuple(column for column in levels if column is not None)
        there = [column for part, column in found.items() if column is not None and part != "family"]
        there += facets
        twice = next((column for column in there if there.count(column) > 1), None)
        if twice is not None:
            raise InputError(f"{place}column {header[twice]!r} is named for two things; name it for one")
        left_out = {find_named(header, name, place) for name in names.ignore}
        left = frozenset(column for column in left_out if column is not None)
        return cls(**found, ignore=left, facets=facets)

    @property
    def used(self) -> set[int]:
        """All columns of which the user says something."""
        places = (self.topic, self.system, self.score, self.data_set, self.run, self.cluster, self.family)
        return {column for column in places if column is not None} | self.ignore | set(self.facets)


@dataclass(frozen=True)
class LongLayout:
    """Which columns of a long table hold what; without `value`, each of `others` is a measure."""

    parts: Parts
    system: int
    value: int | None
    measure: int | None
    others: tuple[int, ...]
    run: int | None = None
    facets: tuple[int, ...] = ()


def long_layout(header: Sequence[str], named: Named, alone: bool = False) -> LongLayout | None:
    """The layout of a long table, by its column names; None when they are those of a wide one.

    A long table has a column of systems, one of values (or one for each measure), and one of topics, of
    data sets, or both.

    Args:
        header: the columns' names.
        named: what the user says of the columns.
        alone: whether the table is known to be of one data set, so that weights have something to weigh.
    """
    names = ["" if column in named.used else name for column, name in enumerate(header)]

    def place(given: int | None, aliases: Sequence[str]) -> int | None:
        return find(names, aliases) if given is None else given

    topic, system = place(named.topic, (*TOPIC, *TOPIC_OR_ROW)), place(named.system, SYSTEM)
    value, measure = place(named.score, VALUE), find(names, MEASURE)
    data_set = place(named.data_set, (*DATA_SET, *TASK))
    weight = find(names, WEIGHT)
    parts = Parts(
        topic,
        data_set,
        place(named.cluster, CLUSTER),
        weight if data_set is not None or alone else None,
        named.family,
    )
    used = {system, value, measure, named.run, *named.facets} | parts.used | named.ignore
    others = tuple(c for c, name in enumerate(header) if c not in used and not is_unnamed(name))
    if system is None or (topic is None and data_set is None) or (value is None and not others):
        return None
    return LongLayout(parts, system, value, measure, others, named.run, named.facets)
