"""What is declared of a paper: its runs, its items and its printed numbers, in a file of its name."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import product
from typing import Any

from truerank.errors import unknown_name

PAPERS = ("urbano-marrero-2016", "bavdaz-2018", "carterette-2009", "yang-2018")
"""The papers, each with its declarations in a file of its name."""

Declared = Mapping[str, Any]


def declarations(name: str) -> Declared:
    """What is declared of a paper: its runs, items and printed numbers, each with all that it inherits.

    An item may be `like` an earlier one. What `each` says holds for all its values. A value that names {down}
    or {across} stands for one number in each row or column of a printed table.
    """
    if name not in PAPERS:
        raise unknown_name("paper", name, PAPERS)
    text = files("truerank.experiments").joinpath("papers", f"{name}.toml").read_text("utf-8")
    declared = tomllib.loads(text)
    items: dict[str, dict[str, Any]] = {}
    for item in declared["items"]:
        items[item["name"]] = _merged(items.get(item.get("like"), {}), item)
    expanded = [item | {"values": list(_values(item))} for item in items.values()]
    return declared | {"items": expanded}


def _merged(*parts: Declared) -> dict[str, Any]:
    """The later over the earlier; conditions and what holds for each value are merged themselves."""
    result: dict[str, Any] = {}
    for part in parts:
        inner = {key: _merged(result.get(key, {}), part[key]) for key in ("where", "each") if key in part}
        result |= {**part, **inner}
    return result


def _values(item: Declared) -> Iterator[Declared]:
    """The values of an item, one per number."""
    for value in item.get("values", ()):
        named = [axis if f"{{{axis}}}" in value["what"] else "" for axis in ("down", "across")]
        axes = [enumerate(item.get(axis, {"": {}}).items()) for axis in named]
        for (row, (down, left)), (column, (across, top)) in product(*axes):
            what = value["what"].format(down=down, across=across)
            one = _merged(item.get("each", {}), left, top, value, {"what": what})
            for axis, place in zip(named, (row, column), strict=True):
                if axis and isinstance(one.get("published"), list):
                    one["published"] = one["published"][place]
            if one.get("published") != "":
                yield one
