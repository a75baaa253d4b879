"""Several facets at once: worked examples of a second program, mixed models, and what may not matter."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from made_up import WORKED

import truerank
from truerank.errors import InputError
from truerank.reliability.estimators import eb
from truerank.reliability.means import Means
from truerank.reliability.means.facets import Cells, Components, level_test, shrunken_variances
from truerank.reliability.means.means_of import facet_means
from truerank.repeats import Facets
from truerank.scores import ScoreMatrix, ranking_order


def table(n: int = 5) -> np.ndarray:
    """n topics × 3 prompts × 2 judges × 4 systems, made by a formula of whole numbers."""
    t, f, g, s = np.meshgrid(*(np.arange(1, size + 1) for size in (n, 3, 2, 4)), indexing="ij")
    x = 20 * ((t * t * s + 2 * t + s) % 7) + 12 * ((f * s * s + f) % 5) + 10 * ((g * s + s * s) % 4)
    x = x + 7 * ((t * f * s + t) % 5) + 6 * ((t * g + t * s * g) % 3) + 5 * ((f * g * s + g) % 4)
    return np.asarray((x + 4 * ((t * f * g * s + f) % 7)) / 200)


def cells(x: np.ndarray, names: str = "tfg") -> Cells:
    """The cells of a crossed table; the first factor is the topics."""
    return Cells(x, tuple("topic" if name == "t" else name for name in names))


def checked(means: Means, errors: list[float], degrees: list[float]) -> Components:
    """Standard errors and degrees of freedom of the first system against the others."""
    np.testing.assert_allclose(means.deviations[0, 1:], errors, atol=5.1e-7)
    np.testing.assert_allclose(means.degrees[0, 1:], degrees, atol=5.1e-4)
    assert means.components is not None
    return means.components


def sizes(parts: Components) -> dict[str, float]:
    return {one.label: float(v) for one, v in zip(parts.effects, parts.variances, strict=True)}


def tau_of(x: Cells) -> float:
    """E τ, in ranking order."""
    order = ranking_order(facet_means(x).theta)
    means = facet_means(replace(x, values=x.values[..., order]))
    wrong = eb.posterior(means).probabilities()[np.triu_indices(len(order), 1)]
    return float(1 - 2 * wrong.mean())


# ── worked examples ───────────────────────────────────────────────────────────────────────────────────


def test_crossed() -> None:
    means = facet_means(cells(table()))
    parts = checked(means, [0.184766, 0.148131, 0.074655], [5.960, 6.013, 6.950])
    np.testing.assert_allclose(means.theta, [0.726167, 0.550167, 0.528833, 0.6895], atol=5e-7)
    expected = {
        "topic": 0.055161,
        "f": 0.005783,
        "g": 0.003873,
        "topic × f": 0.001739,
        "topic × g": 0.000844,
        "f × g": 0.000161,
        "topic × f × g": 0.002298,
    }
    assert sizes(parts) == pytest.approx(expected, abs=5.1e-7)
    assert parts.variance == pytest.approx(0.0152000, abs=5e-8)
    shares = {one.label: share for one, share in zip(parts.effects, parts.shares, strict=True)}
    expected = dict(
        zip(expected, [0.72580, 0.12683, 0.12739, 0.00763, 0.00555, 0.00176, 0.00504], strict=True)
    )
    assert shares == pytest.approx(expected, abs=5.1e-6)
    kappas = [parts.kappa(name) for name in ("topic", "f", "g")]
    np.testing.assert_allclose(kappas, [1.25, 1.356159, 1.835812], atol=5e-7)
    np.testing.assert_allclose(means.stratum_degrees, [4, 2.9082, 1], atol=5e-5)
    assert means.effective == pytest.approx(3.62900, abs=5e-6)
    assert tau_of(cells(table())) == pytest.approx(0.3228, abs=0.002)
    redrawn = [parts.redrawn(name) for name in ("topic", "f", "g")]
    np.testing.assert_allclose(redrawn, [0.74402, 0.14125, 0.13975], atol=5.1e-6)


def test_one_facet_fixed() -> None:
    means = facet_means(cells(table().mean(axis=2), "tf"))
    parts = checked(means, [0.176987, 0.136359, 0.072841], [5.235, 5.028, 6.410])
    assert parts.variance == pytest.approx(0.0132636, abs=5e-8)
    assert means.effective == pytest.approx(4.19063, abs=5e-6)


def prompts() -> np.ndarray:
    values = WORKED.copy()
    values[:, 1, 2] += 0.3
    return values.transpose(0, 2, 1)


def test_one_facet() -> None:
    means = facet_means(cells(prompts(), "tf"))
    parts = checked(means, [0.174264, 0.077874], [4.978, 3.629])
    expected = {"topic": 0.0259444, "f": 0.0065, "topic × f": 0.0331667}
    assert sizes(parts) == pytest.approx(expected, abs=5e-8)
    assert parts.kappa("f") == pytest.approx(0.742386, abs=5e-7)
    assert means.stratum_degrees[1] == pytest.approx(0.9798, abs=5e-5)
    assert means.effective == pytest.approx(2.71196, abs=5e-6)
    np.testing.assert_allclose(means.influences.sum(axis=0), 0, atol=1e-15)  # type: ignore[union-attr]


# ── other programs, other formulas ────────────────────────────────────────────────────────────────────


def test_variances_against_an_analysis_of_variance() -> None:
    """Expected mean squares of a table of three ways, its sums of squares by projections."""
    rng = np.random.default_rng(5)
    n, f, m = 7, 4, 5
    x = rng.normal(size=(n, f, m))
    means = {axes: x.mean(axis=axes, keepdims=True) for r in range(4) for axes in combinations(range(3), r)}
    st = means[(1,)] - means[(0, 1)] - means[(1, 2)] + means[(0, 1, 2)]
    sf = means[(0,)] - means[(0, 1)] - means[(0, 2)] + means[(0, 1, 2)]
    rest = x - means[(0,)] - means[(1,)] - means[(2,)]
    rest = rest + means[(0, 1)] + means[(0, 2)] + means[(1, 2)] - means[(0, 1, 2)]
    ms_st = f * (st**2).sum() / ((n - 1) * (m - 1))
    ms_sf = n * (sf**2).sum() / ((f - 1) * (m - 1))
    ms_rest = (rest**2).sum() / ((n - 1) * (f - 1) * (m - 1))
    parts = Components.of(cells(x, "tf"))
    solved = np.linalg.solve(parts.reduction, parts.reduced)
    places = [parts.place("topic"), parts.place("f"), 2]
    np.testing.assert_allclose(solved[places], [(ms_st - ms_rest) / f, (ms_sf - ms_rest) / n, ms_rest])
    from scipy.stats import f as fisher

    scores = replace(ScoreMatrix.build(x.mean(axis=1)), facets=Facets.crossed("f", "abcd", x))
    assert scores.facets is not None
    expected = fisher.sf(ms_sf / ms_rest, (m - 1) * (f - 1), (m - 1) * (f - 1) * (n - 1))
    assert level_test(scores, scores.facets, "f") == pytest.approx(expected)


def test_equal_systems_tell_nothing_of_a_common_variance() -> None:
    shrunken, added = shrunken_variances(np.array([0.0, 1.0, 4.0, 0.5]), 2)
    others, same = shrunken_variances(np.array([1.0, 4.0, 0.5]), 2)
    assert added == pytest.approx(same, rel=1e-9)
    np.testing.assert_allclose(shrunken[1:], others)


# ── the assessment ────────────────────────────────────────────────────────────────────────────────────


def scored(x: np.ndarray, names: tuple[str, ...], kept: np.ndarray | None = None, **more: Any) -> ScoreMatrix:
    """Scores with facets from topics × levels … × systems."""
    places = np.indices(x.shape[:-1]).reshape(x.ndim - 1, -1)
    values = x.reshape(-1, x.shape[-1])
    if kept is not None:
        places, values = places[:, kept], values[kept]
    levels = tuple(tuple(map(str, range(size))) for size in x.shape[1:-1])
    facets = Facets(names, levels, places[0], tuple(places[1:]), values)
    return replace(ScoreMatrix.build(facets.table(), holes=True, **more), facets=facets)


def several(n: int = 30, m: int = 8, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, (n, 1, 1, m)) + rng.normal(0, 0.4, (1, 4, 1, m)) + rng.normal(0, 0.3, (1, 1, 3, m))
    return np.asarray(x + rng.normal(0, 1, (n, 4, 3, m)) + np.linspace(2, 0, m))


def test_sources_of_an_assessment() -> None:
    scores = scored(several(), ("prompt", "judge"))
    document = truerank.assess(scores, ["eb"], draws=100, generalize_to="topics,prompt,judge").to_dict()
    assert document["generalize_to"] == "topics,prompt,judge"
    sources = document["noise"]["sources"]
    assert sources[0]["source"] == "topic"
    assert {one["source"] for one in sources} >= {"prompt", "judge", "topic × prompt × judge"}
    assert sum(one["share"] for one in sources) == pytest.approx(1)
    assert all(one["low"] <= one["share"] <= one["high"] for one in sources)
    fixed = truerank.assess(scores, ["eb"], draws=100)
    assert fixed.noise is not None
    assert [one.share for one in fixed.noise.sources] == pytest.approx([one["share"] for one in sources])


def test_runs_are_a_piece_of_the_finest_source() -> None:
    scores = scored(several(), ("prompt", "judge"))
    assert scores.facets is not None
    scores = replace(scores, facets=replace(scores.facets, runs=2.0, run_variance=1.0))
    found = truerank.assess(scores, ["eb"], draws=100, generalize_to="topics,prompt,judge").noise
    assert found is not None
    plain, run = found.sources[-2:]
    assert (run.source, run.levels, run.variance) == ("run", 2.0, 1.0)
    assert plain.variance + 0.5 == pytest.approx(1.0, abs=0.1)
    assert sum(one.share for one in found.sources) == pytest.approx(1)


def test_a_fixed_facet_is_averaged() -> None:
    x = several()
    both = truerank.assess(scored(x, ("prompt", "judge")), ["eb"], draws=100, generalize_to="topics,prompt")
    one = truerank.assess(
        scored(x.mean(axis=2), ("prompt",)), ["eb"], draws=100, generalize_to="topics,prompt"
    )
    np.testing.assert_allclose(both.means.deviations, one.means.deviations, rtol=1e-12)


def test_expected_squares_against_matrices() -> None:
    """``a_uv = ‖Z_uᵀ W (I − P) Z_v‖²`` and h, with the matrices written out."""
    x = cells(np.random.default_rng(6).normal(size=(6, 3, 2, 3)))
    parts = Components.of(x)
    axes = dict(zip(x.factors, np.indices((6, 3, 2)).reshape(3, -1), strict=True))
    labels = [
        np.unique([axes[name] for name in one.factors], axis=1, return_inverse=True)[1]
        for one in parts.effects
    ]
    z = [np.eye(one.levels)[label.ravel()] for one, label in zip(parts.effects, labels, strict=True)]
    centered = (np.eye(36) - np.full((36, 36), 1 / 36)) / 36
    a = [[np.sum((u.T @ centered @ v) ** 2) for v in z] for u in z]
    np.testing.assert_allclose(parts.expected, a, atol=1e-14)
    np.testing.assert_allclose(parts.remaining, [np.sum((u.sum(axis=0) / 36) ** 2) for u in z])
    flat = x.values.reshape(36, 3)
    within = (
        flat - flat.mean(axis=1, keepdims=True) - (flat - flat.mean(axis=1, keepdims=True)).mean(axis=0)
    ) / 36
    np.testing.assert_allclose(parts.squares, [np.sum((u.T @ within) ** 2, axis=0) for u in z])


@pytest.mark.parametrize("question", [None, "topics,judge"])
def test_cells_missing_are_refused_with_what_to_paste(question: str | None) -> None:
    kept = np.ones((30, 4, 3), bool)
    kept[np.arange(30), :, np.arange(30) % 3] = False
    scores = scored(several(), ("prompt", "judge"), kept.ravel())
    with pytest.raises(InputError, match=r"every level of 'prompt' and 'judge'.*run_column='judge'"):
        truerank.assess(scores, generalize_to=question)


def test_several_data_sets_are_refused() -> None:
    scores = scored(several(), ("prompt", "judge"), data_sets=np.repeat(["a", "b", "c"], 10).tolist())
    with pytest.raises(InputError, match="beside several data sets"):
        truerank.assess(scores, generalize_to="topics,prompt")
