"""Statements about more than a table: runs, battles, a machine judge beside people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from truerank import assess, gate, tau
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.readers import with_machine
from truerank.repeats import Facets
from truerank.scores import ScoreMatrix
from validation.ledger.arenas import KINDS
from validation.ledger.populations import Systems
from validation.ledger.statements import (
    DRAWS,
    NOTE,
    Said,
    codes,
    column,
    false,
    inside,
    noted,
    places,
    true_ranks,
)
from validation.studies.noisy_populations import Noisy
from validation.studies.runs import of_runs

RUNS, JUDGED = 3, 400
BIASES = ("one each", "three favorites", "none")
SCATTER = 0.5
"""Of a machine around people, over the scatter of systems within topics."""


def judged(systems: Systems, biases: str, rng: Generator) -> tuple[Matrix, Matrix, Vector]:
    """Scores of the same topics by people and by a machine, and the machine's bias for each system."""
    people = systems.draw(JUDGED, rng)
    m, spread = people.shape[1], float(systems.truth.std())
    bias = np.zeros(m)
    if biases == "one each":
        bias = 0.5 * spread * rng.standard_normal(m)
    elif biases == "three favorites":
        bias[rng.choice(m, 3, replace=False)] = 1.5 * spread
    within = people - people.mean(axis=1, keepdims=True)
    scatter = SCATTER * float((within - within.mean(axis=0)).std())
    return people, people + bias + scatter * rng.standard_normal(people.shape), bias


def machine_beside(systems: Systems, n: int, rng: Generator) -> Iterator[Said]:
    """`truerank assess --machine`: n topics judged by people, 400 by a machine with a bias of each system."""
    seed, truth = int(rng.integers(1 << 30)), systems.truth
    people, machine, bias = judged(systems, "one each", rng)
    table = with_machine(people[:n], machine)
    document = assess(table, "eb", "tau", draws=DRAWS, seed=seed).to_dict()
    rows, judge = document["ranking"], document["machine"]
    true, level = truth[places(rows)], document["settings"]["levels"][0]
    happened = tau(column(sorted(rows, key=lambda row: int(row["system"][3:])), "mean"), truth)
    yield "machine-tau", document["estimates"][0]["estimate"], happened
    yield "machine-mean", level, float(inside(rows, "mean_low", "mean_high", true).mean())
    if rows[0]["rank_low"] is not None:
        yield "machine-ranks", level, float(inside(rows, "rank_low", "rank_high", *true_ranks(true)).all())
    bias = bias[places(judge["bias"])]
    relative = bias - bias.mean()
    yield "machine-bias", judge["level"], float(inside(judge["bias"], "low", "high", bias).all())
    held = inside(judge["bias"], "relative_low", "relative_high", relative)
    yield "machine-relative-bias", judge["level"], float(held.all())
    verdicts = np.array([row["verdict"] for row in judge["bias"]])
    wrong = ((verdicts == "over-scored") & (relative <= 0)) | ((verdicts == "under-scored") & (relative >= 0))
    yield "machine-verdict", 1 - judge["level"], float(wrong.any())
    b, a = rng.choice(len(truth), 2, replace=False)
    if truth[a] > truth[b]:
        a, b = b, a
    names, margin = (f"sys{b + 1}", f"sys{a + 1}"), float(truth[b] - truth[a])
    found = gate(people[:n], *names, machine=machine, margin=margin, seed=seed).to_dict()
    yield from noted(document, found)
    yield "machine-gate", (1 - found["level"]) / 2, float(found["verdict"] in ("better", "pass"))


def runs(population: Noisy, n: int, rng: Generator) -> Iterator[Said]:
    """`truerank assess` of three runs of each system on each topic, as noisy as topics are."""
    truths, seed = population.truths(1.0, rng), int(rng.integers(1 << 30))
    cells = truths.cells(n, seed, rng)
    scores = truths.runs(cells, RUNS, rng)
    document = assess(_labeled(scores), "eb", "tau", draws=DRAWS, seed=seed).to_dict()
    yield from noted(document)
    yield "noise-labels", 0.01, float("runs-together" in codes(document))
    noise, rows = document["noise"], document["ranking"]
    source = noise["sources"][0]
    share = 1 / (1 + RUNS)
    yield "noise-share", noise["level"], float(source["low"] <= share <= source["high"])
    if population.kind != "binary":  # where noise is the same on every topic
        deviation = population.topic_deviation if population.kind == "table" else 1.0
        held = inside(noise["systems"], "low", "high", np.full(len(rows), deviation))
        yield "noise-deviation", noise["level"], float(held.mean())
    true = truths.means[places(rows)]
    yield (
        "noise-ranks",
        document["settings"]["levels"][0],
        float(inside(rows, "rank_low", "rank_high", *true_ranks(true)).all()),
    )


def _labeled(scores: Matrix) -> ScoreMatrix:
    """The matrix of n × m × K runs, each of which has a label."""
    labels = tuple(map(str, range(scores.shape[2])))
    table = of_runs(scores)
    runs = Facets.crossed("run", labels, scores.transpose(0, 2, 1))
    assert table.repeats is not None
    return replace(table, repeats=replace(table.repeats, column="run", labeled=runs))


def arena(kind: str, each: int, rng: Generator) -> Iterator[Said]:
    """`truerank assess` of 80 prompts with battles of 16 systems, so many a system."""
    seed = int(rng.integers(1 << 30))
    drawn = KINDS[kind].model(16, rng).sample(80, max(1, each * 8 // 80), seed, KINDS[kind].voters)
    try:
        document = assess(drawn.scores, "eb", "tau", draws=DRAWS, draw_prior=0.5, seed=seed).to_dict()
    except InputError:  # a system has too few battles, so it has to be left out
        yield NOTE, 1.0, 1.0
        return
    rows, level = document["ranking"], document["settings"]["levels"][0]
    true = drawn.truth[places(rows)]
    true = true - true.mean()
    estimate = document["estimates"][0]
    happened = tau(-np.arange(len(true)), true)
    yield "arena-tau", estimate["estimate"], happened
    interval = estimate["intervals"][0]
    yield "arena-tau-interval", interval["level"], float(interval["low"] <= happened <= interval["high"])
    yield "arena-strength", level, float(inside(rows, "mean_low", "mean_high", true).mean())
    if rows[0]["rank_low"] is not None:
        yield "arena-ranks", level, float(inside(rows, "rank_low", "rank_high", *true_ranks(true)).all())
    b, a = rng.choice(len(true), 2, replace=False)
    names = rows[b]["system"], rows[a]["system"]
    decided = gate(drawn.scores, *names, draw_prior=0.5, seed=seed).to_dict()
    yield from noted(document, decided)
    yield "arena-gate", 1 - decided["level"], float(false([decided], np.array([true[a] - true[b]])).any())
