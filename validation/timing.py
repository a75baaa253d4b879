"""Timing, of benchmarks and validations: the best of a few runs, and ratios in one table."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The shortest of a few runs, after one that is not counted."""
    work()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def once(work: Callable[[], object]) -> float:
    """One run, for what takes long."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def installed() -> dict[str, str]:
    """The environment of a measured process, which leaves what Python compiles, as an installation does."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def processor_seconds(command: Sequence[str], repeats: int = 5) -> float:
    """The least processor time, user and system, of a few runs of a process; its output is thrown away.

    The first run leaves what Python compiles, and does not count.
    """
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": installed()}
    times = []
    for _ in range(repeats + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, **quiet)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return min(times)


def row(name: str, fast: float, plain: float | None = None, note: str = "") -> None:
    """Print one line: the time, the plain version's time, and their ratio."""
    against = f"{plain:10.3f} s {plain / fast:8.0f}×" if plain is not None else " " * 22
    print(f"{name:34} {fast:8.4f} s {against}  {note}", flush=True)


def peak_memory() -> float:
    """Peak resident memory of this process so far, GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
