"""Friedman's and Nemenyi's tests against SciPy, and on the file of critical difference diagrams."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, norm, rankdata, studentized_range

from truerank.cli import run
from truerank.comparison.significance.friedman import friedman, friedman_p_values, nemenyi_p_values


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("shape", [(8, 3), (30, 5), (14, 4)])
def test_the_statistic_is_scipys(shape, digits):
    values = np.random.default_rng(sum(shape)).uniform(size=shape) + 0.1 * np.arange(shape[1])
    values = values if digits is None else values.round(digits)
    expected = friedmanchisquare(*values.T)
    found = friedman(values)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-10)


def test_pairs_are_compared_by_their_mean_ranks():
    values = np.random.default_rng(1).uniform(size=(20, 4)) + 0.2 * np.arange(4)
    ranks = np.mean([rankdata(-row) for row in values], axis=0)
    z = np.abs(ranks[:, None] - ranks) / np.sqrt(4 * 5 / (6 * 20))
    upper = np.triu_indices(4, 1)
    expected = np.maximum(2 * norm.sf(z), friedmanchisquare(*values.T).pvalue)
    np.testing.assert_allclose(friedman_p_values(values)[upper], expected[upper], rtol=1e-10)
    nemenyi = studentized_range.sf(z * np.sqrt(2), 4, np.inf)
    np.testing.assert_allclose(nemenyi_p_values(values)[upper], nemenyi[upper], atol=1e-8)


def test_no_difference_at_all():
    assert friedman(np.ones((5, 3))).p_value == 1
    np.testing.assert_array_equal(nemenyi_p_values(np.ones((5, 3))), 1)


@pytest.mark.parametrize("test", ["friedman", "nemenyi", "wilcoxon --correction holm"])
def test_one_score_per_classifier_and_data_set_is_tested_over_data_sets(tmp_path, capsys, test):
    rng = np.random.default_rng(2)
    scores = rng.uniform(0.3, 0.6, (30, 4)) + 0.07 * np.arange(4)
    rows = [
        f"{name},d{t},{scores[t, s]:.9f}"
        for t in range(30)
        for s, name in enumerate(("knn", "svm", "nb", "rf"))
    ]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["classifier_name,dataset_name,accuracy", *rows, ""]))
    assert run(["significance", str(path), "--test", *test.split(), "--quiet", "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["topics"] == 30
    assert document["pairs_tested"] == 6
    assert run(["assess", str(path), "--quiet", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["generalize_to"] == "data_sets"
