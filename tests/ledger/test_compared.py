"""The race: what is declared is asked, answers are scored rightly, and the page shows what was measured."""

from __future__ import annotations

import numpy as np
import pytest

from validation.peers.adapters import ADAPTERS
from validation.peers.page import PAGE, page, sections
from validation.peers.questions import QUESTION, best_sets, claims, intervals, rank_sets, verdicts
from validation.peers.racing import peers, stored


def test_each_question_that_is_declared_has_an_adapter() -> None:
    declared = {(question, name) for name, peer in peers().items() for question in peer.asked}
    assert declared == ADAPTERS.keys()
    assert sections().keys() == QUESTION.keys()


def test_each_package_was_measured_on_what_it_was_asked() -> None:
    declared = {(question, name) for name, peer in peers().items() for question in peer.asked}
    assert {(figure.question, figure.package) for figure in stored()} == declared


def test_the_page_shows_what_was_measured() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_fair_widths_cover_as_promised() -> None:
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(2_000, 3))
    middle = truth + rng.normal(size=truth.shape)
    found = intervals(np.stack([middle - 0.7, middle + 0.7], axis=1), truth)
    assert found["covered"].mean() == pytest.approx(0.516, abs=0.03)  # P(|z| < 0.7)
    assert found["fair"].mean() == pytest.approx(2 * 1.96, abs=0.15)
    half = 1.96
    again = intervals(np.stack([middle - half, middle + half], axis=1), truth)
    assert again["fair"].mean() == pytest.approx(found["fair"].mean())


def test_rank_sets_hold_together_and_ties_share_ranks() -> None:
    truth = np.array([[0.3, 0.2, 0.2]] * 3)
    low = np.array([[1, 2, 3], [1, 2, 2], [2, 2, 2]])
    high = np.array([[1, 2, 3], [2, 3, 3], [3, 3, 3]])
    found = rank_sets(np.stack([low, high], axis=1).astype(float), truth)
    assert found["covered"].tolist() == [1, 1, 0]
    assert found["width"].tolist() == [1, pytest.approx(2), 2]


def test_best_sets() -> None:
    found = best_sets(np.array([[1.0, 0, 1], [0, 1, 0]]), np.array([[3.0, 2, 1], [3, 2, 1]]))
    assert found["covered"].tolist() == [1, 0]
    assert found["width"].tolist() == [2, 1]


def test_a_claim_of_the_wrong_order_is_false() -> None:
    said = np.zeros((3, 3, 3))
    said[0, 0, 1] = said[1, 1, 0] = said[2, 0, 2] = 1
    truth = np.array([[3.0, 2, 1], [3, 2, 1], [1, 1, 1]])
    found = claims(said, truth)
    assert found["power"][:2].tolist() == [pytest.approx(1 / 3), 0]
    assert found["wrong"][:2].tolist() == [0, 1]
    assert found["false"][2] == 1
    assert np.isnan(found["false"][:2]).all()


def test_a_refusal_is_no_claim() -> None:
    answers = np.array([[1.0, 0.1, 0.5], [np.nan, np.nan, np.nan], [1, 0.1, 0.5]])
    found = verdicts(answers, np.array([0.0, 0.0, 0.2]))
    assert np.nanmean(found["false"]) == 0.5
    assert np.nanmean(found["power"]) == 1
    assert np.nanmean(found["covered"]) == 0.5
