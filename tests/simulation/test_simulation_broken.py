"""Saved models that were changed by hand or by chance: refused in one line, and never a crash.

The loading runs in a process of its own, for what is wrong for native code may end it.
"""

from __future__ import annotations

import copy
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truerank import simulation
from truerank._support.saved import checksum
from truerank.errors import InputError
from truerank.simulation.copulas import vine as vine_copula

MUTATIONS = 84
"""Of each model; some thousands were tried when this was written."""

KINDS = ("all families", "many families", "truncated", "gaussian", "effects")

VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    2,
    7,
    0.5,
    1e308,
    1e-320,
    10**400,
    2**63,
    "",
    "x",
    "\x00",
    "Student",
]
VALUES += ["TLL", "Independence", "d", [], [0], [[]], {}, [1, 2, 3], [None], 45, 90, [2, 1], [0, 0], [0.5]]

LOADS = """
import sys, warnings
warnings.simplefilter("ignore")
from truerank import simulation
from truerank.errors import TruerankError
for path in sys.argv[1:]:
    try:
        scores = simulation.load(path).sample(3, seed=1)
        print("drawn" if ((scores.values >= 0) & (scores.values <= 1)).all() else "outside")
    except TruerankError as error:
        print("refused" if "\\n" not in str(error) else "several lines")
"""


def model(kind: str) -> dict[str, Any]:
    scores = simulation.load_embedded("web2010-ap").sample(30, 1)
    scores = scores.select(np.arange(4) * 4)
    options: dict[str, Any] = {"copula": "vine"}
    if kind == "many families":
        options["families"] = ["student", "clayton", "bb1", "tawn", "tll"]
        options["margins"] = ["beta", "gaussian-kernel"]
    elif kind == "truncated":
        options["truncation"] = 1
    elif kind == "gaussian":
        options = {}
    elif kind == "effects":
        options = {"simulator": "effects"}
    return simulation.fit(scores, seed=3, **options).to_json()["model"]


def places(part: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where the parts of a document are; of a long list only the first ones."""
    inner = part.items() if isinstance(part, dict) else enumerate(part[:20]) if isinstance(part, list) else ()
    return [path] * bool(path) + [place for key, value in inner for place in places(value, (*path, key))]


def mutated(document: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The document with one part deleted, emptied, replaced, swapped with another, or out of range."""
    document = copy.deepcopy(document)
    every = places(document)
    joint = [place for place in every if place[0] in ("copula", "dimensions", "correlations")]

    def parent_of(place: tuple[Any, ...]) -> Any:
        part: Any = document
        for key in place[:-1]:
            part = part[key]
        return part

    place, other = (rng.choice(joint if rng.random() < 0.8 else every) for _ in range(2))
    parent, key = parent_of(place), place[-1]
    match rng.randrange(5):
        case 0:
            del parent[key]
        case 1:
            parent[key] = rng.choice(VALUES)
        case 2 if isinstance(parent[key], int | float):
            parent[key] *= rng.choice([-1, 2, 100, 1e9])
        case 3 if isinstance(parent[key], list | dict):
            parent[key].clear()
        case _:
            parent[key] = copy.deepcopy(parent_of(other)[other[-1]])
    return document


def saved(document: dict[str, Any], path: Path) -> Path:
    """The document as a file whose checksum fits it."""
    whole = {"format": "truerank-simulation", "version": 1, "checksum": checksum(document), "model": document}
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def test_a_broken_model_is_refused_or_works(tmp_path: Path) -> None:
    paths: list[Path] = []
    for kind in KINDS:
        document, rng = model(kind), random.Random(kind)
        paths += [saved(mutated(document, rng), tmp_path / f"{kind} {n}.json") for n in range(MUTATIONS)]
    done = subprocess.run([sys.executable, "-c", LOADS, *paths], capture_output=True, text=True, check=False)
    said = done.stdout.split("\n")[:-1]
    assert done.returncode == 0, (paths[len(said)].stem, done.stderr[-1500:])
    assert len(said) == len(paths)
    for place, kind in enumerate(KINDS):
        of_kind = said[place * MUTATIONS :][:MUTATIONS]
        assert set(of_kind) == {"drawn", "refused"}, kind
        assert of_kind.count("refused") > MUTATIONS / 4, kind


def pair(document: dict[str, Any]) -> dict[str, Any]:
    """A pair copula with parameters."""
    tree = document["copula"]["vine"]["pair copulas"]["tree0"]
    return next(pc for pc in tree.values() if pc["fam"] == "Student")


def changed(what: str, document: dict[str, Any]) -> None:
    vine = document["copula"]["vine"]
    structure = vine["structure"]
    match what:
        case "no parameters":
            pair(document)["par"]["data"] = None
        case "too few":
            pair(document)["par"] = {"data": [0.5], "shape": [1, 1]}
        case "out of range":
            pair(document)["par"]["data"] = [0.5, 1.0]
        case "no family":
            pair(document)["fam"] = "Studnt"
        case "rotation":
            pair(document)["rot"] = 90
        case "no pair":
            del vine["pair copulas"]["tree1"]["pc0"]
        case "no tree":
            del vine["pair copulas"]["tree1"]
        case "order":
            structure["order"][0] = structure["order"][1]
        case "array":
            structure["array"]["data"][0][0] = 1  # the first variable, joined to itself
        case "discrete":
            vine["var_types"][0] = "d"
        case "dimension":
            document["dimensions"][0] = 4


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("no parameters", "parameters of a Student copula must be a list of 2"),
        ("too few", r"parameters of a Student copula must have the shape \[2, 1\]"),
        ("out of range", "a parameter of a Student copula is out of its range"),
        ("no family", "unknown pair copula 'Studnt': did you mean 'Student'"),
        ("rotation", "a Student copula cannot be built"),
        ("no pair", "tree 1 of a vine must have 2 pair copulas, not 1"),
        ("no tree", "a vine of 3 trees cannot have pair copulas for 2"),
        ("order", "the vine's structure is not valid"),
        ("array", "the vine's structure is not valid"),
        ("discrete", "must all be continuous"),
        ("dimension", "a dimension must be a whole number from 0 to 3"),
    ],
)
def test_what_is_wrong_with_a_vine_is_said(tmp_path: Path, what: str, message: str) -> None:
    scores = simulation.load_embedded("web2010-ap").sample(30, 1).select(np.arange(4) * 4)
    document = simulation.fit(scores, copula="vine", families=["student"], seed=3).to_json()["model"]
    simulation.load(saved(document, tmp_path / "model.json"))
    changed(what, document)
    with pytest.raises(ValueError, match=rf"model\.json: .*{message}"):
        simulation.load(saved(document, tmp_path / "model.json"))


def test_a_vine_from_parts_draws_what_the_library_draws() -> None:
    import pyvinecopulib

    for kind in ("all families", "many families", "truncated"):
        vine = model(kind)["copula"]["vine"]
        uniforms = np.asfortranarray(np.random.default_rng(1).random((100, 4)))
        theirs = pyvinecopulib.Vinecop.from_json(json.dumps(vine)).inverse_rosenblatt(uniforms)
        ours = vine_copula.build(vine).inverse_rosenblatt(uniforms)
        np.testing.assert_array_equal(ours, theirs)


def test_numbers_that_no_model_is_saved_with(tmp_path: Path) -> None:
    path = saved(model("gaussian"), tmp_path / "model.json")
    text = path.read_text()
    number = json.loads(text)["model"]["copula"]["correlations"][0]
    for other in ("NaN", "1e999", "-Infinity"):
        path.write_text(text.replace(str(number), other, 1))
        with pytest.raises(InputError, match="was changed or damaged"):
            simulation.load(path)
