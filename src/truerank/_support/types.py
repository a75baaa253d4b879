"""Types that every package uses, and arrays that cannot be changed."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from truerank._support.imports import postpone
from truerank._support.plain import Absent as Absent
from truerank._support.plain import Correlation as Correlation
from truerank._support.plain import Fraction as Fraction
from truerank._support.plain import InFull as InFull
from truerank._support.plain import Inlined as Inlined
from truerank._support.plain import LeftOut as LeftOut
from truerank._support.plain import Length as Length
from truerank._support.plain import Level as Level
from truerank._support.plain import Nullable as Nullable
from truerank._support.plain import OrNaN as OrNaN
from truerank._support.plain import Unwritten as Unwritten
from truerank._support.plain import Whole as Whole
from truerank._support.plain import WholeOrInfinite as WholeOrInfinite
from truerank._support.plain import Within as Within
from truerank._support.plain import WrittenAs as WrittenAs

postpone("numpy.f2py", "numpy.polynomial", "numpy.testing")

Matrix: TypeAlias = NDArray[np.float64]  # numbers in rows and columns, described where they are used
Vector: TypeAlias = NDArray[np.float64]  # numbers in one row


def frozen(values: NDArray[Any]) -> NDArray[Any]:
    """The values in rows one after the other, which cannot be written to."""
    result = np.ascontiguousarray(values)
    result.setflags(write=False)
    return result
