"""What experiments declare: parameters with limits, texts of tables, and the one summarizer."""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from truerank._support.references import REFERENCES
from truerank.errors import InputError
from truerank.experiments import EXPERIMENTS, option
from truerank.experiments.experiment import build, options
from validation.studies.populations import over_populations


@dataclass(frozen=True)
class Base:
    trials: int = option(5, "How many.", grows=True, least=1)
    sizes: tuple[int, ...] = option((), "Sizes.", least=3)
    words: tuple[str, ...] = option(("a",), "Words.", empty=True)


@dataclass(frozen=True)
class Other(Base):
    trials: int = option(7)
    sizes: tuple[int, ...] = option((4, 5), "Other sizes.")
    words: tuple[str, ...] = option(("b", "c"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"trials": 0}, "trials must be at least 1, not 0"),
        ({"sizes": "3,2"}, "sizes must be at least 3, not 2"),
        ({"sizes": ""}, "sizes: name at least one"),
        ({"sizes": "4,4"}, "sizes names something twice: 4,4"),
        ({"words": "x,x"}, "words names something twice: x,x"),
    ],
)
def test_numbers_outside_their_limits_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(Other, given)


def test_defaults_are_within_their_limits_and_every_parameter_has_a_help() -> None:
    for experiment in EXPERIMENTS.values():
        build(experiment.parameters, {})
        assert all(declared.get("help") for declared in options(experiment.parameters).values()), (
            experiment.name
        )
        assert experiment.label
        assert experiment.source
        assert experiment.explanation.strip() or experiment.name == "documents"
        assert set(experiment.references) <= set(REFERENCES)


PACKAGE = Path(str(files("truerank.experiments")))
OURS = Path(str(files("validation.studies")))
TEXTS = {
    name: text
    for path in (PACKAGE / "experiments.toml", OURS / "studies.toml")
    for name, text in tomllib.loads(path.read_text("utf-8")).items()
}
STUDIES = [
    path
    for folder in (PACKAGE / "studies", OURS)
    for path in sorted(folder.glob("[!_]*.py"))
    if "= declared(" in path.read_text("utf-8")
]


def named(key: ast.expr | None) -> str | None:
    """A key of a dictionary in code as a pattern; what is filled in may be anything."""
    if isinstance(key, ast.Constant):
        return re.escape(str(key.value))
    if isinstance(key, ast.JoinedStr):
        return "".join(re.escape(one.value) if isinstance(one, ast.Constant) else ".+" for one in key.values)
    return None


def keys_of(tree: ast.AST) -> set[str]:
    """Names of the tables that a study makes: the keys of what it calls frames, or gives to `tables`."""
    found: list[ast.expr | None] = []
    for node in ast.walk(tree):
        made: ast.AST | None = None
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Subscript) and ast.unparse(target.value) == "frames":
                found.append(target.slice)
            made = node.value if ast.unparse(target) == "frames" else None
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "tables":
            made = node.args[1]
        elif isinstance(node, ast.FunctionDef) and node.name == "_frames":
            made = next(one for one in node.body if isinstance(one, ast.Return)).value
        parts = [made.left, made.right] if isinstance(made, ast.BinOp) else [made]
        for part in parts:
            found += part.keys if isinstance(part, ast.Dict) else []
            found += [part.key] if isinstance(part, ast.DictComp) else []
    return {key for key in map(named, found) if key is not None}


@pytest.mark.parametrize("study", STUDIES, ids=lambda path: path.stem)
def test_every_table_of_a_study_has_a_text(study: Path) -> None:
    text = study.read_text("utf-8")
    names = re.findall(r'tables\(\s*"([a-z-]+)"', text)
    assert names
    declared = [key for name in names for key in TEXTS[name]["tables"]]
    keys = keys_of(ast.parse(text))
    assert keys
    for key in keys:
        assert any(re.fullmatch(key, one) for one in declared), key


def test_statistics_over_populations_are_those_of_a_loop() -> None:
    rng = np.random.default_rng(1)
    rows = [
        {"data": data, "topics": n, "bias": rng.normal(), "bias_se": rng.uniform(), "bias_count": 7 + n}
        for n in (20, 10)
        for data in "abc"
    ]
    names = ("mean", "se", "size", "largest", "least", "most", "total", "populations")
    found = over_populations(pd.DataFrame(rows), ["topics"], {name: ("bias", name) for name in names})
    assert list(found["topics"]) == [20, 10]
    for _, row in found.iterrows():
        mine = [one for one in rows if one["topics"] == row["topics"]]
        bias = [one["bias"] for one in mine]
        sizes = [abs(value) for value in bias]
        variance = sum(one["bias_se"] ** 2 for one in mine) / 9
        expected = (sum(bias) / 3, variance**0.5, sum(sizes) / 3, max(sizes), min(bias), max(bias))
        total = sum(one["bias_count"] for one in mine)
        assert [row[name] for name in names] == pytest.approx([*expected, total, 3])
