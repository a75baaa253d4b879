"""Random streams: one independent stream per named task of a seed, in whatever order they are drawn."""

from __future__ import annotations

import zlib
from typing import Literal

import numpy as np
from numpy.random import Generator, SeedSequence

from truerank.errors import InputError


def stream(seed: int, *task: str | int) -> Generator:
    """The generator of one task: the same digits whatever else is drawn, in any order, on any worker."""
    return np.random.default_rng(sequence(seed, *task))


def seed_of(seed: int, *task: str | int, bits: Literal[32, 64] = 32) -> int:
    """A seed of its own for one task under a seed, for what takes a seed and no generator."""
    kind = np.uint32 if bits == 32 else np.uint64
    return int(sequence(seed, *task).generate_state(1, kind)[0])


def sequence(seed: int, *task: str | int) -> SeedSequence:
    """The seed sequence of one task under a seed, for spawning further streams."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"the seed must be a whole number, 0 or more, not {seed!r}")
    key = tuple(part if isinstance(part, int) else zlib.crc32(part.encode()) for part in task)
    return SeedSequence(int(seed), spawn_key=key)
