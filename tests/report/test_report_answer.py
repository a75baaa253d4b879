"""The answer: at most five sentences, each of them what the result's own fields say."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from report_samples import quick, scores

from truerank.reliability.results import Assessment, Best
from truerank.report.view import Asked
from truerank.report.views import view


def answer(result: Assessment, **asked) -> list[str]:
    return list(view(result, Asked(**asked)).answer)


def with_ranges(assessment: Assessment, first: set[int], best: Best | None = None) -> Assessment:
    """Systems A, B, C … of which those of these ranks may be first."""
    m = assessment.scores.m
    ranking = tuple(
        replace(s, system=chr(64 + s.rank), rank_low=1 if s.rank in first else 2, rank_high=m)
        for s in assessment.ranking
    )
    settings = replace(assessment.settings, best=best and best.k, baseline=None)
    return replace(assessment, ranking=ranking, best=best, settings=settings)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ({1}, "A leads, and no other system may be first."),
        ({1, 2, 6}, "A leads, but 2 other systems may be first: B and F."),
        ({1, 3}, "A leads, but 1 other system may be first: C."),
        ({1, 2, 3, 4, 5, 6}, "A leads, but 5 other systems may be first: B, C, D and 2 more."),
    ],
)
def test_the_leader_is_told_by_the_rank_ranges(plain, first, said):
    told = answer(with_ranges(plain, first))
    assert [line for line in told if line.startswith("A ")] == [said]
    assert not any("true top" in line for line in told)


@pytest.mark.parametrize("systems", [3, 8, 20])
def test_every_output_names_the_same_systems_that_may_be_first(systems):
    """One statement about the order: the sentence and the ranges of every output agree."""
    result = quick(scores(systems, noise=0.15), "eb")
    (said,) = (line for line in answer(result) if " leads, " in line)
    may = [s.system for s in result.ranking[1:] if s.rank_low == 1]
    if not may:
        assert "no other system" in said
    elif len(may) < systems - 1:
        assert re.search(rf"\b{len(may)} other systems? may be first", said)
        assert (
            said.split(": ")[1].split(" and ")[0].rstrip(".").split(", ")
            == may[: min(3, max(1, len(may) - 1))]
        )
    frame = result.to_frame("ranking")
    assert frame.system[frame.rank_low == 1].tolist()[1:] == may
    assert [row["system"] for row in result.to_dict()["ranking"] if row["rank_low"] == 1][1:] == may


@pytest.mark.parametrize(
    ("better", "others", "said"),
    [(1, 5, "1 of 5 other systems is better"), (1, 1, "1 of 1 other system is better")],
)
def test_the_baseline_is_none_of_the_systems_that_it_is_compared_with(plain, better, others, said):
    one = plain.baseline[0]
    verdicts = ["better"] * better + ["fail"] * (others - better)
    found = replace(plain, baseline=tuple(replace(one, verdict=verdict) for verdict in verdicts))
    assert any(said in line for line in answer(found))
