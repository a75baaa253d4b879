"""`truerank plan`: how many topics, so that a ranking can be relied on?"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Annotated

from truerank.cli.command import (
    SPECIAL,
    Group,
    Needs,
    UsageError,
    argument,
    command,
    given_of,
    option,
    switch,
)
from truerank.cli.files import Files
from truerank.cli.options import (
    Counting,
    DropBottom,
    GeneralizeTo,
    Looks,
    Seed,
    SpendingOption,
    naming_gate,
)
from truerank.cli.score_input import ScoreInput
from truerank.cli.simulate import find_model

EXPECTED = "Order as a whole: expected τ, or τ_AP."
CHANCE = "Probability of the first place; of any goal (0.8)."
WITHOUT_SCORES = "Without scores: systems; squared effect of a pair."


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
        float | None, option("S", "Eρ² and Φ of generalizability theory.", heading=SPECIAL)
    ] = None
    looks: Looks = None
    spending: SpendingOption = "pocock"
    cost: Annotated[str | None, option("PRICES", "Prices: topic=1,prompt=20,run=0.05; run: all systems.")] = (
        None
    )
    budget: Annotated[float | None, option("SUM", "Sum to spend at these prices."), Needs("cost")] = None

    @property
    def prices(self) -> dict[str, float] | None:
        result: dict[str, float] = {}
        for part in [] if self.cost is None else self.cost.split(","):
            name, _, price = part.partition("=")
            if name.strip() in result:
                raise UsageError(f"--cost gives {name.strip()!r} two prices; give it one")
            try:
                result[name.strip()] = float(price)
            except ValueError:
                raise UsageError(
                    f"--cost {part!r} is not a price; write NAME=NUMBER of all that can be bought, such as "
                    "--cost topic=1,prompt=20,run=0.05"
                ) from None
        return result or None


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
        option("N", "Topics judged by machine.", heading=SPECIAL, min=2, default="as the pilot"),
        Needs("machine", "machine_qrels"),
    ] = None
    draws: Annotated[int | None, option("N", "Joint draws behind intervals.", min=2, default="by size")] = (
        None
    )
    seed: Seed = 0


@command("plan", "scores.csv --tau 0.9")
def plan(pilot: Pilot, targets: Targets, method: Method, arena: Counting, files: Files) -> None:
    """How many topics does a reliable ranking take?"""
    from truerank.planning import plan as make_plan

    _check(pilot, targets, arena)
    _check_tests(pilot, targets, method)
    settings = asdict(method) | asdict(targets) | {"effect": pilot.effect}
    settings["cost"] = targets.prices
    pilot = replace(pilot, sources=pilot.sources or [])
    with files.reading(pilot, pilot.model, battles=True) as (outputs, tables, _):
        with naming_gate(partial(pilot.gate_command, generalize_to=method.generalize_to)):
            plans = [make_plan(table, **asdict(arena), **settings) for table in tables]
        if not tables:
            model = None if pilot.model is None else find_model(pilot.model)
            plans = [make_plan(model=model, systems=pilot.systems, **settings)]
        seen = files.write(outputs, plans)
    files.show(seen)


def _check(pilot: Pilot, targets: Targets, arena: Counting) -> None:
    if not pilot.sources:
        given = [*given_of(pilot, ScoreInput), *given_of(arena, Counting)]
        given += ["--cost"] if targets.cost is not None else []
        if given:
            raise UsageError(f"{given[0]} needs the scores of a pilot; name them")
    elif pilot.systems is not None or pilot.model is not None:
        raise UsageError("--systems and --model stand for scores; give one of them")


def _check_tests(pilot: Pilot, targets: Targets, method: Method) -> None:
    """Refuse settings of a test that nothing which is printed or written would depend on."""
    names = ("tau", "tau_ap", "width", "first", "winner", "pair", "stability")
    by_itself = targets.looks is not None or all(getattr(targets, name) is None for name in names)
    given = {
        "--margin": (targets.margin is not None, False),
        "--power": (targets.power != Targets.power, by_itself or targets.first is not None),
        "--alpha": (method.alpha != Method.alpha, by_itself and bool(pilot.sources or targets.looks)),
    }
    for name, (there, used) in given.items():
        if there and not used and targets.pair is None:
            needed = "--pair A B" if pilot.sources else "the scores of a pilot; name them"
            raise UsageError(f"{name} needs {needed}")
