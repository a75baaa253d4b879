"""Results from Python need NumPy, SciPy and, for sentences, Jinja; no threads, processes and locks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from truerank._support import resources

BARE = """
import os, subprocess, sys, threading

NEEDED = ("numpy", "scipy", "jinja2", "markupsafe", "truerank")

class Refusing:
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        there = top in sys.stdlib_module_names or top.startswith("_sysconfigdata")
        if top in ("fcntl", "multiprocessing") or not (there or top in NEEDED):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

def refused(*given, **named):
    raise RuntimeError("can't start new thread")

sys.meta_path.insert(0, Refusing())
for name in ("fcntl", "multiprocessing"):
    sys.modules.pop(name, None)
threading.Thread.start = subprocess.Popen.__init__ = os.fork = refused
"""

RESULTS = """
import json, sys
import numpy as np
import truerank
from truerank._support import resources

resources.processors = lambda: 4
parts = []
resources.in_threads(parts.append, range(3))
assert sorted(parts) == [0, 1, 2]
folder = sys.argv[1]
array = np.loadtxt(f"{folder}/wide.csv", delimiter=",", skiprows=1, usecols=range(1, 7))
board = truerank.board(array, draws=500)  # a file: it has no sentences
found = [
    truerank.assess(array, estimator=["eb"], draws=500),
    truerank.assess(f"{folder}/long.csv", measure="map", estimator=["eb"], draws=500),
    truerank.assess(f"{folder}/battles.csv", estimator=["eb"], draws=500),
    truerank.gate(f"{folder}/wide.csv", "s0", "s1"),
    truerank.plan(f"{folder}/wide.csv", tau=0.9, draws=64),
    truerank.topics(f"{folder}/wide.csv"),
    board,
    truerank.compare(f"{folder}/wide.csv", f"{folder}/other.csv", resamples=100),
]
print(json.dumps([one.to_dict() for one in found] + [one.summary() for one in found if one is not board]))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Scores as a wide table and as a long one, and battles."""
    rng = np.random.default_rng(3)
    values = np.clip(rng.beta(2, 3, (30, 1)) + rng.normal(0, 0.1, (30, 6)) + np.arange(6) / 40, 0, 1).round(4)
    head = "topic,s0,s1,s2,s3,s4,s5"
    for name, table in (("wide", values), ("other", np.sqrt(values[:, [0, 2, 1, 3, 4, 5]]))):
        rows = [f"t{t},{','.join(map(str, row.tolist()))}" for t, row in enumerate(table)]
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *rows]))
    cells = [(f"t{t}", f"s{s}", float(values[t, s])) for t in range(30) for s in range(6)]
    long = [f"{t},{s},{measure},{value}" for measure in ("map", "P_10") for t, s, value in cells]
    (tmp_path / "long.csv").write_text("\n".join(["topic,system,measure,score", *long]))
    pairs = [(a, b) for a, b in rng.integers(0, 6, (600, 2)).tolist() if a != b]
    won = rng.choice(["model_a", "model_b"], len(pairs))
    battles = [
        f"s{a},s{b},{winner},p{i // 3}" for i, ((a, b), winner) in enumerate(zip(pairs, won, strict=True))
    ]
    (tmp_path / "battles.csv").write_text("\n".join(["model_a,model_b,winner,prompt", *battles]))
    return tmp_path


def test_results_need_numpy_and_scipy_alone(folder, monkeypatch, capsys) -> None:
    """The same digits and sentences as here, where everything is installed and threads can start."""
    command = [sys.executable, "-c", BARE + RESULTS, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    monkeypatch.setattr(sys, "argv", ["-c", str(folder)])
    monkeypatch.setattr(resources, "processors", resources.processors)  # restored in the end
    exec(RESULTS, {})
    assert capsys.readouterr().out == done.stdout
