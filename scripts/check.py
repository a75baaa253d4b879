"""`make test`: lint and types beside the suite, then what is packaged, and one line over all in the end.

The last line is as pytest's, with the numbers of both runs; a step that fails without one counts as an error.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
from collections import Counter

COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|warnings?|deselected)")
SUMMARY = re.compile(rf"^=*\s*{COUNT.pattern}.* in [\d.]+s")
ORDER = ("failed", "error", "passed", "skipped", "xfailed")


def counted(line: str) -> Counter[str]:
    """The numbers in pytest's last line; none in any other.

    >>> counted("2 failed, 31 passed, 1 skipped in 4.20s")
    Counter({'passed': 31, 'failed': 2, 'skipped': 1})
    """
    found = COUNT.findall(line) if SUMMARY.match(line) else []
    return Counter({kind.rstrip("s") if "error" in kind else kind: int(number) for number, kind in found})


def said(total: Counter[str], seconds: float) -> str:
    """One line like pytest's.

    >>> said(Counter(passed=3, error=1, deselected=9), 61.24)
    '1 error, 3 passed in 61.24s'
    """
    return ", ".join(f"{total[kind]} {kind}" for kind in ORDER if total[kind]) + f" in {seconds:.2f}s"


def followed(target: str) -> Counter[str]:
    """Make a target of the make file, printing what it prints; returns what pytest counted."""
    total: Counter[str] = Counter()
    command = ["make", "--no-print-directory", target]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            print(line, end="", flush=True)
            total += counted(line)
    if run.returncode and not (total["failed"] or total["error"]):
        total["error"] += 1
    return total


def main() -> int:
    """Run everything; the exit code is 1 when something failed."""
    started = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        command = ["make", "--no-print-directory", "lint"]
        with subprocess.Popen(command, stdout=printed, stderr=subprocess.STDOUT) as lint:
            total = followed("unit")
        printed.seek(0)
        print(printed.read(), end="")
    total["error"] += bool(lint.returncode)
    total += followed("packaging")
    print(said(total, time.monotonic() - started))
    return 1 if total["failed"] or total["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
