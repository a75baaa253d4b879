"""What the page of an assessment adds to a command: processor time, and the size of the file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import time
from validation.page_samples import assessed
result = assessed({systems})
started = time.process_time()
from truerank.report import page_html
page = page_html(result)
print(time.process_time() - started, len(page.encode()))
"""


def run() -> None:
    """Print times, each of a process of its own, with the start of Altair and vl-convert."""
    root = Path(__file__).resolve().parents[1]
    for systems in (12, 129, 500):
        script = SCRIPT.format(systems=systems)
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=root
        )
        spent, size = done.stdout.split()
        note = f"{int(size) / 1e6:.2f} MB; wanted of 500: at most 3 s of processor time, 3 MB"
        print(f"{f'page, {systems} × 50':34} {float(spent):8.4f} s {'':22} {note}", flush=True)


if __name__ == "__main__":
    run()
