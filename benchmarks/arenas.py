"""What an arena costs: 2,000,000 battles of 300 systems on 10,000 prompts; strengths, rows and errors."""

from __future__ import annotations

from time import process_time

import numpy as np

from truerank.battles import Battles
from truerank.reliability.means.bradley_terry import bradley_terry, strengths, win_table
from validation.timing import once, peak_memory, row

SYSTEMS, PROMPTS, EACH = 300, 10_000, 200


def run() -> None:
    """Print times and the peak of memory."""
    rng = np.random.default_rng(1)
    cluster = np.repeat(np.arange(PROMPTS), EACH)
    theta, own = rng.normal(0, 0.5, SYSTEMS), rng.normal(0, 0.7, (PROMPTS, SYSTEMS))
    a = rng.integers(0, SYSTEMS, len(cluster))
    b = (a + rng.integers(1, SYSTEMS, len(cluster))) % SYSTEMS
    lead = theta[a] + own[cluster, a] - theta[b] - own[cluster, b]
    battles = Battles.build(a, b, rng.uniform(size=len(a)) < 1 / (1 + np.exp(-lead)), cluster)
    wins = win_table(battles, SYSTEMS)
    strengths(wins[:3, :3])  # libraries are loaded
    print(f"{len(a):,} battles of {SYSTEMS} systems on {PROMPTS:,} prompts")
    started = process_time()
    time = once(lambda: strengths(wins))
    row(
        "strengths from the table",
        time,
        note=f"{process_time() - started:.1f} s of processors  wanted: under 1 s",
    )
    names = [f"sys{s}" for s in range(SYSTEMS)]
    started = process_time()
    time = once(lambda: bradley_terry(battles, names))
    spent = process_time() - started
    note = f"{spent:.1f} s of processors, {peak_memory():.2f} GB so far  wanted: at most 20 s on two, 2 GB"
    row("strengths, rows and errors", time, note=note)
    _beside(battles, names)


def _beside(battles: Battles, names: list[str]) -> None:
    """The strengths alone by evalica, where it is installed."""
    try:
        import evalica
    except ImportError:
        return
    won = [evalica.Winner.X if y else evalica.Winner.Y for y in battles.outcomes.tolist()]
    xs, ys = ([names[s] for s in side.tolist()] for side in (battles.first, battles.second))
    row("strengths by evalica", once(lambda: evalica.bradley_terry(xs, ys, won)))
