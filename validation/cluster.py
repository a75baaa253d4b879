"""Experiments on a cluster of hosts: the bytes of one machine, whatever dies on the way, and what it costs.

The hosts are network namespaces of this machine. What runs in them are the very commands that users type:
`dask scheduler`, `dask worker`, `truerank experiment run … --dask tcp://…`. Making the namespaces takes
root, without which this validation is skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import truerank
from validation.checks import Checks, NoDataError
from validation.hosts import Host, connected, end, network, unavailable, until

KILLS = 10
STUDY = "estimators web2010-ap --topics 10,20 --estimators ml,msqd --trials 400 --seed 1"
"""Real work: 800 tasks in 20 chunks."""

COSTS = {
    "estimators": "estimators web2010-ap --trials 16",
    "intervals": "intervals web2010-ap --trials 16",
    "calibration": "calibration web2010-ap --trials 20",
}
"""Three studies with their own settings, of few trials; 160, 80 and 100 tasks."""

PLUGIN = '''"""An estimator and an experiment of somebody's own, in a file that no worker has."""

import time
from dataclasses import dataclass

import numpy as np

from truerank import estimators
from truerank.experiments import EXPERIMENTS, Experiment, Grid, option, register, table
from truerank.experiments.engine.experiment import Summary
from truerank.scores import ScoreMatrix


@dataclass(frozen=True)
class Parameters:
    trials: int = option(100, "How many.", grows=True)
    seconds: float = option(0.0, "That a task sleeps.")


def work(seconds, task, seed):
    time.sleep(seconds)
    return [{"number": float(np.random.default_rng(seed).standard_normal())} for _ in range(5)]


def cautious(sample):
    both = [estimators.ESTIMATORS[name].probabilities(sample) for name in ("ml", "res")]
    return (both[0] + both[1]) / 2


if "sleeping" not in EXPERIMENTS:
    register(
        Experiment(
            "sleeping", "sleeps", "nowhere", Parameters,
            lambda sources, parameters: {"scores": ScoreMatrix.build([[0.9, 0.5], [0.8, 0.6]])},
            lambda parameters, data, seed: parameters.seconds,
            lambda parameters, names: Grid({"trial": range(parameters.trials)}),
            work,
            lambda results: Summary((table("n", "Numbers", results.moments([], ["trial"])),)),
            chunk=1,
        )
    )
    estimators.register(
        estimators.PairEstimator(
            "cautious", "the mean of ml and res", cautious, resampled=True,
            explanation="Half of each.", formula="p", references=("urbano-marrero-2016",),
        )
    )
'''

TIMED = """
import json, sys, time
from truerank.experiments import run
name, source, folder, dask, plugin, parameters = sys.argv[1:]
plugins = [plugin] if plugin else []
busy, began = time.process_time(), time.perf_counter()
run(name, source, folder, dask=dask, plugins=plugins, warn=lambda line: print(line, file=sys.stderr),
    **json.loads(parameters))
print(json.dumps([time.process_time() - busy, time.perf_counter() - began]))
"""


def lasting(folder: Path) -> dict[str, bytes]:
    """The files, which must repeat byte by byte."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def command(words: str, folder: Path, *options: str) -> list[str]:
    """A run as users type it."""
    line = ["experiment", "run", *words.split(), "--output", str(folder), *options]
    return [sys.executable, "-m", "truerank", *line]


def chunks_in(folder: Path) -> int:
    """How many are finished."""
    return len(list(folder.glob("rows/0*.parquet")))


@dataclass
class Cluster:
    """A scheduler and two hosts for workers, with a folder for what they say."""

    home: Path
    client: Host
    scheduler: Host
    hosts: tuple[Host, Host]
    master: subprocess.Popen[Any] | None = None
    workers: list[subprocess.Popen[Any]] = field(default_factory=list)
    logs: int = 0

    def start(self, *options: str, **environment: str) -> None:
        """The scheduler and a worker on each host."""
        self.logs += 1
        self.master = self.scheduler.scheduler(self.home / f"scheduler-{self.logs}.log", **environment)
        self.join(self.hosts, *options, **environment)

    def join(self, hosts: Sequence[Host], *options: str, **environment: str) -> None:
        """A worker more on each of those hosts."""
        logs = []
        for host in hosts:
            self.logs += 1
            logs.append(self.home / f"worker-{self.logs}.log")
            words = options or ("--no-nanny",)
            self.workers.append(host.worker(self.scheduler, logs[-1], *words, **environment))
        connected(*logs)

    def stop(self) -> None:
        """End all of it."""
        for process in (*self.workers, *([self.master] if self.master else [])):
            end(process)
        self.workers, self.master = [], None

    def ask(self, words: str, folder: Path) -> subprocess.Popen[Any]:
        """A client that runs."""
        return self.client.start(
            command(words, folder, "--dask", self.scheduler.tcp),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )


def said(process: subprocess.Popen[Any]) -> tuple[int, str]:
    """How a client ended, and what it said besides its progress."""
    _, lines = process.communicate(timeout=900)
    told = [line for line in lines.splitlines() if " tasks" not in line]
    return process.returncode, "\n".join(told)


def one_line(code: int, text: str, words: str) -> bool:
    """Whether a run was refused or given up in one line that says those words."""
    return code == 2 and text.count("\n") == 0 and text.startswith("truerank: ") and words in text


def check_deaths(checks: Checks, cluster: Cluster, expected: dict[str, bytes], total: int) -> None:
    """Workers, the client and the scheduler killed, and cables pulled, in the middle of real work."""
    home = cluster.home
    cluster.start()
    client = cluster.ask(STUDY, home / "kills")
    for kill in range(KILLS):
        wanted = round((kill + 0.5) * total / KILLS)
        until(lambda n=wanted: chunks_in(home / "kills") >= n, f"{wanted} chunks", 600)
        end(cluster.workers.pop(0))
        cluster.join([cluster.hosts[kill % 2]])
    code, text = said(client)
    lost = text.count("a Dask worker (")
    checks.that(
        f"{KILLS} workers killed at {KILLS} moments of a run: the bytes of an undisturbed one",
        code == 0 and lasting(home / "kills") == expected,
        f"{total} chunks",
    )
    checks.that("each said in a line on standard error", lost == KILLS, f"{lost} of {KILLS}")

    client = cluster.ask(STUDY, home / "pulled")
    until(lambda: chunks_in(home / "pulled") >= total // 10, "a tenth", 600)
    cluster.hosts[1].cable("down")
    code, text = said(client)
    cluster.hosts[1].cable("up")
    checks.that(
        "a worker’s cable pulled: the other host does it all, the same bytes, and a line says so",
        code == 0 and lasting(home / "pulled") == expected and text.count("a Dask worker (") == 1,
        text,
    )
    cluster.stop()

    cluster.start()
    for what, words in (
        ("the client’s cable", "is gone"),
        ("SIGKILL of the client", ""),
        ("SIGKILL of the scheduler", "is gone"),
    ):
        folder = home / what.replace(" ", "-").replace("’", "")
        client = cluster.ask(STUDY, folder)
        until(lambda there=folder: chunks_in(there) >= total // 4, "a quarter", 600)
        if "cable" in what:
            cluster.client.cable("down")
        else:
            end(client if "client" in what else cluster.master)  # type: ignore[arg-type]
        code, text = said(client)
        cluster.client.cable("up")
        before = chunks_in(folder)
        told = one_line(code, text, words) if words else code < 0
        if "scheduler" in what:
            cluster.stop()
            cluster.start()
        code, _ = said(cluster.ask(STUDY, folder))
        checks.that(
            f"{what} in the middle: the same command goes on to the same bytes",
            told and 0 < before < total and code == 0 and lasting(folder) == expected,
            f"{text or 'no word'}; {before} of {total} chunks were kept",
        )
    cluster.stop()


def check_spill(checks: Checks, cluster: Cluster, expected: dict[str, bytes]) -> None:
    """Workers whose memory is so short that Dask moves what they hold to disk, and workers of two threads."""
    # Pausing is another thing: a paused worker does nothing at all.
    short = {f"DASK_DISTRIBUTED__WORKER__MEMORY__{name}": "False" for name in ("PAUSE", "TERMINATE")}
    cluster.start("--memory-limit", "100MB", "--no-nanny", **short)
    client = cluster.ask(STUDY, cluster.home / "spilled")
    spilled = 0
    while client.poll() is None:
        spilled = max(spilled, len(list(cluster.home.glob("dask-scratch-space/*/storage/*"))))
        try:
            client.wait(0.05)
        except subprocess.TimeoutExpired:
            continue
    code, _ = said(client)
    cluster.stop()
    checks.that(
        "workers of 100 MB spill to disk, and the bytes are the same",
        code == 0 and spilled > 0 and lasting(cluster.home / "spilled") == expected,
        f"{spilled} files on disk at once",
    )
    # Nobody ends a worker without a nanny, and one that begins above its limit is paused for ever.
    cluster.start("--memory-limit", "60MB", "--no-nanny")
    client = cluster.ask(STUDY, cluster.home / "paused")
    assert client.stderr is not None
    line = next((line for line in client.stderr if line.startswith("! ")), "")
    end(client)
    cluster.stop()
    checks.that("workers that are all paused are said", "all Dask workers are paused" in line, line.strip())
    deadly = cluster.home / "deadly.py"
    deadly.write_text(PLUGIN.replace("time.sleep(seconds)", "__import__('os')._exit(1)"))
    cluster.start("--nanny")
    code, text = said(cluster.ask(f"sleeping none --trials 1 --plugin {deadly}", cluster.home / "deadly"))
    cluster.stop()
    last = text.splitlines()[-1]
    checks.that(
        "a chunk that ends every worker ends the run in a line",
        code == 2 and "4 Dask workers died with the same chunk" in last and "Traceback" not in text,
        last,
    )
    cluster.start("--nthreads", "2", "--no-nanny")
    code, _ = said(cluster.ask(STUDY, cluster.home / "threads"))
    cluster.stop()
    checks.that(
        "workers of two threads: the same bytes",
        code == 0 and lasting(cluster.home / "threads") == expected,
    )


def check_strangers(checks: Checks, cluster: Cluster) -> None:
    """Hosts without truerank, and workers with other code of the same version, are refused in a line."""
    home = cluster.home
    (home / "without").mkdir()
    (home / "without" / "sitecustomize.py").write_text("import sys\nsys.modules['truerank'] = None\n")
    shutil.copytree(Path(truerank.__file__).parent, home / "other" / "truerank")
    with (home / "other" / "truerank" / "scores.py").open("a") as file:
        file.write("# Another checkout.\n")
    for what, folder, all_of_them, words in (
        ("workers without truerank", "without", False, "2 Dask workers (tcp://"),
        ("a scheduler without truerank", "without", True, "the Dask scheduler has no truerank"),
        ("workers with other code", "other", False, "has other code of truerank"),
    ):
        environment = {"PYTHONPATH": str(home / folder)}
        cluster.logs += 1
        cluster.master = cluster.scheduler.scheduler(
            home / f"scheduler-{cluster.logs}.log", **(environment if all_of_them else {})
        )
        cluster.join(cluster.hosts, **environment)
        code, text = said(cluster.ask(STUDY, home / f"refused-{cluster.logs}"))
        cluster.stop()
        checks.that(f"{what}: one line", one_line(code, text, words), text)


def check_plugins(checks: Checks, cluster: Cluster) -> None:
    """A user's own estimator and experiment reach workers that have never heard of them."""
    plugin = cluster.home / "mine.py"
    plugin.write_text(PLUGIN)
    words = f"estimators web2010-ap --topics 20 --estimators ml,cautious --trials 80 --plugin {plugin}"
    cluster.start()
    code, _ = said(cluster.ask(words, cluster.home / "plugin-there"))
    cluster.stop()
    here = cluster.home / "plugin-here"
    subprocess.run(command(words, here, "--workers", "1", "--quiet"), check=True, stdout=subprocess.DEVNULL)
    checks.that(
        "a plug-in reaches the workers", code == 0 and lasting(cluster.home / "plugin-there") == lasting(here)
    )


def busy(processes: Sequence[subprocess.Popen[Any]]) -> float:
    """Processor seconds of running processes so far."""
    ticks = 0
    for process in processes:
        parts = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        ticks += int(parts[11]) + int(parts[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def traffic(host: Host) -> tuple[int, int]:
    """Bytes that a host has sent and received."""
    files = [f"/sys/class/net/eth0/statistics/{way}_bytes" for way in ("tx", "rx")]
    sent, received = host.run(["cat", *files]).stdout.split()
    return int(sent), int(received)


@dataclass(frozen=True)
class Cost:
    """What a run took: seconds of processors and of the clock, bytes of the client."""

    client: float
    scheduler: float
    workers: float
    clock: float
    sent: int
    received: int


def cost(cluster: Cluster, name: str, source: str, folder: Path, plugin: str, **parameters: Any) -> Cost:
    """Run an experiment on a cluster that is there, and measure."""
    assert cluster.master is not None
    before = busy([cluster.master]), busy(cluster.workers), traffic(cluster.client)
    words = [name, source, str(folder), cluster.scheduler.tcp, plugin, json.dumps(parameters)]
    done = cluster.client.run([sys.executable, "-c", TIMED, *words])
    if done.returncode:
        raise RuntimeError(done.stderr)
    client, clock = json.loads(done.stdout)
    after = busy([cluster.master]), busy(cluster.workers), traffic(cluster.client)
    sent, received = (now - then for now, then in zip(after[2], before[2], strict=True))
    return Cost(client, after[0] - before[0], after[1] - before[1], clock, sent, received)


def note_costs(checks: Checks, cluster: Cluster) -> None:
    """What a task costs in three studies, what a chunk costs besides, and how wide that makes a cluster."""
    from truerank import experiments

    home = cluster.home
    cluster.start()
    checks.note("\n  study          tasks  workers’ ms a task  bytes sent, received a task")
    for name, words in COSTS.items():
        options = words.split()[2:]
        given = dict(zip((key[2:] for key in options[::2]), options[1::2], strict=True))
        folder = home / f"cost-{name}"
        found = cost(cluster, name, "web2010-ap", folder, "", seed=1, **given)
        tasks = experiments.show(folder).done
        checks.note(
            f"  {name:13}{tasks:7,}{1e3 * found.workers / tasks:20.1f}"
            f"{found.sent / tasks:18,.0f}, {found.received / tasks:,.0f}"
        )
    few, many = (
        cost(cluster, "sleeping", "none", home / f"empty-{trials}", str(home / "mine.py"), trials=trials)
        for trials in (200, 2200)
    )
    cluster.stop()
    parts = {
        part: (getattr(many, part) - getattr(few, part)) / 2000
        for part in ("client", "scheduler", "workers", "sent", "received")
    }
    checks.note(
        f"  an empty chunk: client {1e3 * parts['client']:.2f} ms, "
        f"scheduler {1e3 * parts['scheduler']:.2f} ms, workers {1e3 * parts['workers']:.2f} ms, "
        f"{parts['sent']:,.0f} bytes sent, {parts['received']:,.0f} received"
    )
    narrowest = max(parts["client"], parts["scheduler"])
    checks.note(
        f"  so at most {1 / narrowest:,.0f} chunks a second: "
        f"1,000 cores want chunks of {1e3 * narrowest:.1f} s at least"
    )
    packed = 64_000  # the job of a study on an embedded model
    checks.that(
        "a chunk is sent without the job, which crosses the network once",
        parts["sent"] < packed / 10,
        f"{parts['sent']:,.0f} bytes a chunk",
    )

    # A thousand workers that sleep: two processes of 500 threads.
    cluster.start("--nthreads", "500", "--no-nanny")
    seconds, chunks = 20.0, 5000
    wide = cost(
        cluster, "sleeping", "none", home / "wide", str(home / "mine.py"), trials=chunks, seconds=seconds
    )
    cluster.stop()
    best = seconds * chunks / 1000
    # The processor's time and not the clock's, since these two cores play the thousand workers too.
    checks.that(
        f"1,000 sleeping workers, chunks of {seconds:.0f} s: client and scheduler less than half busy",
        max(wide.client, wide.scheduler) < best / 2,
        f"client {wide.client:.1f} s, scheduler {wide.scheduler:.1f} s of the {best:.0f} s that are slept; "
        f"{wide.clock:.0f} s by the clock here",
    )


def run(checks: Checks) -> None:
    """All of them."""
    if reason := unavailable():
        raise NoDataError(reason)
    with tempfile.TemporaryDirectory() as name, network("client", "scheduler", "a", "b") as hosts:
        client, scheduler, *others = hosts
        cluster = Cluster(Path(name), client, scheduler, (others[0], others[1]))
        whole = cluster.home / "whole"
        subprocess.run(
            command(STUDY, whole, "--workers", "2", "--quiet"), check=True, stdout=subprocess.DEVNULL
        )
        expected, total = lasting(whole), chunks_in(whole)
        cluster.start()
        code, _ = said(cluster.ask(STUDY, cluster.home / "there"))
        cluster.stop()
        checks.that(
            "a scheduler and two workers on three hosts: the bytes of a local run",
            code == 0 and lasting(cluster.home / "there") == expected,
            f"{len(expected)} files",
        )
        check_strangers(checks, cluster)
        check_plugins(checks, cluster)
        check_spill(checks, cluster, expected)
        check_deaths(checks, cluster, expected, total)
        note_costs(checks, cluster)
