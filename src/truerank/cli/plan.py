"""`truerank plan`: how many topics, so that a ranking can be relied on?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truerank.cli.files import Files
from truerank.cli.options import (
    Counting,
    DropBottom,
    GeneralizeTo,
    Group,
    Looks,
    Needs,
    Seed,
    SpendingOption,
    argument,
    given_of,
    grouped,
    looks_of,
    naming_gate,
    option,
    population,
    switch,
)
from truerank.cli.parsing import SPECIAL
from truerank.cli.score_input import ScoreInput

if TYPE_CHECKING:
    from truerank.planning import Plan
    from truerank.scores import ScoreMatrix


EXPECTED = "Order as a whole: expected τ, or τ_AP."
CHANCE = "Probability of the first place; of any goal (0.8)."
WITHOUT_SCORES = "Without scores: systems; squared effect of a pair."
_PRICE = re.compile(r"\w+=[\d.]+")


LEVELS = "Confidence (0.95); significance level (0.05)."


@dataclass(frozen=True, kw_only=True)
class Pilot(ScoreInput, heading="Pilot"):
    """Scores of a pilot, or none."""

    sources: Annotated[
        list[str] | None, argument("[SCORES|RUN]", "Scores of a pilot, as assess takes them.")
    ] = None  # type: ignore[assignment]
    systems: Annotated[int | None, option("M", WITHOUT_SCORES)] = None
    effect: Annotated[float | None, option("C", WITHOUT_SCORES)] = None
    model: Annotated[str | None, option("MODEL", "Without scores: simulation model.")] = None


@dataclass(kw_only=True)
class Targets(Group, heading="Targets"):
    """What is to be reached."""

    tau: Annotated[float | None, option("T", EXPECTED)] = None
    tau_ap: Annotated[float | None, option("T", EXPECTED)] = None
    width: Annotated[float | None, option("W", "Greatest width of the interval of τ or τ_AP.")] = None
    first: Annotated[int | None, option("K", "First K places, in order.", min=1)] = None
    winner: Annotated[float | None, option("P", CHANCE)] = None
    power: Annotated[float, option("P", CHANCE, default=False)] = 0.8
    pair: Annotated[tuple[str, str] | None, option("A B", "Verdict of truerank gate on two systems.")] = None
    margin: Annotated[float | None, option("D", "True difference to find; no margin of a gate.")] = None
    stability: Annotated[
        float | None, option("S", "Eρ² and Φ of generalizability theory.", rich_help_panel=SPECIAL)
    ] = None
    looks: Looks = None
    spending: SpendingOption = "pocock"
    cost: Annotated[str | None, option("PRICES", "Prices: topic=1,prompt=20,run=0.05; run: all systems.")] = (
        None
    )
    budget: Annotated[float | None, option("SUM", "Sum to spend at these prices."), Needs("cost")] = None

    @property
    def prices(self) -> dict[str, float] | None:
        """The prices by name.

        Raises:
            typer.BadParameter: they are written in another way.
        """
        if self.cost is None:
            return None
        result: dict[str, float] = {}
        for part in self.cost.split(","):
            name, _, price = part.partition("=")
            name = name.strip()
            if name in result:
                raise typer.BadParameter(f"--cost gives {name!r} two prices; give it one")
            try:
                result[name] = float(price)
            except ValueError:
                raise typer.BadParameter(
                    f"--cost {part!r} is not a price; write NAME=NUMBER of all that can be bought, such as "
                    "--cost topic=1,prompt=20,run=0.05"
                ) from None
        return result


@dataclass(kw_only=True)
class Method(Group, heading="Method"):
    """How it is planned."""

    extend: Annotated[bool, switch("Keep the pilot's topics and add to them.")] = False
    generalize_to: GeneralizeTo = None
    level: Annotated[float, option("L", LEVELS, default=False)] = 0.95
    alpha: Annotated[float, option("A", LEVELS, default=False)] = 0.05
    drop_bottom: DropBottom = 0.0
    machine_topics: Annotated[
        int | None,
        option("N", "Topics judged by machine.", rich_help_panel=SPECIAL, min=2, default="as the pilot"),
        Needs("machine", "machine_qrels"),
    ] = None
    draws: Annotated[int | None, option("N", "Joint draws behind intervals.", min=2, default="by size")] = (
        None
    )
    seed: Seed = 0

    def settings(self, targets: Targets) -> dict[str, Any]:
        """Both groups as the arguments of the function."""
        from dataclasses import asdict

        result = asdict(self) | asdict(targets)
        result |= {"cost": targets.prices, "looks": looks_of(targets.looks)}
        return result | {"generalize_to": population(self.generalize_to)}


@grouped
def plan(pilot: Pilot, targets: Targets, method: Method, arena: Counting, files: Files) -> None:
    """How many topics does a reliable ranking take?"""

    _check(pilot, targets, arena)
    _check_tests(pilot, targets, method)
    pilot = replace(pilot, sources=pilot.sources or [])
    with files.reading(pilot, pilot.model, battles=True) as (outputs, tables, _):
        seen = files.write(outputs, _plans(tables, pilot, targets, method, arena))
    files.show(seen)


def _check(pilot: Pilot, targets: Targets, arena: Counting) -> None:
    """Refuse options that do not go together."""
    if pilot.sources:
        stray = [name for name in pilot.sources if _PRICE.fullmatch(name) and not Path(name).exists()]
        if targets.cost is not None and stray:
            prices = ",".join([targets.cost, *stray])
            raise typer.BadParameter(f"{stray[0]!r} is not a file; prices take commas: --cost {prices}")
        if pilot.systems is not None or pilot.model is not None:
            raise typer.BadParameter("--systems and --model stand for scores; give one of them")
        return
    given = [*given_of(pilot, ScoreInput), *given_of(arena, Counting)]
    given += ["--cost"] if targets.cost is not None else []
    if given:
        raise typer.BadParameter(f"{given[0]} needs the scores of a pilot; name them")


def _check_tests(pilot: Pilot, targets: Targets, method: Method) -> None:
    """Refuse settings of a test that nothing which is printed or written would depend on."""
    names = ("tau", "tau_ap", "width", "first", "winner", "pair", "stability")
    by_itself = targets.looks is not None or all(getattr(targets, name) is None for name in names)
    given = {
        "--margin": (targets.margin is not None, False),
        "--power": (targets.power != Targets.power, by_itself or targets.first is not None),
        "--alpha": (method.alpha != Method.alpha, by_itself and bool(pilot.sources or targets.looks)),
    }
    name = next((name for name, (there, used) in given.items() if there and not used), None)
    if name is None or targets.pair is not None:
        return
    if not pilot.sources:
        raise typer.BadParameter(f"{name} needs the scores of a pilot; name them")
    raise typer.BadParameter(f"{name} needs --pair A B")


def _plans(
    tables: Sequence[ScoreMatrix],
    pilot: Pilot,
    targets: Targets,
    method: Method,
    arena: Counting,
) -> list[Plan]:
    from truerank.planning import plan as make_plan

    settings = method.settings(targets)
    if pilot.model is not None:
        from truerank.cli.simulate import find_model

        model = find_model(pilot.model)
        return [make_plan(model=model, systems=pilot.systems, effect=pilot.effect, **settings)]
    if not tables:
        return [make_plan(systems=pilot.systems, effect=pilot.effect, **settings)]
    with naming_gate(partial(pilot.gate_command, generalize_to=method.generalize_to)):
        return [
            make_plan(
                table,
                effect=pilot.effect,
                pairs_alike=arena.pairs_alike,
                draw_prior=arena.draw_prior,
                **settings,
            )
            for table in tables
        ]
