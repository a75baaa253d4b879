"""`make test`: lint and types beside the suite, and one line over all in the end.

The last line is as pytest's. Tests that fail run twice, and the first run counts; a step that fails without
such a line counts as an error.
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


def main() -> int:
    """Run everything; the exit code is 1 when something failed."""
    started = time.monotonic()
    total: Counter[str] = Counter()
    make = ["make", "--no-print-directory"]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        with (
            subprocess.Popen([*make, "lint"], stdout=printed, stderr=subprocess.STDOUT) as lint,
            subprocess.Popen(
                [*make, "suite"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            ) as suite,
        ):
            assert suite.stdout is not None
            for line in suite.stdout:
                print(line, end="", flush=True)
                total = total or counted(line)
        printed.seek(0)
        print(printed.read(), end="")
    total["error"] += bool(lint.returncode)
    if suite.returncode and not (total["failed"] or total["error"]):
        total["error"] += 1
    counts = ", ".join(f"{total[kind]} {kind}" for kind in ORDER if total[kind])
    print(f"{counts} in {time.monotonic() - started:.2f}s")
    return 1 if total["failed"] or total["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
