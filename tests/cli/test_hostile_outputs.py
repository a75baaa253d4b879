"""Hostile outputs: some of the grid that `python -m validation attacks` runs in full."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from validation import attacks

QUICK = ("assess --json", "gate --markdown", "import -o", "assess --csv:", "assess --csv of", "evaluate -o")
"""Ways of which every scene is tried: a file, a folder, a folder in a folder."""

GRID = [one for one in attacks.grid() if one[0].startswith((*QUICK, "experiment show"))]
GRID += random.Random(7).sample([one for one in attacks.grid() if one not in GRID], 40)


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
