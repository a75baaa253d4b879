"""A small arena with two judges: a machine's battles on 90 prompts, and people's on 25 of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

SYSTEMS = ["A", "B", "C", "D"]
PROMPTS, HUMAN, EACH = 90, 25, 14


def tables(
    seed: int = 1, agree: float = 0.6, prompts: int = PROMPTS, human: int = HUMAN, each: int = EACH
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """People's battles and the machine's, which likes system B: one row each, not of the same pairs."""
    rng = np.random.default_rng(seed)
    m = len(SYSTEMS)
    strength = np.linspace(0.5, -0.5, m)
    own = rng.normal(0, 0.8, (prompts, m))
    theirs = agree * own + np.sqrt(1 - agree**2) * rng.normal(0, 0.8, (prompts, m)) + [0, 0.5, 0, 0]
    found = []
    for effects, judged in ((own, rng.permutation(prompts)[:human]), (theirs, np.arange(prompts))):
        t = np.repeat(np.sort(judged), each)
        a, b = np.array([rng.permutation(m)[:2] for _ in t]).T
        at = strength + effects
        u, p = rng.uniform(size=len(t)), 1 / (1 + np.exp(at[t, b] - at[t, a]))
        said = np.where(u < 0.8 * p, "model_a", np.where(u < 0.8 * p + 0.2, "tie", "model_b"))
        columns = {"prompt": [f"p{k:03d}" for k in t], "model_a": np.array(SYSTEMS)[a]}
        found.append(pd.DataFrame(columns | {"model_b": np.array(SYSTEMS)[b], "winner": said}))
    return found[0], found[1]
