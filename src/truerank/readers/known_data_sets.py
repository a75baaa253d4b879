"""Names of data sets that leaderboards are made of: they say whether columns or rows are data sets."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

_BESIDE = re.compile(r"(hardnegatives?|retrieval|v\d)+$")
_FAMILIES = re.compile(r"sts\d\d|cqadupstack\w+|cqad\w+|nano\w+retrieval")


@cache
def known_names() -> dict[str, list[str]]:
    """Those of BEIR, and those of other boards."""
    found: dict[str, list[str]] = tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    )
    return found


@cache
def _plain() -> frozenset[str]:
    return frozenset(re.sub(r"[\W_]", "", name) for group in known_names().values() for name in group)


def is_known(name: str) -> bool:
    """Whether a well-known data set is called so, whatever its dashes, case and version.

    >>> [is_known(name) for name in ("FiQA2018", "TREC-COVID", "SCIDOCS", "BM25")]
    [True, True, True, False]
    """
    word = re.sub(r"[\W_]", "", name.casefold())
    return bool({word, _BESIDE.sub("", word)} & _plain()) or _FAMILIES.fullmatch(word) is not None


def mostly_known(names: Sequence[str]) -> bool:
    """Whether more than half of the names, and two at least, are those of well-known data sets."""
    known = sum(map(is_known, names))
    return known > 1 and 2 * known > len(names)
