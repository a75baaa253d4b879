"""A small judged collection, and tables of scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truerank.cli.demo import write_collection
from truerank.scores import ScoreMatrix


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A few runs on twelve topics: ``qrels.txt`` and ``runs/``."""
    folder: Path = tmp_path_factory.mktemp("collection")
    write_collection(folder)
    for path in [folder / "qrels.txt", *folder.glob("runs/*")]:
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if int(line.split()[0]) <= 12))
    return folder


@pytest.fixture(scope="session")
def judged(collection: Path) -> Any:
    """The same, read."""
    from truerank.readers import read_ranked_runs

    return read_ranked_runs(collection / "qrels.txt", [collection / "runs"])


@pytest.fixture(scope="session")
def five() -> ScoreMatrix:
    """Five systems on 20 topics, some close; few enough to list all 120 rankings."""
    rng = np.random.default_rng(3)
    values = rng.beta(2, 3, (20, 1)) * 0.4 + rng.beta(2, 4, (20, 5)) * 0.4 + [0.12, 0.1, 0.09, 0.03, 0.0]
    return ScoreMatrix.build(values.round(4), measure="AP")
