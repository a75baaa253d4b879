"""What unpacks to more than the limit is refused, and memory ends where the limit does."""

from __future__ import annotations

import gzip
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from truerank import cli
from truerank._support.files import MAX_INPUT, MOST, input_limit, parse_size, read_bytes
from truerank.errors import InputError

TABLE = "topic,a,b,c\n1,0.5,0.25,0.2\n2,0.1,0.3,0.1\n3,0.3,0.4,0.6\n"

READS = """
import resource, sys
from pathlib import Path
from truerank.readers import read_scores
from truerank.errors import InputError

table, *bombs = sys.argv[1:]
for path in (table, table + ".parquet"):
    read_scores(path)  # loads what is loaded late
held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (held + (160 << 20),) * 2)
for path in bombs:
    try:
        read_scores(path)
    except InputError as error:
        print(error)
"""


def packed(text: bytes, path: Path, codec: str) -> Path:
    """A file of that text, many times over."""
    import pyarrow

    if codec == "gzip":
        path.write_bytes(gzip.compress(text * 10) * 60)
        return path
    with pyarrow.CompressedOutputStream(str(path), codec) as stream:
        for _ in range(600):
            stream.write(text)
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small table, plain, and beside it as Parquet."""
    import pandas as pd

    path = tmp_path_factory.mktemp("limit") / "table.csv"
    path.write_text(TABLE)
    pd.read_csv(path).to_parquet(f"{path}.parquet")
    return path


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits and /proc are Linux'")
def test_bombs_are_refused_within_the_memory_that_the_limit_asks_for(table: Path, tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    mega = 1 << 20
    constant = pyarrow.table({name: np.zeros(12 * mega) for name in ("topic", "a")})
    parquet.write_table(constant, tmp_path / "constant.parquet", compression="zstd")
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
        for number in range(40):
            archive.writestr(f"samples/{number}.json", b" " * mega)
    bombs = [
        packed(b"0.123456," * (mega // 9), tmp_path / "line.csv.gz", "gzip"),
        packed(b'"' + b"a" * mega, tmp_path / "cell.csv.gz", "gzip"),
        packed(b"\n" * mega, tmp_path / "blank.csv.gz", "gzip"),
        tmp_path / "constant.parquet",
        tmp_path / "log.eval",
    ]
    assert max(path.stat().st_size for path in bombs) < 6 * mega
    done = subprocess.run(
        [sys.executable, "-c", READS, table, *bombs, "/dev/zero"],
        capture_output=True,
        text=True,
        check=False,
        env={MAX_INPUT: "32M", "OMP_NUM_THREADS": "1", "PYTHONPATH": ":".join(sys.path)},
    )
    assert done.returncode == 0, done.stderr[-1500:]
    said = done.stdout.splitlines()
    assert len(said) == len(bombs) + 1
    for line, path in zip(said, [*bombs, "/dev/zero"], strict=True):
        assert line.startswith(f"{path}: holds more than 32 MB when unpacked")
        assert line.endswith(f"set {MAX_INPUT}=64M or more")


def test_the_limit_is_the_last_size_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, data in (("plain", b"x" * 5000), ("packed", gzip.compress(b"x" * 5000))):
        (tmp_path / name).write_bytes(data)
        monkeypatch.setenv(MAX_INPUT, "5000")
        assert read_bytes(tmp_path / name) == b"x" * 5000
        monkeypatch.setenv(MAX_INPUT, "4999")
        with pytest.raises(InputError, match=f"{name}: holds more than"):
            read_bytes(tmp_path / name)


def test_an_option_and_a_variable_raise_it(
    table: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(MAX_INPUT, "10")
    assert cli.run(["assess", str(table)]) == 2
    assert f"set {MAX_INPUT}=20 or more" in capsys.readouterr().err
    assert cli.run(["--max-input", "1K", "assess", str(table)]) == 0
    assert cli.run(["assess", str(table)]) == 2  # the option was of its own command
    assert cli.run(["--max-input", "much", "assess", str(table)]) == 2
    assert "write e.g. 500M or 4G" in capsys.readouterr().err
    monkeypatch.setenv(MAX_INPUT, "much")
    assert cli.run(["assess", str(table)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    monkeypatch.delenv(MAX_INPUT)
    assert input_limit() == MOST
    assert cli.run(["assess", str(table)]) == 0


@pytest.mark.parametrize("text", ["", "0", "-1G", "1e3", "G", "1X", "nan", "9" * 400, "²"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        parse_size(text)
