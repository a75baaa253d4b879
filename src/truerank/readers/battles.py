"""Battles: tables of two systems a row and who won, as arenas and side-by-side judgments have them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import count, few, listed
from truerank.battles import POSITION, Battles, Covariates, numbered
from truerank.errors import InputError
from truerank.readers.cell_values import TEXT, Column, Places, different, is_missing, is_number, joint
from truerank.readers.options import COLUMNS, Options, ignoring
from truerank.readers.roles import NAMES, PATTERNS, called, find, plain, snake_case
from truerank.readers.sheets import Sheet
from truerank.reading import Origin, Reading
from truerank.scores import ScoreMatrix

_PROMPT = ("cluster", *NAMES["topic"], *NAMES["prompt_of_battle"])
_TIES = re.compile(r"(tie|tied|draw|equal|both)([ _(].*)?|both_?(bad|good)|bothbad")
_AHEAD = re.compile(r"(a(>+|<+)b|b(>+|<+)a)")

MOST_UNITS = 2_000
"""Units that errors are estimated from; beyond, whole prompts are dealt at random to so many groups."""

MOST_BATTLES = 20_000_000
"""Battles that counts may stand for; more take gigabytes, and a sample of them says the same."""

ENOUGH_NAMED = 10
"""Battles with a winner of the two, where a side could be called like a third system, that show names."""

FEWEST_VOTERS = 5
"""Voters below which they stand for themselves, and for no others like them."""

FEW_BATTLES = 50
"""Battles of a system below which what is usual in arenas counts (docs/methods/preferences.md)."""


@dataclass(frozen=True)
class BattleColumns:
    """The columns of both systems, of who won, and of counts: how many battles had outcome 1, 0 or ½."""

    first: int
    second: int
    outcome: int | None = None
    counts: tuple[tuple[float, int], ...] = ()

    @property
    def results(self) -> tuple[int, ...]:
        """The columns that say who won."""
        return tuple(column for _, column in self.counts) if self.outcome is None else (self.outcome,)


def battle_columns(sheet: Sheet) -> BattleColumns | None:
    """The columns of battles; ``None`` where the sheet holds something else."""
    names = snake_case(sheet.header)
    pair = next(_pairs(names), None)
    if pair is None or (any(map(is_number, sheet.names(pair[0])[:100])) and not _holds_ids(sheet, pair)):
        return None
    found = _outcome_beside(names, pair)
    counts = _counts(names) if found is None else ()
    return BattleColumns(*pair, found, counts) if counts or found is not None else None


def _outcome_beside(names: Sequence[str], pair: tuple[int, int]) -> int | None:
    return find(["" if c in pair else name for c, name in enumerate(names)], "outcome")


def _holds_ids(sheet: Sheet, pair: tuple[int, int]) -> bool:
    """Whether two columns of numbers name the same few systems: whole numbers, most of which come in both."""
    first, second = (set(sheet.names(column)) for column in pair)
    whole = all(cell.strip().lstrip("-").isdigit() for cell in first | second)
    return whole and len(first | second) < 2 * sheet.rows and bool(first & second)


def _pairs(names: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The columns of the two systems of battles, by their names."""
    for c, name in reversed([*enumerate(names)]):
        side = PATTERNS["first_system"].fullmatch(name)
        if side is not None:
            other = name[: side.start(1)] + {"a": "b", "1": "2"}[side[1]] + name[side.end(1) :]
            if other in names:
                yield c, names.index(other)


_UNREAD = (("left", "right"), ("x", "y"), ("white", "black"), ("winner", "loser"), ("chosen", "rejected"))
"""Names of sides that are recognized, and refused with the names that are read."""


def refuse_unread(sheet: Sheet) -> None:
    """Refuse battles in columns that do not say who won, or are called otherwise."""
    names = snake_case(sheet.header)
    for pair in (
        *_pairs(names),
        *((names.index(a), names.index(b)) for a, b in _UNREAD if {a, b} <= {*names}),
    ):
        won, known = (
            names[pair[0]] in ("winner", "chosen"),
            PATTERNS["first_system"].fullmatch(names[pair[0]]),
        )
        if not (known or won or _outcome_beside(names, pair) is not None):
            continue
        if (won and _holds_ids(sheet, pair)) or all(sheet.columns[side].holds_names for side in pair):
            a, b = (sheet.header[c] for c in pair)
            called_so = (a, b) == ("model_a", "model_b")
            call = "Add" if called_so else "Call these columns model_a and model_b, and add"
            raise InputError(
                f"{sheet.place()}these look like battles of {a!r} and {b!r}. {call} a column winner "
                "(model_a, model_b or tie), or wins_a, wins_b and ties"
            )


def _counts(names: Sequence[str]) -> tuple[tuple[float, int], ...]:
    """The columns of counts per pair: wins of either side, and ties where there are some."""
    sides = {
        side[1] or side[2]: c for c, name in enumerate(names) if (side := PATTERNS["wins"].fullmatch(name))
    }
    ties = [(0.5, c) for c, name in enumerate(names) if PATTERNS["ties"].fullmatch(name)]
    for a, b in (("a", "b"), ("1", "2")):
        if a in sides and b in sides:
            return ((1.0, sides[a]), (0.0, sides[b]), *ties)
    return ()


def outcome(cell: str, first: str, second: str, first_name: str, second_name: str) -> float | None:
    """1 where the first won, 0 where the second did, ½ for a tie; ``None`` for what is none of these.

    >>> outcome("model_b", "gpt", "llama", "model_a", "model_b"), outcome("tie (bothbad)", "", "", "a", "b")
    (0.0, 0.5)
    >>> outcome("gpt", "gpt", "llama", "a", "b"), outcome("0.5", "gpt", "llama", "a", "b")
    (1.0, 0.5)
    >>> [outcome(cell, "gpt", "llama", "a", "b") for cell in ("[[A]]", "[[C]]", "B>>A", "a<b")]
    [1.0, 0.5, 0.0, 0.0]
    """
    text = cell.strip()
    if text in (first.strip(), second.strip()):
        return float(text == first.strip())
    folded = text.strip("[]").casefold()
    if is_number(text):
        value = float(text)
        return value if value in (0.0, 0.5, 1.0) else None
    if folded in ("½", "c", "a=b") or _TIES.fullmatch(folded):
        return 0.5
    if _AHEAD.fullmatch(folded):
        return float((">" in folded) == folded.startswith("a"))
    for side, number, column, value in (("a", "1", first_name, 1.0), ("b", "2", second_name, 0.0)):
        called = rf"(model|system|assistant|response|answer)[ _-]?[{side}{number}]"
        if folded == column.strip().casefold() or plain(folded) == side or re.fullmatch(called, folded):
            return value
    return None


_OF_SCORES = tuple(name for name in COLUMNS if name not in ("topic_column", "ignore_columns"))
_OF_SCORES += ("family", "transpose", "missing_value")


def read_battles(sheet: Sheet, columns: BattleColumns, options: Options) -> ScoreMatrix:
    """Battles from a sheet: shares of wins on each prompt, and the battles themselves."""
    if given := options.given(*_OF_SCORES):
        raise InputError(f"{sheet.place()}these are battles, to which {given[0]} says nothing; leave it out")
    lower = options.lower_is_better
    if lower is not None and (columns.outcome is None or TEXT in sheet.columns[columns.outcome].held):
        raise InputError(
            f"{sheet.place()}these are battles, and no column of 0 and 1 says who won; leave "
            f"{setting('lower_is_better', lower)} out"
        )
    ignored = set(snake_case(options.ignore_columns))
    names = ["" if name in ignored else name for name in snake_case(sheet.header)]
    pair = (columns.first, columns.second)
    notes, where = list[Note](), called(sheet.header[columns.results[0]])
    if columns.counts:
        rows, y = _counted(sheet, columns, names)
    else:
        rows, y = _outcomes(sheet, columns, lower)
        if lost := sheet.rows - len(rows):
            notes.append(Note("parts-left-out", {"case": "battles", "battles": lost}))
        notes += _copies(sheet.some(rows), names, (*pair, *columns.results)) if len(rows) else []
        repeated = find(names, "count_of_battles")
        times = 1 if repeated is None else _whole(sheet, repeated)[rows]
        rows, y = np.repeat(rows, times), np.repeat(y, times)
    if not len(rows):
        raise InputError(f"{sheet.place()}no battle has an outcome; fill {where}")
    if options.min_battles is not None:
        kept, gone = _often(sheet, *_sides(sheet, columns), rows, options.min_battles)
        rows, y, notes = rows[kept], y[kept], [*notes, *gone]
    counted = bool(columns.counts) and different(rows) < len(rows)  # nothing tells the prompts of several
    sheet = sheet.some(rows)  # one row per battle
    sides, found = _sides(sheet, columns)
    (first, second), systems = _alphabetical(Column(sides.ravel(), found))[0].reshape(2, -1), sorted(found)
    notes += _on_systems(systems, first, second)
    covariates = None
    if options.covariates:
        covariates, note = _covariates(sheet, options.covariates)
        notes.append(note)
    elif place := next((c for c in names if c.partition("_")[0] == POSITION), ""):
        notes.append(Note("offered", {"case": "position", "column": place}, "info"))
    low = np.rint(2 * np.where(first < second, y, 1 - y)).astype(np.intp)
    m = len(systems)
    kinds = (np.minimum(first, second) * m + np.maximum(first, second)) * 3 + low
    units, unit_names, more, column = _units(sheet, options, names, kinds, counted)
    weights = _weights(sheet, names)
    battles = Battles.build(first, second, y, **units, weights=weights, covariates=covariates)
    reading = Reading(
        "the rows" if column is None else called(sheet.header[column]),
        " and ".join(called(sheet.header[c]) for c in pair),
        " and ".join(called(sheet.header[c]) for c in columns.results),
    )
    scores = ScoreMatrix.build(
        shares(battles, m),
        unit_names,
        systems,
        options.measure or "",
        sheet.source,
        [*notes, *more],
        holes=True,
        noun=battles.unit,
        origin=Origin(sheet.place()),
    )
    return replace(scores, battles=battles, reading=reading)


_Groups = tuple[NDArray[np.intp], list[str]]
"""The group of each battle, and their names."""


def _sides(sheet: Sheet, columns: BattleColumns) -> _Groups:
    """The place of both systems of each row (2 × N) among all names, which have no blanks around."""
    places, sides = Places(), []
    for column in (sheet.columns[c] for c in (columns.first, columns.second)):
        sides.append(places.codes([name.strip() for name in column.levels])[column.codes])
    return np.stack(sides), list(places)


def _alphabetical(column: Column) -> _Groups:
    """The names of a column numbered in alphabetical order, whatever order the rows have."""
    order = sorted(range(len(column.levels)), key=column.levels.__getitem__)
    return np.argsort(order)[column.codes], [column.levels[k] for k in order]


def _often(
    sheet: Sheet, pairs: NDArray[np.intp], names: Sequence[str], rows: NDArray[np.intp], fewest: int
) -> tuple[NDArray[np.intp], list[Note]]:
    """The battles among systems that have so many, until none is left that has fewer; and a note."""
    pairs, m = pairs[:, rows], len(names)
    kept, here = np.ones(m, dtype=bool), np.ones(len(rows), dtype=bool)
    there = np.bincount(pairs.ravel(), minlength=m) > 0
    while (rare := kept & there & (np.bincount(pairs[:, here].ravel(), minlength=m) < fewest)).any():
        kept &= ~rare
        here &= kept[pairs].all(axis=0)
    if not here.any():
        raise InputError(
            f"{sheet.place()}no two systems have {count(fewest, 'battle')} each among themselves; ask for "
            f"fewer with {setting('min_battles')}"
        )
    gone = tuple(sorted(names[s] for s in np.flatnonzero(~kept).tolist()))
    facts = {"case": "few-battles", "fewest_battles": fewest, "battles": int(np.sum(~here))}
    return np.flatnonzero(here), [Note("systems-left-out", facts, systems=gone)] if gone else []


def _outcomes(
    sheet: Sheet, columns: BattleColumns, lower: bool | None
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The rows that say who won, and the outcomes; `lower` is whether 0 is a win of the first."""
    assert columns.outcome is not None
    held = [sheet.columns[c] for c in (columns.first, columns.second, columns.outcome)]
    headers = sheet.header[columns.first], sheet.header[columns.second]
    name, cells = sheet.header[columns.outcome], {one.strip() for one in held[2].levels}
    systems = {one.strip() for column in held[:2] for one in column.levels}
    if (
        lower is None
        and plain(name) not in ("outcome", "result", "y")
        and "0" in cells <= {"", "0", "1"} - systems
    ):
        up, down = (setting("lower_is_better", way) for way in (False, True))
        raise InputError(
            f"{sheet.place()}column {name!r} holds 0 and 1, and nothing says which side is which. Use "
            f"{up} if 1 says that {headers[0]} won, or {down} if 0 does"
        )
    # Each different row is looked at once, in the order in which they come.
    _, first, place = np.unique(
        joint(*(column.codes for column in held)), return_index=True, return_inverse=True
    )
    found = np.full(len(first), np.nan)
    told = list[tuple[int, int, str, str, str]]()
    for k in np.argsort(first).tolist():
        row = int(first[k])
        a, b, cell = (column.levels[column.codes[row]].strip() for column in held)
        if not is_missing(cell) and cell.casefold() != "error":
            _check_sides(sheet, row, a, b)
            told.append((k, row, a, b, cell))
    both = {cell for cell in cells & systems if outcome(cell, "", "", *headers) is not None}
    times = np.bincount(place.reshape(-1))
    sides = lower is not None or (bool(both) and _as_sides(sheet, told, times, both, headers))
    for k, row, a, b, cell in told:
        if cell in both and not sides:
            value = float(cell == a) if cell in (a, b) else None
        else:
            value = outcome(cell, *(("", "") if cell in both else (a, b)), *headers)
        if value is None:
            raise InputError(f"{sheet.place(row)}{cell!r} does not say who won; {_winners(headers)}")
        found[k] = 1 - value if lower else value
    y = found[place.reshape(-1)]
    rows = np.flatnonzero(~np.isnan(y))
    return rows, y[rows]


def _winners(headers: tuple[str, str]) -> str:
    return f"write {headers[0]}, {headers[1]} or tie, or 1, 0 or 0.5 for the first"


def _as_sides(
    sheet: Sheet,
    told: Sequence[tuple[int, int, str, str, str]],
    times: NDArray[np.intp],
    both: set[str],
    headers: tuple[str, str],
) -> bool:
    """Whether cells that name systems and also sides, such as A and B, mean the sides in the whole column."""
    telling, differs = 0, -1
    named = any(cell in (a, b) and cell not in both for _, _, a, b, cell in told)
    for k, row, a, b, cell in told:
        if cell in both and cell not in (a, b):
            return not named  # the system of that name was not there
        if cell in both and outcome(cell, "", "", *headers) != float(cell == a):
            differs = row
        if cell in both and not both <= {a, b}:
            telling += times[k]  # half of these would be no system of their row, were they sides
    if named or telling >= ENOUGH_NAMED or differs < 0:
        return False
    cell = next(cell for _, row, _, _, cell in told if row == differs)
    raise InputError(f"{sheet.place(differs)}{cell!r} may mean the system or the side; {_winners(headers)}")


def _check_sides(sheet: Sheet, row: int, a: str, b: str) -> None:
    if not a or not b:
        raise InputError(f"{sheet.place(row)}a battle without the name of a system; name both")
    if a == b:
        raise InputError(f"{sheet.place(row)}a battle of {a!r} with itself; leave the row out")


def _counted(
    sheet: Sheet, columns: BattleColumns, names: Sequence[str]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The row and the outcome of each of the battles that are counted; a count beside is their total."""
    for row, (a, b) in enumerate(zip(sheet.names(columns.first), sheet.names(columns.second), strict=True)):
        _check_sides(sheet, row, a.strip(), b.strip())
    times = [_whole(sheet, column) for _, column in columns.counts]
    total, beside = sum(times), find(names, "count_of_battles")
    if beside is not None and (wrong := np.flatnonzero(_whole(sheet, beside) != total)).size:
        name, row = sheet.header[beside], int(wrong[0])
        raise InputError(
            f"{sheet.place(row)}column {name!r} is not the total of its row's wins and ties. Where rows "
            f"stand for several, multiply the wins; else use {ignoring(name)}"
        )
    rows = np.concatenate([np.repeat(np.arange(sheet.rows), of) for of in times])
    return rows, np.repeat([y for y, _ in columns.counts], [int(of.sum()) for of in times])


def _whole(sheet: Sheet, column: int) -> NDArray[np.intp]:
    """A column of counts; an empty cell is none."""
    numbers = np.nan_to_num(sheet.numbers([column])[:, 0])
    wrong = np.flatnonzero((numbers < 0) | (numbers % 1 != 0))
    if len(wrong):
        row = int(wrong[0])
        raise InputError(
            f"{sheet.place(row)}column {sheet.header[column]!r} holds {numbers[row]:g}, which is no "
            "number of battles; write whole numbers, or call weights weight"
        )
    if numbers.sum() > MOST_BATTLES:
        raise InputError(
            f"{sheet.place()}{numbers.sum():,.0f} battles, and {MOST_BATTLES:,} are the most; divide all "
            "counts by one number"
        )
    return numbers.astype(np.intp)


def _weights(sheet: Sheet, names: Sequence[str]) -> NDArray[np.float64] | None:
    """What each battle counts."""
    column = find(names, "weight_of_battle")
    if column is None:
        return None
    found = sheet.numbers([column])[:, 0]
    if (wrong := np.flatnonzero(~(found > 0))).size:
        raise InputError(
            f"{sheet.place(int(wrong[0]))}a battle needs a weight above 0; leave the row out, or the "
            f"weights: {ignoring(sheet.header[column])}"
        )
    return found


def _copies(sheet: Sheet, names: Sequence[str], fixed: Sequence[int]) -> list[Note]:
    """A warning on battles that equal another in every column, where some column has a value per battle."""
    others = [c for c, name in enumerate(names) if name and c not in fixed]
    left, groups = np.arange(sheet.rows), np.zeros(sheet.rows, dtype=np.intp)
    for c in (*others, *fixed):
        groups = numbered(joint(groups, sheet.columns[c].codes[left]))[1]
        again = np.bincount(groups)[groups] > 1
        left, groups = left[again], groups[again]
    copied = np.ones(len(left), dtype=bool)
    copied[np.unique(groups, return_index=True)[1]] = False
    copies = int(copied.sum())
    if not copies or not any(2 * len(sheet.columns[c].levels) >= sheet.rows - copies for c in others):
        return []
    row = sheet.place(int(left[copied].min())).rstrip(": ")
    return [Note("battles-copied", {"copies": copies, "of": sheet.rows, "row": row})]


def _units(
    sheet: Sheet, options: Options, names: Sequence[str], kinds: NDArray[np.intp], counted: bool
) -> tuple[dict[str, Any], list[str], list[Note], int | None]:
    """Units and voters of battles, as far as columns tell: what battles keep, names, notes, the column."""
    own, header = options.cluster or options.topic_column, sheet.header
    if own is not None and own not in header:
        raise InputError(f"{sheet.place()}there is no column {own!r}; the columns are {few(header, 12)}")
    topics = [names.index(name) for name in _PROMPT if name in names] if own is None else [header.index(own)]
    judge = find(["" if c in topics else name for c, name in enumerate(names)], "voter")

    def size(column: int) -> int:
        return len(sheet.columns[column].levels)

    # The coarsest of several names of prompts is it: ids may count battles.
    column, unique, notes = min(topics, key=size, default=None), "", list[Note]()
    unit = "voter" if own is not None and snake_case([own])[0] in NAMES["voter"] else "prompt"
    if column is not None and (counted or size(column) in (1, sheet.rows)):
        unique = header[topics[0]] if size(column) > 1 and not counted else ""
        column = None
    if judge is not None and 1 < size(judge) < FEWEST_VOTERS and not counted:
        notes.append(Note("few-voters", {"voters": size(judge), "column": header[judge]}))
    if judge is not None and (counted or size(judge) < FEWEST_VOTERS or size(judge) == sheet.rows):
        judge = None
    if column is None:
        notes.append(Note("no-prompts", {"counted": counted, "unique": unique, "voters": judge is not None}))
        unit, column, judge = "battle" if judge is None else "voter", judge, None
    if column is None:
        groups = np.argsort(np.argsort(kinds, kind="stable"), kind="stable")
        of_units: _Groups = groups, [f"battle {k + 1}" for k in range(sheet.rows)]
    else:
        of_units = _alphabetical(sheet.columns[column])
    clusters, unit_names = dealt(*of_units)
    several = len(of_units[1]) if len(of_units[1]) > MOST_UNITS else 0
    if several:
        facts = {"number": several, "dealt": unit, "groups": len(unit_names)}
        notes.append(Note("dealt-to-groups", facts, "info"))
    units: dict[str, Any] = {"clusters": clusters, "unit": unit, "dealt": several}
    if judge is not None:
        units["voters"], voters = dealt(*_alphabetical(sheet.columns[judge]))
        units |= {"voter_names": tuple(voters), "voter_column": header[judge]}
    return units, unit_names, notes, column


def dealt(groups: NDArray[np.intp], names: Sequence[str]) -> _Groups:
    """Whole groups dealt to :data:`MOST_UNITS` larger ones by name, beyond so many."""
    names = [name or "(no name)" for name in names]
    if len(names) <= MOST_UNITS:
        return groups, names
    hashes = [crc32(name.encode("utf-8", "surrogatepass")) % MOST_UNITS for name in names]
    present, of_each = np.unique(hashes, return_inverse=True)
    members: list[list[str]] = [[] for _ in present]
    for name, group in zip(names, of_each.tolist(), strict=True):
        members[group].append(name)
    shown = [f"{of[0]} and {len(of) - 1} more" if len(of) > 1 else of[0] for of in members]
    return of_each[groups], shown


def shares(battles: Battles, m: int) -> NDArray[np.float64]:
    """Share of wins of each system on each unit, NaN where it had no battle."""
    groups = int(battles.clusters.max()) + 1
    a, b = battles.clusters * m + battles.first, battles.clusters * m + battles.second
    wins = np.bincount(a, battles.outcomes, groups * m) + np.bincount(b, 1 - battles.outcomes, groups * m)
    fought = np.bincount(a, minlength=groups * m) + np.bincount(b, minlength=groups * m)
    # Shares of wins are shown and never fitted, so that weights do not matter to them.
    found = np.divide(wins, fought, out=np.full(groups * m, np.nan), where=fought > 0)
    return np.asarray(found.reshape(groups, m))


def _on_systems(systems: Sequence[str], a: NDArray[np.intp], b: NDArray[np.intp]) -> list[Note]:
    """A warning on systems with few battles, and a note where one is in all: no strengths are needed then."""
    counts, notes = np.bincount(np.concatenate([a, b]), minlength=len(systems)), []
    if rare := [systems[s] for s in np.flatnonzero(counts < FEW_BATTLES).tolist()]:
        facts = {"fewest": FEW_BATTLES, "leave": len(systems) - len(rare) > 2}
        notes.append(Note("few-battles", facts, systems=tuple(rare)))
    everywhere = np.flatnonzero(counts == len(a))
    if len(systems) > 2 and len(everywhere):
        notes.append(Note("offered", {"case": "scores"}, systems=(systems[int(everywhere[0])],)))
    return notes


# Covariates: how the two answers differ, by the numbers in columns


def _covariates(sheet: Sheet, wanted: Sequence[str]) -> tuple[Covariates, Note]:
    """The wanted covariates of the battles; position needs no column."""
    names, found, relative, read = list(dict.fromkeys(wanted)), [], [], []
    for name in names:
        columns = _columns(sheet, name)
        values = sheet.numbers(columns).T if columns else np.ones((1, sheet.rows))
        if (wrong := np.argwhere(np.isnan(values))).size:
            at, row = wrong[0].tolist()
            raise InputError(
                f"{sheet.place(row)}column {sheet.header[columns[at]]!r} has no number; fill it, or leave "
                "the row out"
            )
        # Amounts, which are never negative, are compared by their share of both.
        relative.append(len(values) == 2 and bool((values >= 0).all()))
        difference = values[0] - values[1] if len(values) == 2 else values[0]
        total = values.sum(axis=0) if relative[-1] else np.ones(sheet.rows)
        found.append(np.divide(difference, total, out=np.zeros(sheet.rows), where=total > 0))
        source = " and ".join(repr(sheet.header[c]) for c in columns) or "the order of the two columns"
        read.append([[name], source])
    if flat := [repr(name) for name, values in zip(names, found, strict=True) if not values.any()]:
        raise InputError(
            f"{sheet.place()}{listed(flat)} is the same in both answers of every "
            f"battle, so nothing shows what it is worth. Leave it out of {setting('covariates')}"
        )
    note = Note("reading", {"case": "covariates", "read": read}, "info")
    return Covariates(np.stack(found, axis=1), tuple(names), tuple(relative)), note


_SIDES = (("a", "b"), ("1", "2"))
_WAYS = ("{name}_{side}", "{side}_{name}", "model_{side}_{name}", "{name}_model_{side}")
"""How columns of both answers are called: ``length_a``, ``a_length`` …"""


def _columns(sheet: Sheet, name: str) -> tuple[int, ...]:
    """The columns of a covariate: two, one of differences, or none for the position."""
    names, (plain,) = snake_case(sheet.header), snake_case([name])
    for way, sides in product(_WAYS, _SIDES):
        first, second = (way.format(name=plain, side=side) for side in sides)
        if first in names and second in names:
            return names.index(first), names.index(second)
    if name in sheet.header:
        words = plain.split("_")
        for one, two in (*_SIDES, *(sides[::-1] for sides in _SIDES)):
            other = "_".join(two if word == one else word for word in words)
            if other != plain and other in names:
                both = "_".join(word for word in words if word not in (one, "model"))
                raise InputError(
                    f"{sheet.place()}{name!r} is of one answer only. Use {setting('covariates', both)} for "
                    f"{name!r} and {sheet.header[names.index(other)]!r} together"
                )
        return (sheet.header.index(name),)
    if name == POSITION:
        return ()
    raise InputError(
        f"{sheet.place()}no columns hold the covariate {name!r}. Give numbers as {name}_a and {name}_b, or "
        f"one column {name} of differences. The columns are {few(sheet.header, 12)}"
    )
