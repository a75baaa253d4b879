"""Friedman's and Nemenyi's tests against SciPy, and on the file of critical difference diagrams."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import friedmanchisquare, norm, rankdata, studentized_range

from truerank.cli import run
from truerank.comparison.significance import analyze
from truerank.comparison.significance.significance_test import friedman, friedman_p_values, nemenyi_p_values
from truerank.report.charts.critical_difference import critical_difference, lines


@pytest.mark.parametrize("digits", [None, 1])
@pytest.mark.parametrize("shape", [(8, 3), (30, 5)])
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


# ── the critical difference diagram ──────────────────────────────────────────────────────────────────────


def test_the_critical_difference_is_the_published_one():
    """Demšar (2006), section 3.2.2: four classifiers on 14 data sets, 1.25 at 0.05 and 1.12 at 0.10."""
    values = np.random.default_rng(1).uniform(size=(14, 4))
    for alpha, expected in ((0.05, 1.25), (0.10, 1.12)):
        assert critical_difference(analyze(values, alpha=alpha)) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("seed", range(2))
def test_bars_by_nemenyi_are_the_longest_runs_within_the_critical_difference(seed):
    values = np.random.default_rng(seed).uniform(size=(40, 9)) + np.linspace(0, 0.5, 9)
    found = analyze(values)
    own, nemenyi = lines(found)
    ranks = np.sort(np.mean([rankdata(-row) for row in values], axis=0))
    np.testing.assert_allclose(nemenyi.places, ranks)
    reach = [int(np.searchsorted(ranks, rank + critical_difference(found))) for rank in ranks]
    runs = [list(range(s, end)) for s, end in enumerate(reach) if end - s > 1 and end > max([0, *reach[:s]])]
    assert nemenyi.groups == runs
    # By the result's own test: no two of a bar differ, and each pair that does not is on one.
    significant = found.tests.significant(found.alpha)
    for group in own.groups:
        assert not significant[np.ix_(group, group)].any()
    joined = {(a, b) for group in own.groups for a in group for b in group if a < b}
    assert joined == set(
        zip(*(place.tolist() for place in np.nonzero(np.triu(~significant, 1))), strict=True)
    )
