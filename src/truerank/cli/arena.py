"""Options for battles, which every command that ranks by them has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

import typer

from truerank.cli.groups import Group


@dataclass(kw_only=True)
class Arena(Group):
    """How battles count."""

    heading: ClassVar[str] = "Battles"

    pairs_alike: Annotated[
        bool, typer.Option("--pairs-alike", help="Let every pair that met count alike.")
    ] = False
    draw_prior: Annotated[
        float,
        typer.Option(metavar="K", min=0, help="Drawn battles added per system, for finite strengths."),
    ] = 0.0

    scale: Annotated[
        Literal["logit", "elo"] | None,
        typer.Option(metavar="logit|elo", help="Unit of strengths.", show_default="logit"),
    ] = None

    @property
    def counted(self) -> dict[str, Any]:
        """These as arguments of a function."""
        return {"pairs_alike": self.pairs_alike, "draw_prior": self.draw_prior, "scale": self.scale}
