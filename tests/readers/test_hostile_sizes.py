"""Small files that once took minutes or gigabytes: time is linear, and decoded bytes are counted."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from truerank.cli import run

resource = pytest.importorskip("resource")

FILLERS = [" ", "_", ".", "1", "1 ", "a_", "-", "1,", "v1", "1.", "| ", "a=[", "'b "]
N = 40_000

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
    "filler", [*FILLERS[:3], *(pytest.param(filler, marks=pytest.mark.validation) for filler in FILLERS[3:])]
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
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Traceback" not in done.stderr


def test_a_name_that_is_there_twice_is_found_in_linear_time(tmp_path):
    names = [f"q{k}" for k in range(100_000)]
    path = tmp_path / "twice.json"
    path.write_text(
        '{"A": {' + ", ".join(f'"{name}": 1' for name in [*names, names[-1]]) + "}}", encoding="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-c", READ_ALL, str(path)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "the name 'q99999' is there twice in one JSON object" in done.stderr


@pytest.mark.parametrize("command", ["assess", "gate"])
def test_texts_that_decode_to_too_much_are_refused(tmp_path, monkeypatch, capsys, command):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    rows = 5_000
    note = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), ["x" * 10_000])
    numbers = pa.array([k / rows for k in range(rows)])
    topics = pa.array([f"q{k}" for k in range(rows)])
    path = tmp_path / "bomb.parquet"
    parquet.write_table(pa.table({"topic": topics, "A": numbers, "B": numbers, "note": note}), path)
    assert path.stat().st_size < 300_000
    monkeypatch.setenv("TRUERANK_MAX_INPUT", "10M")
    assert run([command, str(path)]) == 2
    assert "holds more than 10 MB when unpacked" in capsys.readouterr().err
