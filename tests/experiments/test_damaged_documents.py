"""Saved models whose values were changed under a checksum that fits: used, or refused in one line."""

from __future__ import annotations

import copy
import hashlib
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from truerank import simulation
from truerank.errors import InputError, UnknownNameError

VALUES: tuple[Any, ...] = (
    *(None, True, -1, 0, 7, 0.5, 1e308, 2**63, float("nan"), float("inf"), "", "a\nb", "\x00", "é\ud800"),
    *([], [0], [[]], {}, [None], {"": None}, [2, 1]),
)


def text_of(model: dict[str, Any]) -> str:
    """As the package writes it, but with NaN and infinite numbers too."""
    plain = json.dumps(model, sort_keys=True, separators=(",", ":"))
    checksum = "sha256:" + hashlib.sha256(plain.encode()).hexdigest()
    return json.dumps({"format": "truerank-simulation", "version": 1, "checksum": checksum, "model": model})


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the parts of a document are; of a long list only the first ones."""
    inner = part.items() if isinstance(part, dict) else enumerate(part[:8]) if isinstance(part, list) else ()
    return [path] * bool(path) + [place for key, value in inner for place in places(value, (*path, key))]


def with_another_value(document: dict[str, Any], random: Random) -> dict[str, Any]:
    document = copy.deepcopy(document)
    *way, last = random.choice(places(document))
    parent: Any = document
    for key in way:
        parent = parent[key]
    if random.randrange(4):
        parent[last] = random.choice(VALUES)
    else:
        del parent[last]
    return document


@pytest.mark.parametrize("simulator", ["copula", "effects"])
def test_a_model_of_other_values_is_used_or_refused_by_the_name_of_its_file(
    tmp_path: Path, simulator: str
) -> None:
    scores = simulation.load_embedded("web2010-ap").sample(30, 1).select(np.arange(3) * 4)
    model = simulation.fit(scores, simulator, seed=3).to_json()["model"]
    random, path, said = Random(simulator), tmp_path / "model.json", Counter[str]()
    for _ in range(30):
        path.write_text(text_of(with_another_value(model, random)))
        try:
            found = simulation.load(path)
            assert found.sample(3, seed=1).values.shape == (3, len(found.systems))
            json.dumps(found.to_json(), allow_nan=False)
            message = path.name
            said["used"] += 1
        except (InputError, UnknownNameError) as error:
            message = str(error)
            said["refused"] += 1
        assert path.name in message
        assert "\n" not in message
    assert min(said["used"], said["refused"]) > 1
