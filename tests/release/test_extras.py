"""Without what is optional everything else works, and one line says what to install for the rest."""

from __future__ import annotations

import contextlib
import io
import json
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

from truerank._support import imports
from truerank._support.imports import Extra
from truerank.cli import run
from truerank.cli.demo import write_collection

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
OPTIONAL = [one for one in vars(imports).values() if isinstance(one, Extra)]

# Runs commands in one process where the named packages cannot be imported, as where they are not installed;
# what it prints is, for each, its exit code, its output and what it wrote to standard error.
WITHOUT = """
import contextlib, io, json, sys

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

hidden, commands = json.loads(sys.argv[1])
sys.meta_path.insert(0, Refusing())
from truerank.cli import run
found = []
for command in commands:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(command)
    found.append([code, out.getvalue(), err.getvalue()])
assert not set(hidden) & set(sys.modules)
sys.__stdout__.write(json.dumps(found))
"""

EVERYTHING = sorted({module for one in OPTIONAL for module in one.modules} | {"matplotlib"})
"""All modules that a bare installation lacks, those that the others bring along among them."""


def without_extras(commands: list[list[str]], folder: Path) -> list[tuple[int, str, str]]:
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", WITHOUT, json.dumps([EVERYTHING, commands])],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [tuple(one) for one in json.loads(done.stdout)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a score table, a pair of tables and a collection of runs."""
    place = tmp_path_factory.mktemp("bare")
    rng = np.random.default_rng(1)
    values = np.clip(rng.beta(2, 3, (20, 1)) + rng.normal(0, 0.1, (20, 5)) + [0, 0.05, 0.1, 0.15, 0.2], 0, 1)
    for name, noise in (("AP", 0.0), ("P", 0.02)):
        rows = [
            f"t{t},{','.join(f'{min(max(v + noise * rng.normal(), 0), 1):.4f}' for v in row)}"
            for t, row in enumerate(values)
        ]
        text = "topic,a,b,c,d,e\n" + "\n".join(rows) + "\n"
        (place / f"{name}.csv").write_text(text, encoding="utf-8")
    write_collection(place / "trec")
    (place / "mine.py").write_text('"""A plug-in that brings nothing."""\n', encoding="utf-8")
    return place


QUICK = ["--draws", "200", "--seed", "1", "--quiet"]
WHOLE = [["assess", "AP.csv", *QUICK, "--estimator", "eb", "--csv", "tables", "--latex", "t.tex",
     "--markdown", "t.md", "--json", "-", "--plugin", "mine.py", "--overwrite"],
["assess", "--qrels", "trec/qrels.txt", "-m", "AP", "trec/runs", *QUICK, "--estimator", "eb"],
["evaluate", "--qrels", "trec/qrels.txt", "-m", "AP", "trec/runs", "-o", "scores", "--quiet",
     "--overwrite"],
["compare", "AP.csv", "P.csv", "--quiet", "--resamples", "200"],
["gate", "AP.csv", "--baseline", "a", "--candidate", "e", "--quiet", "--markdown", "gate.md"],
["significance", "AP.csv", "--quiet"],
["documents", "--qrels", "trec/qrels.txt", "trec/runs", "--samples", "50", "--rank-samples", "50",
     "--quiet"],
["plan", "AP.csv", "--tau", "0.9", "--draws", "64", "--quiet"],
["simulate", "fit", "AP.csv", "-o", "model.json", "--margin", "beta", "--quiet"],
["simulate", "show", "web2010-ap"],
["--help"]]  # fmt: skip
"""What a bare installation does, a line or more of every command."""

FIGURES = "figures need altair and vl-convert: pip install 'truerank[plots]'"
EXPERIMENTS = (
    "experiments need pyarrow, altair, vl-convert and cloudpickle: pip install 'truerank[experiments]'"
)
VINES = "vine copulas need pyvinecopulib: pip install 'truerank[copulas]'"
NEEDING = [(["assess", "AP.csv", "--figures", "figures"], FIGURES),
(["documents", "--qrels", "none.txt", "trec/runs", "--figures", "figures"], FIGURES),
(["simulate", "fit", "AP.csv", "-o", "vine.json", "--copula", "vine"], VINES),
(["import", "auto", "none.csv", "-o", "table.parquet"],
     "table.parquet: Parquet files need pyarrow: pip install 'truerank[parquet]'"),
(["experiment", "run", "estimators", "web2010-ap", "-o", "run"], EXPERIMENTS),
(["experiment", "show", "run"], "experiments need pyarrow: pip install 'truerank[parquet]'"),
(["assess", "t.parquet"], "t.parquet: Parquet files need pyarrow: pip install 'truerank[parquet]'"),
(["simulate", "show", "vine.json"], f"vine.json: {VINES}")]  # fmt: skip
"""What needs more, some of it with input that does not exist: what is missing is said before it is read."""


@pytest.fixture(scope="module")
def bare(folder: Path) -> list[tuple[int, str, str]]:
    """What a bare installation answers to all commands."""
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.table({"topic": ["1", "2"], "a": [0.1, 0.2], "b": [0.3, 0.1]})
    parquet.write_table(table, folder / "t.parquet")
    fit = ["simulate", "fit", str(folder / "AP.csv"), "-o", str(folder / "vine.json"), "--copula", "vine"]
    assert run([*fit, "--margin", "beta", "--family", "gaussian", "--quiet"]) == 0
    return without_extras([*WHOLE, *(command for command, _ in NEEDING)], folder)


def test_bare_installation_does_the_whole_job(folder, bare, monkeypatch) -> None:
    """Every command without what is optional says, to the letter, what it says with it."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["-c"])
    for command, found in zip(WHOLE, bare, strict=False):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(command)
        assert code in (0, 1 if command[0] == "gate" else 0), (command, err.getvalue())
        assert found == (code, out.getvalue(), err.getvalue()), command


def test_each_missing_package_is_named_before_any_work(folder, bare) -> None:
    for (command, told), found in zip(NEEDING, bare[len(WHOLE) :], strict=False):
        assert found == (2, "", f"truerank: {told}\n"), command
    assert not [name for name in ("figures", "table.parquet", "run") if (folder / name).exists()]


def test_extras_are_those_of_the_project() -> None:
    """Each extra that a message names exists and has the packages that the message asks for."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    declared = project["project"]["optional-dependencies"]

    def packages(name: str) -> set[str]:
        found = set()
        for one in declared[name]:
            if one.startswith("truerank["):
                for other in one[len("truerank[") : -1].split(","):
                    found |= packages(other)
            else:
                found.add(one.partition(">")[0].replace("_", "-"))
        return found

    named = {"vl-convert": "vl-convert-python"}
    for extra in OPTIONAL:
        wanted = {module.replace("_", "-") for module in extra.modules}
        assert {named.get(one, one) for one in wanted} <= packages(extra.name), extra.name
        assert packages(extra.name) <= packages("all")
    assert not {"dev", "docs", "release"} & declared.keys()
    assert {"dev", "docs", "release"} <= project["dependency-groups"].keys()
