"""Document samples: the kernels beside their plain versions, and the whole.

A sample is drawn without sorting, beside one that is sorted.

The whole is yang-2018's error rate (B = 10,000) and KRCC (1,000) on twelve TREC Robust 2003 runs, AP, bst
and kde; it needs the data folder beside the project.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from truerank.documents import DocumentList
from truerank.documents.analysis import analyze_collection
from truerank.documents.collection import read_collection
from truerank.documents.measures import place_measure
from truerank.documents.models import document_model
from truerank.documents.samples import list_scores
from validation.timing import once, peak_memory, row, seconds

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data" / "robust03"
AP = place_measure("AP")
SAMPLES, PLAIN_SAMPLES = 2_000, 200


def made_list(n: int, r: int) -> DocumentList:
    """A list of n documents, r relevant and mostly near the top."""
    rng = np.random.default_rng(1)
    names = [f"d{i:05d}" for i in range(n)]
    scores = rng.normal(0, 1, n) + 1.5 * (np.arange(n) < r)
    run = {"t": dict(zip(names, scores.tolist(), strict=True))}
    qrels = {"t": {name: int(i < r) for i, name in enumerate(names)}}
    return read_collection(qrels, {"run": run}).lists[0][0]


def run() -> None:
    """Time the kernel on lists of several kinds, then the whole table."""
    sys.path.insert(0, str(ROOT / "tests" / "documents"))
    from plain_documents import draw_ranking, walk_ap

    print(f"{'':34} {SAMPLES:,} samples {'plain':>8} {'ratio':>12}")
    for n, r in ((1_000, 5), (1_000, 32), (1_000, 200), (100, 10)):
        documents = made_list(n, r)
        for name in ("bst", "kde"):
            model = document_model(name)
            fast = seconds(
                lambda d=documents, m=model: list_scores(d, AP, m, SAMPLES, np.random.default_rng(1))
            )
            rng = np.random.default_rng(1)
            plain = once(
                lambda d=documents, m=name, g=rng: [
                    walk_ap(draw_ranking(d, m, g), 0) for _ in range(PLAIN_SAMPLES)
                ]
            )
            row(f"{name}, N = {n:,}, r = {r}", fast, plain * SAMPLES / PLAIN_SAMPLES)
    if not DATA.is_dir():
        print("no data folder beside the project: the whole table is left out")
        return
    read = []
    row(
        "read 12 runs",
        once(lambda: read.append(read_collection(DATA / "robust03_qrels.txt.gz", DATA / "runs"))),
    )
    total = 0.0
    for name in ("bst", "kde"):
        started = time.process_time()
        took = once(lambda name=name: analyze_collection(read[0], AP, name, samples=10_000, seed=1))
        total += took
        row(
            f"table, {name}, B = 10,000", took, note=f"{time.process_time() - started:.0f} s of one processor"
        )
    row("table, both models", total, note=f"peak memory {peak_memory():.2f} GB")
    row("shared, 1,000 samples", once(lambda: analyze_collection(read[0], AP, seed=1)))
