"""Types that every room uses."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float64]
"""Numbers in rows and columns; which, the docstring of its owner says."""

Vector: TypeAlias = NDArray[np.float64]
"""Numbers in one row."""
