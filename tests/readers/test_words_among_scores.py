"""A cell that says no score, in a column of words that count as scores, is refused with its line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from truerank import read_scores
from truerank.cli import run
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


def test_all_words_for_a_missing_score_are_named_in_options_that_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "words.csv"
    words = ("FAIL", "PASS")
    rows = [["q", "a", "b", "c"], *([f"t{k}", *(words[k % n > 0] for n in (5, 3, 2))] for k in range(12))]
    rows[5][1], rows[7][2], rows[9][1] = "TIMEOUT", "error", "timeout"
    path.write_text("\n".join(map(",".join, rows)), encoding="utf-8")
    with pytest.raises(InputError, match=r"Use missing_value=\['TIMEOUT', 'error'\] if these stand for none"):
        read_scores(path)
    scores = read_scores(path, missing_value=["TIMEOUT", "error"], missing="model")
    assert np.argwhere(np.isnan(scores.values)).tolist() == [[4, 0], [6, 1], [8, 0]]
    assert run(["assess", str(path)]) == 2
    given = "--missing-value TIMEOUT --missing-value error"
    assert given in " ".join(capsys.readouterr().err.split())
    assert run(["assess", str(path), *given.split(), "--missing", "zero"]) == 0


def test_a_word_for_a_missing_score_may_stand_in_one_file_of_several(tmp_path: Path) -> None:
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    old.write_text("item,score\nx,0.5\ny,0.25\nz,0.75\n", encoding="utf-8")
    new.write_text("item,score\nx,0.6\ny,timeout\nz,0.85\n", encoding="utf-8")
    for source in ([str(old), str(new)], str(tmp_path)):
        scores = read_scores(source, missing_value="timeout", missing="common")
        assert scores.topics == ("x", "z")


@pytest.mark.parametrize("share", ["0.85", "85"])
def test_a_share_among_words_is_asked_about(tmp_path: Path, share: str) -> None:
    path = tmp_path / "share.csv"
    rows = [f"q{k},{'true' if k % 3 else 'false'},true" for k in range(12)]
    path.write_text("\n".join(["question,a,b", *rows, f"last,{share},true", ""]), encoding="utf-8")
    with pytest.raises(
        InputError, match=rf":14: column 'a' holds {share} among true and false; remove the row"
    ):
        read_scores(path)


def test_decimal_commas_in_quotes_are_said_to_be_such(tmp_path: Path) -> None:
    path = tmp_path / "commas.csv"
    path.write_text('qid,a,b\nq1,"0,740","0,602"\nq2,"0,885","0,850"\n', encoding="utf-8")
    with pytest.raises(
        InputError, match=r"'0,740' .* write 0.740, or separate cells by semicolons"
    ) as caught:
        read_scores(path)
    assert "ignore" not in str(caught.value)
    path.write_text("qid;a;b\nq1;0,740;0,602\nq2;0,885;0,850\n", encoding="utf-8")
    np.testing.assert_allclose(read_scores(path).values, [[0.74, 0.602], [0.885, 0.85]], rtol=1e-9)
