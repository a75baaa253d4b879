"""The tables that the golden comparison reads besides what truerank's own commands make."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

Scores = dict[str, dict[str, float]]


def grid(systems: list[str], topics: list[str], seed: int, bias: float = 0.0) -> Scores:
    """Scores by topic and system: a step per system, an ease per topic, and noise."""
    draw, found = random.Random(seed), {}
    for topic in topics:
        ease = draw.gauss(0.35 + bias, 0.12)
        exact = [ease + 0.03 * place + draw.gauss(0, 0.09) for place in range(len(systems))]
        found[topic] = {s: round(min(1.0, max(0.0, x)), 4) for s, x in zip(systems, exact, strict=True)}
    return found


def write_rows(path: Path, rows: list[list[Any]], separator: str = ",") -> None:
    """A table."""
    path.write_text("".join(separator.join(map(str, row)) + "\n" for row in rows), encoding="utf-8")


def write_inputs(folder: Path) -> None:
    """The tables that no command of truerank makes: measures, data sets, clusters, holes, two judges."""
    systems, topics, draw = [*"ABCDEF"], [f"t{number}" for number in range(1, 31)], random.Random(3)
    whole = grid(systems, topics, seed=1)
    wide: dict[str, Scores] = {
        "pair": {topic: {name: row[name] for name in "AD"} for topic, row in whole.items()},
        "human": {topic: whole[topic] for topic in topics[:12]},
        "machine": grid(systems, topics, seed=1, bias=0.06),
        "other": grid(systems, topics, seed=2),
        "binary": {t: {s: float(x > 0.5) for s, x in row.items()} for t, row in whole.items()},
        "holes": {
            t: {s: x for s, x in r.items() if s == "A" or draw.random() > 0.06} for t, r in whole.items()
        },
        "summary": grid([f"d{n}" for n in range(8)], [f"model{n}" for n in range(7)], seed=20),
    }
    for name, scores in wide.items():
        head = list(next(iter(scores.values())))
        rows = [[topic, *(row.get(key, "") for key in head)] for topic, row in scores.items()]
        write_rows(folder / f"{name}.csv", [["topic", *head], *rows])
    long: list[list[Any]] = [["measure", "topic", "system", "value"]]
    for seed, measure in enumerate(("AP", "P@10")):
        long += [[measure, t, s, x] for t, row in grid(systems, topics, seed).items() for s, x in row.items()]
    write_rows(folder / "measures.csv", long)
    board: list[list[Any]] = [["data_set", "kin", "weight", "topic", "variant", "system", "value"]]
    for n in range(6):
        for place, (topic, row) in enumerate(grid(systems, topics[: 10 + 2 * n], seed=10 + n).items()):
            start = [f"d{n}", f"kin{n // 2}", 1 + n % 2, topic, f"v{place // 2}"]
            board += [[*start, name, value] for name, value in row.items()]
    write_rows(folder / "board.csv", board)
    write_rows(folder / "clusters.csv", [row[3:] for row in board if row[0] in ("data_set", "d5")])
    write_rows(folder / "order.txt", [*map(list, "FDECBA")])
    write_rows(folder / "broken.csv", [["topic", "A", "B"], [1, 0.1, 0.2], [2, "n/a", 0.3], [3, 0.4, 0.1]])
    qrels = (folder / "demo/qrels.txt").read_text(encoding="utf-8")
    judged = [line.split() for line in qrels.splitlines()]
    some = sorted({row[0] for row in judged})[::2]
    machine = [[*row[:3], int(draw.random() < 0.8 * (row[3] != "0") + 0.1)] for row in judged]
    write_rows(folder / "human.qrels", [row for row in judged if row[0] in some], " ")
    write_rows(folder / "machine.qrels", machine, " ")
    write_rows(folder / "sample.qrels", [row for row in judged if draw.random() < 0.3], " ")
