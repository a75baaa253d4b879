"""An option that would do nothing without another one is refused; so no option is accepted in silence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from truerank.cli import run


@pytest.fixture(autouse=True)
def scores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(1).uniform(size=(30, 4)).round(3)
    for name, m in (("s.csv", 4), ("two.csv", 2)):
        rows = [",".join([f"q{t}", *map(str, row[:m])]) for t, row in enumerate(values.tolist())]
        Path(name).write_text("\n".join([",".join(["topic", *"ABCD"[:m]]), *rows]) + "\n", encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("gate two.csv --spending obrien-fleming", "--spending needs --looks"),
        ("gate two.csv --state s.json", "--state needs --sequential or --looks N,N,…"),
        ("gate two.csv --looks 10,20 --shared-seeds", "leave out --shared-seeds"),
        ("plan s.csv --tau 0.9 --power 0.7", "--power needs --pair A B"),
        ("plan s.csv --budget 5", "--budget needs --cost PRICES"),
        ("plan --systems 9 --tau 0.9 --power 0.7", "--power needs the scores of a pilot"),
        ("plan s.csv --scale elo", "No such option: --scale"),
        ("topics s.csv --relevance-level 2", "--relevance-level needs --qrels"),
    ],
)
def test_what_would_do_nothing_is_refused(
    arguments: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments.split()) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
