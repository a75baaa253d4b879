"""The text of many numbers at once: for most of them the digits of Python's own `repr`, without a loop."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

BLOCK = 1 << 14
"""Numbers written at a time, or those of one row: they stay in a core's own cache."""

SCALES = np.array([1e17, 1e18, 1e19, 1e20])
"""Of numbers from 0.1, 0.01, 0.001 and 0.0001 on, what makes them whole numbers of 17 digits; all exact."""

SPLIT = 134_217_729.0  # 2²⁷ + 1 splits a double into two halves, whose products are exact
NEAR = 1e-3  # how near to a limit, in the last of 17 digits, a number is left to Python

# "0." with as many zeros as follow it, and the first digit; then all words of four digits.
_HEADS = np.frombuffer(
    b"".join(f"0.{'0' * zeros}{d}".encode().rjust(8, b"\0") for zeros in range(4) for d in range(10)), "u8"
)
_WORDS = np.frombuffer("".join(f"{word:04d}" for word in range(10_000)).encode(), "u4")


def rows_of_text(table: NDArray[np.float64], between: str) -> Iterator[str]:
    """The numbers of each row as Python writes them, with something between them."""
    width = table.shape[1]
    step = max(1, BLOCK // width)
    ends = np.full((step, width), between.encode())
    ends[:, -1] = b"\x01"
    for start in range(0, len(table), step):
        some = table[start : start + step]
        record = np.dtype([("head", "u8"), ("words", "u4", 4), ("end", ends.dtype)])
        made = np.empty(some.size, record)
        made["end"] = ends[: len(some)].ravel()
        _write(some.ravel(), made)
        yield from made.tobytes().translate(None, b"\0").decode().split("\x01")[:-1]


def _write(values: NDArray[np.float64], made: NDArray[np.void]) -> None:
    """The shortest digits that are read as the same numbers; unused bytes are NUL.

    Of the exact product with a power of ten, 17 digits always say a double. Fewer do where the nearest number
    of 16 digits is within half the distance to the next double, or that of 15 digits divides back to it.
    """
    python = (values < 1e-4) | (values >= 1)
    every, values = values, np.where(python, 0.5, values)
    zeros = (values < 0.1).astype(np.intp)
    zeros += values < 0.01
    zeros += values < 0.001
    scale = SCALES.take(zeros)
    product = values * scale
    (a, b), (c, d) = _halves(values), _halves(scale)
    beyond = ((a * c - product) + a * d + b * c) + b * d  # what rounding took from the product
    whole = np.rint(beyond)
    digits, left = product.astype(np.int64) + whole.astype(np.int64), beyond - whole
    last = (digits - digits // 10 * 10).astype(np.int8)  # % takes three times as long
    upwards = (last > 5) | ((last == 5) & (left > 0))
    to_ten = np.where(upwards, 10 - last - left, last + left)
    half = 0.5 * np.spacing(values) * scale
    of_16 = to_ten < half
    tens = scale / 100
    of_15 = np.rint(values * tens)
    exact = of_15 / tens == values
    of_15 = of_15.astype(np.int64)
    digits += np.where(upwards, 10 - last, -last) * of_16
    digits = np.where(exact, of_15 * 100, digits)
    top = digits // 10**8
    low = (digits - top * 10**8).astype(np.int32)
    first = top // 10**8
    made["head"] = _HEADS.take(10 * zeros + first)
    words = made["words"]
    for word, part in ((0, (top - first * 10**8).astype(np.int32)), (2, low)):
        high = part // 10_000
        words[:, word] = _WORDS.take(high, mode="clip")
        words[:, word + 1] = _WORDS.take(part - high * 10_000, mode="clip")
    text = made.view(np.uint8).reshape(len(made), -1)
    text[:, 23] *= ~(of_16 | exact)
    text[:, 22] *= ~exact
    python |= exact & (of_15 % 10 == 0)
    python |= (np.abs(to_ten - half) < NEAR) | (np.abs(np.abs(left) - 0.5) < NEAR)
    others = np.flatnonzero(python)
    if len(others):
        different, place = np.unique(every[others].view(np.int64), return_inverse=True)  # −0.0 is not 0.0
        written = np.array([repr(value).encode() for value in different.view(float).tolist()], dtype="S24")
        text[others, :24] = written.view(np.uint8).reshape(-1, 24)[place]


def _halves(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two numbers of half as many digits whose sum each one is (Dekker 1971)."""
    high = SPLIT * values
    high -= high - values
    return high, values - high
