"""Machine judges with a known truth: what a machine would say of topics whose human scores are simulated.

Each kind of judge is wrong in one way, so that what is made of its scores can be tried on each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from truerank._support.registry import Entry, Registry, explained_from
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.errors import InputError

ABOUT = explained_from(__file__)  # what the judges of the package say of themselves, by name

# From human scores (N × m), strength and a generator to the machine's scores of the same topics.
Judging = Callable[[Matrix, float, Generator], Matrix]

NOISE = 0.5  # strength of the noise that comes with every judge whose error is another one


@dataclass(frozen=True)
class SimulatedMachine(Entry):
    """A machine judge that is wrong in one way."""

    judging: Judging
    strength: float = 1.0
    unit: str = ""
    task: str = ""
    """What its random stream is named by; its name, unless that has changed since digits were published."""

    def scores(self, human: Matrix, seed: int = 0, strength: float | None = None) -> Matrix:
        """What the machine says of topics whose human scores are given. O(N·m)."""
        if strength is not None and not self.unit:
            raise InputError(f"the machine {self.name} has no strength")
        chosen = self.strength if strength is None else strength
        if not 0 <= chosen < np.inf:
            raise InputError(f"the strength of a machine is 0 or more, not {chosen:g}")
        result = self.judging(human, chosen, stream(seed, "machine", self.task or self.name))
        return np.clip(result, 0.0, 1.0)


def _noise(human: Matrix, strength: float, rng: Generator) -> Matrix:
    within = human - human.mean(axis=1, keepdims=True)
    scatter = float((within - within.mean(axis=0)).std())
    return human + strength * scatter * rng.standard_normal(human.shape)


def _system_bias(human: Matrix, strength: float, rng: Generator) -> Matrix:
    spread = float(human.mean(axis=0).std())
    biases = strength * spread * rng.standard_normal(human.shape[1])
    return _noise(human, NOISE, rng) + biases


def _favoritism(human: Matrix, strength: float, rng: Generator) -> Matrix:
    favorite = int(rng.integers(human.shape[1]))
    result = _noise(human, NOISE, rng)
    result[:, favorite] += strength * (1 - result[:, favorite])
    return result


def _saturation(human: Matrix, strength: float, rng: Generator) -> Matrix:
    noisy = np.clip(_noise(human, NOISE, rng), 0.0, 1.0)
    return 1 - (1 - noisy) ** (1 + strength)


def _useless(human: Matrix, strength: float, rng: Generator) -> Matrix:
    # Scores as people give them, of topics and systems unrelated to the requested ones.
    return human[rng.permutation(len(human))][:, rng.permutation(human.shape[1])]


# The machine judges by name.
MACHINES: Registry[SimulatedMachine] = Registry(
    "machine judge",
    SimulatedMachine("noise", judging=_noise, **ABOUT["noise"]),
    SimulatedMachine("bias", judging=_system_bias, strength=0.5, **ABOUT["bias"]),
    SimulatedMachine(
        "favoritism", judging=_favoritism, strength=0.2, task="favouritism", **ABOUT["favoritism"]
    ),
    SimulatedMachine("saturation", judging=_saturation, **ABOUT["saturation"]),
    SimulatedMachine("useless", judging=_useless, **ABOUT["useless"]),
    SimulatedMachine("perfect", judging=lambda human, strength, rng: human.copy(), **ABOUT["perfect"]),
    SimulatedMachine(
        "anti-correlated",
        judging=lambda human, strength, rng: 1 - _noise(human, NOISE, rng),
        **ABOUT["anti-correlated"],
    ),
)
