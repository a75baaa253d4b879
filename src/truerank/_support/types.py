"""Types that every room uses."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from truerank._support.lazy import postpone
from truerank._support.markers import Absent as Absent
from truerank._support.markers import Correlation as Correlation
from truerank._support.markers import Fraction as Fraction
from truerank._support.markers import InFull as InFull
from truerank._support.markers import Inlined as Inlined
from truerank._support.markers import LeftOut as LeftOut
from truerank._support.markers import Length as Length
from truerank._support.markers import Level as Level
from truerank._support.markers import Nullable as Nullable
from truerank._support.markers import OrNaN as OrNaN
from truerank._support.markers import Unwritten as Unwritten
from truerank._support.markers import Whole as Whole
from truerank._support.markers import WholeOrInfinite as WholeOrInfinite
from truerank._support.markers import Within as Within
from truerank._support.markers import WrittenAs as WrittenAs

postpone("numpy.f2py", "numpy.polynomial", "numpy.testing")

Matrix: TypeAlias = NDArray[np.float64]
"""Numbers in rows and columns; which, the docstring of its owner says."""

Vector: TypeAlias = NDArray[np.float64]
"""Numbers in one row."""
