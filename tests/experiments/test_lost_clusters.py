"""Clusters that do not work, Ctrl-C while processes start, and plug-ins with the names of other modules."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from truerank.errors import InputError
from truerank.experiments import run, show, workers
from truerank.scores import ScoreMatrix

SCHEDULER = """
import asyncio
from distributed import Scheduler

async def main():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await scheduler.finished()

asyncio.run(main())
"""


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_without_workers_or_that_is_gone_is_named(
    draws_plugin: str, table: ScoreMatrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(workers, "PATIENCE", 0.2)
    with subprocess.Popen(
        [sys.executable, "-c", SCHEDULER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as scheduler:
        assert scheduler.stdout is not None
        address = scheduler.stdout.readline().strip()
        with pytest.raises(InputError, match=f"{address} has no workers; start some with `dask worker"):
            run("draws", table, tmp_path / "r", plugins=[draws_plugin], dask=address)
        scheduler.kill()
    with pytest.raises(InputError, match=f"no Dask scheduler at {address} .*start one with `dask scheduler`"):
        run("draws", table, tmp_path / "r", plugins=[draws_plugin], dask=address)
    assert show(tmp_path / "r", [draws_plugin]).done == 0


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs process groups")
def test_ctrl_c_while_workers_start_leaves_no_traceback(
    draws_plugin: str, table_file: Path, tmp_path: Path
) -> None:
    words = ["experiment", "run", "draws", str(table_file), "-o", str(tmp_path / "r"), "--workers", "2"]
    with subprocess.Popen(
        [sys.executable, "-m", "truerank", *words, "--plugin", draws_plugin, "--pause", "1"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as started:
        assert started.stderr is not None
        assert started.stderr.readline().startswith("draws: 0 of")  # the workers are started next
        os.killpg(started.pid, signal.SIGINT)
        rest = started.stderr.read()
    assert started.returncode == 130
    assert rest == f"stopped; what is finished is kept in {tmp_path / 'r'}: the same command goes on\n"


def test_what_a_plugin_imports_is_sent_by_the_name_that_workers_know(tmp_path: Path) -> None:
    # A ufunc knows no module: it is looked for in all that are imported, and the plug-in was imported first.
    (tmp_path / "early.py").write_text("from scipy.special import ndtr\ndef half(x):\n    return ndtr(x)\n")
    script = (
        "import sys; sys.path.insert(0, ''); import pickle, cloudpickle\n"
        "from truerank.readers import plugins\n"
        "assert 'scipy.special' not in sys.modules\n"
        "plugins.load(['early.py'])\n"
        "plugins.send_by_value()\n"
        "module = next(m for n, m in sys.modules.items() if n.startswith('truerank_plugin_early_'))\n"
        "sys.stdout.buffer.write(cloudpickle.dumps(module.half))\n"
    )
    sent = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, cwd=tmp_path)
    received = f"import pickle; print(pickle.loads({sent.stdout!r})(0.0))"
    done = subprocess.run([sys.executable, "-c", received], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("0.5\n", "")
