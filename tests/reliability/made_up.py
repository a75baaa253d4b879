"""Scores of twelve made-up systems with known true means, for the tests of the core."""

from __future__ import annotations

import numpy as np

from truerank._support.seeds import stream
from truerank.scores import ScoreMatrix

TOPICS = 50
TRUE_MEANS = {
    "hybrid-rerank": 0.402,
    "dense-large": 0.388,
    "splade": 0.381,
    "dense-base": 0.362,
    "bm25-rm3": 0.341,
    "doc2query": 0.336,
    "colbert-small": 0.334,
    "bm25": 0.301,
    "ql-dirichlet": 0.296,
    "dense-tiny": 0.262,
    "tfidf": 0.248,
    "bm25-no-stem": 0.231,
}
"""Twelve made-up systems and their true mean AP."""

PRECISION = 3.0
"""Precision of each system's beta distribution over topics: AP-like spread, zeros and ones near."""

TOPIC_CORRELATION = 0.75
"""How much hard topics are hard for every system."""


WORKED = np.array(
    [
        [[0.6, 0.8, 0.7], [0.5, 0.4, 0.6], [0.3, 0.5, 0.1]],
        [[0.9, 0.7, 0.8], [0.4, 0.4, 0.1], [0.6, 0.4, 0.5]],
        [[0.2, 0.4, 0.3], [0.3, 0.5, 0.7], [0.2, 0.0, 0.1]],
        [[0.7, 0.9, 0.5], [0.8, 0.5, 0.5], [0.4, 0.6, 0.8]],
        [[0.8, 0.9, 1.0], [0.1, 0.3, 0.2], [0.7, 0.3, 0.5]],
    ]
)
"""Five topics, systems A, B and C, three runs or prompts each: worked out by hand and by a second program."""


def made_up_scores(seed: int) -> tuple[ScoreMatrix, dict[str, float]]:
    """Scores of twelve systems on 50 topics, and the systems' true means.

    Each system's score on a random topic is Beta(μφ, (1 − μ)φ), whose mean is exactly μ; one
    normal variable a topic makes hard topics hard for all.
    """
    from scipy.special import betaincinv, ndtr

    rng = stream(seed, "demo", "scores")
    means = np.array(list(TRUE_MEANS.values()))
    topic = rng.standard_normal((TOPICS, 1))
    own = rng.standard_normal((TOPICS, len(means)))
    normal = np.sqrt(TOPIC_CORRELATION) * topic + np.sqrt(1 - TOPIC_CORRELATION) * own
    values = betaincinv(means * PRECISION, (1 - means) * PRECISION, ndtr(normal))
    names = list(TRUE_MEANS)
    shuffled = rng.permutation(len(names))  # so that input order says nothing about the truth
    scores = ScoreMatrix.build(
        np.round(values[:, shuffled], 4),
        [f"q{t:02}" for t in range(1, TOPICS + 1)],
        [names[s] for s in shuffled],
        "AP",
    )
    return scores, dict(TRUE_MEANS)
