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
from truerank.reliability.means import Means, means_of
from truerank.reliability.means.components import DATA_SET, Cells, Components, shrunken_variances
from truerank.reliability.means.facet_means import facet_means
from truerank.reliability.means.levels import level_test
from truerank.repeats import Facets
from truerank.scores import ScoreMatrix, ranking_order


def table(n: int = 5) -> np.ndarray:
    """n topics × 3 prompts × 2 judges × 4 systems, made by a formula of whole numbers."""
    t, f, g, s = np.meshgrid(*(np.arange(1, size + 1) for size in (n, 3, 2, 4)), indexing="ij")
    x = 20 * ((t * t * s + 2 * t + s) % 7) + 12 * ((f * s * s + f) % 5) + 10 * ((g * s + s * s) % 4)
    x = x + 7 * ((t * f * s + t) % 5) + 6 * ((t * g + t * s * g) % 3) + 5 * ((f * g * s + g) % 4)
    return np.asarray((x + 4 * ((t * f * g * s + f) % 7)) / 200)


def cells(x: np.ndarray, names: str = "tfg", kept: np.ndarray | None = None, **more: Any) -> Cells:
    """The cells of a crossed table; the first factor is the topics."""
    places = np.indices(x.shape[:-1]).reshape(len(names), -1)
    values = x.reshape(-1, x.shape[-1])
    if kept is not None:
        places, values = places[:, kept], values[kept]
    topics = places[0]
    weights = 1 / (len(np.unique(topics)) * np.bincount(topics)[topics])
    factors = {"topic" if name == "t" else name: codes for name, codes in zip(names, places, strict=True)}
    return Cells(values, factors, weights, **more)


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
    means = facet_means(replace(x, values=np.ascontiguousarray(x.values[:, order])))
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
    redrawn = [parts.redrawn(name) for name in ("topic", "f", "g")]
    np.testing.assert_allclose(redrawn, [0.74402, 0.14125, 0.13975], atol=5.1e-6)


def test_tau_of_the_crossed_table() -> None:
    x = cells(table())
    assert tau_of(x) == pytest.approx(0.3228, abs=0.002)


def test_cells_missing() -> None:
    kept = np.ones((5, 3, 2), bool)
    for cell in [(0, 0, 0), (1, 1, 1), (2, 2, 0), (3, 0, 1), (4, 1, 0)]:
        kept[cell] = False
    means = facet_means(cells(table(), kept=kept.ravel()))
    parts = checked(means, [0.173192, 0.150852, 0.077357], [5.211, 6.167, 6.612])
    found = sizes(parts)
    assert found["topic"] == pytest.approx(0.049697, abs=5e-7)
    assert found["f"] == pytest.approx(0.005545, abs=5e-7)
    assert found["topic × f × g"] == pytest.approx(0.016058, abs=5e-7)
    assert sorted(found.values())[:4] == [0, 0, 0, 0]
    assert parts.variance == pytest.approx(0.0124358, abs=5e-8)
    assert [parts.kappa(name) for name in ("topic", "f")] == pytest.approx([1.245822, 0.969736], abs=5e-7)
    assert not parts.balanced


def test_two_systems() -> None:
    parts = checked(facet_means(cells(table()[..., :2])), [0.198808], [6.598])
    assert sizes(parts)["f"] == pytest.approx(0.013831, abs=5e-7)
    assert parts.variance == pytest.approx(0.0192978, abs=5e-8)


def test_one_facet_fixed() -> None:
    means = facet_means(cells(table().mean(axis=2), "tf"))
    parts = checked(means, [0.176987, 0.136359, 0.072841], [5.235, 5.028, 6.410])
    assert parts.variance == pytest.approx(0.0132636, abs=5e-8)
    assert means.effective == pytest.approx(4.19063, abs=5e-6)


def test_judges_of_some_topics() -> None:
    x = table().mean(axis=1)
    t, g = (places.ravel() for places in np.indices((5, 2)))
    found = Cells(x.reshape(10, 4), {"topic": t, "judge": 2 * (t % 2) + g}, np.full(10, 0.1))
    means = facet_means(found)
    parts = means.components
    assert parts is not None
    assert sizes(parts) == pytest.approx({"topic": 0.047830, "judge": 0.029051, "topic × judge": 0}, abs=5e-7)
    assert 1 / parts.remaining[parts.place("judge")] == pytest.approx(3.84615, abs=5e-6)
    assert [parts.kappa(name) for name in ("topic", "judge")] == pytest.approx([1.057337, 0.975144], abs=5e-7)
    assert means.deviations[0, 1] == pytest.approx(0.197937, abs=5e-7)
    assert means.degrees[0, 1] == pytest.approx(7.090, abs=5e-4)


def test_fixed_data_sets() -> None:
    x = table(6)
    x = cells(x, strata=np.repeat([0, 1], 18))
    means = facet_means(x)
    parts = checked(means, [0.180682, 0.141065, 0.104480], [5.758, 6.147, 5.489])
    expected = {
        "topic": 0.058071,
        "f": 0.006453,
        "g": 0.004221,
        "g × data set": 0.000106,
        "topic × f": 0.001619,
        "topic × g": 0.001107,
        "topic × f × g": 0.002255,
    }
    assert {name: v for name, v in sizes(parts).items() if v} == pytest.approx(expected, abs=5e-7)
    np.testing.assert_allclose(means.stratum_degrees, [2, 2, 4.0105, 1], atol=5e-5)
    assert parts.variance == pytest.approx(0.0142110, abs=5e-8)
    assert tau_of(x) == pytest.approx(0.3231, abs=0.002)


def test_random_data_sets() -> None:
    x = cells(table(12))
    x = replace(x, factors={DATA_SET: x.factors["topic"] // 3, **x.factors})
    means = facet_means(x)
    parts = means.components
    assert parts is not None
    np.testing.assert_allclose(means.deviations[0, 1:3], [0.082266, 0.101567], atol=5e-7)
    np.testing.assert_allclose(means.degrees[0, 1:3], [2.865, 6.359], atol=5e-4)
    found = sizes(parts)
    assert (found[DATA_SET], found["topic"]) == pytest.approx((0, 0.056950), abs=5e-7)
    assert parts.variance == pytest.approx(0.0091263, abs=5e-8)
    assert means.unit == DATA_SET


def test_single_scores_missing() -> None:
    x = table()
    for t, f, g, s in [(0, 0, 0, 1), (1, 0, 1, 2), (3, 1, 0, 0)]:
        x[t, f, g, s] = np.nan
    means = facet_means(cells(x))
    np.testing.assert_allclose(means.contrasts, [0.104940, -0.078142, -0.102851, 0.076053], atol=5e-7)
    assert means.deviations[0, 1] == pytest.approx(0.182834, abs=5e-7)
    assert means.degrees[0, 1] == pytest.approx(5.677, abs=5e-4)


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


def test_variances_against_a_mixed_model() -> None:
    """On balanced tables REML and these moments agree: each system has crossed effects of its own."""
    statsmodels = pytest.importorskip("statsmodels.formula.api")
    import pandas as pd

    rng = np.random.default_rng(2)
    n, f, m = 8, 4, 3
    x = rng.normal(0, 1, (n, 1, m)) + rng.normal(0, 0.8, (1, f, m)) + rng.normal(0, 0.5, (n, f, m))
    parts = Components.of(cells(x, "tf"))
    assert (parts.variances > 0).all()
    # Two contrasts of three systems that are orthogonal have independent effects of these variances.
    contrasts = np.array([[1, -1, 0], [1, 1, -2]]) / np.sqrt([[2], [6]])
    y = (x @ contrasts.T).reshape(-1)
    t, level, c = (places.ravel() for places in np.indices((n, f, 2)))
    frame = pd.DataFrame({"y": y, "t": t * 2 + c, "f": level * 2 + c, "c": c, "one": 1})
    formulas = {"t": "0 + C(t)", "f": "0 + C(f)"}
    model = statsmodels.mixedlm("y ~ C(c)", frame, groups="one", re_formula="0", vc_formula=formulas)
    fitted = model.fit(reml=True, method=["bfgs", "powell"], gtol=1e-9)
    by_name = dict(zip(fitted.model.exog_vc.names, fitted.vcomp, strict=True))
    found = sizes(parts)
    assert found["topic"] == pytest.approx(by_name["t"], rel=1e-4)
    assert found["f"] == pytest.approx(by_name["f"], rel=1e-4)
    assert found["topic × f"] == pytest.approx(float(fitted.scale), rel=1e-4)


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


@pytest.mark.parametrize("strata", [None, np.repeat([0, 1], 36)])
def test_expected_squares_against_matrices(strata: np.ndarray | None) -> None:
    """``a_uv = ‖Z_uᵀ W (I − P) Z_v‖²`` and h, with the matrices written out, cells missing at random."""
    rng = np.random.default_rng(6)
    kept = np.sort(rng.choice(72, 60, replace=False))
    x = cells(rng.normal(size=(8, 3, 3, 3)), kept=kept)
    x = replace(x, strata=None if strata is None else strata[kept])
    parts = Components.of(x)
    w = np.diag(x.weights)
    groups = np.zeros(60, int) if x.strata is None else x.strata
    p = np.array([np.where(groups == d, x.weights, 0) / x.weights[groups == d].sum() for d in groups])
    z = [np.eye(one.levels)[one.codes] for one in parts.effects]
    a = [[np.sum((u.T @ w @ (np.eye(60) - p) @ v) ** 2) for v in z] for u in z]
    np.testing.assert_allclose(parts.expected, a, atol=1e-14)
    np.testing.assert_allclose(parts.remaining, [np.sum((u.T @ x.weights) ** 2) for u in z])


def test_many_topics_and_levels_tell_the_variances() -> None:
    rng = np.random.default_rng(7)
    n, f, g, m = 60, 30, 25, 12
    wanted = {"topic": 1.0, "f": 0.5, "g": 0.3, "topic × f": 0.2, "f × g": 0.4, "topic × f × g": 0.8}
    shapes = {"topic": (n, 1, 1), "f": (1, f, 1), "g": (1, 1, g), "topic × f": (n, f, 1), "f × g": (1, f, g)}
    shapes["topic × f × g"] = (n, f, g)
    x = sum(rng.normal(0, np.sqrt(v), (*shapes[name], m)) for name, v in wanted.items())
    found = sizes(Components.of(cells(np.asarray(x))))
    for name, v in wanted.items():
        levels = int(np.prod([max(size - 1, 1) for size in shapes[name]])) * (m - 1)
        assert found[name] == pytest.approx(v, rel=5 * np.sqrt(2 / levels))
    assert found["topic × g"] < 0.01


def test_equal_systems_tell_nothing_of_a_common_variance() -> None:
    shrunken, added = shrunken_variances(np.array([0.0, 1.0, 4.0, 0.5]), 2)
    others, same = shrunken_variances(np.array([1.0, 4.0, 0.5]), 2)
    assert added == pytest.approx(same, rel=1e-9)
    np.testing.assert_allclose(shrunken[1:], others)


def test_directions_of_the_worked_example() -> None:
    """r of the topics is 3.576, cut to the 3 that four systems have; that of f is divided by five."""
    parts = Components.of(cells(table()))
    draws = parts.drawn(20_000, np.random.default_rng(1))
    assert draws.shape == (20_000, 7)
    u = parts.place("f")
    low, high = np.quantile(draws[:, u], [0.025, 0.975])
    assert low < parts.variances[u] < high


# ── what may not matter ───────────────────────────────────────────────────────────────────────────────


def incomplete(seed: int = 3) -> Cells:
    rng = np.random.default_rng(seed)
    kept = np.sort(rng.choice(8 * 4 * 3, 70, replace=False))
    x = rng.normal(size=(8, 1, 1, 5)) + rng.normal(0, 0.5, (1, 4, 1, 5)) + rng.normal(0, 0.5, (8, 4, 3, 5))
    return cells(x, kept=kept)


def test_labels_and_the_order_of_cells_change_nothing() -> None:
    first = incomplete()
    rng = np.random.default_rng(9)
    order = rng.permutation(len(first.weights))
    factors = {name: rng.permutation(100)[codes][order] for name, codes in first.factors.items()}
    second = Cells(first.values[order], factors, first.weights[order])
    one, two = facet_means(first), facet_means(second)
    np.testing.assert_allclose(two.deviations, one.deviations, rtol=1e-12)
    np.testing.assert_allclose(two.degrees, one.degrees, rtol=1e-10)
    reverse = replace(first, factors={name: first.factors[name] for name in ("topic", "g", "f")})
    np.testing.assert_allclose(facet_means(reverse).deviations, one.deviations, rtol=1e-12)


def test_blocks_of_systems_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Components.of(incomplete())
    monkeypatch.setattr("truerank.reliability.means.components.BLOCK_VALUES", 1)
    blocks = Components.of(incomplete())
    np.testing.assert_allclose(blocks.variances, whole.variances, rtol=1e-12)
    np.testing.assert_allclose(blocks.squares, whole.squares, rtol=1e-12)


def test_one_judge_a_topic_cannot_be_told_from_its_crossing() -> None:
    rng = np.random.default_rng(4)
    topics = np.arange(30)
    x = Cells(rng.normal(size=(30, 6)), {"topic": topics, "judge": topics % 5}, np.full(30, 1 / 30))
    labels = [one.label for one in Components.of(x).effects]
    assert labels == ["judge", "topic, or topic × judge"]


def test_prompts_of_their_own_for_each_topic_are_noise_of_topics() -> None:
    """Nested levels change nothing beside the means of topics: they are drawn anew with them."""
    rng = np.random.default_rng(8)
    x = rng.normal(size=(20, 3, 6))
    nested = Cells(
        x.reshape(60, 6), {"topic": np.repeat(np.arange(20), 3), "prompt": np.arange(60)}, np.full(60, 1 / 60)
    )
    means = facet_means(nested)
    plain = means_of(ScoreMatrix.build(x.mean(axis=1)))
    np.testing.assert_allclose(means.deviations, plain.deviations, rtol=1e-10)
    assert means.degrees[0, 1] == 19


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


def test_data_sets_with_facets() -> None:
    x = several()
    names = np.repeat(["a", "b", "c"], 10).tolist()
    scores = scored(x, ("prompt", "judge"), data_sets=names)
    of_topics = truerank.assess(scores, ["eb"], draws=100, generalize_to="topics,judge").means
    of_sets = truerank.assess(scores, ["eb"], draws=100, generalize_to="data_sets,judge").means
    assert len(np.unique(of_topics.strata)) == 4
    assert of_sets.unit == DATA_SET
    assert of_sets.of_data_sets


@pytest.mark.parametrize("question", [None, "topics", "topics,prompt"])
def test_a_fixed_facet_with_cells_missing_is_refused_with_what_to_paste(question: str | None) -> None:
    kept = np.ones((30, 4, 3), bool)
    kept[np.arange(30), :, np.arange(30) % 3] = False
    scores = scored(several(), ("prompt", "judge"), kept.ravel())
    wanted = "topics,prompt,judge" if question == "topics,prompt" else "topics,judge"
    with pytest.raises(InputError, match=f"generalize_to='{wanted}'"):
        truerank.assess(scores, generalize_to=question)
    assert truerank.assess(scores, ["eb"], draws=64, generalize_to=wanted).noise is not None
