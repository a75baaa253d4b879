"""Saved models, bootstraps, manifests and rows that are spoilt from a seed: used or refused in one line.

Either bytes are changed, or values of a document whose checksum is then made to fit, as another program
would write it.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from truerank import simulation
from truerank.errors import InputError, UnknownNameError
from truerank.scores import ScoreMatrix

SPOILT = 30
"""Of each kind; some ten thousand were tried when this was written."""

VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0,
        2,
        7,
        0.5,
        1e308,
        10**20,
        2**63,
        float("nan"),
        float("inf"),
        "",
        "x",
        "a\nb",
        "\x00",
    ),
    *([], [0], [[]], {}, [None], {"": None}, "é\ud800", -(10**20), [2, 1]),
)
TOKENS = (b"NaN", b"\0", b"\n", b'"', b"{", b"]", b"1e999", b"\xff", b"null,")


def checksum(document: Any) -> str:
    """As the package writes it, but of NaN and infinite numbers too."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the parts of a document are; of a long list only the first ones."""
    inner = part.items() if isinstance(part, dict) else enumerate(part[:8]) if isinstance(part, list) else ()
    return [path] * bool(path) + [place for key, value in inner for place in places(value, (*path, key))]


def other_values(document: dict[str, Any], random: Random) -> dict[str, Any]:
    """The document with one or two of its parts replaced, swapped or deleted."""
    document = copy.deepcopy(document)
    for _ in range(random.choice((1, 1, 2))):
        every = places(document)
        where, other = random.choice(every), random.choice(every)
        parent, source = document, document
        for key in where[:-1]:
            parent = parent[key]
        for key in other:
            source = source[key]
        kind = random.randrange(4)
        if kind == 0:
            del parent[where[-1]]
        else:
            parent[where[-1]] = copy.deepcopy(source) if kind == 1 else random.choice(VALUES)
    return document


def other_bytes(data: bytes, random: Random) -> bytes:
    """The file with up to three bytes turned, left out or added."""
    for _ in range(random.choice((1, 1, 2, 3))):
        place, kind = random.randrange(len(data)), random.randrange(4)
        if kind == 0:
            data = data[:place] + bytes([random.randrange(256)]) + data[place + 1 :]
        elif kind == 1:
            data = data[:place] + data[place + 1 :]
        elif kind == 2:
            data = data[:place] + random.choice(TOKENS) + data[place:]
        else:
            data = data[: max(place, 1)]
    return data


def outcome(use: Callable[[], object], name: str) -> str:
    """``used`` or ``refused``; anything but a line that names the file goes through."""
    try:
        use()
    except (InputError, UnknownNameError) as error:
        message = str(error)
    else:
        return "used"
    assert "\n" not in message
    assert name in message
    return "refused"


@cache
def few_scores() -> ScoreMatrix:
    return simulation.load_embedded("web2010-ap").sample(30, 1).select(np.arange(3) * 4)


def use_model(path: Path) -> None:
    model = simulation.load(path)
    scores = model.sample(3, seed=1)
    assert scores.values.shape == (3, len(model.systems))
    json.dumps(model.to_json(), allow_nan=False)


def model_text(model: dict[str, Any]) -> str:
    whole = {"format": "truerank-simulation", "version": 1, "checksum": checksum(model), "model": model}
    return json.dumps(whole)


@pytest.mark.parametrize("simulator", ["copula", "effects"])
def test_models(tmp_path: Path, simulator: str) -> None:
    model = simulation.fit(few_scores(), simulator, seed=3).to_json()["model"]
    random, path, said = Random(simulator), tmp_path / "model.json", Counter[str]()
    for n in range(SPOILT):
        if n % 3:
            path.write_text(model_text(other_values(model, random)))
        else:
            path.write_bytes(other_bytes(model_text(model).encode(), random))
        said[outcome(lambda: use_model(path), path.name)] += 1
    assert min(said["used"], said["refused"]) > SPOILT / 20
