"""Options for battles, which every command that ranks by them has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import typer

from truerank.cli.groups import Group


@dataclass(kw_only=True)
class Counting(Group):
    """Which battles count, and how much."""

    heading: ClassVar[str] = "Method"

    pairs_alike: Annotated[
        bool, typer.Option("--pairs-alike", help="Battles: let every pair that met count alike.")
    ] = False
    draw_prior: Annotated[
        float, typer.Option(metavar="X", min=0, help="Battles: drawn ones added.", show_default="0")
    ] = 0.0


@dataclass(kw_only=True)
class Arena(Counting):
    """How battles count, and the unit of strengths."""

    heading: ClassVar[str] = "Method"

    scale: Annotated[
        Literal["logit", "elo"] | None,
        typer.Option(metavar="X", help="Battles: logit or elo.", show_default="logit"),
    ] = None

    @property
    def counted(self) -> dict[str, Any]:
        """These as arguments of a function."""
        return {"pairs_alike": self.pairs_alike, "draw_prior": self.draw_prior, "scale": self.scale}
