"""Fit the models that come with the package, from the TREC 2010 Web data beside the project.

Run as `python scripts/make_embedded_models.py [DATA FOLDER]`; writes the JSON files of
src/truerank/simulation/embedded. Margins are parametric, so no score of the original collection is inside.
Run it again only when the model format changes; `tests/simulation` checks that what it writes is what is
shipped.
"""

from __future__ import annotations

import sys
from pathlib import Path

import truerank
from truerank import simulation

ROOT = Path(__file__).resolve().parents[1]
MODELS = ROOT / "src" / "truerank" / "simulation" / "embedded"
DATA = ROOT.parent / "shared" / "data"

RECIPES = {
    "web2010-ap": ("web2010_ap.csv", "AP", ("truncated-normal", "beta"), "continuous"),
    "web2010-p10": ("web2010_p10.csv", "P@10", ("beta-binomial",), "P@10"),
}
"""Name of the model: score table, measure, margin families, support."""


def make(name: str, data: Path) -> simulation.SimulationModel:
    """Fit one of the models."""
    file, measure, families, support = RECIPES[name]
    table = truerank.read_scores(data / "trec" / file)
    scores = truerank.ScoreMatrix.build(table.values, table.topics, table.systems, measure)
    return simulation.fit(scores, margins=families, support=support, criterion="bic", shapes="free")


def main() -> None:
    """Write all of them."""
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    if not (data / "trec").is_dir():
        sys.exit(f"no folder {data / 'trec'}; name the data folder")
    for name in RECIPES:
        path = MODELS / f"{name}.json"
        make(name, data).save(path)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
