"""Gates whose verdict is to hold on new levels of facets too, such as other judges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_up import WORKED
from scipy.stats import skew, t

import truerank
from truerank.reliability.means import means_of
from truerank.reliability.pair.comparing import pair_scores, pairs_of
from truerank.reliability.pair.contrast import Contrast
from truerank.repeats import Facets
from truerank.scores import ScoreMatrix


def scored(x: np.ndarray, names: tuple[str, ...] = ("judge",), **more: Any) -> ScoreMatrix:
    """Scores with facets from topics × levels … × systems."""
    places = np.indices(x.shape[:-1]).reshape(x.ndim - 1, -1)
    levels = tuple(tuple(map(str, range(size))) for size in x.shape[1:-1])
    facets = Facets(names, levels, places[0], tuple(places[1:]), x.reshape(-1, x.shape[-1]))
    return replace(
        ScoreMatrix.build(facets.table(), systems=list("ABCDEFGH")[: x.shape[-1]], holes=True, **more),
        facets=facets,
    )


def judged(judges: int = 4, m: int = 6, n: int = 40, seed: int = 2) -> np.ndarray:
    """n topics × judges × m systems, whose noise by topics is skewed."""
    rng = np.random.default_rng(seed)
    x = (
        rng.gamma(1.0, 0.2, (n, 1, m))
        + rng.normal(0, 0.1, (1, judges, m))
        + rng.normal(0, 0.1, (n, judges, m))
    )
    return np.asarray(x + np.linspace(0.4, 0, m))


def contrast(scores: ScoreMatrix, a: str, b: str, asked: str = "topics,judge") -> Contrast:
    return pairs_of(pair_scores(scores, a, b), scores, asked)[0].contrast


@pytest.mark.parametrize(("other", "error", "degrees"), [("B", 0.174264, 4.978), ("C", 0.077874, 3.629)])
def test_a_worked_example(other: str, error: float, degrees: float) -> None:
    """Errors of a second program: five topics, three systems, three prompts."""
    x = WORKED.copy()
    x[:, 1, 2] += 0.3
    scores = scored(x.transpose(0, 2, 1), ("prompt",))
    (one,) = truerank.gate(scores, "A", other, generalize_to="topics,prompt")
    assert one.p_value == pytest.approx(2 * t.sf(abs(one.difference) / error, degrees), rel=1e-3)
    assert one.generalize_to == "topics,prompt"
    assert one.topics_needed is None
    assert np.isnan(one.p_randomization)


def test_skewness_is_that_of_the_topics_alone() -> None:
    scores = scored(judged())
    found = contrast(scores, "A", "B")
    d = scores.values[:, 1] - scores.values[:, 0]
    base = found.rows[: len(d)]
    of_topics = float(np.sum(base**2)) ** 1.5
    expected = skew(d, bias=False) / np.sqrt(len(d)) * of_topics / found.error**3
    # κ of the topics scales their rows, and cubes as their squares.
    assert found.skewness == pytest.approx(expected * np.sqrt(found.units), rel=1e-9)
    assert found.share_of_levels == pytest.approx(1 - np.sum(base**2) / found.error**2)
    assert 0 < found.share_of_levels < 1


def test_all_systems_of_the_table_tell_the_noise_of_levels() -> None:
    scores = scored(judged())
    found, means = contrast(scores, "C", "E"), means_of(scores, "topics,judge")
    assert found.error == pytest.approx(means.deviations[2, 4])
    assert found.degrees == pytest.approx(means.degrees[2, 4])
    alone = scores.select([2, 4])
    assert contrast(alone, "C", "E").degrees < found.degrees


def test_levels_that_change_nothing_leave_the_interval() -> None:
    """Judges who agree up to a constant: only topics are noise, as for one judge."""
    x = np.round(judged(judges=1) * 256) / 256 + np.array([0.0, 0.125, 0.25])[None, :, None]
    found, plain = contrast(scored(x), "A", "B"), contrast(scored(x), "A", "B", "topics")
    assert found.share_of_levels == pytest.approx(0, abs=1e-9)
    assert (found.error, found.degrees) == pytest.approx((plain.error, plain.degrees))
    assert found.skewness == pytest.approx(plain.skewness)


def test_several_candidates_are_adjusted_for_their_number() -> None:
    found = truerank.gate(scored(judged()), "C", generalize_to="topics,judge")
    for one in found:
        assert one.p_adjusted == pytest.approx(min(1.0, len(found) * one.p_value))
    (alone,) = truerank.gate(scored(judged()), "C", "D", generalize_to="topics,judge", level=0.99)
    among = next(one for one in found if one.candidate == "D")
    assert (among.low, among.high) == pytest.approx((alone.low, alone.high))
