"""Make the bootstrap distributions that come with the package, one for each embedded simulation model.

Run as `python scripts/make_embedded_bootstraps.py`; writes
src/truerank/comparison/distance/embedded/*.json.gz. Run it again whenever the embedded models, the
sampling from them or the distance change; `tests/distance` checks that what it makes is what is shipped.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np

from truerank import simulation
from truerank.comparison.distance import BootstrapDistribution, Reference
from truerank.comparison.distance.bootstrap import bootstrap_distribution, rounded_fingerprint

ROOT = Path(__file__).resolve().parents[1]
EMBEDDED = ROOT / "src" / "truerank" / "comparison" / "distance" / "embedded"

TOPICS = 150
"""More topics than the models' 88 systems, so that λ is needed for copies of systems alone."""

SEED = 1
"""Of the collection: `truerank simulate sample NAME --topics 150 --seed 1` draws the same."""


def make(name: str) -> BootstrapDistribution:
    """The distribution that `truerank compare` makes by default, its distances to five significant digits.

    They make the package smaller by 120 kB, and are all that a table of critical values prints.
    """
    scores = simulation.load_embedded(name).sample(TOPICS, SEED)
    made = bootstrap_distribution(Reference.of(scores))
    rounded, place = np.unique([float(f"{d:.5g}") for d in made.distances], return_inverse=True)
    counts = np.bincount(place, weights=made.counts).astype(np.int64)
    # The collection is drawn again on the user's machine, so its last bits must not count.
    return replace(made, distances=rounded, counts=counts, fingerprint=rounded_fingerprint(scores))


def main() -> None:
    """Write all of them."""
    EMBEDDED.mkdir(exist_ok=True)
    for name in simulation.embedded_models():
        made = make(name)
        path = EMBEDDED / f"{name}.json.gz"
        # No time stamp and no file name inside: the same distribution gives the same bytes.
        path.write_bytes(gzip.compress(json.dumps(made.to_dict()).encode(), 9, mtime=0))
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")
        print(*made.table(), sep="\n")


if __name__ == "__main__":
    main()
