"""How many processors and how much memory there are, from written control groups."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from truerank._support import resources
from truerank.errors import InputError

GIB = 1 << 30


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty machine: 16 processors, 8 GiB available, no control groups."""
    monkeypatch.setattr(resources, "CGROUP", tmp_path / "cgroup")
    monkeypatch.setattr(resources, "OWN_GROUPS", tmp_path / "own")
    monkeypatch.setattr(resources, "MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    monkeypatch.delenv("SLURM_CPUS_PER_TASK", raising=False)
    (tmp_path / "meminfo").write_text(f"MemTotal: 99999999 kB\nMemAvailable: {8 * GIB // 1024} kB\n")
    return tmp_path


def put(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_without_limits_it_is_the_machine(root: Path) -> None:
    assert resources.processors() == 16
    assert resources.available_memory() == 8 * GIB


@pytest.mark.parametrize(
    ("quota", "expected"), [("max 100000", 16), ("250000 100000", 3), ("1000 100000", 1)]
)
def test_a_quota_counts_also_of_a_group_around(root: Path, quota: str, expected: int) -> None:
    put(root, own="0::/job/step\n", cgroup__job__cpu_DOT_max=quota + "\n")
    assert resources.processors() == expected


def test_slurm_counts_where_it_gives_less(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for given, expected in (("2", 2), ("64", 16), ("many", 16), ("0", 1)):
        monkeypatch.setenv("SLURM_CPUS_PER_TASK", given)
        assert resources.processors() == expected


def test_the_memory_of_a_group_is_what_it_has_left(root: Path) -> None:
    put(root, own="0::/job\n", cgroup__job__memory_DOT_max=f"{2 * GIB}\n")
    put(root, cgroup__job__memory_DOT_current=f"{GIB}\n", cgroup__job__memory_DOT_stat="inactive_file 4096\n")
    assert resources.available_memory() == GIB + 4096


def test_too_large_a_job_is_refused_in_one_line(root: Path) -> None:
    resources.need_memory(8e9, "this", "use less")
    with pytest.raises(InputError, match=r"^this needs 9.0 GB of memory, 8.6 GB are available; use less$"):
        resources.need_memory(9e9, "this", "use less")
