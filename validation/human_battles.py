"""What docs/methods/preferences.md says of human battles that correct a machine's: are their errors right?

Arenas with a known truth. A machine judges all prompts, with a bias for every system; people judge
the battles of some prompts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from truerank._support.seeds import stream
from truerank._support.types import Vector
from truerank.coefficients import TAU
from truerank.errors import InputError
from truerank.experiments.shared import simulated
from truerank.planning.beliefs import after_pilot
from truerank.reliability.means import Means
from truerank.reliability.means.bradley_terry import strengths, win_table
from truerank.reliability.means.corrected_strengths import corrected_strengths
from truerank.scores import Battles, MachineScores
from truerank.simulation.arenas import KINDS, ArenaModel, _chances
from validation.checks import Checks

ARENAS = 40
BIAS = 0.4
"""Standard deviation of the machine's bias for a system, in logits; strengths have 0.5."""


@dataclass(frozen=True)
class Design:
    """An arena, and how like people the machine judges it.

    Attributes:
        kind: of arena.
        people: prompts that people judge.
        machine: prompts that the machine judges, those among them.
        each: battles a prompt.
        alike: correlation of what a prompt adds to a system for people and for the machine.
        same: share of battles whose chance is the same for both, as both see the same two answers.
        systems: how many.
    """

    kind: str
    people: int
    machine: int
    each: int
    alike: float = 0.8
    same: float = 0.5
    systems: int = 15


DESIGNS = (
    Design("uniform", 50, 500, 20),
    Design("uniform", 50, 500, 5),
    Design("uniform", 20, 500, 50),
    Design("unequal", 50, 500, 20),
    Design("strong prompts", 50, 500, 20),
    Design("uniform", 50, 500, 20, alike=0.3, same=0.0),
)


def run(checks: Checks) -> None:
    """Bias and coverage of all pairs' differences, and of E τ: people alone, and with the machine."""
    for design in DESIGNS:
        found = [one for seed in range(ARENAS) if (one := _arena(design, seed)) is not None]
        table = np.array(found)
        mean, error = table.mean(axis=0), table.std(axis=0, ddof=1) / math.sqrt(len(table))
        for way, at in (("people", 0), ("both", 5)):
            slope, covered, tau, bias = (f"{mean[at + k]:+.3f} ± {error[at + k]:.3f}" for k in range(4))
            checks.note(
                f"  {design}: {way}: slope − 1 {slope}, covered − 0.95 {covered}, τ {tau}, "
                f"bias of E τ {bias}, mean square error {mean[at + 4]:.4f} ({len(table)} arenas)"
            )
        checks.note(f"    λ {mean[10]:.2f}; τ of the machine alone {mean[11]:.3f}")
        said = f"{mean[6]:+.3f} ± {error[6]:.3f}"
        checks.that("95% intervals of pairs hold", mean[6] >= -0.01 - 3 * error[6], said)
        said = f"{mean[8]:+.3f} ± {error[8]:.3f}, people alone {mean[3]:+.3f} ± {error[3]:.3f}"
        checks.that("E τ with the machine is as right as without", abs(mean[8]) <= 0.04 + 3 * error[8], said)


def _arena(design: Design, seed: int) -> list[float] | None:
    """One arena; ``None`` where some strengths are infinite."""
    rng = stream(seed, "arena")
    model = KINDS[design.kind].model(design.systems, rng)
    human, machine = _judged(design, model, rng)
    names = list(model.systems)
    prompts = [str(t) for t in range(design.machine)]
    scored = np.zeros((design.machine, design.systems))
    by_machine = MachineScores.build(scored, prompts, range(design.people), battles=machine)
    try:
        found = corrected_strengths(human, by_machine, names)
    except InputError:
        return None
    truth, everything = model.truth(), strengths(win_table(machine, len(names)))
    row = []
    for means in (found.human, found.means):
        row += _against(means, truth)
    return [*row, found.scale, TAU.of_swaps(simulated.against_truth(everything, truth)[2])]


def _judged(design: Design, model: ArenaModel, rng: np.random.Generator) -> tuple[Battles, Battles]:
    """The battles of people, on the first prompts, and of the machine, on all."""
    m, prompts = design.systems, np.repeat(np.arange(design.machine), design.each)
    upper = np.triu_indices(m, 1)
    chances = model.pairs[upper] / model.pairs[upper].sum()
    drawn = rng.choice(len(chances), len(prompts), p=chances)
    a, b = upper[0][drawn], upper[1][drawn]
    own = rng.standard_normal((design.machine, m)) * model.interaction
    other = rng.standard_normal((design.machine, m)) * model.interaction
    biased = rng.normal(0, BIAS, m) + design.alike * own + math.sqrt(1 - design.alike**2) * other
    judged = []
    u = rng.uniform(size=len(prompts))
    for effects in (own, biased):
        strength = model.theta + effects
        win, loss = _chances(strength[prompts, a] - strength[prompts, b], model.ties)
        judged.append(np.where(u < win, 1.0, np.where(u > 1 - loss, 0.0, 0.5)))
        u = np.where(rng.uniform(size=len(u)) < design.same, u, rng.uniform(size=len(u)))
    mine = prompts < design.people
    people = Battles.build(a[mine], b[mine], judged[0][mine], prompts[mine])
    return people, Battles.build(a, b, judged[1], prompts)


def _against(means: Means, truth: Vector) -> list[float]:
    """Slope of differences on the true ones less 1, coverage less 0.95, τ, bias of E τ, square error."""
    upper = np.triu_indices(len(truth), 1)
    true = (truth[:, None] - truth[None, :])[upper]
    found = means.differences[upper]
    reach = stdtrit(means.degrees[upper], 0.975) * means.deviations[upper]
    order, _, swapped = simulated.against_truth(means.theta, truth)
    actual = TAU.of_swaps(swapped)
    known = means.known
    assert known is not None
    # Whole degrees, for which tables are kept.
    known = replace(known, degrees=np.clip(np.round(known.degrees), 1, 100))
    beliefs = after_pilot(replace(means, known=known).select(order))
    expected = 1 - 2 * beliefs.wrong_by_extension([0])[0]
    return [
        float(found @ true / (true @ true)) - 1,
        float(np.mean(np.abs(found - true) <= reach)) - 0.95,
        actual,
        float(expected - actual),
        float(np.mean((found - true) ** 2)),
    ]
