"""An experiment tells what it compares in the things' own words, also of things that a user registered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from truerank import simulation
from truerank._support.references import REFERENCES
from truerank.cli import experiment as commands
from truerank.coefficients import COEFFICIENTS
from truerank.experiments import EXPERIMENTS
from truerank.reliability.estimators import ESTIMATORS

PLUGIN = r'''"""An estimator, a coefficient and a simulator, each with what it says of itself."""

import numpy as np

from truerank import coefficients, estimators, simulation
from truerank.simulation.effects import fit_effects


def coin(sample):
    m = sample.values.shape[1]
    return np.triu(np.full((m, m), 0.25), 1)


def top_weights(m):
    weights = np.zeros((m, m))
    weights[0, 1:] = 2 / (m - 1)
    return weights


def like(scores, *, seed=0):
    return fit_effects(scores, truth="model")


if "coin" not in estimators.ESTIMATORS:
    estimators.register(
        estimators.PairEstimator(
            "coin",
            "a biased coin",
            coin,
            explanation="Whatever the scores, as in the early days [@kendall-1938].",
            formula=r"p_{ij} = \frac{1}{4}",
            references=("kendall-1938", "unheard-of-1066"),
        )
    )
    coefficients.register(
        coefficients.Coefficient(
            "top",
            "top pairs",
            top_weights,
            explanation="Only pairs with the best system count.",
            formula=r"1 - \frac{2}{m - 1} \sum_j D_{1j}",
        )
    )
    simulation.SIMULATORS.register(
        simulation.Simulator(
            "mine",
            "my own simulator",
            like,
            simulation.EffectsModel.read,
            explanation="Effects, and the model's own means are true.",
        )
    )
'''


def command(*words: str) -> None:
    commands.COMMANDS.run(words)


def test_a_users_estimator_coefficient_and_simulator_in_one_file_are_told_of(
    table_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for registry in (ESTIMATORS, COEFFICIENTS, simulation.SIMULATORS):  # other tests see none of this
        monkeypatch.setattr(registry, "_things", dict(registry._things))
    plugin = tmp_path / "truerank_told_plugin.py"
    plugin.write_text(PLUGIN)
    folder = str(tmp_path / "r")
    command(
        *("run", "calibration", str(table_file), "-o", folder, "--plugin", str(plugin), "--workers", "1"),
        *("--trials", "2", "--topics", "10", "--estimators", "coin,ml", "--coefficients", "tau,top"),
        *("--simulator", "mine", "--simulator-options", "", "--draws", "50", "--quiet", "--json", "-"),
    )
    ran = json.loads(capsys.readouterr().out)
    assert ran["estimators"]["coin"] == {
        "label": "a biased coin",
        "explanation": "Whatever the scores, as in the early days [@kendall-1938].",
        "formula": r"p_{ij} = \frac{1}{4}",
        "references": ["kendall-1938", "unheard-of-1066"],
    }
    assert list(ran["estimators"]) == ["coin", "ml"]
    assert ran["coefficients"]["top"]["label"] == "top pairs"
    assert ran["simulators"]["mine"]["explanation"] == "Effects, and the model's own means are true."
    assert {row["coin"] for row in ran["tables"]["bias"]} != set()

    command("show", folder, "--plugin", str(plugin), "--json", "-")
    shown = json.loads(capsys.readouterr().out)
    assert [shown[kind] for kind in ("estimators", "coefficients", "simulators")] == [
        ran[kind] for kind in ("estimators", "coefficients", "simulators")
    ]


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "documents"])
def test_every_experiment_explains_itself_and_cites_what_exists(name: str) -> None:
    experiment = EXPERIMENTS[name]
    assert experiment.label
    assert experiment.source
    assert experiment.explanation.strip()
    assert set(experiment.references) <= set(REFERENCES)
