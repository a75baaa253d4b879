"""Battles: tables of two systems a row and who won, as arenas and side-by-side judgments have them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.wording import count, few
from truerank.errors import InputError
from truerank.readers.columns import TOPIC, Asked, plain
from truerank.readers.raw_scores import RawScores
from truerank.readers.sheets import Sheet, is_missing, is_number
from truerank.scores import Battles

FIRST = re.compile(r"(?:model|system|agent|player|generator|bot|llm|name|candidate)_?([a1])")
OUTCOME = (
    "winner",
    "winner_model",
    "outcome",
    "result",
    "label",
    "verdict",
    "preference",
    "preferred",
    "vote",
    "y",
)
SWAPPED = ("g1_winner", "g2_winner")
VOTER = (
    *("voter", "voter_id", "judge", "judge_id", "judge_hash", "user", "user_id", "worker", "worker_id"),
    *("annotator", "annotator_id", "rater", "rater_id"),
)
WEIGHT = ("weight", "weights", "count", "counts", "n_battles")

_TIES = re.compile(r"(tie|tied|draw|equal|both)([ _(].*)?|both_?(bad|good)|bothbad")
_SIDES = {"a": ("a", "1", "left", "x", "first"), "b": ("b", "2", "right", "y", "second")}

MOST_UNITS = 2_000
"""Units that errors are estimated from; beyond, whole prompts are dealt at random to so many groups."""

FEWEST_VOTERS = 5
"""Voters below which they stand for themselves, and for no others like them."""

FEW_BATTLES = 25
"""Battles of a system below which strengths come out too far apart (docs/methods/preferences.md)."""


@dataclass(frozen=True)
class BattleColumns:
    """Which columns hold what; one outcome, or two where the same battle was held in both orders."""

    first: int
    second: int
    outcomes: tuple[int, ...]


def battle_columns(sheet: Sheet) -> BattleColumns | None:
    """The columns of battles; ``None`` where the sheet holds something else."""
    names = [plain(name) for name in sheet.header]
    pair = next((found for found in _pairs(names)), None)
    if pair is None:
        return None
    outcomes = [names.index(name) for name in SWAPPED if name in names]
    if not outcomes:
        outcomes = [names.index(name) for name in OUTCOME if name in names and names.index(name) not in pair][
            :1
        ]
    if not outcomes or any(map(is_number, sheet.names(pair[0])[:100])):
        return None
    named = names[outcomes[0]] in ("winner", "winner_model", *SWAPPED)
    if names[pair[0]] in ("x", "left") and not named and not _fits(sheet, pair, outcomes[0]):
        return None
    return BattleColumns(*pair, tuple(outcomes))


def _pairs(names: Sequence[str]) -> list[tuple[int, int]]:
    found = [("left", "right"), ("x", "y")]
    for name in names:
        side = FIRST.fullmatch(name)
        if side is not None:
            found.insert(0, (name, name[:-1] + {"a": "b", "1": "2"}[side[1]]))
    return [(names.index(a), names.index(b)) for a, b in found if a in names and b in names]


def _fits(sheet: Sheet, pair: tuple[int, int], column: int) -> bool:
    """Whether the first outcomes are outcomes: such names of columns may stand in other tables too."""
    cells = (names[:100] for names in map(sheet.names, (*pair, column)))
    for a, b, cell in zip(*cells, strict=True):
        if not is_missing(cell) and outcome(cell, a, b, sheet.header[pair[0]], sheet.header[pair[1]]) is None:
            return False
    return True


def outcome(cell: str, first: str, second: str, first_name: str, second_name: str) -> float | None:
    """1 where the first won, 0 where the second did, ½ for a tie; ``None`` for what is none of these.

    >>> outcome("model_b", "gpt", "llama", "model_a", "model_b"), outcome("tie (bothbad)", "", "", "a", "b")
    (0.0, 0.5)
    >>> outcome("gpt", "gpt", "llama", "left", "right"), outcome("0.5", "gpt", "llama", "x", "y")
    (1.0, 0.5)
    """
    text = cell.strip()
    if text in (first.strip(), second.strip()):
        return float(text == first.strip())
    folded = text.casefold()
    if is_number(text):
        value = float(text)
        return value if value in (0.0, 0.5, 1.0) else None
    if folded == "½" or _TIES.fullmatch(folded):
        return 0.5
    for side, column, value in (("a", first_name, 1.0), ("b", second_name, 0.0)):
        if folded == column.strip().casefold() or plain(folded) in _SIDES[side]:
            return value
        if re.fullmatch(
            rf"(model|system|assistant|response|answer)[ _-]?{'[a1]' if side == 'a' else '[b2]'}", folded
        ):
            return value
    return None


def read_battles(sheet: Sheet, columns: BattleColumns, asked: Asked) -> RawScores:
    """Battles from a sheet: shares of wins on each prompt, and the battles themselves.

    Raises:
        InputError: an outcome that is none, a battle of a system with itself, options that are for scores, or
            no battle at all.
    """
    _refuse_options(sheet, asked)
    first, second = ([name.strip() for name in sheet.names(c)] for c in (columns.first, columns.second))
    headers = sheet.header[columns.first], sheet.header[columns.second]
    known: dict[tuple[str, str, str], float] = {}
    rows, outcomes, left_out = [], [], 0
    for column in columns.outcomes:
        for row, (one, other, cell) in enumerate(zip(first, second, sheet.names(column), strict=True)):
            if is_missing(cell) or cell.strip().casefold() == "error":
                left_out += 1
                continue
            if (one, other, cell) not in known:
                known[one, other, cell] = _checked(sheet, row, one, other, cell, headers)
            rows.append(row)
            outcomes.append(known[one, other, cell])
    if not rows:
        raise InputError(
            f"{sheet.place()}no battle has an outcome; fill column {sheet.header[columns.outcomes[0]]!r}"
        )
    systems = sorted({*(first[row] for row in rows), *(second[row] for row in rows)})
    place = {name: s for s, name in enumerate(systems)}
    a, b = (np.array([place[side[row]] for row in rows], dtype=np.intp) for side in (first, second))
    y = np.array(outcomes, dtype=np.float64)
    notes = [f"{count(left_out, 'battle')} without an outcome left out"] if left_out else []
    notes += _rare(systems, a, b)
    clusters, voters, unit, said = _units(sheet, asked, np.array(rows), _kinds(a, b, y, len(systems)))
    battles = Battles.build(a, b, y, clusters, voters, unit)
    return RawScores(
        shares(battles, len(systems)),
        [f"{unit} {c + 1}" for c in range(int(battles.clusters.max()) + 1)],
        systems,
        lambda _, __: sheet.place(),
        sheet.place(),
        asked.measure or "",
        sheet.source,
        [*notes, *said],
        battles=battles,
    )


def _checked(sheet: Sheet, row: int, a: str, b: str, cell: str, headers: tuple[str, str]) -> float:
    if not a or not b:
        raise InputError(f"{sheet.place(row)}a battle without the name of a system; name both")
    if a == b:
        raise InputError(f"{sheet.place(row)}a battle of {a!r} with itself; leave the row out")
    found = outcome(cell, a, b, *headers)
    if found is None:
        raise InputError(
            f"{sheet.place(row)}{cell!r} does not say who won; write {headers[0]}, {headers[1]} or tie, "
            "or 1, 0 or 0.5 for the first"
        )
    return found


def _refuse_options(sheet: Sheet, asked: Asked) -> None:
    """Refuse what is said of scores, and what battles may have that is not used."""
    where = f"{sheet.place()}these are battles, "
    if asked.data_set is not None:
        raise InputError(f"{where}and a folder of them is not read; join the files into one")
    named = asked.columns
    for name, given in (
        ("system_column", named.system),
        ("score_column", named.score),
        ("data_set_column", named.data_set),
        ("run_column", named.run),
        ("family", asked.family),
        ("transpose", asked.transpose),
        ("lower_is_better", asked.lower_is_better),
    ):
        if given is not None:
            raise InputError(f"{where}to which {setting(name)} says nothing; leave it out")
    names = [plain(name) for name in sheet.header]
    ignored = {plain(name) for name in named.ignore}
    weight = next((name for name in names if name in WEIGHT and name not in ignored), None)
    if weight is not None:
        raise InputError(
            f"{where}and weights of battles ({weight!r}) are not used yet; write one row per battle, or "
            f"ignore the column ({setting('ignore_column', weight)})"
        )


Unit = Literal["prompt", "voter", "battle"]


def _units(
    sheet: Sheet, asked: Asked, rows: NDArray[np.intp], kinds: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp] | None, Unit, list[str]]:
    """What hangs together: the prompt of each battle and its voter, as far as columns tell."""
    ignored = {plain(name) for name in asked.columns.ignore}
    names = ["" if plain(name) in ignored else plain(name) for name in sheet.header]
    notes = []
    own = asked.cluster or asked.columns.topic
    if own is not None:
        if own not in sheet.header:
            raise InputError(
                f"{sheet.place()}there is no column {own!r}; the columns are {few(sheet.header, 12)}"
            )
        topics = [sheet.header.index(own)]
    else:
        topics = [names.index(name) for name in ("cluster", *TOPIC) if name in names]
    # Of several names of prompts the coarsest is it: ids may count battles.
    prompts = min((_numbered(sheet, c, rows) for c in topics), key=lambda x: int(x.max()), default=None)
    if prompts is not None and (prompts.max() == len(rows) - 1 or prompts.max() == 0):
        prompts = None
    judges = [names.index(name) for name in VOTER if name in names and names.index(name) not in topics]
    voters = _numbered(sheet, judges[0], rows) if judges else None
    if voters is not None:
        number = int(voters.max()) + 1
        if number == len(rows):
            voters = None
        elif number < FEWEST_VOTERS:
            voters = None
            if number > 1:
                notes.append(
                    f"only {number} voters ({sheet.header[judges[0]]!r}), too few to stand for others: the "
                    "ranking is that of these voters"
                )
    unit: Unit = "prompt"
    if prompts is None and voters is not None:
        prompts, voters, unit = voters, None, "voter"
    if prompts is None:
        prompts, unit = np.argsort(np.argsort(kinds, kind="stable"), kind="stable"), "battle"
        notes.append(
            "nothing says which battles were about one prompt, so each counts as independent. If prompts "
            "repeat, intervals are too narrow, by far where prompts have many battles. Name their column "
            f"with {setting('topic_column')} (docs/methods/preferences.md)"
        )
    several = int(prompts.max()) + 1
    if several > MOST_UNITS:
        notes.append(f"{several:,} {unit}s are dealt at random to {MOST_UNITS:,} groups, each a unit")
    dealt = None if voters is None else _dealt(voters)
    return _dealt(prompts), dealt, unit, notes


def _numbered(sheet: Sheet, column: int, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """The names of a column numbered in alphabetical order, whatever order the rows have."""
    cells = np.array(sheet.names(column), dtype=object)[rows]
    place = {name: k for k, name in enumerate(sorted(set(cells.tolist())))}
    return np.array([place[cell] for cell in cells], dtype=np.intp)


def _dealt(groups: NDArray[np.intp]) -> NDArray[np.intp]:
    """Whole groups dealt at random to :data:`MOST_UNITS` larger ones, where there are more."""
    total = int(groups.max()) + 1
    if total <= MOST_UNITS:
        return groups
    return (np.random.default_rng(0).permutation(total) % MOST_UNITS)[groups]


def _kinds(a: NDArray[np.intp], b: NDArray[np.intp], y: NDArray[np.float64], m: int) -> NDArray[np.intp]:
    """A number for what a battle was: the pair, and who won."""
    low = np.where(a < b, y, 1 - y)
    return (np.minimum(a, b) * m + np.maximum(a, b)) * 3 + np.rint(2 * low).astype(np.intp)


def shares(battles: Battles, m: int) -> NDArray[np.float64]:
    """Share of wins of each system on each unit, NaN where it had no battle."""
    groups = int(battles.clusters.max()) + 1
    a, b = battles.clusters * m + battles.first, battles.clusters * m + battles.second
    wins = np.bincount(a, battles.outcomes, groups * m) + np.bincount(b, 1 - battles.outcomes, groups * m)
    fought = np.bincount(a, minlength=groups * m) + np.bincount(b, minlength=groups * m)
    found = np.divide(wins, fought, out=np.full(groups * m, np.nan), where=fought > 0)
    return np.asarray(found.reshape(groups, m))


def _rare(systems: Sequence[str], a: NDArray[np.intp], b: NDArray[np.intp]) -> list[str]:
    """A warning on systems with few battles."""
    counts = np.bincount(np.concatenate([a, b]), minlength=len(systems))
    rare = [systems[s] for s in np.flatnonzero(counts < FEW_BATTLES).tolist()]
    if not rare:
        return []
    return [
        f"{count(len(rare), 'system')} with fewer than {FEW_BATTLES} battles ({few(rare)}): strengths come "
        "out too far apart, and the expected τ too high by up to 0.06"
    ]
