"""What `eb` costs at 50 topics × 129 systems, beside `ml`: estimates, its table, and intervals.

The table is made for the first estimate of a number of topics, and kept; libraries are loaded.
"""

from __future__ import annotations

from collections.abc import Callable

import truerank
from benchmarks.estimators import point_estimates, simulated
from truerank.reliability.estimators.eb import _prior, kernels, tables
from validation.timing import row, seconds

DRAWS = 10_000


def run() -> None:
    """Print times, and how many times those of `ml` they are."""
    scores = simulated(50, 129)
    print("50 topics × 129 systems, τ and τ_AP; ratio to ml")

    def cold() -> None:
        forget()
        point_estimates("eb", scores.values)

    def assess_cold() -> None:
        forget()
        truerank.assess(scores, "eb", draws=DRAWS)

    by_ml = seconds(lambda: point_estimates("ml", scores.values), 10)
    row("ml", by_ml)
    against("eb, the table made", cold, by_ml, "wanted: at most 0.3 s")
    against("eb, the table there", lambda: point_estimates("eb", scores.values), by_ml)
    assessed = seconds(lambda: truerank.assess(scores, "ml", draws=DRAWS))
    row(f"assess, ml, {DRAWS:,} draws", assessed)
    against(f"assess, eb, {DRAWS:,} draws", assess_cold, assessed, "wanted: at most 1.5 s")


def forget() -> None:
    """As if no table had been made yet."""
    for made in (tables, kernels, _prior):
        made.cache_clear()


def against(name: str, work: Callable[[], None], by_ml: float, note: str = "") -> None:
    """One line with the ratio to ml."""
    time = seconds(work, 10)
    row(name, time, note=f"{time / by_ml:6.1f}×  {note}")


if __name__ == "__main__":
    run()
