"""The request for a plan, checked before any work."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from truerank.errors import InputError
from truerank.numerics.intervals import check_levels

TARGET = 0.9  # the default target of τ: from there on rankings are customarily considered the same


@dataclass(frozen=True)
class Wanted:
    """The whole request for a plan, whatever it rests on; ``None`` for what was not requested."""

    tau: float | None
    tau_ap: float | None
    width: float | None
    first: int | None
    winner: float | None
    pair: tuple[str, str] | None
    margin: float | None
    power: float
    alpha: float
    stability: float | None
    extend: bool
    level: float
    draws: int | None
    seed: int

    def __post_init__(self) -> None:
        if self.first is not None and self.first < 1:
            raise InputError(f"first counts places from 1 on, not {self.first}")
        for name in ("tau", "tau_ap", "winner", "stability"):
            target = getattr(self, name)
            if target is not None and not 0 < target < 1:
                percent = "%" if name == "winner" else ""  # the others are not probabilities
                hint = f"; write {target / 100:g} for {target:g}{percent}" if 10 <= target < 100 else ""
                raise InputError(f"{name.replace('_', '-')} must be between 0 and 1, not {target:g}{hint}")
        if self.width is not None and not 0 < self.width < 2:
            raise InputError(
                f"the width of an interval of a coefficient must be between 0 and 2, not {self.width:g}"
            )
        if not 0 < self.alpha < 1:
            raise InputError(f"the significance level must be between 0 and 1, not {self.alpha:g}")
        if not self.alpha < self.power < 1:
            raise InputError(
                f"power must be above the significance level {self.alpha:g} and below 1, not {self.power:g}"
            )
        if self.margin is not None and not (self.margin > 0 and math.isfinite(self.margin)):
            raise InputError(f"a margin must be above 0, not {self.margin:g}")
        check_levels(self.level)
        if self.draws is not None and self.draws < 2:
            raise InputError(f"at least two draws are needed, not {self.draws}")

    @property
    def needs_scores(self) -> bool:
        """Whether only a pilot's scores can answer it."""
        return bool(self.extend or self.pair or self.stability is not None)

    @property
    def asked(self) -> bool:
        """Whether there is a target; without one, a plan answers its three default questions."""
        targets = (self.tau, self.tau_ap, self.width, self.first, self.winner, self.stability)
        return bool(self.pair or any(one is not None for one in targets))

    @property
    def only_pair(self) -> bool:
        """Whether nothing but a pair of systems was asked for."""
        return self.pair is not None and not replace(self, pair=None).asked

    @property
    def coefficients(self) -> dict[str, float]:
        """The target of each coefficient, by its name."""
        given = {"tau": self.tau, "tau_ap": self.tau_ap}
        found = {name: target for name, target in given.items() if target is not None}
        return found if self.asked else {"tau": TARGET}

    @property
    def places(self) -> int | None:
        """How many first places are to be right; ``None`` if that is not a goal."""
        return self.first or (1 if self.winner is not None or not self.asked else None)

    @property
    def chance(self) -> float:
        """The probability of the first places."""
        return self.power if self.winner is None else self.winner

    @property
    def leading(self) -> str:
        """The coefficient that the plan shows first."""
        return next(iter(self.coefficients), "tau")
