"""What has been promised of cost, and which promises are kept: each figure beside its limit.

Processor seconds are those of a whole process, user and system, the least of a few runs. Other work on the
machine never takes time off. It adds some: up to twice as much where all processors are busy. With
TRUERANK_TURNS=1 each large job runs once. Wherever it can be done, a test keeps the gain without a clock.
"""

from __future__ import annotations

import itertools
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks import sizes
from benchmarks.large import TURNS, measured
from truerank import Monitor
from truerank.readers import write_scores
from validation.page_samples import scores
from validation.timing import processor_seconds, seconds


@dataclass(frozen=True)
class Target:
    """One promise.

    Attributes:
        name: what is measured.
        limit: what it may be at most.
        unit: s, MB, GB or × (a ratio).
        measure: the figure, in that unit.
    """

    name: str
    limit: float
    unit: str
    measure: Callable[[], float]


@cache
def table() -> str:
    """Made-up scores of 22 systems on 50 topics, as a file."""
    path = Path(tempfile.mkdtemp(prefix="truerank-bench-")) / "scores.csv"
    write_scores(scores(22), path)
    return str(path)


def command(*arguments: str) -> float:
    """Processor time of `truerank ARGUMENT … FILE`, start to end."""
    name, *others = arguments
    return processor_seconds([sys.executable, "-m", "truerank", name, table(), *others])


def first_assessment() -> float:
    """The same from Python, with the start of Python."""
    script = "import sys, truerank; truerank.assess(truerank.read_scores(sys.argv[1]))"
    return processor_seconds([sys.executable, "-c", script, table()])


def gate() -> float:
    """The gate of two of the systems."""
    last, first = scores(22).systems[-1], scores(22).systems[0]
    return command("gate", "--baseline", last, "--candidate", first)


ROWS = "long_rows(5000, 400)"
"""A long table of 2,000,000 rows."""

BATTLES = "battle_rows(300, 100_000, 10_000_000)"
"""A file of 10,000,000 battles."""

STYLED = "battle_rows(300, 100_000, 2_000_000, 4)"
"""A file of 2,000,000 battles with four covariates."""

MANY_SYSTEMS = "battle_rows(1000, 2_000_000, 2_000_000)"
"""As many of 1,000 systems, each on a prompt of its own."""

MANY_PROMPTS = "battle_rows(300, 667_000, 2_000_000)"
"""As many on a prompt for three battles."""

PAGE = """
import sys, time, truerank
from validation.page_samples import scores
result = truerank.assess(scores(int(sys.argv[1])), "eb", draws=500, seed=1)
started = time.process_time()
page = result.to_html()
print(time.process_time() - started, len(page.encode()) / 1e6)
"""


@cache
def page(systems: int) -> tuple[float, float]:
    """Processor seconds that the page of so many systems adds, the least of three, and its MB."""
    command = [sys.executable, "-c", PAGE, str(systems)]
    runs = [subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(3)]
    found = [tuple(map(float, run.split())) for run in runs]
    return min(seconds for seconds, _ in found), max(size for _, size in found)


HOLES = "93, 18, 1136, 0.12"
"""Systems, data sets, topics and the share of empty cells of a public board."""

WIDE = "330, 40, 4000"
"""Systems, data sets and topics of a wider one."""


def monitored() -> float:
    """A verdict after each of a thousand topics, one by one."""
    rows = [(f"q{t}", *pair) for t, pair in enumerate(scores(2, 1_000).values.tolist())]

    def verdicts() -> None:
        monitor = Monitor(margin=0.02)
        for one in rows:
            monitor.update(*one)

    return seconds(verdicts)


def betting() -> float:
    """Both bounds by betting on a thousand topics, after one more topic."""
    monitor, topics = Monitor(margin=0.02, range=(0, 1)), itertools.count()
    for pair in scores(2, 1_000).values.clip(0, 1).tolist():
        monitor.update(f"q{next(topics)}", *pair)

    def bounds() -> tuple[float, float]:
        monitor.update(f"q{next(topics)}", 0.4, 0.5)
        return monitor.low, monitor.high

    return seconds(bounds)


@cache
def job(expression: str) -> tuple[float, float]:
    """Processor seconds, the least of a few, and peak of memory in GB, of a job of `benchmarks.large`."""
    seconds, peaks = zip(*(measured(expression) for _ in range(TURNS)), strict=True)
    return min(seconds), max(peaks)


def ratio(one: str, other: str) -> float:
    """Of the processor time of two jobs."""
    return job(one)[0] / job(other)[0]


TARGETS = (
    Target("assess, 22 × 50, start to end", 0.55, "s", lambda: command("assess")),
    Target("import truerank and the first assess", 0.8, "s", first_assessment),
    Target("gate, start to end", 0.45, "s", gate),
    Target("the monitor, 1,000 verdicts", 0.1, "s", monitored),
    Target("both bounds by betting, 1,000 topics", 0.005, "s", betting),
    Target("a page of 500 systems, beyond the assessment", 1, "s", lambda: page(500)[0]),
    Target("a page of 2,000 systems, beyond the assessment", 5, "s", lambda: page(2000)[0]),
    Target("its size", 5, "MB", lambda: page(2000)[1]),
    Target("read 2,000,000 long rows", 3, "s", lambda: job(f"read({ROWS})")[0]),
    Target("beside pandas' read_csv", 3, "×", lambda: ratio(f"read({ROWS})", f"parsed({ROWS})")),
    Target("assess 5,000 × 400 binary to a page", 12, "s", lambda: job(f"to_page({ROWS})")[0]),
    Target("10,000,000 battles of 300, read and assessed", 30, "s", lambda: job(f"fought({BATTLES})")[0]),
    Target("its memory", 3, "GB", lambda: job(f"fought({BATTLES})")[1]),
    Target(
        "beside pandas and evalica, strengths alone",
        10,
        "×",
        lambda: ratio(f"fought({BATTLES})", f"plain_fit({BATTLES})"),
    ),
    Target("2,000,000 battles of 300 on 100,000 prompts", 20, "s", lambda: job(f"fought({STYLED})")[0]),
    Target(
        "with four covariates, beside without",
        1.5,
        "×",
        lambda: ratio(f"fought({STYLED}, 4)", f"fought({STYLED})"),
    ),
    Target("2,000,000 battles on 667,000 prompts", 40, "s", lambda: job(f"fought({MANY_PROMPTS})")[0]),
    Target("its memory", 1.5, "GB", lambda: job(f"fought({MANY_PROMPTS})")[1]),
    Target("2,000,000 battles of 1,000 systems", 75, "s", lambda: job(f"fought({MANY_SYSTEMS})")[0]),
    Target("its memory", 4, "GB", lambda: job(f"fought({MANY_SYSTEMS})")[1]),
    Target(
        "gate, 1,000,000 topics, start to end",
        15,
        "s",
        lambda: job("command('gate DIR/a.csv', 1_000_000, 2)")[0],
    ),
    Target(
        "of two files",
        15,
        "s",
        lambda: job("command('gate DIR/a.csv DIR/b.csv --margin 0.01', 1_000_000, 1)")[0],
    ),
    Target("assess, 93 × 1,136 on 18 data sets, 12% holes", 3, "s", lambda: job(f"boards({HOLES})")[0]),
    Target(
        "assess, 330 × 40 × 100, 5% holes to complete",
        1.5,
        "×",
        lambda: ratio(f"boards({WIDE}, 0.05)", f"boards({WIDE}, 0)"),
    ),
    Target("its memory", 1, "GB", lambda: job(f"boards({WIDE}, 0.05)")[1]),
    Target(
        "msqd, 1,000 × 1,000, all digits", 12, "s", lambda: job("pairs('msqd', 1000, 1000, 0.4, 0.05, 15)")[0]
    ),
    Target("assess, eb, 5,000 × 1,000, 1,000 draws", 12, "s", lambda: job("assessed(1000, 5000, 1000)")[0]),
    Target("its memory", 1, "GB", lambda: job("assessed(1000, 5000, 1000)")[1]),
    Target(
        "assess --pareto, 1,000 × 1,000, to without",
        1.3,
        "×",
        lambda: ratio("weighed(1000, 1000, True)", "weighed(1000, 1000, False)"),
    ),
    Target("its memory", 1, "GB", lambda: job("weighed(1000, 1000, True)")[1]),
    Target(
        "assess, 2,000 × 3, all estimators",
        6,
        "s",
        lambda: job("command('assess DIR/a.csv --estimator all --json DIR/r', 3, 2000)")[0],
    ),
    Target(
        "kd, 100 × 400, assessed, beside eb",
        10,
        "×",
        lambda: ratio("assessed(100, 400, 10_000, 'kd')", "assessed(100, 400, 10_000)"),
    ),
    Target("installed without extras", 200, "MB", sizes.installed),
    Target("the wheel", 1, "MB", sizes.wheel),
)


def run() -> None:
    """Print every figure beside its limit, and what is missed."""
    missed = []
    print(f"{'':46} {'measured':>9}    {'limit':>7}    {'ratio':>6}")
    for one in TARGETS:
        found = one.measure()
        ratio = found / one.limit
        end = "" if ratio <= 1 else "  missed"
        print(
            f"{one.name:46} {found:9.3g} {one.unit:2} {one.limit:7.3g} {one.unit:2} {ratio:6.2f} {end}",
            flush=True,
        )
        if ratio > 1:
            missed.append(one.name)
    print(f"missed: {'; '.join(missed)}" if missed else "every target is met")


if __name__ == "__main__":
    run()
