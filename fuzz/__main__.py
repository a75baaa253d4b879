"""Read spoilt versions of every fixture, until the time is over: `python -m fuzz --minutes 20`."""

from __future__ import annotations

import argparse
import gc
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path
from random import Random

from fuzz.mutations import mutate
from fuzz.target import (
    FIXTURES,
    MEASURES,
    MISSING,
    Found,
    check,
    check_documents,
    file_formats,
    keep,
    measure_of,
    run_formats,
)

MEMORY = 500 * 2**20
"""Bytes that reading may take besides what the libraries hold already."""

EVERY = 200
"""Inputs after which the limit is set anew."""

OF_RUNS = ("ranx", "beir", "mteb")
"""Folders of fixtures that hold runs and judgments."""


def main() -> int:
    """Fuzz; the exit code is 1 where something was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0, help="how long")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same inputs")
    parser.add_argument("--only", default="", help="folders of fixtures to take, by a part of their path")
    options = parser.parse_args()
    files = [p for p in sorted(FIXTURES.glob("*/**/*")) if p.is_file() and options.only in str(p)]
    originals = [path.read_bytes() for path in files]
    random = Random(options.seed)
    formats = file_formats()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for path in files:
            check(path, None, "model", None)  # loads what is loaded late
        own = [measure_of(path) for path in files]
        return _run(Path(folder), files, originals, own, formats, random, options.minutes)


def _limit_memory() -> None:
    """Let the process take `MEMORY` more than it holds now, which grows with what libraries keep."""
    held = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + MEMORY, resource.RLIM_INFINITY))


def _run(
    folder: Path,
    files: list[Path],
    originals: list[bytes],
    own: list[str | None],
    formats: list[str | None],
    random: Random,
    minutes: float,
) -> int:
    counts: Counter[str] = Counter()
    seen: set[str] = set()
    end = time.monotonic() + 60 * minutes
    while time.monotonic() < end:
        if sum(counts.values()) % EVERY == 0:
            _limit_memory()
        place = random.randrange(len(files))
        data = mutate(originals[place], originals, random)
        path = folder / f"x{files[place].suffix}"
        path.write_bytes(data)
        form = random.choice(formats) if random.random() < 0.15 else None
        try:
            measure = random.choice(MEASURES) if random.random() < 0.3 else own[place]
            read = check(path, measure, random.choice(MISSING), form)
            if files[place].relative_to(FIXTURES).parts[0] in OF_RUNS:
                form = random.choice(run_formats())
                read = check_documents(path, form) or read
            counts["read" if read else "refused"] += 1
        except Found as found:
            counts["failed"] += 1
            where = _where(found)
            if where not in seen:
                seen.add(where)
                print(f"{files[place].relative_to(FIXTURES)} as {form}: {found}\n  {where}")
                print(f"  kept as {keep(data, files[place].suffix).name}", flush=True)
            del found
            gc.collect()
    total = sum(counts.values())
    print(
        f"{total} inputs from {len(files)} files: " + ", ".join(f"{n} {what}" for what, n in counts.items())
    )
    return 1 if counts["failed"] else 0


def _where(found: Found) -> str:
    """The place in the code, by which failures are told apart."""
    cause = found.__cause__
    frames = traceback.extract_tb(cause.__traceback__) if cause is not None else []
    own = [frame for frame in frames if "truerank" in frame.filename]
    return f"{own[-1].filename}:{own[-1].lineno}" if own else str(found)[:40]


if __name__ == "__main__":
    sys.exit(main())
