"""The example: scores from an embedded model with known true means, and a small TREC-format collection."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from truerank._support.files import atomic_path, make_folder
from truerank._support.seeds import stream
from truerank.errors import InputError
from truerank.readers import evaluate_all
from truerank.scores import ScoreMatrix

TOPICS = 50

EVERY = 4
"""One in four of the model's 88 systems, so that the tables fit a screen."""

QUALITIES = {"bm25": 0.75, "rm3": 0.8, "dense": 0.9, "splade": 1.05, "fusion": 1.15, "reranker": 1.2}
"""Six made-up runs of the small collection, and how well they see relevance."""


def demo_scores(seed: int) -> tuple[ScoreMatrix, dict[str, float]]:
    """Scores of 22 systems on 50 topics, drawn from the embedded AP model, and the true means."""
    from truerank.simulation import load_embedded

    model = load_embedded("web2010-ap")
    truth = dict(zip(model.systems, (float(mean) for mean in model.true_means), strict=True))
    chosen = set(sorted(truth, key=lambda system: -truth[system])[::EVERY])
    drawn = model.sample(TOPICS, seed)
    kept = drawn.select([s for s, system in enumerate(drawn.systems) if system in chosen])
    # Rounded like a score table on disk, so that the file gives the same digits.
    scores = ScoreMatrix.build(np.round(kept.values, 4), kept.topics, kept.systems, "AP")
    return scores, {system: truth[system] for system in scores.systems}


MARK = ".truerank-demo"
"""Marks a folder that the demo made, and may write over."""


def prepare_folder(folder: str) -> Path:
    """The demo's folder: new, empty, or made by the demo before.

    Raises:
        InputError: it holds something else.
    """
    path = make_folder(folder)
    if any(path.iterdir()) and not (path / MARK).exists():
        raise InputError(f"{folder}: this folder holds other files; name a new one for the demo")
    (path / MARK).touch()
    return path


def write_collection(folder: Path, seed: int, topics: int = 25, depth: int = 100) -> None:
    """A small TREC-format collection: ``qrels.txt``, ``runs/*.txt`` and ``treceval/*.eval``.

    A system's score for a document is its quality times the document's grade, plus noise; the
    pool of all top-20 documents is judged.
    """
    rng = stream(seed, "demo", "collection")
    documents = 300
    runs = make_folder(folder / "runs")
    lines: dict[str, list[str]] = {name: [] for name in QUALITIES}
    judged: list[str] = []
    for t in range(1, topics + 1):
        grades = rng.choice([0, 1, 2], size=documents, p=[0.9, 0.07, 0.03])
        grades[rng.integers(documents)] = 2
        common = rng.standard_normal(documents)
        pool: set[int] = set()
        for name, quality in QUALITIES.items():
            score = quality * grades + 0.9 * common + rng.standard_normal(documents)
            ranking = np.argsort(-score)[:depth]
            pool.update(int(d) for d in ranking[:20])
            lines[name] += [
                f"{t} Q0 doc{t:02}-{d:03} {rank} {score[d]:.6f} {name}"
                for rank, d in enumerate(ranking, start=1)
            ]
        judged += [f"{t} 0 doc{t:02}-{d:03} {grades[d]}" for d in sorted(pool)]
    for name, run in lines.items():
        _write(runs / f"{name}.txt", run)
    _write(folder / "qrels.txt", judged)
    scores = evaluate_all(folder / "qrels.txt", [runs], ["AP", "P@10"])
    outputs = make_folder(folder / "treceval")
    for s, name in enumerate(scores["AP"].systems):
        _write(
            outputs / f"{name}.eval",
            [f"runid\tall\t{name}"]
            + [
                f"{measure}\t{topic}\t{table.values[t, s]:.4f}"
                for measure, table in (("map", scores["AP"]), ("P_10", scores["P@10"]))
                for t, topic in enumerate(table.topics)
            ],
        )


def _write(path: Path, lines: list[str]) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
