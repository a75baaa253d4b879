"""The boards of the gallery: one declaration each, in `boards.toml`."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
TABLES = HERE / "tables"


@dataclass(frozen=True)
class Board:
    """One board.

    Attributes:
        key: name of its page.
        title: as people call it.
        table: file in `tables/`.
        script: in `extract/`, that made the table.
        commit: of the repository.
        date: of the commit.
        part: which systems of the public board are here, where others are not.
        repository: owner and name on GitHub; empty for a simulated board.
        license: under which the repository gives its data away.
        credit: whom to name.
        about: what the board ranks, by what.
        left_out: what of the repository is not in the table.
        cautions: what the numbers on the page do not say.
        options: of `truerank assess`.
        costs: file in `tables/` of what each system costs, where that is known.
        plan: options of `truerank plan`.
        unit: what systems are scored on, in the singular.
        cluster: what is sampled instead, where units come in groups, as the source of several questions.
        score: what a score is called.
        digits: of scores.
        aside: what does not compete for the first place, by system, as a person's translation.
        ranked: whether there is more than one system to rank.
        shown: whether its license lets the project pass the table on; else it has a script, and no page.
    """

    key: str
    title: str
    table: str
    script: str
    about: str
    license: str
    credit: str
    left_out: str
    cautions: tuple[str, ...] = ()
    repository: str = ""
    commit: str = ""
    date: str = ""
    part: str = ""
    options: tuple[str, ...] = ()
    costs: str = ""
    plan: tuple[str, ...] = ()
    unit: str = "question"
    cluster: str = ""
    score: str = "score"
    digits: int = 3
    aside: Mapping[str, str] = field(default_factory=dict)
    ranked: bool = True
    shown: bool = True

    @property
    def sampled(self) -> str:
        """What is sampled, in the singular."""
        return self.cluster or self.unit

    @property
    def source(self) -> str:
        """Address of the repository at that commit."""
        return f"https://github.com/{self.repository}/tree/{self.commit}"


def _boards() -> dict[str, Board]:
    declared = tomllib.loads((HERE / "boards.toml").read_text("utf-8"))
    return {
        key: Board(key, **{k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()})
        for key, fields in declared.items()
    }


DECLARED = _boards()
BOARDS = {key: board for key, board in DECLARED.items() if board.shown}
"""Those that have a page."""
