"""Arenas with a known truth: battles of systems whose true ranking under the matchmaking is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.battles import Battles
from truerank.errors import InputError
from truerank.reliability.means.bradley_terry import strengths
from truerank.scores import ScoreMatrix

NODES = 21  # nodes of the Gauss–Hermite rule that averages a pair's chances over prompts


@dataclass(frozen=True, eq=False)
class SimulatedArena:
    """Battles, and the systems' true strengths: the limit of the fit under the same matchmaking."""

    scores: ScoreMatrix
    truth: Vector


@dataclass(frozen=True, eq=False)
class ArenaModel:
    """Draws arenas whose true ranking is known.

    Attributes:
        systems: m names.
        theta: m strengths in logits.
        interaction: m, standard deviation of what a prompt adds to each.
        of_voters: standard deviation of what a voter adds to each.
        ties: Davidson's weight of ties: 0.55 gives a fifth of them.
        pairs: m × m, how often each pair meets, symmetric with zeros on its diagonal.
        circular: m × m, what is added to a pair's difference beside strengths, antisymmetric.
    """

    systems: tuple[str, ...]
    theta: Vector
    interaction: Vector
    of_voters: float
    ties: float
    pairs: Matrix
    circular: Matrix

    def truth(self) -> Vector:
        """The strengths that infinitely many prompts and voters would give under this matchmaking, m."""
        nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
        own = self.interaction**2
        spread = np.sqrt(own[:, None] + own[None, :] + 2 * self.of_voters**2)
        lead = self.theta[:, None] - self.theta[None, :] + self.circular
        expected = np.zeros_like(lead)
        for node, weight in zip(nodes, weights / weights.sum(), strict=True):
            win, loss = _chances(lead + node * spread, self.ties)
            expected += weight * (win + (1 - win - loss) / 2)
        wins = expected * self.pairs
        np.fill_diagonal(wins, 0.0)
        return strengths(wins / wins.sum() * 1e4)

    def sample(self, prompts: int, each: int, seed: int = 0, voters: int = 0) -> SimulatedArena:
        """Draw an arena of that many prompts with that many battles each.

        Args:
            prompts: how many.
            each: battles a prompt.
            seed: the same seed gives the same battles.
            voters: how many voters cast the votes, drawn at random for each battle; 0 for voters who add
                nothing and are not known.

        Raises:
            InputError: fewer than one battle.
        """
        if prompts < 1 or each < 1:
            raise InputError(f"an arena needs prompts and battles, not {prompts} × {each}")
        rng, m = stream(seed, "arena"), len(self.theta)
        cluster = np.repeat(np.arange(prompts), each)
        own = rng.standard_normal((prompts, m)) * self.interaction
        upper = np.triu_indices(m, 1)
        chances = self.pairs[upper] / self.pairs[upper].sum()
        drawn = rng.choice(len(chances), len(cluster), p=chances)
        a, b = upper[0][drawn], upper[1][drawn]
        lead = self.theta[a] + own[cluster, a] - self.theta[b] - own[cluster, b] + self.circular[a, b]
        who = None
        if voters:
            who = rng.integers(0, voters, len(cluster))
            taste = rng.standard_normal((voters, m)) * self.of_voters
            lead = lead + taste[who, a] - taste[who, b]
        win, loss = _chances(lead, self.ties)
        u = rng.uniform(size=len(cluster))
        y = np.where(u < win, 1.0, np.where(u < win + loss, 0.0, 0.5))
        names = [f"voter {v}" for v in range(1, voters + 1)]
        battles = Battles.build(a, b, y, cluster, who, voter_names=names)
        return SimulatedArena(arena_table(battles, self.systems), self.truth())


def _chances(lead: NDArray[np.float64], ties: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Chances of a win and of a loss (Davidson 1970)."""
    win, loss = np.exp(lead / 2), np.exp(-lead / 2)
    return win / (win + loss + ties), loss / (win + loss + ties)


def arena_table(battles: Battles, systems: tuple[str, ...]) -> ScoreMatrix:
    """Battles as `read_scores` gives them; systems without a battle are left out."""
    from truerank.readers.battles import shares

    there = np.unique(np.concatenate([battles.first, battles.second]))
    place = np.zeros(len(systems), dtype=np.intp)
    place[there] = np.arange(len(there))
    kept = replace(battles, first=place[battles.first], second=place[battles.second])
    values = shares(kept, len(there))
    table = ScoreMatrix.build(values, systems=[systems[s] for s in there.tolist()], holes=True)
    return replace(table, battles=kept, noun=kept.unit)


Matchmaking = Literal["uniform", "unequal"]


@dataclass(frozen=True)
class ArenaKind:
    """A kind of arena; each collection is another arena of it.

    Attributes:
        name: what it is called.
        spread: standard deviation of strengths.
        shape: of their distribution: ``normal`` or ``uniform``.
        interaction: standard deviation of what a prompt adds to each system; of two the second is that of
            every other system.
        of_voters: of what a voter adds.
        voters: how many there are; 0 where they are not known.
        ties: Davidson's weight of ties.
        matchmaking: ``uniform``, or ``unequal``: a fifth of the systems has a tenth of the battles, and near
            equals meet more often.
        circular: standard deviation of what is added to a pair beside strengths.
    """

    name: str
    spread: float = 0.5
    shape: Literal["normal", "uniform"] = "normal"
    interaction: tuple[float, ...] = (0.7,)
    of_voters: float = 0.0
    voters: int = 0
    ties: float = 0.55
    matchmaking: Matchmaking = "uniform"
    circular: float = 0.0

    def model(self, m: int, rng: Generator) -> ArenaModel:
        """An arena of m systems."""
        if self.shape == "normal":
            theta = rng.normal(0, self.spread, m)
        else:
            theta = rng.uniform(-1, 1, m) * self.spread * np.sqrt(3)
        weight = np.ones(m)
        pairs = np.ones((m, m))
        if self.matchmaking == "unequal":
            weight[rng.permutation(m)[: max(1, m // 5)]] = 0.1
            gap = (theta[:, None] - theta[None, :]) / max(self.spread, 1e-9)
            pairs = weight[:, None] * weight[None, :] * np.exp(-(gap**2) / 2)
        np.fill_diagonal(pairs, 0.0)
        around = np.triu(rng.normal(0, self.circular, (m, m)), 1)
        deviations = np.resize(np.array(self.interaction), m)
        names = tuple(f"sys{s}" for s in range(1, m + 1))
        return ArenaModel(names, theta, deviations, self.of_voters, self.ties, pairs, around - around.T)


# Kinds of arenas by name.
KINDS: Mapping[str, ArenaKind] = {
    one.name: one
    for one in (
        ArenaKind("uniform"),
        ArenaKind("unequal", matchmaking="unequal"),
        ArenaKind("strong prompts", interaction=(1.5,)),
        ArenaKind("mixed prompts", interaction=(0.35, 0.98)),
        ArenaKind("close", spread=0.2, matchmaking="unequal"),
        ArenaKind("even strengths", shape="uniform", interaction=(0.0,), ties=0.0),
        ArenaKind("circular", circular=0.3, matchmaking="unequal"),
        ArenaKind("voters", of_voters=0.5, voters=60),
        ArenaKind("many ties", ties=2.0),
        ArenaKind("no prompts", interaction=(0.0,)),
    )
}
