"""The ledger: every statement with a probability that an output makes, and what was measured of it.

`ledger.toml` names the statements. `python -m validation ledger` measures them at the JSON that is written,
and continues where it stopped; `measured.csv` holds what was measured, and docs/how-right.md shows it.
"""

from __future__ import annotations

from validation.ledger.measuring import run

__all__ = ["run"]
