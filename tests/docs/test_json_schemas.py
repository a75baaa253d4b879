"""The published JSON schemas: sound, strict, described, up to date, and what documents really are.

Every document that any test has the command line write is held against them besides (tests/conftest.py).
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import truerank
from scripts.json_pages import FOLDER, SCHEMAS, files
from scripts.json_schemas import WRITTEN, schema_of
from truerank._support.plain import versioned
from truerank.cli import run
from truerank.comparison.significance import analyze

jsonschema = pytest.importorskip("jsonschema")

SCORES = np.random.default_rng(4).uniform(size=(12, 5)) + np.arange(5) / 10

MADE: dict[str, Callable[[], Any]] = {
    "assess": lambda: truerank.assess(
        SCORES, ["eb", "sh"], baseline="sys1", best=2, draws=50, seed=1
    ).to_dict(),
    "gate": lambda: truerank.gate(SCORES[:, :2], margin=0.01).to_dict(),
    "significance": lambda: analyze(SCORES, "tukey", baseline="sys1").to_dict(),
}
"""Documents of commands, each with as many of the optional keys as go together."""

PROMISED = {
    "assess": """measure topics systems headline estimates ranking swap_probabilities warnings best level k
        data_sets name weight aggregate generalize_to machine lambda human_topics machine_topics estimator
        dependence coefficient estimate variance intervals low high method system mean mean_low mean_high rank
        rank_low rank_high marginal_low marginal_high letters shrunken leader""",
    "plan": """pilot_topics systems coefficient curve topics estimate low high needed target criterion
        generalizability variance system topic residual relative absolute""",
    "gate": """verdict baseline candidate difference low high level margin p_value p_margin
        p_adjusted topics topics_needed""",
    "compare": """tau tau_b tau_ap rbo rank_distance ridge p_value resamples kendall_interval low high""",
    "documents": "model error_rate low high count krcc intervals",
}
"""Keys that scripts may rely on for good."""


@cache
def made(name: str) -> Any:
    return json.loads(json.dumps(versioned(MADE[name]())))


def few(value: Any) -> Any:
    """The same with the first two items of each list, which are of the kinds of the others."""
    if isinstance(value, dict):
        return {key: few(item) for key, item in value.items()}
    return [few(item) for item in value[:2]] if isinstance(value, list) else value


@cache
def validator(name: str) -> Any:
    return jsonschema.Draft202012Validator(schema_of(name))


def records(name: str) -> dict[str, Any]:
    return dict(schema_of(name)["$defs"])


@pytest.mark.parametrize("name", WRITTEN)
def test_a_schema_is_sound_strict_and_described(name: str) -> None:
    whole = schema_of(name)
    jsonschema.Draft202012Validator.check_schema(whole)
    assert whole["$id"] == f"urn:truerank:schema:{name}"
    for title, record in records(name).items():
        assert record["additionalProperties"] is False or title == "Run", title
        assert set(record["required"]) <= set(record["properties"]), title
        for key, value in record["properties"].items():
            about = value.get("description") or records(name)[value["$ref"].rpartition("/")[2]]["description"]
            assert len(about) > 3, (title, key)
            assert not re.search(r"``|:\w+:`|\bNaN\b|\bNone\b", about), (title, key, about)


@pytest.mark.parametrize("name", WRITTEN)
def test_where_a_value_may_be_null_its_description_says_when(name: str) -> None:
    """Or that of its record, of several keys at once."""
    for title, record in records(name).items():
        for key, value in record["properties"].items():
            kinds = [value, *value.get("anyOf", [])]
            null = any("null" in (k.get("type") or ()) or None in k.get("enum", ()) for k in kinds)
            if "additionalProperties" not in value:
                said = "null" in value["description"]
                assert null == said or (null and "null" in record["description"]), (title, key)


def test_the_files_are_what_the_package_says() -> None:
    expected = files()
    found = {
        path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir() if path.name in expected
    }
    stale = [name for name in expected if found.get(name) != expected[name]]
    assert not stale, "run scripts/json_pages.py"
    shipped = {
        path.name.replace(".json", ".schema.json"): path.read_text("utf-8") for path in SCHEMAS.iterdir()
    }
    assert shipped == {name: text for name, text in expected.items() if name.endswith(".json")}
    assert {path.name for path in FOLDER.glob("*.schema.json")} == {
        n for n in expected if n.endswith(".json")
    }


@pytest.mark.parametrize("name", MADE)
def test_every_key_is_held_to_its_name_and_kind(name: str) -> None:
    """A document is valid; with any one key gone or added, or any one value of another kind, not."""
    valid = validator(name).is_valid
    whole = few(made(name))
    assert valid(whole)
    checked = 0
    for path in sorted({re.sub(r"\d+", "0", p): p for p in paths(whole)}.values()):
        *above, key = path.split("/")
        free = above and above[-1] in FREE
        for spoil in (remove, replace):
            if spoil is not replace and free:
                continue
            spoilt = copy.deepcopy(whole)
            spoil(parent(spoilt, above), key)
            assert not valid(spoilt), (path, spoil.__name__)
            checked += 1
        if not free:
            spoilt = copy.deepcopy(whole)
            parent(spoilt, above)["another"] = 1
            assert not valid(spoilt), path
    assert checked > 30


FREE = ("swap_probabilities", "estimators", "learned", "other_curves", "mapped", "variance_components")
"""Objects whose keys are names."""

OPTIONAL = ("baseline",)
"""Of an assessment: there with an option only."""


def paths(value: Any, above: str = "") -> Iterator[str]:
    """Every key, as the keys and places that lead to it, of the first of each list."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield f"{above}{key}"
            yield from paths(item, f"{above}{key}/")
    elif isinstance(value, list) and value:
        yield from paths(value[0], f"{above}0/")


def parent(value: Any, above: list[str]) -> Any:
    for key in above:
        value = value[int(key) if isinstance(value, list) else key]
    return value


def remove(holder: dict[str, Any], key: str) -> None:
    if key in OPTIONAL and "ranking" in holder:
        key = "measure"
    del holder[key]


def replace(holder: dict[str, Any], key: str) -> None:
    holder[key] = {"of": "another kind"} if not isinstance(holder[key], dict) else 7


@pytest.mark.parametrize("name", PROMISED)
def test_the_promised_keys_are_there(name: str) -> None:
    known = {key for record in records(name).values() for key in record["properties"]}
    assert not set(PROMISED[name].split()) - known


def test_the_command_prints_the_published_schema(capsys: Any) -> None:
    assert run(["schema"]) == 0
    assert capsys.readouterr().out.split() == sorted(WRITTEN)
    assert run(["schema", "simulate-show"]) == 0
    assert capsys.readouterr().out == (FOLDER / "simulate-show.schema.json").read_text(encoding="utf-8")
    assert run(["schema", "asess"]) == 2
    assert "assess" in capsys.readouterr().err
