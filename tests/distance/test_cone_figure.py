"""Figure 2 redrawn: the numbers in the chart are those of the paper."""

from __future__ import annotations

import numpy as np
import pytest
from plain_distance import AP, P10

from truerank.scores import ScoreMatrix


def layers(chart):
    return [layer["data"]["values"] for layer in chart["layer"]]


def test_figure_2():
    from truerank.experiments.studies.three_systems import CONTOURS, cone_figure

    chart = cone_figure(ScoreMatrix.build(AP, systems="ABC"), P10)
    _, _, contours, path, points, labels = layers(chart)
    assert [(round(p["x"], 3), round(p["y"], 3)) for p in points] == [
        (0.349, -0.028),
        (0.322, 0),
        (0.2, 0.05),
    ]
    assert "distance 0.65" in points[1]["what"]
    assert [(p["x"], p["y"]) for p in path] == [(p["x"], p["y"]) for p in points[:2]]
    # Every contour is where T² has the quantile of a χ² with two degrees of freedom.
    x = np.array(AP)
    differences = np.stack([x[:, 2] - x[:, 0], x[:, 1] - x[:, 2]])  # C − A, B − C
    inverse = np.linalg.inv(np.cov(differences) / 4)
    for share in CONTOURS:
        at = np.array([[c["x"], c["y"]] for c in contours if c["share"] == f"{share:.1%}"])
        away = at - differences.mean(axis=1)
        squared = np.einsum("ti,ij,tj->t", away, inverse, away)
        assert 1 - np.exp(-squared / 2) == pytest.approx(share)
    # Each region bears the ranking of the means there.
    assert len(labels) == 6
    for label in labels:
        c, b = 0.0, label["y"]
        means = {"A": c - label["x"], "B": b, "C": c}
        assert label["text"] == " > ".join(sorted(means, key=lambda s: -means[s]))
