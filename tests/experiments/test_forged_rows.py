"""Rows that are intact by their checksum and no rows of the experiment: one line that names the file."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from truerank.cli import run
from truerank.errors import InputError
from truerank.experiments import run as run_experiment
from truerank.experiments import show
from truerank.experiments.engine.store import ROWS, Store
from truerank.experiments.shared import declarations
from truerank.scores import ScoreMatrix

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


def forge(path: Path, column: str, noted: bool = True) -> Path:
    """The file without a column, under the checksum that it has then; `noted`: it says what it had."""
    table = pq.read_table(path)
    metadata = {key: text for key, text in table.schema.metadata.items() if noted or key == b"truerank"}
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


def test_a_chunk_that_fails_alone_is_named(draws_plugin: str, table: ScoreMatrix, tmp_path: Path) -> None:
    """Nothing in the file says which columns it had; that the other files can be used is the evidence."""
    run_experiment("draws", table, tmp_path / "e", workers=1, plugins=[draws_plugin])
    files = sorted((tmp_path / "e" / ROWS).iterdir())
    forged = forge(files[2], "number", noted=False)
    with pytest.raises(InputError) as said:
        show(tmp_path / "e", plugins=[draws_plugin]).summary()
    assert str(said.value).startswith(f"{forged}: holds rows that the experiment 'draws' cannot use")


def test_a_mistake_in_an_experiment_is_not_blamed_on_its_rows(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "e"
    texts = declarations._TEXTS
    few = {key: text for key, text in texts["estimators"]["tables"].items() if key != "error"}
    forgotten = texts | {"estimators": texts["estimators"] | {"tables": few}}
    monkeypatch.delenv("TRUERANK_TRACEBACK", raising=False)
    assert run([*RUN, "-o", str(folder)]) == 0
    with monkeypatch.context() as changed:
        changed.setattr(declarations, "_TEXTS", forgotten)
        capsys.readouterr()
        assert run(["experiment", "show", str(folder)]) == 3
        err = capsys.readouterr().err
        assert "Internal error: LookupError: no text: [estimators.tables] has no error" in err
        assert str(folder) not in err
    assert run(["experiment", "show", str(folder)]) == 0


def test_files_have_the_columns_that_they_note(tmp_path: Path) -> None:
    """Of one table and of several, with arrays, texts, nothing but gaps, and no rows."""
    row = {"number": 1, "share": 0.5, "text": "a", "none": None, "numbers": [1.0, 2.0]}
    store = Store(tmp_path)
    for start, tables in enumerate([{"rows": [row]}, {"rows": []}, {"some": [row, row], "others": []}]):
        store.write((start, start + 1), tables, {}, "run")
    written = list((tmp_path / ROWS).iterdir())
    assert [store.altered(path) for path in written] == [False] * 3
