"""Measures statements in every population: what they say and what happened, on average over collections."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np

from truerank import read_scores
from truerank._support.seeds import stream
from validation.checks import Checks, data_folder
from validation.ledger.beside import arena, machine_beside, runs
from validation.ledger.populations import populations, special
from validation.ledger.statements import Collection, pairs, plans, ranking, tests
from validation.studies.noisy_populations import Noisy

MEASURED = Path(__file__).with_name("measured.csv")
COLLECTIONS, QUICK = 50, 5
"""Collections of each population; few of them with TRUERANK_QUICK=1, which are printed and not kept."""

TOPICS, BATTLES = (20, 50), (100, 400)
"""Of each collection, and of each system in an arena."""

EQUAL, OF_AN_ORDER = "all equal", ("tau", "board-tau", "swaps", "plan-", "gate-topics-needed", "machine-tau")
"""Equal systems have no true order, so statements about one are not held against it."""

JUDGED = (
    "adhoc6_ap, effects",
    "terabyte2006_ap, copula",
    "web2011_ap, effects",
    "mmlu_pro, resampled",
    "normal",
    "graded in quarters",
)
"""Populations where a machine judges too."""

NOISY = ("normal", "binary", "adhoc8_ap", "robust2003_ap", "terabyte2006_ap", "web2011_ap")
"""Populations of runs: two that are made up, and models of tables."""

ARENAS = ("uniform", "unequal", "strong prompts", "close", "voters", "circular")


@dataclass(frozen=True)
class Cell:
    """One statement in one population.

    Attributes:
        kind: of outputs that make the statement.
        population: where it was measured.
        topics: of each collection, or pilot.
        statement: its entry in the ledger.
        collections: that made the statement.
        said: its level, or what it says, on average.
        happened: how often it held, or what happened, on average.
        error: standard error of the difference of the two.
    """

    kind: str
    population: str
    topics: int
    statement: str
    collections: int
    said: float
    happened: float
    error: float

    @property
    def place(self) -> tuple[str, str, int]:
        """Which outputs were measured, of what."""
        return self.kind, self.population, self.topics


def measures() -> Mapping[tuple[str, str, int], Collection]:
    """What there is to measure, by kind of outputs, population and number of topics."""
    found: dict[tuple[str, str, int], Collection] = {}
    for name, draw in populations().items():
        kinds = (ranking, pairs, tests, plans, machine_beside)
        for kind in kinds[: 4 if name not in JUDGED else 5]:
            for n in TOPICS if kind is not plans else TOPICS[:1]:
                found[kind.__name__, name, n] = lambda n, rng, kind=kind, draw=draw: kind(draw(rng), n, rng)
    for name, tables in special().items():
        for special_kind in (ranking, pairs):
            for n in TOPICS:
                found[special_kind.__name__, name, n] = lambda n, rng, kind=special_kind, draw=tables: kind(
                    draw(rng), n, rng
                )
    for name in NOISY:
        for n in TOPICS:
            found["runs", name, n] = lambda n, rng, name=name: runs(noisy(name), n, rng)
    for name in ARENAS:
        for each in BATTLES:
            found["arena", name, each] = lambda n, rng, name=name: arena(name, n, rng)
    return found


@cache
def noisy(name: str) -> Noisy:
    """A population of runs."""
    if name in NOISY[:2]:
        return Noisy(name)
    return Noisy("table", read_scores(data_folder() / "trec" / f"{name}.csv").drop_bottom(0.25))


def cells(measure: tuple[str, str, int], trials: range) -> list[Cell]:
    """What the statements of one kind say in a population, and what happened."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for trial in trials:
        rng = stream(1, "ledger", *measure, trial)
        for statement, *pair in measures()[measure](measure[2], rng):
            ordered = measure[1] != EQUAL or not statement.startswith(OF_AN_ORDER)
            if ordered and np.isfinite(pair).all():
                found[statement].append((pair[0], pair[1]))
    return [_cell(measure, statement, np.array(rows)) for statement, rows in found.items()]


def _cell(measure: tuple[str, str, int], statement: str, rows: np.ndarray) -> Cell:
    said, happened = rows.T
    error = (happened - said).std(ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else np.nan
    return Cell(
        *measure, statement, len(rows), *(round(float(x), 4) for x in (said.mean(), happened.mean(), error))
    )


def _pooled(one: Cell, more: Cell) -> Cell:
    """A cell of both cells' collections."""
    counts = np.array([one.collections, more.collections])
    weights = counts / counts.sum()
    said, happened = weights @ [one.said, more.said], weights @ [one.happened, more.happened]
    # Sums of squares about the common mean, from those about each cell's own.
    own = [cell.error**2 * k * (k - 1) if k > 1 else 0.0 for cell, k in zip((one, more), counts, strict=True)]
    off = np.array([cell.happened - cell.said for cell in (one, more)]) - (happened - said)
    total = int(counts.sum())
    error = np.sqrt((sum(own) + counts @ off**2) / (total * (total - 1)))
    figures = (round(float(x), 4) for x in (said, happened, error))
    return Cell(one.kind, one.population, one.topics, one.statement, total, *figures)


def stored() -> list[Cell]:
    """What was measured so far."""
    return list(_read(MEASURED, MEASURED.stat().st_mtime_ns)) if MEASURED.is_file() else []


@cache
def _read(path: Path, modified: int) -> list[Cell]:
    types = {"topics": int, "collections": int, "said": float, "happened": float, "error": float}
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Cell(**{key: types.get(key, str)(text) for key, text in row.items()})
            for row in csv.DictReader(file)
        ]


def run(checks: Checks) -> None:
    """Measure until each measure has its collections, a line for each; those with the fewest first."""
    quick = bool(os.environ.get("TRUERANK_QUICK"))
    wanted = QUICK if quick else int(os.environ.get("TRUERANK_COLLECTIONS", COLLECTIONS))
    done: dict[tuple[str, str, int], int] = defaultdict(int)
    for cell in [] if quick else stored():
        done[cell.place] = max(done[cell.place], cell.collections)
    left = sorted((measure for measure in measures() if done[measure] < wanted), key=lambda one: done[one])
    with ProcessPoolExecutor(int(os.environ.get("TRUERANK_WORKERS", 0)) or None) as pool:
        found = pool.map(cells, left, [range(done[measure], wanted) for measure in left])
        for measure, made in zip(left, found, strict=True):
            worst = max(made, key=lambda cell: abs(cell.happened - cell.said))
            checks.note(
                f"  {', '.join(map(str, measure))}: {len(made)} statements; furthest is {worst.statement}, "
                f"said {worst.said:.3f}, happened {worst.happened:.3f} ± {worst.error:.3f}"
            )
            if not quick:
                _keep(made)


def _keep(found: list[Cell]) -> None:
    """Store what was measured beside what is stored, or pooled with it."""
    kept = {(*cell.place, cell.statement): cell for cell in stored()}
    for cell in found:
        key = (*cell.place, cell.statement)
        kept[key] = _pooled(kept[key], cell) if key in kept else cell
    names = [one.name for one in fields(Cell)]
    whole = MEASURED.with_suffix(".part")
    with whole.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(names)
        out.writerows([getattr(cell, name) for name in names] for cell in kept.values())
    whole.replace(MEASURED)
