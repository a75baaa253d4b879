"""Hostile outputs: some of the grid that `python -m validation attacks` runs in full."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from validation import attacks

WHOLE = ("import -o", "evaluate -o", "assess --csv of", "experiment show")
"""Ways of which every scene is tried: a file, a folder, folders in a folder, a folder that is received."""


def some() -> list[tuple[str, list[str], str, Any]]:
    """Of these ways all scenes, of every other way one: all go through the same writer."""
    found, by_way, dice = [], defaultdict(list), random.Random(7)
    for one in attacks.grid():
        by_way[one[0].partition(":")[0]].append(one)
    for way, scenes in by_way.items():
        found += scenes if way.startswith(WHOLE) else [dice.choice(scenes)]
    return found


GRID = some()


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("inputs")
    attacks.made(folder)
    return folder, attacks.ran_once(folder, tmp_path_factory.mktemp("ran"))


@pytest.mark.parametrize(("title", "words", "name", "scene"), GRID, ids=[one[0] for one in GRID])
def test_nothing_is_lost_and_nothing_half_written(
    title: str, words: list[str], name: str, scene: Any, inputs: tuple[Path, Path]
) -> None:
    folder, ran = inputs
    with attacks.stage(folder, ran if words[0] == "experiment" and not name else None):
        assert attacks.wrongs(scene(words, name)) == []
