"""Arrays that nobody changes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def frozen(values: NDArray[Any]) -> NDArray[Any]:
    """The values in rows one after the other, which cannot be written to."""
    found = np.ascontiguousarray(values)
    found.setflags(write=False)
    return found
