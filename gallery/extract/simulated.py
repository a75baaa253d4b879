"""A board like TREC's, drawn from a model of this project, so that its true ranking is known."""

from __future__ import annotations

import pandas as pd

from gallery.extract.repository import Repository
from truerank.simulation import load_embedded

SEED = 1
TOPICS = 1000


def table(repository: Repository, name: str) -> pd.DataFrame:
    """Average precision of simulated systems on simulated topics, rounded to four digits."""
    scores = load_embedded("web2010-ap").sample(TOPICS, SEED)
    values = pd.DataFrame(scores.values, columns=scores.systems).round(4)
    values.insert(0, "topic", [f"t{i + 1}" for i in range(TOPICS)])
    return values
