"""Compact letter display: systems that share a letter are not separated, and all others are."""

from __future__ import annotations

from string import ascii_lowercase

import numpy as np
from numpy.typing import NDArray

MOST_SYSTEMS = 300
"""Of more systems there are no letters: they would be hundreds, and take most of the time."""


def letters(apart: NDArray[np.bool_]) -> tuple[str | None, ...]:
    """The letters of m systems: two of them share one if and only if they are not apart.

    Each letter stands for a group of which no two are separated (a clique). Each pair that no letter joins
    yet gets a new one, which goes to as many more systems as fit. In the end letters that join no pair alone
    are removed (Gramm, Guo, Hüffner & Niedermeier 2007, doi:10.1016/j.csda.2006.09.035, after Piepho 2004).
    The letters run down the ranking; after z come aa, ab …, and then a system's letters have spaces between
    them. O(L·m²) for L letters.
    """
    if len(apart) > MOST_SYSTEMS:
        return (None,) * len(apart)
    groups = _without_needless(_groups(~apart), ~apart)
    names = [_name(i) for i in range(len(groups))]
    between = "" if len(names) <= len(ascii_lowercase) else " "
    found: list[list[str]] = [[] for _ in range(len(apart))]
    for name, group in zip(names, groups, strict=True):
        for s in np.flatnonzero(group).tolist():
            found[s].append(name)
    return tuple(between.join(some) for some in found)


def _groups(alike: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """Groups of systems that are all alike, such that every pair that is alike is in one."""
    m = len(alike)
    rows = [int.from_bytes(row.tobytes(), "little") for row in np.packbits(alike, axis=1, bitorder="little")]
    joined = [0] * m
    found = []
    for s in range(m):
        while True:
            open_ = (rows[s] & ~joined[s] | (~joined[s] & (1 << s))) >> s
            if not open_:
                break
            partner = s + open_.bit_length() - 1
            members, group = [s, partner], 1 << s | 1 << partner
            fit = rows[s] & rows[partner] & ~group
            while fit:
                members.append((fit & -fit).bit_length() - 1)  # the first in the ranking
                group |= 1 << members[-1]
                fit &= rows[members[-1]] & ~group
            for member in members:
                joined[member] |= group
            found.append(np.zeros(m, dtype=bool))
            found[-1][members] = True
    return found


def _without_needless(groups: list[NDArray[np.bool_]], alike: NDArray[np.bool_]) -> list[NDArray[np.bool_]]:
    """The groups without those all of whose pairs (and systems) are in others too."""
    joining = np.zeros(alike.shape, dtype=np.int32)
    for group in groups:
        joining[np.ix_(group, group)] += 1
    kept = []
    for group in reversed(groups):
        if joining[np.ix_(group, group)].min() > 1:
            joining[np.ix_(group, group)] -= 1
        else:
            kept.append(group)
    return sorted(kept, key=lambda group: tuple(np.flatnonzero(group)))


def _name(number: int) -> str:
    """The letters a … z, aa, ab …"""
    name = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, len(ascii_lowercase))
        name = ascii_lowercase[rest] + name
    return name
