"""The race: what other packages say of the same collections, held against the same truth.

`peers.toml` declares the packages, `adapters.py` has one function for each question that a package answers.
`python -m validation peers` installs each package in an environment of its own, under TRUERANK_PEERS, and
continues where it stopped; `measured.csv` holds what was measured, and docs/compared.md shows it.
"""

from __future__ import annotations

from validation.peers.racing import run

__all__ = ["run"]
