"""Tables of very many systems end in time, or are refused with a way out."""

from __future__ import annotations

import re

import numpy as np
import pytest

from truerank.cli import run
from truerank.significance import analyze


def test_four_hundred_systems_take_seconds(limited) -> None:  # type: ignore[no-untyped-def]
    values = np.random.default_rng(1).random((3, 400))
    assert limited(20, lambda: str(analyze(values).pairs)) == "79800"


def test_the_way_out_works(
    tmp_path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    values = np.random.default_rng(2).random((10, 801)).round(3)
    lines = [",".join(map(str, row)) for row in values.tolist()]
    names = ",".join(f"s{k}" for k in range(801))
    (tmp_path / "s.csv").write_text(f"topic,{names}\n" + "".join(f"t{t},{x}\n" for t, x in enumerate(lines)))
    assert run(["significance", "s.csv"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("truerank: s.csv: 801 systems")
    command = re.search(r"truerank (gate --baseline SYSTEM --candidate SYSTEM)", error)
    assert command
    words = command[1].replace("SYSTEM", "s1", 1).replace("SYSTEM", "s2").split()
    assert run([words[0], "s.csv", *words[1:]]) in (0, 1, 4)
