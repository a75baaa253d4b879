"""What the names of columns mean: the one place that knows; `roles.toml` has the names."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from truerank._support.units import Noun
from truerank.errors import UnknownNameError, unknown_name
from truerank.readers.measures import Short, known

_ROLES: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

PATTERNS = {role: Short(pattern) for role, pattern in _ROLES.pop("patterns").items()}
"""Patterns of whole names, by role."""

NAMES: dict[str, tuple[str, ...]] = {role: tuple(names) for role, names in _ROLES.items()}
"""What the columns of each role are called, the first name first; questions are topics, too."""

NAMES["topic"] += NAMES["question"]

_SUMMARIES = {*NAMES["averages"], *(f"{share:g}%" for share in (2.5, 5, 10, 25, 50, 75, 90, 95, 97.5))}
_OF_SUMMARIES = {*_SUMMARIES, *NAMES["beside_averages"]}

_BETWEEN = r"[\s_()\[\].:–—*-]"
_SOME_SUMMARY = re.compile(
    rf"{_BETWEEN}(?:{'|'.join(sorted({re.escape(name.split()[0]) for name in _SUMMARIES}))})(?={_BETWEEN})"
)
"""Finds the first word of what sums up, in all names together."""

_SCORED = re.compile(r"_(score|acc|accuracy|mean|avg|average)$")
NUMBER_BEHIND = Short(r"[\s_.#-]*\d+")
_LOG_LOSS = re.compile(r"log[ _-]?loss", re.IGNORECASE)


@lru_cache(maxsize=1 << 14)
def _roles_of(name: str) -> frozenset[str]:
    spellings = {plain(name), *snake_case([name])}
    return frozenset(role for role, names in NAMES.items() if not spellings.isdisjoint(names))


def has_role(name: str, *roles: str) -> bool:
    """Whether a column is called like one of some roles."""
    return not _roles_of(name).isdisjoint(roles)


_COUNTS = re.compile(
    r"\(\s*(n\s*=\s*)?\d+\s*\)|\bn\s*=\s*\d+|\b\d+(?=\s+(topics|queries|questions|tasks|rows)\b)", re.I
)
"""How many topics a mean is over."""


def is_average(name: str) -> bool:
    """Whether the name of a topic or system says that it sums up others: each word does, or counts them.

    >>> [is_average(name) for name in ("Mean:", "macro-avg", "Std. Dev.", "Moyenne", "95% CI", "25%")]
    [True, True, True, True, True, True]
    >>> [is_average(name) for name in ("mean free path", "all-MiniLM", "score", "50")]
    [False, False, False, False]
    """
    text = in_words(
        _COUNTS.sub(" ", name) if "mean" in name.casefold() or "av" in name.casefold() else name
    ).casefold()
    if text in _SUMMARIES:
        return True
    words = [word.strip(".:") for word in text.split()]
    return any(word in _SUMMARIES for word in words) and all(word in _OF_SUMMARIES for word in words)


def is_average_alone(name: str) -> bool:
    """Whether the whole name is a word for a mean, a total or a deviation, as no system is called.

    >>> [is_average_alone(name) for name in ("Mean", "Std Dev", "Total", "best", "geo-mean", "mean-max")]
    [True, True, True, False, False, False]
    """
    text = in_words(re.sub(r"(±.*|\(.*\))$", "", name)).casefold()
    return text in _SUMMARIES - {*NAMES["averages_or_systems"]}


_DIFFERENCES = ("delta", "δ")
"""Names of a difference of two."""


def averages(names: Sequence[str]) -> list[bool]:
    """Which names say that they sum up others; quick where none does. Delta does beside two others alone."""
    if _SOME_SUMMARY.search("\n".join(["", *names, ""]).casefold()) is None:
        return [False] * len(names)
    found = list(map(is_average, names))
    two = found.count(False) == 2
    return [
        sums and (two or name.strip().casefold() not in _DIFFERENCES)
        for name, sums in zip(names, found, strict=True)
    ]


def sums_up(name: str) -> bool:
    """Whether a column of a leaderboard, by its name, sums up others: a mean, a rank, a win rate."""
    return is_average(name) or PATTERNS["summary_of_data_sets"].fullmatch(in_words(name)) is not None


def is_measure(name: str) -> bool:
    """Whether a column is called like a measure of retrieval, or of what language models are judged by."""
    return known(name) or PATTERNS["measure"].fullmatch(plain(name)) is not None


def is_measure_alone(name: str) -> bool:
    """Whether a column is called like a measure and nothing else, as no variant or system is."""
    found = PATTERNS["measure"].fullmatch(plain(name))
    return len(name) > 1 and (known(name) or (found is not None and found["more"] == found["alone"]))


def named_as_measure(name: str) -> bool:
    """Whether a whole name says a measure, but for units and words that stand beside measures.

    >>> [named_as_measure(name) for name in ("TER", "latency_s", "mean_rank", "accuracy")]
    [True, True, True, True]
    >>> [named_as_measure(name) for name in ("RankSVM", "bleu-mbr", "triplet_loss", "cost_model", "s")]
    [False, False, False, False, False]
    """
    beside = {*NAMES["beside_measure"], *NAMES["units"]}
    words = [word for word in plain(name).split("_") if word not in beside]
    known_words = {*NAMES["lower_is_better"], *NAMES["higher_is_better"]}
    whole = "_".join(words) in known_words or (bool(words) and known_words.issuperset(words))
    return whole or is_measure_alone(name)


def measures_beside(names: Sequence[str]) -> list[str]:
    """The measure that each name ends in or begins with, where these differ; empty where they do not.

    A name may have none, unless no two names are alike but for it.

    >>> measures_beside(["a.em", "b.em", "a WER"]), measures_beside(["WER a", "CER a", "b"])
    (['em', 'em', 'WER'], ['WER', 'CER', ''])
    >>> measures_beside(["a_em", "b_em", "c"]), measures_beside(["gpt-map", "bm25", "e5-rr"])
    ([], [])
    """
    words = [[word for word in re.split(r"[\s_.,:/|()\[\]-]+", name) if word] for name in names]
    for place, others in ((-1, slice(None, -1)), (0, slice(1, None))):
        found = [each[place] if len(each) > 1 and is_measure_alone(each[place]) else "" for each in words]
        of: dict[tuple[str, ...], set[str]] = {}
        for each, measure in zip(words, found, strict=True):
            if measure:
                of.setdefault(tuple(each[others]), set()).add(measure.casefold())
        several = len(set[str]().union(*of.values())) > 1
        if several and (all(found) or any(len(measures) > 1 for measures in of.values())):
            return found
    return []


def called_like_ids(name: str) -> bool:
    """Whether a column is called like ids of topics."""
    return has_role(name, "topic", "topic_first", "topic_or_row", "topic_of_long") or plain(name).endswith(
        "_id"
    )


def in_words(name: str) -> str:
    """A name with one blank between its words, and without a colon or full stop behind them."""
    return re.sub(r"[\s_()\[\]–—*-]+", " ", name).strip(" .:")


def lower_is_better(measure: str) -> bool | None:
    """Whether lower is better by a measure, as far as the words of its name say; None where they do not.

    The last of the words that say something decides, unless others turn it round. An arrow decides alone.

    >>> [lower_is_better(name) for name in ("WER%", "latencyMs", "eval_metrics/MASE[0.5]", "mean_rank")]
    [True, True, True, True]
    >>> [lower_is_better(name) for name in ("neg_log_loss", "1-WER", "cost_adjusted_score", "answer")]
    [False, False, False, None]
    >>> [lower_is_better(name) for name in ("PAR10", "HD95", "IGD+", "mlogloss", "CE", "QQ ↓", "WER (↑)")]
    [True, True, True, True, True, True, False]
    """
    text = _LOG_LOSS.sub(" log loss", measure).strip()
    if ("↓" in text) != ("↑" in text):
        return "↓" in text
    if known(text) or PATTERNS["higher_is_better"].fullmatch(plain(text)):
        return False
    if PATTERNS["lower_is_better"].fullmatch(plain(text)):
        return True
    if PATTERNS["unclear_direction"].fullmatch(plain(text)):
        return None
    opposite = PATTERNS["one_minus"].match(text) is not None
    words = re.findall(r"[a-z]+|[0-9]+", snake_case([text])[0])
    for k in range(len(words), 0, -1):
        for name in ("_".join(words[max(k - 2, 0) : k]), words[k - 1]):
            if name in NAMES["higher_is_better"]:
                return opposite or words[0].startswith("neg")
            # Words of three letters, such as DER, may be something else in the middle of a name.
            if name in NAMES["lower_is_better"] and (len(name) > 3 or k in (1, len(words))):
                negative = set(NAMES["negative"]) - set(name.split("_"))
                turned = not {*NAMES["turned"]}.isdisjoint(words[k:]) and "to" not in words[k:]
                return not opposite and not turned and negative.isdisjoint(words)
    return False if "score" in words or is_measure(text) else None


def may_be_lower(measure: str) -> bool:
    """Whether a word in the name of a measure of an unknown direction is often one of errors or costs."""
    return not {*NAMES["maybe_lower"]}.isdisjoint(re.findall(r"[a-z]+", snake_case([measure])[0]))


def unlikely_measure(name: str) -> int:
    """0 for what is called like a measure, 2 for what tells of the rows, and 1 for all else."""
    if is_measure(name) or has_role(name, "score_by_meaning"):
        return 0
    return 2 if is_property(name, whole=True) else int(lower_is_better(name) is None)


def is_property(name: str, whole: bool) -> bool:
    """Whether a column of numbers, by its name, tells of topics or systems, or counts them."""
    bare = plain(name).lstrip("_")
    if bare in NAMES["about_topics"] or (name.isidentifier() and snake_case([name])[0].endswith("_id")):
        return True  # TeamId, but not "recall id"
    if whole and (bare in NAMES["counts"] or _counts(name)):
        return True
    ranks = bare.removeprefix("rank_").removesuffix("_rank")
    return (ranks != bare and is_measure_alone(ranks)) or (
        PATTERNS["about_systems"].fullmatch(in_words(name)) is not None
    )


def _counts(name: str) -> bool:
    """Whether a column is called like the number of something that is counted, as `n-gram` is not."""
    found = PATTERNS["numbers_of"].fullmatch(plain(name))
    if found is None or "-" in name.strip():
        return False
    return PATTERNS["counted"].fullmatch(found["of"] or found["counted"]) is not None


def beside_scores(names: Sequence[str]) -> dict[int, int]:
    """The places of names of errors, bounds or counts, such as `a_std`, and those of `a` or `a_score`."""
    bare = [plain(name) for name in names]
    of = [PATTERNS["beside_scores"].fullmatch(name) for name in bare]
    stems = {_SCORED.sub("", name): k for k, name in enumerate(bare)} | {
        name: k for k, name in enumerate(bare)
    }
    return {k: stems[found[1]] for k, found in enumerate(of) if found is not None and found[1] in stems}


@lru_cache(maxsize=1 << 14)
def plain(name: str) -> str:
    """A column's name for comparing: `Query ID` is `query_id`, and `Alg.` is `alg`."""
    return re.sub(r"[\s-]+", "_", name.strip().casefold().rstrip(".: "))


def snake_case(names: Iterable[str]) -> list[str]:
    """Names for comparing, in words that capitals divide too: `judgeID` is `judge_id`."""
    return [plain(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)) for name in names]


def is_unnamed(name: str) -> bool:
    """Whether a column has no name, or the one that pandas gives to an index without one."""
    return plain(name) in ("", "unnamed:_0", "__index_level_0__")


def is_topic(name: str) -> bool:
    """Whether a wide table's first column, by its name, holds the topics."""
    return is_unnamed(name) or has_role(name, "topic", "topic_first")


def noun_of(header: Sequence[str], topic: int | None) -> Noun:
    """What sentences call the topics of a table, by the name of their column."""
    name = "" if topic is None else header[topic]
    return "question" if has_role(name, "question") or plain(name) == "questions" else "topic"


def find(header: Iterable[str], *called: str | Sequence[str]) -> int | None:
    """The first column that bears one of the names of roles, or of a list, the first name first."""
    names = list(header)
    spelled = [*map(plain, names), *snake_case(names)]
    there = {name: k % len(names) for k, name in reversed(list(enumerate(spelled)))}
    each = (name for one in called for name in (NAMES[one] if isinstance(one, str) else one))
    return next((there[name] for name in each if name in there), None)


def called(name: str) -> str:
    """How a message names a column."""
    return "the column without a name" if is_unnamed(name) else f"column {name!r}"


def column_named(header: Sequence[str], name: str, place: str) -> int:
    """The column of a name that the user gave, exactly or in another case."""
    column = list(header).index(name) if name in header else find(header, [plain(name)])
    if column is None:
        raise UnknownNameError(f"{place}{unknown_name('column', name, header)}")
    return column


_DIGEST = re.compile(r"[0-9a-f-]{8,}", re.IGNORECASE)
_COUNTED = Short(r"(q|qid|query|question|topic|t|id|sample|item|case|row)?[ _#.-]*\d+", re.IGNORECASE)


def numbered(names: Sequence[str]) -> bool:
    """Whether names are numbers behind few words, as topics are, or digests."""
    if all(_DIGEST.fullmatch(name.strip()) for name in names):
        return True
    words = {re.sub(r"\d+", "", name) for name in names}
    return all(re.search(r"\d", name) for name in names) and 2 * len(words) <= max(2, len(names))


def like_topics(names: Sequence[str]) -> bool:
    """Whether names are those of topics: numbers, alone or behind `q`, `topic`, `sample` and the like."""
    return all(_COUNTED.fullmatch(name.strip()) for name in names)
