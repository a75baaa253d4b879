"""The experiment `arena`: what it writes is what its arenas are, and wrong requests are refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from truerank.errors import InputError
from truerank.experiments import run


def test_arenas_by_prompt_by_battle_and_foretold(tmp_path: Path) -> None:
    results = run(
        "arena",
        ["voters"],
        tmp_path / "out",
        workers=1,
        trials=2,
        systems=(5,),
        sizes=("30x10",),
        ways=("prompts", "voters", "prompts and voters", "battles", "plan"),
        draws=100,
    )
    rows = results.frame("arenas")
    assert len(rows) == 10
    alike = rows[rows["way"] != "plan"].groupby("trial")["actual"].nunique()
    assert (alike == 1).all()  # one arena, one ranking, whatever errors are estimated from
    assert rows["actual"].between(-1, 1).all()
    assert set(rows["ranges"].dropna().unique()) <= {0.0, 1.0}
    table = results.findings.tables[0]
    assert {"bias", "covered_95", "ranges"} <= {column.key for column in table.columns}
    by_battle, both = (rows[rows["way"] == way] for way in ("battles", "prompts and voters"))
    assert np.mean(by_battle["effective"]) > np.mean(both["effective"])


def test_plans_alone_have_no_intervals(tmp_path: Path) -> None:
    some = {"trials": 1, "systems": (4,), "sizes": ("20x8",), "ways": ("plan",), "draws": 50}
    (table,) = run("arena", "uniform", tmp_path / "out", workers=1, **some).findings.tables
    assert [column.key for column in table.columns][:4] == ["data", "systems", "size", "way"]


@pytest.mark.parametrize(
    ("options", "message"),
    [({"sizes": ("50",)}, "prompts x battles"), ({"ways": ("topics",)}, "ways are prompts")],
)
def test_wrong_requests_are_refused(tmp_path: Path, options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run("arena", ["uniform"], tmp_path / "out", workers=1, **options)


def test_scores_are_no_arena(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("topic,a,b\n1,0.1,0.2\n2,0.3,0.1\n")
    with pytest.raises(InputError, match="no battles; give battles, or a kind"):
        run("arena", [str(path)], tmp_path / "out", workers=1)
