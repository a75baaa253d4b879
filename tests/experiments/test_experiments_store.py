"""The folder of a run: strangers' files are left alone, and what was damaged is never taken for a result."""

from __future__ import annotations

import errno
import hashlib
import io
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from truerank import cli
from truerank._support import outputs
from truerank._support.files import temporary_name
from truerank.errors import InputError
from truerank.experiments import run, show
from truerank.experiments.store import MANIFEST, Results, Store
from truerank.scores import ScoreMatrix

FLIPS = 60

STRANGERS = (
    ".manifest-notes.json",
    "notes.txt",
    "tables/numbers.csv",
    "manifest.json",
)


@pytest.fixture(scope="module")
def go(draws_plugin: str, table: ScoreMatrix) -> Any:
    """Runs the cheap experiment, eight chunks of three rows."""

    def started(folder: Any, **options: Any) -> Results:
        options = {"workers": 1, "seed": 5, "plugins": [draws_plugin], **options}
        return run("draws", table, folder, **options)

    return started


def contents(folder: Path) -> dict[str, bytes | None]:
    """Everything in a folder, byte by byte."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def numbers(found: Results) -> pd.DataFrame:
    return found.to_frame()


def put(folder: Path, name: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"name": "mine"}')
    return path


def flips(data: bytes, count: int, seed: int) -> Iterator[bytes]:
    """Copies of the data with one random bit turned, each another one."""
    for bit in np.random.default_rng(seed).choice(8 * len(data), count, replace=False):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        yield bytes(flipped)


@pytest.mark.parametrize("name", STRANGERS)
def test_a_folder_with_anything_else_in_it_is_refused_and_left_as_it_is(
    go: Any, tmp_path: Path, name: str
) -> None:
    put(tmp_path / "r", name)
    before = contents(tmp_path / "r")
    with pytest.raises(InputError, match=r"choose (a new or an empty|another) folder"):
        go(tmp_path / "r")
    assert contents(tmp_path / "r") == before


def test_no_other_file_in_the_folder_is_ever_deleted(go: Any, tmp_path: Path) -> None:
    store = go(tmp_path / "r").store
    kept = [put(store.folder, name) for name in STRANGERS if name != "manifest.json"]
    targets = (next(store.rows.glob("0*")), store.folder / MANIFEST)
    killed = [temporary_name(target) for target in targets]
    for path in killed:
        path.write_text("half")
    go(tmp_path / "r")
    assert all(path.read_text() == "half" for path in killed)
    assert {path.read_text() for path in kept} == {'{"name": "mine"}'}


def test_the_command_names_what_is_damaged_and_goes_on(
    draws_plugin: str, table_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "r"
    end = ["--plugin", draws_plugin]
    again = ["experiment", "run", "draws", str(table_file), "-o", str(folder), "--workers", "1", "-q", *end]
    assert cli.run(again) == 0
    expected = contents(folder)
    path = min((folder / "rows").iterdir())
    path.write_bytes(path.read_bytes()[:-1])
    capsys.readouterr()
    assert cli.run(["experiment", "show", str(folder), *end]) == 0
    out, err = capsys.readouterr()
    assert err.startswith(f"! {path}: damaged")
    assert err.count("\n") == 1
    assert "21 of 24 tasks are done, so" in out
    assert cli.run(again) == 0
    assert capsys.readouterr().err.startswith(f"! {path}: damaged")
    assert contents(folder) == expected


def test_rows_are_plain_parquet_under_the_sha256_of_their_bytes(go: Any, tmp_path: Path) -> None:
    found = go(tmp_path / "r")
    run_digest = found.manifest["run"]
    for (start, stop), path in found.finished.items():
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        assert path.name == f"{start:08}-{stop:08}-{run_digest}-{digest}.parquet"
    rows = [row for path in found.finished.values() for row in pd.read_parquet(path)["rows"][0]]
    pd.testing.assert_frame_equal(pd.DataFrame(rows), found.frame())


def test_every_flipped_bit_of_the_manifest_is_found(go: Any, tmp_path: Path) -> None:
    store = go(tmp_path / "r").store
    path = store.folder / MANIFEST
    data = path.read_bytes()
    for flipped in flips(data, FLIPS, seed=3):
        path.write_bytes(flipped)
        with pytest.raises(InputError, match=r"manifest\.json: damaged.*move this file away"):
            store.manifest()
    rows = contents(store.rows)
    for act in (go, show):
        with pytest.raises(InputError, match=r"manifest\.json: damaged"):
            act(tmp_path / "r")
    path.rename(tmp_path / "away")  # the remedy that is given
    assert go(tmp_path / "r").done == 24
    assert path.read_bytes() == data
    assert contents(store.rows) == rows


def test_without_a_manifest_rows_serve_only_the_run_that_made_them(go: Any, tmp_path: Path) -> None:
    store = go(tmp_path / "r").store
    before = contents(store.folder)
    computed: list[int] = []
    for change, begins in (({"seed": 6}, 0), ({"sizes": (1, 3)}, 0), ({"pause": 0.001}, 0), ({}, 24)):
        (store.folder / MANIFEST).unlink()
        go(tmp_path / "r", progress=lambda done, total, label: computed.append(done), **change)
        assert computed[0] == begins  # nothing of another run is taken, and nothing of its own computed again
        computed.clear()
    after = contents(store.folder)
    assert all(after[name] == data for name, data in before.items())


def test_rows_of_another_run_are_not_taken_for_this_ones(go: Any, tmp_path: Path) -> None:
    expected, other = go(tmp_path / "r"), go(tmp_path / "other", seed=6)
    wanted = contents(expected.store.rows)
    expected.finished[3, 6].unlink()
    strange = Path(shutil.copy(other.finished[3, 6], expected.store.rows))
    assert show(tmp_path / "r").done == 21
    again = go(tmp_path / "r")
    strange.unlink()
    assert contents(again.store.rows) == wanted


def test_a_disk_that_is_full_at_any_write_leaves_nothing_half_written(
    draws_plugin: str,
    table_file: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def command(folder: Path) -> int:
        words = ["experiment", "run", "draws", str(table_file), "-o", str(folder), "--plugin", draws_plugin]
        return cli.run([*words, "--workers", "1", "--seed", "5", "-q"])

    assert command(tmp_path / "whole") == 0
    expected = contents(tmp_path / "whole")
    room = [0]

    class Full(io.FileIO):
        def writelines(self, pieces: Iterable[Any]) -> None:
            data = b"".join(pieces)
            self.write(data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")

    def limited(path: Path, mode: str) -> io.FileIO:
        room[0] -= 1
        return (Full if room[0] < 0 else io.FileIO)(path, mode)

    capsys.readouterr()
    writes = 0
    while True:
        folder = tmp_path / f"full-{writes}"
        with monkeypatch.context() as patch:
            patch.setattr(outputs, "open", limited, raising=False)
            room[0] = writes
            code = command(folder)
        err = capsys.readouterr().err
        if code == 0:
            break
        assert code == 2, err
        assert err.count("\n") == 1
        assert f"truerank: {folder}/" in err
        assert "No space left on device" in err
        for name, data in contents(folder).items():
            assert not Path(name).name.startswith(".") or name == ".lock"
            assert data == expected[name]
        assert command(folder) == 0
        resumed = contents(folder)
        assert resumed.keys() == expected.keys()
        assert all(resumed[name] == data for name, data in expected.items())
        capsys.readouterr()
        writes += 1
    assert writes == 1 + 8 + 1 + 2  # manifest, rows, CSV, Markdown and LaTeX


def test_two_stores_exclude_each_other_until_the_first_lets_go(tmp_path: Path) -> None:
    first, second = Store(tmp_path / "r"), Store(tmp_path / "r")
    with first.lock(), pytest.raises(InputError, match="another run is writing"), second.lock():
        pass
    with second.lock():
        pass
