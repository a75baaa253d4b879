"""The engine: the same digits on any executor and after any interruption, and nothing mixed up."""

from __future__ import annotations

import os
import pickle
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from truerank._support.files import temporary_name
from truerank._support.seeds import sequence, stream
from truerank.errors import InputError, TruerankError, UnknownNameError
from truerank.experiments import EXPERIMENTS, run, show, workers
from truerank.experiments.store import Results
from truerank.experiments.workers import pack, run_chunk
from truerank.report.outputs.data import frame
from truerank.scores import ScoreMatrix


def same(a: Results, b: Results) -> bool:
    """Whether two runs hold the same rows, bit by bit, in files of the same bytes."""
    files = [sorted(r.store.rows.iterdir()) for r in (a, b)]
    names = [[f.name for f in side] for side in files]
    return names[0] == names[1] and all(x.read_bytes() == y.read_bytes() for x, y in zip(*files, strict=True))


@pytest.fixture(scope="module")
def go(draws_plugin: str, table: ScoreMatrix) -> Any:
    """Runs the cheap experiment."""

    def started(folder: Path, **options: Any) -> Results:
        options = {"workers": 1, "seed": 5, "plugins": [draws_plugin], **options}
        return run("draws", options.pop("sources", table), folder, **options)

    return started


def test_rows_are_those_of_each_tasks_own_stream(go: Any, tmp_path: Path) -> None:
    rows = go(tmp_path / "r").frame()
    assert len(rows) == 24
    for row in rows.itertuples():
        key = ("draws", "trial", row.trial, "size", row.size)
        seed = int(sequence(5, *key).generate_state(1, np.uint64)[0])
        assert row.number == stream(seed, "number").standard_normal()


def test_one_worker_two_workers_and_a_thread_pool_give_the_same_bytes(go: Any, tmp_path: Path) -> None:
    one = go(tmp_path / "one")
    two = go(tmp_path / "two", workers=2)
    with ThreadPoolExecutor(3) as pool:
        other = go(tmp_path / "other", executor=pool)
    assert same(one, two)
    assert same(one, other)


def test_half_written_and_damaged_files_are_done_again(go: Any, tmp_path: Path) -> None:
    first = go(tmp_path / "a")
    expected = go(tmp_path / "b")
    files = sorted(first.store.rows.iterdir())
    files[2].write_bytes(files[2].read_bytes()[:40])
    files[4].unlink()
    half_written = temporary_name(files[4])
    half_written.write_bytes(b"PAR1")
    with pytest.warns(UserWarning, match=f"{files[2].name}: damaged"):
        assert show(first.store.folder).done == 24 - 6
    with pytest.warns(UserWarning, match=f"{files[2].name}: damaged .* computed again"):
        again = go(tmp_path / "a")
    assert half_written.read_bytes() == b"PAR1"  # nothing is deleted
    half_written.unlink()
    assert same(again, expected)


@pytest.mark.validation
@pytest.mark.filterwarnings("ignore")
def test_a_dask_cluster_gives_the_same_bytes_when_one_of_two_workers_is_killed(
    go: Any, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed")
    killed: list[int] = []
    # Worker processes inherit nothing: the plugin must reach them with the tasks.
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    ) as cluster:

        def kill_one(done: int, total: int, label: str) -> None:
            if done >= total / 2 and not killed:
                killed.append(next(iter(cluster.workers.values())).pid)
                os.kill(killed[0], signal.SIGKILL)

        found = go(
            tmp_path / "dask",
            workers=None,
            dask=cluster.scheduler_address,
            progress=kill_one,
            trials=40,
            pause=0.01,
        )
    assert killed
    assert found.done == 80
    assert same(found, go(tmp_path / "here", trials=40, pause=0.01))


def test_more_trials_continue_and_fewer_are_refused(go: Any, tmp_path: Path) -> None:
    go(tmp_path / "r", trials=7)
    assert (
        same(go(tmp_path / "r", trials=12), go(tmp_path / "whole", trials=12)) is False
    )  # an old last chunk
    more, whole = show(tmp_path / "r"), show(tmp_path / "whole")
    pd.testing.assert_frame_equal(more.frame(), whole.frame(), check_exact=True)
    with pytest.raises(InputError, match="a run with trials 12, not 3"):
        go(tmp_path / "r", trials=3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": (1, 3)}, "sizes 1,2, not 1,3"),
        ({"seed": 6}, "seed 5, not 6"),
        ({"plugins": []}, "truerank_draws_plugin code .* not none"),
        ({"sources": np.eye(4)}, "the data AP, not scores"),
        ({"sources": {"AP": np.eye(4)}}, "other scores under the name 'AP'"),
    ],
)
def test_another_run_in_the_same_folder_is_refused(
    go: Any, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    go(tmp_path / "r")
    before = (tmp_path / "r" / "manifest.json").read_bytes()
    with pytest.raises(InputError, match=message):
        go(tmp_path / "r", **change)
    assert (tmp_path / "r" / "manifest.json").read_bytes() == before


def test_another_version_or_experiment_or_a_foreign_folder_is_refused(go: Any, tmp_path: Path) -> None:
    import json

    store = go(tmp_path / "r").store
    manifest = store.manifest()
    assert manifest is not None
    store.write_manifest({**manifest, "versions": {**manifest["versions"], "numpy": "0.1"}})
    with pytest.raises(InputError, match=r"numpy version 0\.1"):
        go(tmp_path / "r")
    store.write_manifest({**manifest, "experiment": "other"})
    with pytest.raises(InputError, match="the experiment other, not draws"):
        go(tmp_path / "r")
    store.write_manifest({**manifest, "format": 99})
    with pytest.raises(InputError, match="layout 99"):
        show(tmp_path / "r")
    (tmp_path / "r" / "manifest.json").write_text(json.dumps([1]))
    with pytest.raises(InputError, match="not the manifest"):
        show(tmp_path / "r")
    with pytest.raises(InputError, match="no experiment here"):
        show(tmp_path / "nothing")


def test_show_reads_what_is_there_while_it_runs(go: Any, tmp_path: Path) -> None:
    seen: list[tuple[int, int, pd.DataFrame]] = []

    def look(done: int, total: int, label: str) -> None:
        now = show(tmp_path / "r")
        tables = now.findings.tables
        seen.append((now.done, now.total, frame(tables[0]) if tables else pd.DataFrame()))
        assert (now.done, now.total) == (done, total)

    go(tmp_path / "r", progress=look)
    assert [done for done, _, _ in seen] == list(range(0, 25, 3))
    halfway = seen[4][2]
    rows = show(tmp_path / "r").frame().head(12)
    for size, group in rows.groupby("size"):
        row = halfway[halfway["size"] == size].iloc[0]
        assert row["number_count"] == len(group)
        assert row["number_mean"] == pytest.approx(group["number"].mean(), rel=1e-12)
        assert row["number_sd"] == pytest.approx(group["number"].std(), rel=1e-9)


def test_unknown_names_and_values_are_refused(go: Any, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'trials'"):
        go(tmp_path / "r", trails=3)
    with pytest.raises(InputError, match="trials takes a whole number, not 'many'"):
        go(tmp_path / "r", trials="many")
    with pytest.raises(InputError, match="sizes takes whole numbers separated by commas"):
        go(tmp_path / "r", sizes="1,x")
    with pytest.raises(UnknownNameError, match="did you mean 'estimators'"):
        run("estimator", np.eye(3), tmp_path / "r")
    with pytest.raises(InputError, match="at least one worker"):
        go(tmp_path / "r", workers=0)
    with pytest.raises(InputError, match="no such file"):
        go(tmp_path / "r", plugins=["nowhere.py"])
    with pytest.raises(InputError, match="cannot be imported"):
        go(tmp_path / "r", plugins=["no_such_module_anywhere"])


def by_size(context: Any, task: dict[str, Any], seed: int) -> dict[str, list[dict[str, Any]]]:
    """A number a task; as many letters as the size, and none for the smallest."""
    size = int(task["size"])
    letters = [{"letter": "abc"[k], "values": np.arange(float(k))} for k in range(size - 1)]
    return {"numbers": [{"number": seed % 97}], "letters": letters, "nothing": []}


def test_a_task_may_return_several_tables(go: Any, tmp_path: Path) -> None:
    from dataclasses import replace

    go(tmp_path / "first", trials=1)  # registers the plugin
    several = replace(EXPERIMENTS["draws"], work=by_size, summarize=lambda results: None, chunk=4)
    table = ScoreMatrix.build(np.random.default_rng(1).random((5, 3)))
    found = run(several, table, tmp_path / "r", workers=1, seed=5, trials=3, sizes=(1, 3))
    numbers, letters = found.frame("numbers"), found.frame("letters")
    assert list(numbers.columns) == ["trial", "size", "number"]
    assert list(zip(numbers["trial"], numbers["size"], strict=True)) == [
        (trial, size) for trial in range(3) for size in (1, 3)
    ]
    assert list(letters.columns) == ["trial", "size", "letter", "values"]
    assert list(letters["letter"]) == ["a", "b"] * 3
    assert set(letters["size"]) == {3}
    assert [list(values) for values in letters["values"]] == [[], [0.0]] * 3
    assert found.frame("nothing").empty
    assert list(found.frames("nothing")) == []
    means = found.moments(["size"], ["number"], table="numbers")
    assert list(means["number_mean"]) == [numbers.query("size == @s")["number"].mean() for s in (1, 3)]
    with pytest.raises(UnknownNameError, match="letters"):
        found.frame("leters")
    with pytest.raises(UnknownNameError, match="'rows'"):
        found.frame()


@pytest.mark.parametrize(
    ("module", "name", "other", "message"),
    [
        (workers, "version", lambda package: "0.0", r"has truerank 0\.0, not .* as where this run"),
        (workers, "version", lambda package: _raise(workers.PackageNotFoundError()), "truerank missing, not"),
    ],
)
def test_a_worker_with_another_version_refuses_to_work(
    module: Any, name: str, other: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = pack(nothing)
    assert run_chunk(packed, (0, 1)) == {}
    monkeypatch.setattr(module, name, other)
    with pytest.raises(TruerankError, match=message) as refused:
        run_chunk(packed + b" ", (0, 1))  # other bytes, so that they are unpacked again
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)  # as it crosses a network


def nothing(chunk: tuple[int, int]) -> dict[str, Any]:
    """A job without rows."""
    return {}


def _raise(error: Exception) -> Any:
    raise error
