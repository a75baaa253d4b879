"""The cache of assessments: the same digits with and without it, its bound, and threads."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import truerank
from truerank.errors import InputError
from truerank.reliability.cache import digest
from truerank.scores import ScoreMatrix


def board(holes: bool = False) -> ScoreMatrix:
    rng = np.random.default_rng(3)
    values = rng.normal([0.5, 0.4, 0.4, 0.3, 0.2], 0.2, (24, 5))
    if holes:
        values[rng.random(values.shape) < 0.1] = np.nan
    return ScoreMatrix.build(values, data_sets=list("aaaaaabbbbbbcccccccccccc"), holes=holes)


@pytest.mark.parametrize("holes", [False, True])
def test_one_system_more_has_the_digits_of_no_cache(holes: bool) -> None:
    cache, scores = truerank.Cache(), board(holes)
    for table in (scores.select([0, 1, 3, 4]), scores, scores):
        with_cache = truerank.assess(table, draws=200, seed=4, cache=cache)
        assert with_cache.to_dict() == truerank.assess(table, draws=200, seed=4).to_dict()
    assert len(cache) == 2


def test_the_same_request_is_answered_once() -> None:
    cache, scores = truerank.Cache(), board()
    first = truerank.assess(scores, "eb", draws=100, cache=cache)
    again = ScoreMatrix.build(scores.values, data_sets=[scores.data_sets[k] for k in scores.strata])
    assert truerank.assess(again, "eb", draws=100, cache=cache) is first


@pytest.mark.parametrize(
    "other", [{"seed": 1}, {"draws": 101}, {"levels": 0.9}, {"dependence": "sample"}, {"estimators": "ml"}]
)
def test_another_request_is_another_assessment(other: dict[str, object]) -> None:
    cache, scores = truerank.Cache(), np.random.default_rng(3).normal([0.5, 0.4, 0.3], 0.2, (20, 3))
    first = truerank.assess(scores, **{"estimators": "eb", "draws": 100, "cache": cache})
    assert truerank.assess(scores, **{"estimators": "eb", "draws": 100, "cache": cache, **other}) is not first
    moved = scores.copy()
    moved[0, 0] += 1e-9
    assert truerank.assess(moved, "eb", draws=100, cache=cache) is not first
    assert len(cache) == 3


def test_the_least_recently_used_goes_first() -> None:
    cache, scores = truerank.Cache(size=2), board()
    first = truerank.assess(scores, "eb", draws=50, seed=0, cache=cache)
    truerank.assess(scores, "eb", draws=50, seed=1, cache=cache)
    assert truerank.assess(scores, "eb", draws=50, seed=0, cache=cache) is first
    truerank.assess(scores, "eb", draws=50, seed=2, cache=cache)
    assert len(cache) == 2
    assert truerank.assess(scores, "eb", draws=50, seed=0, cache=cache) is first
    cache.clear()
    assert len(cache) == 0


def test_threads_share_it() -> None:
    cache, scores = truerank.Cache(size=3), board()
    with ThreadPoolExecutor(4) as pool:
        found = list(
            pool.map(
                lambda seed: truerank.assess(scores, "eb", draws=50, seed=seed, cache=cache), [0, 1, 2] * 4
            )
        )
    assert [one.to_dict() for one in found[3:]] == [one.to_dict() for one in found[:-3]]
    assert len(cache) == 3


def test_a_size_below_one_is_refused() -> None:
    with pytest.raises(InputError, match="size"):
        truerank.Cache(0)


def test_digests_tell_apart_what_differs() -> None:
    things = [
        ("ab", "c"),
        ("a", "bc"),
        ("a", ("bc",)),
        (np.zeros(2),),
        (np.zeros((1, 2)),),
        (0,),
        (0.0,),
        (None,),
    ]
    assert len({digest(*one) for one in things}) == len(things)
