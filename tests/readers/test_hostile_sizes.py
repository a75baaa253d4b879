"""Small files that once took minutes or gigabytes: time is linear, and decoded bytes are counted."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import numpy as np
import pytest

from truerank import read_scores
from truerank.cli import run
from truerank.reliability.means import bradley_terry
from truerank.reliability.means.bradley_terry import refuse_large

resource = pytest.importorskip("resource")

FILLERS = [" ", "_", ".", "1", "1 ", "a_", "-", "1,", "v1", "1.", "| ", "a=[", "'b "]
N = 20_000

READ_ALL = """
import sys
from truerank.cli import run
for path in sys.argv[1:]:
    for command in (["assess", path], ["gate", path]):
        run(command)
"""


def hostile(filler: str) -> dict[str, str]:
    """Tables with a long text at each place."""
    long = (filler * N)[:N] + "x"
    rows = "q1{},.1,.2\nq2,.3,{}\nq3,.2,.3\nq4,.5,.4\n"
    one_each = [
        f"q{t},{s},{t}.{k}" for t in range(4) for k, s in enumerate(("A" + long.replace(",", ""), "B"))
    ]
    return {
        "cell.csv": "topic,A,B\n" + rows.format("", '"0.1' + long + '"'),
        "start.csv": "topic,A,B\n" + rows.format("", '"' + long + '"'),
        "system.csv": f'topic,"A{long}","B{long}",C1\n' + rows.replace("\n", ",.1\n").format("", 0.5),
        "topic.csv": "topic,A,B\n" + rows.replace("q1{}", '"q1' + long + '"').format(0.5),
        "heading.csv": f'"{long}",A,B\n' + rows.format("", 0.5),
        "long.csv": "\n".join(["topic,system,score", *one_each, ""]),
        "line.csv": "a|b\nq1|0.1\n" + long + "\n",
        "names.json": json.dumps({long: {"q1": 0.1, "q2": 0.5}, "B": {"q1": 0.1, "q2": 0.5}}),
    }


@pytest.mark.parametrize(
    "filler", [*FILLERS[:1], *(pytest.param(filler, marks=pytest.mark.validation) for filler in FILLERS[1:])]
)
def test_long_names_and_cells_take_linear_time(tmp_path, filler):
    paths = []
    for name, text in hostile(filler).items():
        paths.append(tmp_path / name)
        paths[-1].write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, *map(str, paths)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (10, 10)),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr


def battle_rows(systems: int, often: int, each: int) -> str:
    """Battles of random pairs, about `each` a system, and 30 more a system among the first `often`."""
    rng = np.random.default_rng(1)
    rows = []
    for among, count in ((systems, systems * each), (often, often * 30)):
        a = rng.integers(among, size=count)
        b = (a + rng.integers(1, among, size=count)) % among
        won = np.where(rng.random(count) < 0.5, "model_a", "model_b")
        rows += [f"m{x},m{y},{z}" for x, y, z in zip(a.tolist(), b.tolist(), won.tolist(), strict=True)]
    return "\n".join(["model_a,model_b,winner", *rows, ""])


def test_battles_of_too_many_systems_are_refused_with_a_way_out(tmp_path, monkeypatch, capsys):
    """A fifth of the size, which is too large by a limit that is smaller by its cube."""
    monkeypatch.setattr(bradley_terry, "MOST_WORK", bradley_terry.MOST_WORK / 5**3)
    path = tmp_path / "battles.csv"
    ring = [f"m{k},m{(k + 1) % 1_000},model_a" for k in range(1_000)] * 20
    path.write_text("\n".join(["model_a,model_b,winner", *ring, ""]), encoding="utf-8")
    assert run(["board", str(path)]) == 2
    assert "read the battles of fewer systems" in capsys.readouterr().err  # all have as many
    path.write_text(battle_rows(1_000, 100, 20), encoding="utf-8")
    assert run(["board", str(path)]) == 2
    said = capsys.readouterr().err
    assert "of 1,000 systems are too many" in said
    remedy = re.search(r"--min-battles (\d+)", said)
    assert remedy is not None, said
    scores = read_scores(path, min_battles=int(remedy[1]))
    assert 80 < scores.m < 280
    refuse_large(scores.battles, scores.m, "")


def test_merged_groups_give_the_same_errors_but_for_their_number(tmp_path, monkeypatch):
    path = tmp_path / "battles.csv"
    path.write_text(battle_rows(12, 12, 1_000), encoding="utf-8")
    scores = read_scores(path)
    whole = bradley_terry.bradley_terry(scores.battles, scores.systems)
    monkeypatch.setattr(bradley_terry, "MOST_WORK", 5e5)
    merged = bradley_terry.bradley_terry(scores.battles, scores.systems)
    pairs = ~np.eye(12, dtype=bool)
    assert (merged.known.degrees < whole.known.degrees / 2)[pairs].all()
    np.testing.assert_allclose(merged.known.deviations, whole.known.deviations, rtol=0.03)
    np.testing.assert_allclose(merged.theta, whole.theta, rtol=1e-9)
    assert merged.played.interaction == pytest.approx(whole.played.interaction, rel=1e-9)
