"""A cell that says no score, in a column of words that count as scores, is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from truerank import read_scores
from truerank.errors import InputError


@pytest.mark.parametrize(("yes", "no"), [("True", "False"), ("pass", "fail")])
def test_another_word_in_a_wide_table_is_refused(tmp_path: Path, yes: str, no: str) -> None:
    bad = "error"
    path = tmp_path / "bad.csv"
    rows = [[f"q{k}", yes if k % 3 else no, no if k % 4 else yes] for k in range(12)]
    rows[5][1] = bad
    path.write_text("\n".join(map(",".join, [["question", "gpt-a", "b"], *rows])), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_scores(path)
    said = str(caught.value)
    assert said.startswith(f"{path}:7: column 'gpt-a' holds '{bad}' among {yes} and {no}; write one of them")


def test_a_column_of_other_words_is_still_left_out(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text(
        "question,a,b,remark\n1,True,False,good\n2,False,True,pass\n3,True,True,odd\n", encoding="utf-8"
    )
    scores = read_scores(path)
    assert scores.systems == ("a", "b")
    assert any("not used: remark" in note for note in scores.warnings)


@pytest.mark.parametrize("beside", [{}, {"latency": 2.5}])
def test_another_word_among_json_records_is_refused_without_advice_to_leave_all_out(
    tmp_path: Path, beside: dict[str, float]
) -> None:
    path = tmp_path / "errcell.jsonl"
    records: list[dict[str, object]] = [
        {"question": f"q{k // 3}", "model": "abc"[k % 3], "correct": k % 4 > 0, **beside} for k in range(30)
    ]
    records[7]["correct"] = "error"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_scores(path)
    said = str(caught.value)
    assert said.startswith(
        f"{path}:8: column 'correct' holds 'error' among true and false; write one of them"
    )
    assert "ignore" not in said
