"""Rows that are intact by their checksum and no rows of the experiment: one line that names the file."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from truerank.cli import run
from truerank.experiments.engine.store import ROWS

RUN = [
    "experiment",
    "run",
    "estimators",
    "web2010-ap",
    "--trials",
    "3",
    "--topics",
    "5",
    "--estimators",
    "ml",
]
RUN += ["--workers", "1", "--quiet"]


def forge(path: Path, column: str) -> Path:
    """The file without a column, under the checksum that it has then."""
    table = pq.read_table(path)
    metadata = table.schema.metadata
    table = table.drop_columns([column]).replace_schema_metadata(metadata)
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    data = buffer.getvalue()
    start, stop, _ = path.stem.split("-")
    path.unlink()
    forged = path.with_name(f"{start}-{stop}-{hashlib.sha256(data).hexdigest()}.parquet")
    forged.write_bytes(data)
    return forged


@pytest.mark.parametrize("column", ["estimator", "coefficient", "topics", "data"])
def test_a_chunk_without_a_column_is_named(
    column: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "e"
    assert run([*RUN, "-o", str(folder)]) == 0
    forged = forge(next((folder / ROWS).iterdir()), column)
    capsys.readouterr()
    for words in (["experiment", "show", str(folder)], [*RUN, "-o", str(folder)]):
        assert run(words) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        assert f"{forged}: holds rows that the experiment 'estimators' cannot use" in err
        assert "Internal error" not in err
    forged.rename(tmp_path / "away")
    assert run([*RUN, "-o", str(folder)]) == 0
    assert json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["experiment"] == "estimators"
