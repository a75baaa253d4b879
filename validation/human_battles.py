"""What docs/methods/preferences.md says of human battles that correct a machine's: are their errors right?

Arenas with a known truth. A machine judges all prompts, with a bias for every system; people judge
the battles of some prompts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from truerank import assess
from truerank._support.seeds import stream
from truerank.battles import Battles
from truerank.coefficients import TAU
from truerank.errors import InputError
from truerank.experiments.shared import simulated
from truerank.readers.battles import shares
from truerank.reliability.means.bradley_terry import strengths, win_table
from truerank.reliability.results import Assessment
from truerank.scores import MachineScores, ScoreMatrix
from validation.checks import Checks
from validation.studies.simulated_arenas import KINDS, ArenaModel, _chances

ARENAS = 60
DRAWS = 2_000
MEASURED = ("slope", "pairs", "τ", "bias of E τ", "τ in 95%", "τ in 80%", "rank ranges", "square error")
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
        pairs: whether the machine judges people's pairs, not others on the same prompts.
    """

    kind: str
    people: int
    machine: int
    each: int
    alike: float = 0.8
    same: float = 0.5
    systems: int = 15
    pairs: bool = True


DESIGNS = (
    Design("uniform", 50, 500, 20),
    Design("uniform", 50, 500, 5),
    Design("uniform", 20, 500, 50),
    Design("unequal", 50, 500, 20),
    Design("strong prompts", 50, 500, 20),
    Design("uniform", 50, 500, 20, alike=0.3, same=0.0),
    Design("uniform", 10, 500, 50),
    Design("uniform", 50, 500, 20, same=0.0),
    Design("uniform", 50, 500, 20, same=0.0, pairs=False),
)


def run(checks: Checks) -> None:
    """Pairs' differences, E τ, its intervals and rank ranges: of people alone, and with the machine."""
    for design in DESIGNS:
        found = [one for seed in range(ARENAS) if (one := _arena(design, seed)) is not None]
        table = np.array(found)
        mean, error = table.mean(axis=0), table.std(axis=0, ddof=1) / math.sqrt(len(table))
        checks.note(f"  {design}, {len(table)} arenas")
        for way, at in (("people", 0), ("both", len(MEASURED))):
            said = zip(MEASURED, mean[at:], error[at:], strict=False)
            checks.note(f"    {way}: " + ", ".join(f"{name} {x:.4f} ± {e:.4f}" for name, x, e in said))
        last = mean[2 * len(MEASURED) :]
        checks.note(f"    λ {last[0]:.2f}, count as {last[1]:.1f}; τ of the machine alone {last[2]:.3f}")
        both = {name: (mean[k], error[k]) for k, name in enumerate(MEASURED, len(MEASURED))}
        for name, level, slack in (("pairs", 0.95, 0.01), ("τ in 95%", 0.95, 0.05), ("τ in 80%", 0.8, 0.05)):
            held, of_held = both[name]
            said = f"{held:.3f} ± {of_held:.3f}"
            checks.that(f"{name} holds", held >= level - slack - 3 * of_held, said)
        held, of_held = both["rank ranges"]
        checks.that("rank ranges hold", held >= 0.9 - 3 * of_held, f"{held:.3f} ± {of_held:.3f}")
        bias, of_bias = both["bias of E τ"]
        checks.that("E τ is right", abs(bias) <= 0.04 + 3 * of_bias, f"{bias:+.3f} ± {of_bias:.3f}")


def _arena(design: Design, seed: int) -> list[float] | None:
    """One arena; ``None`` where some strengths are infinite."""
    rng = stream(seed, "arena")
    model = KINDS[design.kind].model(design.systems, rng)
    human, machine = _judged(design, model, rng)
    prompts = [str(t) for t in range(design.machine)]
    people, judge = (shares(one, design.systems) for one in (human, machine))
    alone = replace(ScoreMatrix.build(people, systems=model.systems, holes=True), battles=human)
    by_machine = MachineScores.build(judge, prompts, range(design.people), battles=machine)
    row: list[float] = []
    try:
        for scores in (alone, replace(alone, machine=by_machine)):
            found = assess(scores, "eb", "tau", levels=(0.95, 0.8), draws=DRAWS)
            row += _against(found, dict(zip(model.systems, model.truth().tolist(), strict=True)))
    except InputError:
        return None
    assert found.machine is not None
    everything = simulated.against_truth(strengths(win_table(machine, design.systems)), model.truth())[2]
    return [*row, found.machine.scale, found.machine.effective_topics, TAU.of_swaps(everything)]


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
    judged, sides = [], []
    u = rng.uniform(size=len(prompts))
    for effects in (own, biased):
        strength = model.theta + effects
        win, loss = _chances(strength[prompts, a] - strength[prompts, b], model.ties)
        judged.append(np.where(u < win, 1.0, np.where(u > 1 - loss, 0.0, 0.5)))
        u = np.where(rng.uniform(size=len(u)) < design.same, u, rng.uniform(size=len(u)))
        sides.append((a, b))
        if not design.pairs:
            drawn = rng.choice(len(chances), len(prompts), p=chances)
            a, b = upper[0][drawn], upper[1][drawn]
    mine, ((a, b), others) = prompts < design.people, sides
    people = Battles.build(a[mine], b[mine], judged[0][mine], prompts[mine])
    return people, Battles.build(*others, judged[1], prompts)


def _against(found: Assessment, truth: dict[str, float]) -> list[float]:
    """What is :data:`MEASURED`, of one assessment."""
    upper = np.triu_indices(len(truth), 1)
    values = np.array([truth[one.system] for one in found.ranking])
    true, means = (values[:, None] - values[None, :])[upper], found.means
    differences = means.differences[upper]
    reach = stdtrit(means.degrees[upper], 0.975) * means.deviations[upper]
    actual = 1 - 2 * float(np.mean(true < 0))
    estimate = found.estimate("tau")
    intervals = [estimate.interval(level) for level in (0.95, 0.8)]
    ranks = 1 + (values[None, :] > values[:, None]).sum(axis=1)
    ranges = [(one.rank_low or 1, one.rank_high or len(truth)) for one in found.ranking]
    return [
        float(differences @ true / (true @ true)),
        float(np.mean(np.abs(differences - true) <= reach)),
        actual,
        estimate.estimate - actual,
        *(float(one is not None and one.low <= actual <= one.high) for one in intervals),
        float(all(low <= rank <= high for rank, (low, high) in zip(ranks, ranges, strict=True))),
        float(np.mean((differences - true) ** 2)),
    ]
