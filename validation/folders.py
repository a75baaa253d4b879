"""Experiments' folders under attack: flipped bits, SIGKILL at random moments, a disk that is full.

Each time the folder must come to the same bytes as one that was left in peace. The full disk is a
tmpfs of the size that makes one file after the other the first that does not fit; mounting it takes
root, without which this part is left out.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from truerank import experiments
from truerank.errors import InputError
from truerank.experiments.engine.store import MANIFEST, Store
from validation.checks import Checks

FLIPS, KILLS = 600, 30
PAGE = os.sysconf("SC_PAGE_SIZE")


def command(folder: Path, trials: int, workers: int) -> list[str]:
    """A run of three sizes and two fast estimators; 40 tasks a chunk."""
    words = f"experiment run estimators web2010-ap --topics 10,20,30 --estimators ml,msqd --trials {trials}"
    end = ["--workers", str(workers), "--seed", "1", "--quiet", "--output", str(folder)]
    return [sys.executable, "-m", "truerank", *words.split(), *end]


def lasting(folder: Path) -> dict[str, bytes]:
    """The files that must repeat byte by byte: all but the seconds."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "timings" not in path.relative_to(folder).as_posix()
    }


def half_written(folder: Path) -> list[str]:
    """Hidden files, but for the lock."""
    return [path.name for path in folder.rglob(".*") if path.name != ".lock"]


def check_flips(checks: Checks, folder: Path) -> None:
    """Every single bit of a finished chunk and of the manifest counts."""
    rng = np.random.default_rng(12)
    store = Store.at(folder)
    path = next(iter(experiments.show(folder).finished.values()))
    data, noticed = path.read_bytes(), 0
    for bit in rng.choice(8 * len(data), FLIPS, replace=False):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        noticed += store.look("").damaged == [path]
    path.write_bytes(data)
    checks.that(
        f"{FLIPS} flipped bits of a chunk of {len(data):,} bytes", noticed == FLIPS, f"{noticed} found"
    )
    path, noticed = folder / MANIFEST, 0
    data = path.read_bytes()
    for bit in rng.choice(8 * len(data), FLIPS, replace=False):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        try:
            store.manifest()
        except InputError as error:
            noticed += str(error).startswith(str(path))
    path.write_bytes(data)
    checks.that(f"{FLIPS} flipped bits of the manifest", noticed == FLIPS, f"{noticed} found, the file named")


def check_kills(checks: Checks, home: Path, whole: Path, trials: int, seconds: float) -> None:
    """Killed at moments spread evenly over an undisturbed run's time, and started again each time."""
    rng = random.Random(12)
    expected = lasting(whole)
    killed, before_rows, after_rows, wrong = 0, 0, 0, []
    for number in range(KILLS):
        folder = home / f"killed-{number}"
        while True:
            process = subprocess.Popen(
                command(folder, trials, 2), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            )
            try:
                code = process.wait(rng.uniform(0, seconds))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                killed += 1
                rows = len(list(folder.glob("rows/0*.parquet")))
                before_rows += rows == 0
                after_rows += rows == len(list(whole.glob("rows/0*.parquet")))
            else:
                break
            if killed >= KILLS:
                code = subprocess.run(
                    command(folder, trials, 2), stdout=subprocess.DEVNULL, check=False
                ).returncode
                break
        found = lasting(folder)
        # A kill may leave the hidden half of a file, which nothing reads.
        same = {name: data for name, data in found.items() if not Path(name).name.startswith(".")}
        if code or same != {k: v for k, v in expected.items() if not Path(k).name.startswith(".")}:
            wrong.append(folder.name)
        shutil.rmtree(folder)
        if killed >= KILLS:
            break
    when = f"{before_rows} before the first rows, {after_rows} after the last"
    checks.note(f"  {KILLS} kills in {number + 1} folders; {when}")
    checks.that("every folder came to the undisturbed bytes", not wrong, f"{len(wrong)} did not")


@contextmanager
def disk(home: Path, size: int) -> Iterator[Path]:
    """A disk of that many bytes.

    Raises:
        PermissionError: it cannot be mounted.
    """
    point = Path(tempfile.mkdtemp(dir=home))
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(point)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        raise PermissionError(point)
    try:
        yield point
    finally:
        subprocess.run(["umount", str(point)], check=True)


def check_full_disk(checks: Checks, home: Path) -> None:
    """For each file that a run writes a disk on which this one is the first that does not fit."""
    trials = 30
    whole = home / "roomy"
    subprocess.run(command(whole, trials, 1), stdout=subprocess.DEVNULL, check=True)
    expected = lasting(whole)
    files = [path for path in whole.rglob("*") if path.is_file() and path.name != ".lock"]
    files.sort(key=lambda path: path.stat().st_mtime_ns)
    pages, wrong = 0, []
    for path in files:
        name = path.relative_to(whole).as_posix()
        needed = -(-path.stat().st_size // PAGE)
        # A tmpfs of size 0 has no limit, so that one page is filled where nothing would fit.
        with disk(home, (pages + needed) * PAGE) as point:
            (point / "filler").write_bytes(b"x")
            folder = point / "r"
            failed = subprocess.run(command(folder, trials, 1), capture_output=True, text=True, check=False)
            line = f"truerank: {folder / name}: cannot be written (No space left on device)"
            told = (
                failed.returncode == 2 and failed.stderr.count("\n") == 1 and failed.stderr.startswith(line)
            )
            there = lasting(folder)
            clean = not half_written(folder) and all(data == expected[file] for file, data in there.items())
            subprocess.run(["mount", "-o", "remount,size=64m", str(point)], check=True)
            resumed = subprocess.run(command(folder, trials, 1), capture_output=True, check=False)
            if not (told and clean and resumed.returncode == 0 and lasting(folder) == expected):
                wrong.append(f"{name} ({failed.stderr.strip()})")
        pages += needed
    checks.that(
        f"a full disk at each of {len(files)} files: named, nothing half-written, resumed to the same bytes",
        not wrong,
        "; ".join(wrong) or "all",
    )


def run(checks: Checks) -> None:
    """All three attacks."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        trials = 400
        started = time.perf_counter()
        subprocess.run(command(home / "whole", trials, 2), stdout=subprocess.DEVNULL, check=True)
        seconds = time.perf_counter() - started
        check_kills(checks, home, home / "whole", trials, seconds)
        check_flips(checks, home / "whole")
        try:
            check_full_disk(checks, home)
        except PermissionError:
            checks.note("  full disk: skipped, mounting a small one takes root")
