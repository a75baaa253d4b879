"""Tables as programs write them: none is read otherwise in silence."""

from __future__ import annotations

import numpy as np
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores
from validation.tables_read import Meant, Rng, check
from validation.tables_written import RIGHT, SHAPES


@pytest.mark.parametrize("shape", SHAPES)
def test_tables_are_read_as_written_or_refused(shape) -> None:  # type: ignore[no-untyped-def]
    rng: Rng = np.random.default_rng(8)
    for _ in range(25):
        meant: Meant = shape(rng)
        assert check(meant).became in RIGHT, meant.source


@pytest.mark.parametrize("mark", ["'", "=", "$", "€"])
def test_a_mark_before_a_number_is_not_a_name(mark: str) -> None:
    rows = [f"{t:03d},{mark}{0.1 * t:.1f},{mark}{0.2 * t:.1f}" for t in range(1, 6)]
    with pytest.raises(InputError):
        read_scores("\n".join(["case,A,B", *rows]).encode())


@pytest.mark.parametrize("name", ["keskiarvo", "平均値", "Mean ± std"])
@pytest.mark.parametrize("where", ["row", "column"])
def test_summaries_of_many_languages_are_left_out(name: str, where: str) -> None:
    rows = [["topic", "A", "B"], *([f"q{t}", f"0.{t}", f"0.{9 - t}"] for t in range(1, 7))]
    rows = [*rows, [name, "0.35", "0.55"]] if where == "row" else [[*row, "0.4"] for row in rows]
    if where == "column":
        rows[0][-1] = name
    scores = read_scores("\n".join(map(",".join, rows)).encode())
    assert (scores.n, scores.systems) == (6, ("A", "B"))
    assert any(name in note.text for note in scores.notes)


@pytest.mark.parametrize("head", ["вопрос", "问题"])
def test_questions_are_topics_in_many_languages(head: str) -> None:
    rows = [f"{t // 3 + 1}.{t % 3 + 1},0.{t + 1},0.{9 - t}" for t in range(8)]
    scores = read_scores("\n".join([f"{head},A,B", *rows]).encode())
    assert (scores.topics[3], scores.systems) == ("2.1", ("A", "B"))
