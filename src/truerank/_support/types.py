"""Types that every room uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float64]
"""Numbers in rows and columns; which, the docstring of its owner says."""

Vector: TypeAlias = NDArray[np.float64]
"""Numbers in one row."""


@dataclass(frozen=True)
class Nullable:
    """On the type of a field: NaN or infinite where there is no value, and null in JSON."""


OrNaN = Annotated[float, Nullable()]
"""A number that is NaN, or infinite, where there is none: null in JSON."""
