"""Machine judges with a known truth: what a machine would say of topics whose human scores are simulated.

Each kind of judge is wrong in one way, so that what is made of its scores can be tried on each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from truerank._support.registry import Registry
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.errors import InputError

Judging = Callable[[Matrix, float, Generator], Matrix]
"""From human scores (N × m), strength and a generator to the machine's scores of the same topics."""

NOISE = 0.5
"""Strength of the noise that comes with every judge whose fault is another one."""


@dataclass(frozen=True)
class SimulatedMachine:
    """A machine judge that is wrong in one way."""

    name: str
    label: str
    judging: Judging
    strength: float = 1.0
    unit: str = ""
    explanation: str = ""
    formula: str = ""
    references: tuple[str, ...] = ()

    def scores(self, human: Matrix, seed: int = 0, strength: float | None = None) -> Matrix:
        """What the machine says of topics whose human scores are given. O(N·m)."""
        if strength is not None and not self.unit:
            raise InputError(f"the machine {self.name} has no strength")
        chosen = self.strength if strength is None else strength
        if not 0 <= chosen < np.inf:
            raise InputError(f"the strength of a machine is 0 or more, not {chosen:g}")
        found = self.judging(human, chosen, stream(seed, "machine", self.name))
        return np.clip(found, 0.0, 1.0)


def _noise(human: Matrix, strength: float, rng: Generator) -> Matrix:
    within = human - human.mean(axis=1, keepdims=True)
    scatter = float((within - within.mean(axis=0)).std())
    return human + strength * scatter * rng.standard_normal(human.shape)


def _system_bias(human: Matrix, strength: float, rng: Generator) -> Matrix:
    spread = float(human.mean(axis=0).std())
    biases = strength * spread * rng.standard_normal(human.shape[1])
    return _noise(human, NOISE, rng) + biases


def _favouritism(human: Matrix, strength: float, rng: Generator) -> Matrix:
    favourite = int(rng.integers(human.shape[1]))
    found = _noise(human, NOISE, rng)
    found[:, favourite] += strength * (1 - found[:, favourite])
    return found


def _saturation(human: Matrix, strength: float, rng: Generator) -> Matrix:
    noisy = np.clip(_noise(human, NOISE, rng), 0.0, 1.0)
    return 1 - (1 - noisy) ** (1 + strength)


def _useless(human: Matrix, strength: float, rng: Generator) -> Matrix:
    # Scores as people give them, of topics and systems that have nothing to do with those asked for.
    return human[rng.permutation(len(human))][:, rng.permutation(human.shape[1])]


NOISY = SimulatedMachine(
    "noise",
    "noise",
    _noise,
    1.0,
    "errors scatter as much as one topic's scores do about the systems' and topics' means",
    explanation="""
    Each score has an error of its own, normal with mean 0, and is kept between 0 and 1. It favours nobody.
    """,
    formula=r"F_{ti} = H_{ti} + a\,s\,e_{ti}",
)

SYSTEM_BIAS = SimulatedMachine(
    "bias",
    "system bias",
    _system_bias,
    0.5,
    "biases vary over the systems as much as their mean scores do",
    explanation="""
    Every system is judged too well or too badly, by an amount of its own that is the same on all topics, with
    noise of strength ½ on top. More topics do not help.
    """,
    formula=r"F_{ti} = H_{ti} + b_i + \tfrac12 s\,e_{ti}",
)

FAVOURITISM = SimulatedMachine(
    "favouritism",
    "favouritism",
    _favouritism,
    0.2,
    "the favourite gets full marks",
    explanation="""
    One system, drawn at random, gets that share of what it lacks of full marks on every topic: as where judge
    and system are the same language model. Noise of strength ½ on top.
    """,
    formula=r"F_{tf} = H_{tf} + a\,(1 - H_{tf}) + \tfrac12 s\,e_{tf}",
)

SATURATION = SimulatedMachine(
    "saturation",
    "saturation",
    _saturation,
    1.0,
    "the share of what is missing to full marks is squared",
    explanation="""
    The machine grades generously, the more so the less it can tell good from very good: differences at the
    top are compressed. Noise of strength ½ underneath.
    """,
    formula=r"F_{ti} = 1 - (1 - H_{ti})^{1+a}",
)

USELESS = SimulatedMachine(
    "useless",
    "useless",
    _useless,
    explanation="""
    Scores like those of people, of other topics and other systems, drawn at random: they say nothing.
    """,
    formula=r"F_{ti} = H_{\pi(t)\sigma(i)}",
)

PERFECT = SimulatedMachine(
    "perfect",
    "perfect",
    lambda human, strength, rng: human.copy(),
    explanation="The machine says what people say.",
    formula=r"F_{ti} = H_{ti}",
)

ANTI_CORRELATED = SimulatedMachine(
    "anti-correlated",
    "anti-correlated",
    lambda human, strength, rng: 1 - _noise(human, NOISE, rng),
    explanation="What people like the machine dislikes, with noise of strength ½.",
    formula=r"F_{ti} = 1 - H_{ti} - \tfrac12 s\,e_{ti}",
)

MACHINES: Registry[SimulatedMachine] = Registry("machine judge")
"""The machine judges by name."""

register_machine = MACHINES.register

for _machine in (NOISY, SYSTEM_BIAS, FAVOURITISM, SATURATION, USELESS, PERFECT, ANTI_CORRELATED):
    register_machine(_machine)
