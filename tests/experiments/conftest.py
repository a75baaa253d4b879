"""A small table to simulate from, and a cheap experiment whose results are known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import validation.studies  # noqa: F401  # registers the studies of our own methods
from truerank.scores import ScoreMatrix

DRAWS = '''"""Draws a number a task: an experiment as a user would write one, in a file of their own."""

import time
from dataclasses import dataclass

from truerank.experiments import Experiment, Grid, option, table
from truerank.experiments.experiment import Summary
from truerank.experiments.execution import EXPERIMENTS, register
from truerank.experiments.studies.simulated import load
from truerank._support.seeds import stream


@dataclass(frozen=True)
class Parameters:
    trials: int = option(12, "How many.", grows=True)
    sizes: tuple[int, ...] = option((1, 2), "Any numbers.")
    pause: float = option(0.0, "Seconds a task.")


def load_table(sources, parameters):
    from truerank.experiments.studies.simulated import SimulatedParameters

    return load(sources, SimulatedParameters(topics=(5,), estimators=("ml",)))


def work(context, task, seed):
    time.sleep(context.pause)
    number = float(stream(seed, "number").standard_normal())
    return [{"number": number, "scaled": number * task["size"]}]


def summarize(results):
    return Summary((table("numbers", "Numbers", results.moments(["size"], ["number", "scaled"])),))


if "draws" not in EXPERIMENTS:
    register(
        Experiment(
            "draws",
            "draws numbers",
            "nowhere",
            Parameters,
            load_table,
            lambda parameters, data, seed: parameters,
            lambda parameters, data: Grid({"trial": range(parameters.trials), "size": parameters.sizes}),
            work,
            summarize,
            chunk=3,
        )
    )
'''


@pytest.fixture(scope="session")
def draws_plugin(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a plugin that registers the experiment ``draws``."""
    path = tmp_path_factory.mktemp("plugins") / "truerank_draws_plugin.py"
    path.write_text(DRAWS)
    return str(path)


@pytest.fixture(scope="session")
def table() -> ScoreMatrix:
    """Six systems on 30 topics, hard topics hard for all."""
    rng = np.random.default_rng(7)
    values = 0.5 * rng.beta(2, 3, (30, 1)) + 0.5 * rng.beta(2, 4, (30, 6)) * np.linspace(0.9, 0.6, 6)
    return ScoreMatrix.build(values.round(4), measure="AP")


@pytest.fixture(scope="session")
def table_file(table: ScoreMatrix, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table as a CSV file."""
    import truerank

    path = tmp_path_factory.mktemp("scores") / "small.csv"
    truerank.write_scores(table, path)
    return path
