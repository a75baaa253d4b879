"""Fitting models and drawing topics at 48 × 88, and the correlations beside scipy one pair at a time."""

from __future__ import annotations

import numpy as np
from scipy.stats import kendalltau

from truerank import simulation
from truerank.simulation.copulas import kendall_matrix
from validation.timing import once, row, seconds

SYSTEMS = 88


def run() -> None:
    """Time fits, draws and the matrix of τ_b."""
    embedded = simulation.load_embedded("web2010-ap")
    scores = embedded.sample(48, seed=1)
    discrete = simulation.load_embedded("web2010-p10").sample(48, seed=1)
    print(f"{'':34} {'this':>10} {'plain':>12} {'ratio':>9}")
    row("fit, Gaussian copula, continuous", seconds(lambda: simulation.fit(scores), 1), note="promised 10 s")
    row("fit, Gaussian copula, discrete", seconds(lambda: simulation.fit(discrete), 1), note="promised 10 s")
    row("fit, effects", seconds(lambda: simulation.fit(scores, "effects"), 1))
    vine = simulation.fit(scores, copula="vine", truncation=3, threads=2)
    time = once(lambda: simulation.fit(scores, copula="vine", truncation=3, threads=2))
    row("fit, vine of three trees", time)
    models = {
        "embedded": embedded,
        "continuous": simulation.fit(scores),
        "discrete": simulation.fit(discrete),
        "effects": simulation.fit(scores, "effects"),
        "vine": vine,
    }
    for name, model in models.items():
        note = "promised 0.3 s" if name in ("embedded", "continuous", "discrete") else ""
        row(f"draw 1,000 × {SYSTEMS}, {name}", seconds(lambda model=model: model.sample(1_000, 1)), note=note)
    values = scores.values
    pairs = [(i, j) for i in range(SYSTEMS) for j in range(i)]
    plain = once(lambda: [kendalltau(values[:, i], values[:, j]) for i, j in pairs])
    row("τ_b of all pairs, 48 × 88", seconds(lambda: kendall_matrix(values)), plain)
    large = models["continuous"].draw(20_000, np.random.default_rng(1))
    row("τ_b of all pairs, 20,000 × 88", seconds(lambda: kendall_matrix(large), 1))
