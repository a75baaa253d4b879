"""The findings of yang-2018 on twelve TREC Robust 2003 runs, and the kernel on real lists.

The paper's own collections (Robust 2004, ad hoc 1999) cannot be redistributed: its figures stand beside
ours for comparison in kind.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy import stats

from truerank import experiments
from truerank.documents import DocumentAnalysis
from truerank.documents.analysis import analyze_collection
from truerank.documents.collection import DocumentCollection, read_collection
from truerank.documents.measures import place_measure
from truerank.documents.models import document_model
from truerank.documents.samples import list_scores, raw_scores
from truerank.experiments.studies.documents import analyses
from truerank.readers import evaluate
from validation.checks import Checks, data_folder
from validation.timing import peak_memory

AP = place_measure("AP")
PUBLISHED = {
    "Robust 2004": {"bst": (0.9176, 0.1041, 0.3955), "kde": (0.8088, 0.0896, 0.3273)},
    "ad hoc 1999": {"bst": (0.8509, 0.1783, 0.4135), "kde": (0.8121, 0.1756, 0.4111)},
}
"""KRCC, PCT and ED of Table 1."""

MEASURES = ("AP", "P@10", "Rprec", "RR", "nDCG", "nDCG@20")


def run(checks: Checks) -> None:
    """All of it, about five minutes."""
    folder = data_folder() / "robust03"
    qrels, runs = folder / "robust03_qrels.txt.gz", folder / "runs"
    collection = read_collection(qrels, runs)
    same_scores(checks, collection, qrels, runs)
    kernel_on_real_lists(checks, collection)
    wall, processor = time.perf_counter(), time.process_time()
    with tempfile.TemporaryDirectory() as place:
        run_of_both = experiments.run(
            "documents", collection, place, models="bst,kde", samples=10_000, seed=1, workers=1
        )
        found = {a.model: a for a in analyses(run_of_both)["AP"]}
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    # One thread: its processor time is what the clock says where nothing else runs.
    checks.that(
        "the whole table takes at most 5 minutes",
        processor < 300,
        f"{processor:.0f} s of one processor, {wall:.0f} s by the clock beside whatever else ran",
    )
    checks.that("in at most 2 GB", peak_memory() < 2, f"{peak_memory():.2f} GB")
    table(checks, found)
    findings(checks, found)
    without_the_misfit(checks, collection, found)
    one_collection_for_all(checks, collection, found["bst"])


def same_scores(checks: Checks, collection: DocumentCollection, qrels: Path, runs: Path) -> None:
    """The raw scores by every measure are those of ir_measures."""
    worst = 0.0
    for name, expected in evaluate(qrels, runs, MEASURES).items():
        ours = raw_scores(collection, place_measure(name)).values
        worst = max(worst, float(np.abs(ours - expected.values).max()))
    checks.that("raw scores equal ir_measures to 1e-12", worst < 1e-12, f"largest difference {worst:.1e}")


def kernel_on_real_lists(checks: Checks, collection: DocumentCollection) -> None:
    """Fast and plain samples of AP on 100 lists: Kolmogorov–Smirnov, and bias in standard errors."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "documents"))
    from plain_documents import draw_ranking, walk_ap

    rng = np.random.default_rng(5)
    for name in ("bst", "kde"):
        p_values, errors = [], []
        for _ in range(100):
            documents = collection.lists[rng.integers(collection.m)][rng.integers(collection.n)]
            if len(documents.relevant) == 0:
                continue
            missing = len(documents.missing)
            plain = [walk_ap(draw_ranking(documents, name, rng), missing) for _ in range(400)]
            fast = list_scores(documents, AP, document_model(name), 20_000, rng)
            p_values.append(stats.ks_2samp(plain, fast).pvalue)
            errors.append((np.mean(plain) - fast.mean()) / (fast.std() * np.sqrt(1 / 400 + 1 / 20_000)))
        least = min(p_values) * len(p_values)
        bias = abs(float(np.mean(errors))) * np.sqrt(len(errors))
        checks.that(
            f"{name}: fast and plain samples agree on {len(p_values)} real lists",
            least > 1e-3 and bias < 3.5,
            f"least p (Bonferroni) {min(least, 1):.2f}, mean difference {bias:.1f} standard errors",
        )


def columns(a: DocumentAnalysis) -> dict[str, float]:
    """The numbers of the paper's table, by their columns."""
    return {number.column: number.value for number in a.numbers if number.column}


def table(checks: Checks, found: dict[str, DocumentAnalysis]) -> None:
    """Table 1, ours and the paper's."""
    checks.note(f"  {'':14}{'':5}{'KRCC':>8}{'PCT':>8}{'ED':>8}{'ASL≥.95':>9}{'mean ASL':>10}{'raw':>7}")
    for model, a in found.items():
        one = columns(a)
        checks.note(
            f"  {'Robust 2003':14}{model:5}{one['krcc']:8.4f}{one['pct']:8.4f}{one['ed']:8.4f}"
            f"{one['asl_0.95']:9.4f}{one['mean_asl']:10.4f}{one['raw']:7.4f}"
        )
    for where, rows in PUBLISHED.items():
        for model, (krcc, pct, ed) in rows.items():
            checks.note(f"  {where:14}{model:5}{krcc:8.4f}{pct:8.4f}{ed:8.4f}   (published)")
    for model, a in found.items():
        rates = " ".join(f"{b.error_rate:.3f}" for b in a.error_rate[:12])
        checks.note(f"  error rate, {model}: {rates} …")
        checks.note(
            f"  {model}: pairs in the wrong order {a.spread.wrong_order.mean:.4f}; |sampled − raw| of a "
            f"topic {a.topic_error:.4f}; mean sd of a topic {a.topic_deviations.mean():.4f}"
        )


def findings(checks: Checks, found: dict[str, DocumentAnalysis]) -> None:
    """What the paper found on its data."""
    bst, kde = found["bst"], found["kde"]
    checks.that(
        "bst is closer to the raw topic scores than kde",
        bst.topic_error < kde.topic_error,
        f"{bst.topic_error:.4f} against {kde.topic_error:.4f}",
    )
    checks.that("bst is closer to the raw ranking than kde", bst.krcc > kde.krcc)
    ratio = kde.topic_deviations.mean() / bst.topic_deviations.mean()
    checks.that("the two models' topic deviations are similar", 0.8 < ratio < 1.25, f"ratio {ratio:.2f}")
    rates = np.array([b.error_rate for b in bst.error_rate])
    checks.that(
        "error rates of bst fall with the difference, and are low",
        bool(np.all(np.diff(rates) <= 1e-12)) and rates[0] < 0.35 and rates[3] < 0.01,
        " ".join(f"{rate:.4f}" for rate in rates[:5]),
    )
    for name, a in found.items():
        one = columns(a)
        checks.that(
            f"{name}: the share of significant pairs collapses under the paper's reading of ASL",
            one["pct"] < one["raw"] / 3,
            f"{one['raw']:.3f} → {one['pct']:.3f}",
        )
        checks.that(
            f"{name}: under the other reading most of the significance stays",
            one["asl_0.95"] > one["raw"] / 2 and one["mean_asl"] > 0.7 * one["raw"],
            f"ASL ≥ 0.95 for {one['asl_0.95']:.3f}, mean ASL {one['mean_asl']:.3f}",
        )


def without_the_misfit(
    checks: Checks, collection: DocumentCollection, found: dict[str, DocumentAnalysis]
) -> None:
    """Is it one run that kde does not fit? Its name comes from the samples, its reason from its scores."""
    kde = found["kde"]
    worst = max(kde.ranking, key=lambda s: abs(s.sampled_mean - s.mean))
    row = collection.lists[collection.systems.index(worst.system)]
    steps = np.concatenate([np.diff(documents.scores) for documents in row])
    checks.note(f"  kde fits {worst.system} worst: {worst.mean:.4f} → {worst.sampled_mean:.4f}")
    checks.that(
        "its scores are ranks counted down, but for left-out documents",
        bool(np.all((steps == np.round(steps)) & (steps >= -2))) and np.mean(steps == -1) > 0.99,
        f"{np.mean(steps == -1):.2%} of the steps are 1, the others 2",
    )
    others = collection.select([s for s, name in enumerate(collection.systems) if name != worst.system])
    again = {model: analyze_collection(others, AP, model, samples=4_000, seed=1) for model in ("bst", "kde")}
    for model, a in again.items():
        rates = " ".join(f"{b.error_rate:.4f}" for b in a.error_rate[:5])
        checks.note(
            f"  without it, {model}: KRCC {a.krcc:.4f} ({a.intervals.krcc.low:.4f} to "
            f"{a.intervals.krcc.high:.4f}); |sampled − raw| of a topic {a.topic_error:.4f}; "
            f"error rate {rates}"
        )
    rates = np.array([b.error_rate for b in again["kde"].error_rate])
    checks.that("without it, error rates of kde are low too", rates[3:].max() < 0.01)
    checks.that(
        "without it, bst is still closer to the raw topic scores",
        again["bst"].topic_error < again["kde"].topic_error,
    )


def one_collection_for_all(checks: Checks, collection: DocumentCollection, bst: DocumentAnalysis) -> None:
    """Documents that all systems share, against those of each system by itself."""
    processor = time.process_time()
    shared = analyze_collection(collection, AP, seed=1)
    processor = time.process_time() - processor
    checks.that("shared documents take at most 15 s", processor < 15, f"{processor:.1f} s")
    checks.that(
        "documents drawn apart swap more pairs than one collection does",
        bst.spread.wrong_order.mean > 1.5 * shared.spread.wrong_order.mean,
        f"{bst.spread.wrong_order.mean:.4f} against {shared.spread.wrong_order.mean:.4f}",
    )
