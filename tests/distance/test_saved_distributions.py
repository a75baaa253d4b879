"""Bootstrap distributions that were saved."""

from __future__ import annotations

import numpy as np
import pytest
from plain_distance import AP

import truerank
from truerank.comparison.distance import Reference, rank_distance_test
from truerank.comparison.distance.rank_distance import bootstrap_distribution
from truerank.errors import InputError
from truerank.scores import ScoreMatrix


@pytest.fixture
def folder(tmp_path):
    """Distributions of the example and of other scores, and a file that is none."""
    place = tmp_path / "saved"
    place.mkdir()
    example = ScoreMatrix.build(AP, systems="ABC", measure="AP")
    bootstrap_distribution(Reference.of(example), 20, exact=False).save(place / "few.json")
    bootstrap_distribution(Reference.of(example)).save(place / "many.json")
    bootstrap_distribution(Reference.of(example, 0.1)).save(place / "other-lambda.json")
    bootstrap_distribution(Reference.of(np.array(AP) ** 2)).save(place / "others.json")
    (place / "note.json").write_text("{}")
    (place / "readme.txt").write_text("what is here")
    return place


def test_python_takes_the_same_words(folder):
    example = ScoreMatrix.build(AP, systems="ABC", measure="AP")
    y = {"A": 1, "B": 3, "C": 2}
    assert truerank.compare(example, y, distribution=folder / "many.json").distance.p_value == 54 / 256
    assert rank_distance_test(example, y, distribution=folder / "few.json").resamples == 20
    # A ranking of fewer systems needs a distribution of these.
    four = ScoreMatrix.build([[*row, 0.1] for row in AP], systems="ABCD", measure="AP")
    with pytest.raises(InputError, match="other scores"):
        truerank.compare(four, {"A": 1, "B": 2, "D": 3}, distribution=folder / "many.json")
    with pytest.raises(InputError, match="saved"):
        truerank.compare(example, y, distribution=folder)
