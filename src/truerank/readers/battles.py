"""Battles: tables of two systems a row and who won, as arenas and side-by-side judgments have them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import count, few
from truerank.battles import POSITION, Battles, numbered
from truerank.errors import InputError
from truerank.readers.cell_values import TEXT, Places, different, is_missing, is_number, joint
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
    if pair is None:
        return None
    if any(map(is_number, sheet.names(pair[0])[:100])) and not _holds_ids(sheet, pair):
        return None
    found = _outcome_beside(names, pair)
    counts = _counts(names) if found is None else ()
    return BattleColumns(*pair, found, counts) if counts or found is not None else None


def _outcome_beside(names: Sequence[str], pair: tuple[int, int]) -> int | None:
    """The column that says who won, by its name."""
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
_WON = ("winner", "chosen")


def refuse_unread(sheet: Sheet) -> None:
    """Refuse battles in columns that do not say who won, or are called otherwise."""
    names = snake_case(sheet.header)
    pairs = [(a, b) for a, b in _UNREAD if a in names and b in names]
    found = [
        pair
        for a, b in pairs
        if _outcome_beside(names, pair := (names.index(a), names.index(b))) is not None or a in _WON
    ]
    for pair in (*_pairs(names), *found):
        won = names[pair[0]] in _WON and _holds_ids(sheet, pair)
        if won or all(sheet.columns[side].holds_names for side in pair):
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
    sides = _sides(sheet, columns)
    rows, y, left_out = _outcomes(sheet, columns, sides, options.lower_is_better)
    if not len(rows):
        named = sheet.header[columns.results[0]]
        raise InputError(f"{sheet.place()}no battle has an outcome; fill column {named!r}")
    notes = [Note("parts-left-out", {"case": "battles", "battles": left_out})] if left_out else []
    notes += [] if columns.counts else _copies(sheet, columns, options, rows)
    rows, y, weights = _weighed(sheet, columns, options, rows, y)
    if options.min_battles is not None:
        kept, gone = _often(sheet, sides, rows, options.min_battles)
        rows, y, weights = rows[kept], y[kept], weights if weights is None else weights[kept]
        notes += gone
    both, systems = _alphabetical(sides[1], sides[0][:, rows].ravel())
    a, b = np.split(both, 2)
    notes += _on_systems(systems, a, b)
    covariates, pair = None, (columns.first, columns.second)
    if options.covariates:
        from truerank.readers.covariates import covariates_of

        covariates, note = covariates_of(sheet, options.covariates, rows)
        notes.append(note)
    elif place := next((c for c in _names(sheet, options) if c.partition("_")[0] == POSITION), ""):
        notes.append(Note("offered", {"case": "position", "column": place}, "info"))
    # Where a row stands for several battles, nothing tells their prompts.
    counted = bool(columns.counts) and len(np.unique(rows)) < len(rows)
    units, names, said_of_units, where = _units(sheet, options, rows, _kinds(a, b, y, len(systems)), counted)
    battles = Battles.build(a, b, y, **units, weights=weights, covariates=covariates)
    reading = Reading(
        "the rows" if where is None else called(sheet.header[where]),
        " and ".join(called(sheet.header[c]) for c in pair),
        " and ".join(called(sheet.header[c]) for c in columns.results),
    )
    values, measure = shares(battles, len(systems)), options.measure or ""
    found = ScoreMatrix.build(
        values,
        names,
        systems,
        measure,
        sheet.source,
        [*notes, *said_of_units],
        holes=True,
        noun=battles.unit,
        origin=Origin(sheet.place()),
    )
    return replace(found, battles=battles, reading=reading)


def _often(
    sheet: Sheet, sides: _Groups, rows: NDArray[np.intp], fewest: int
) -> tuple[NDArray[np.intp], list[Note]]:
    """The battles among systems that have so many, until none is left that has fewer; and a note."""
    pairs, names = sides[0][:, rows], sides[1]
    kept, here = np.ones(len(names), dtype=bool), np.ones(len(rows), dtype=bool)
    there = np.bincount(pairs.ravel(), minlength=len(names)) > 0
    while (rare := kept & there & (np.bincount(pairs[:, here].ravel(), minlength=len(names)) < fewest)).any():
        kept &= ~rare
        here &= kept[pairs].all(axis=0)
    if not here.any():
        raise InputError(
            f"{sheet.place()}no two systems have {count(fewest, 'battle')} each among themselves; ask for "
            f"fewer with {setting('min_battles')}"
        )
    gone = sorted(name for name, stays in zip(names, kept.tolist(), strict=True) if not stays)
    facts = {"case": "few-battles", "fewest_battles": fewest, "battles": int(np.sum(~here))}
    return np.flatnonzero(here), [Note("systems-left-out", facts, systems=tuple(gone))] if gone else []


_Groups = tuple[NDArray[np.intp], list[str]]
"""The group of each battle, and their names."""


def _sides(sheet: Sheet, columns: BattleColumns) -> _Groups:
    """The place of both systems of each row (2 × N) among all names, which have no blanks around."""
    places, sides = Places(), []
    for column in (sheet.columns[c] for c in (columns.first, columns.second)):
        sides.append(places.codes([name.strip() for name in column.levels])[column.codes])
    return np.stack(sides), list(places)


def _check_sides(sheet: Sheet, sides: _Groups, rows: NDArray[np.intp]) -> None:
    """Refuse the first of some rows that names no pair of systems."""
    pairs, names = sides
    (one, other), unnamed = pairs[:, rows], np.array([not name for name in names], dtype=np.bool_)
    wrong = np.flatnonzero((one == other) | unnamed[one] | unnamed[other])[:1]
    for row in rows[wrong].tolist():
        a, b = (names[k] for k in pairs[:, row].tolist())
        if not a or not b:
            raise InputError(f"{sheet.place(row)}a battle without the name of a system; name both")
        raise InputError(f"{sheet.place(row)}a battle of {a!r} with itself; leave the row out")


def _alphabetical(names: Sequence[str], codes: NDArray[np.intp]) -> _Groups:
    """The place of each cell's name among those that occur, in alphabetical order, and these names."""
    used = np.flatnonzero(np.bincount(codes, minlength=len(names))).tolist()
    found = sorted({names[k] for k in used})
    order = {name: k for k, name in enumerate(found)}
    place = np.zeros(len(names), dtype=np.intp)
    place[used] = [order[names[k]] for k in used]
    return place[codes], found


def _outcomes(
    sheet: Sheet, columns: BattleColumns, sides: _Groups, lower: bool | None
) -> tuple[NDArray[np.intp], NDArray[np.float64], int]:
    """The rows of the battles, their outcomes, and how many rows had none; `lower` is whether 0 is a win."""
    headers = sheet.header[columns.first], sheet.header[columns.second]
    if lower is None:
        _refuse_sides(sheet, columns, set(sides[1]))
    elif columns.outcome is None or TEXT in sheet.columns[columns.outcome].held:
        raise InputError(
            f"{sheet.place()}these are battles, and no column of 0 and 1 says who won; leave "
            f"{setting('lower_is_better', lower)} out"
        )
    if columns.counts:
        held = [(y, _whole(sheet, column)) for y, column in columns.counts]
        _check_sides(sheet, sides, np.arange(sheet.rows))
        rows = np.concatenate([np.repeat(np.arange(sheet.rows), times) for _, times in held])
        return rows, np.concatenate([np.full(int(times.sum()), y) for y, times in held]), 0
    assert columns.outcome is not None
    column = sheet.columns[columns.outcome]
    texts, names = column.levels, sides[1]
    none = [is_missing(text) or text.strip().casefold() == "error" for text in texts]
    rows = np.flatnonzero(~np.array(none, dtype=np.bool_)[column.codes])
    # What each different text says by itself, and whether it is the name of one of the two.
    won = [None if no else outcome(text, "", "", *headers) for text, no in zip(texts, none, strict=True)]
    named = np.array([names.index(t) if (t := text.strip()) in names else -1 for text in texts])
    codes = column.codes[rows]
    y = np.array([np.nan if one is None else one for one in won], dtype=np.float64)[codes]
    if (named >= 0).any():
        for winner, value in ((1, 0.0), (0, 1.0)):
            y[named[codes] == sides[0][winner, rows]] = value
    unread = np.flatnonzero(np.isnan(y))[:1]
    _check_sides(sheet, sides, rows[: unread[0] + 1] if len(unread) else rows)
    if len(unread):
        row = int(rows[unread[0]])
        raise InputError(
            f"{sheet.place(row)}{texts[column.codes[row]]!r} does not say who won; write {headers[0]}, "
            f"{headers[1]} or tie, or 1, 0 or 0.5 for the first"
        )
    if lower:
        y = 1 - y
    return rows, y, sheet.rows - len(rows)


def _refuse_sides(sheet: Sheet, columns: BattleColumns, systems: set[str]) -> None:
    """Refuse a winner of 0 or 1: the first and the second, or the second and the first."""
    if columns.outcome is None:
        return
    name, cells = (
        sheet.header[columns.outcome],
        {one.strip() for one in sheet.columns[columns.outcome].levels},
    )
    if plain(name) not in ("outcome", "result", "y") and "0" in cells <= {"", "0", "1"} - systems:
        up, down = (setting("lower_is_better", way) for way in (False, True))
        raise InputError(
            f"{sheet.place()}column {name!r} holds 0 and 1, and nothing says which side is which. Use "
            f"{up} if 1 says that {sheet.header[columns.first]} won, or {down} if 0 does"
        )


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


def _weighed(
    sheet: Sheet, columns: BattleColumns, options: Options, rows: NDArray[np.intp], y: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64] | None]:
    """Rows that stand for several battles repeated, and what each battle counts."""
    names = _names(sheet, options)
    repeated = find(names, "count_of_battles")
    if repeated is not None and columns.counts:
        # The count of a row that has its wins is their total, and no second count.
        total = np.bincount(rows, minlength=sheet.rows)
        if (wrong := np.flatnonzero(_whole(sheet, repeated) != total)).size:
            name, row = sheet.header[repeated], int(wrong[0])
            raise InputError(
                f"{sheet.place(row)}column {name!r} is not the total of its row's wins and ties, which is "
                f"{total[row]}. Where rows stand for several, multiply the wins; else use {ignoring(name)}"
            )
    elif repeated is not None:
        times = _whole(sheet, repeated)[rows]
        rows, y = np.repeat(rows, times), np.repeat(y, times)
    weighed = find(names, "weight_of_battle")
    if weighed is None:
        return rows, y, None
    found = sheet.numbers([weighed])[:, 0][rows]
    wrong = np.flatnonzero(~(found > 0))
    if len(wrong):
        raise InputError(
            f"{sheet.place(int(rows[wrong[0]]))}a battle needs a weight above 0; leave the row out, or the "
            f"weights: {ignoring(sheet.header[weighed])}"
        )
    return rows, y, found


def _names(sheet: Sheet, options: Options) -> list[str]:
    """The names of the columns for comparing; none of those that are left out."""
    ignored = set(snake_case(options.ignore_columns))
    return ["" if name in ignored else name for name in snake_case(sheet.header)]


def _copies(sheet: Sheet, columns: BattleColumns, options: Options, rows: NDArray[np.intp]) -> list[Note]:
    """A warning on battles that equal another in every column, where some column has a value per battle."""
    names = _names(sheet, options)
    fixed = (columns.first, columns.second, *columns.results)
    others = [c for c, name in enumerate(names) if name and c not in fixed]
    left, groups = rows, np.zeros(len(rows), dtype=np.intp)
    for c in dict.fromkeys([*others, *fixed]):
        groups = numbered(joint(groups, sheet.columns[c].codes[left]))[1]
        again = np.bincount(groups)[groups] > 1
        left, groups = left[again], groups[again]
    copied = np.ones(len(left), dtype=bool)
    copied[np.unique(groups, return_index=True)[1]] = False
    copies = int(copied.sum())
    if not any(
        2 * different(sheet.columns[c].codes[rows]) >= len(rows) - copies > 0 for c in others if copies
    ):
        return []
    row = sheet.place(int(left[copied].min())).rstrip(": ")
    return [Note("battles-copied", {"copies": copies, "of": len(rows), "row": row})]


def _units(
    sheet: Sheet, options: Options, rows: NDArray[np.intp], kinds: NDArray[np.intp], counted: bool
) -> tuple[dict[str, Any], list[str], list[Note], int | None]:
    """Units and voters of battles, as far as columns tell: what battles keep, names, notes, the column."""
    names, notes = _names(sheet, options), list[Note]()
    own = options.cluster or options.topic_column
    if own is not None and own not in sheet.header:
        raise InputError(
            f"{sheet.place()}there is no column {own!r}; the columns are {few(sheet.header, 12)}"
        )
    topics = [names.index(name) for name in _PROMPT if name in names]
    if own is not None:
        topics = [sheet.header.index(own)]
    # The coarsest of several names of prompts is it: ids may count battles.
    coarsest = min(((_numbered(sheet, c, rows), c) for c in topics), key=lambda x: len(x[0][1]), default=None)
    prompts, column = coarsest or (None, None)
    by_voter = own is not None and snake_case([own])[0] in NAMES["voter"]
    unique = ""
    if prompts is not None and (counted or len(prompts[1]) in (1, len(rows))):
        unique = sheet.header[topics[0]] if len(prompts[1]) > 1 and not counted else ""
        prompts = None
    judge = find(["" if c in topics else name for c, name in enumerate(names)], "voter")
    voters = None if judge is None or counted else _numbered(sheet, judge, rows)
    if judge is not None and voters is not None:
        number = len(voters[1])
        if 1 < number < FEWEST_VOTERS:
            notes.append(Note("few-voters", {"voters": number, "column": sheet.header[judge]}))
        if number == len(rows) or number < FEWEST_VOTERS:
            voters = None
    unit = "voter" if by_voter and prompts is not None else "prompt"
    if prompts is None and voters is not None:
        prompts, column, voters, unit = voters, judge, None, "voter"
        notes.append(Note("no-prompts", {"counted": counted, "unique": unique, "voters": True}))
    if prompts is None:
        unit, column = "battle", None
        places = np.argsort(np.argsort(kinds, kind="stable"), kind="stable")
        prompts = places, [f"battle {k + 1}" for k in range(len(places))]
        notes.append(Note("no-prompts", {"counted": counted, "unique": unique, "voters": False}))
    several = len(prompts[1]) if len(prompts[1]) > MOST_UNITS else 0
    clusters, group_names = dealt(*prompts)
    if several:
        facts = {"number": several, "dealt": unit, "groups": len(group_names)}
        notes.append(Note("dealt-to-groups", facts, "info"))
    units: dict[str, Any] = {"clusters": clusters, "unit": unit, "dealt": several}
    if judge is not None and voters is not None:
        units["voters"], names_of_voters = dealt(*voters)
        units["voter_names"] = tuple(names_of_voters)
        units["voter_column"] = sheet.header[judge]
    return units, group_names, notes, column


def _numbered(sheet: Sheet, column: int, rows: NDArray[np.intp]) -> _Groups:
    """The names of a column numbered in alphabetical order, whatever order the rows have."""
    return _alphabetical(sheet.columns[column].levels, sheet.columns[column].codes[rows])


def dealt(groups: NDArray[np.intp], names: Sequence[str]) -> _Groups:
    """Whole groups dealt to :data:`MOST_UNITS` larger ones by name, beyond so many."""
    if len(names) <= MOST_UNITS:
        present, found = numbered(groups)
        return found, [names[k] or "(no name)" for k in present.tolist()]
    hashes = np.array([crc32(name.encode("utf-8", "surrogatepass")) for name in names]) % MOST_UNITS
    present, found = numbered(hashes[groups])
    members: dict[int, list[str]] = {}
    for k in np.flatnonzero(np.bincount(groups)).tolist():
        members.setdefault(int(hashes[k]), []).append(names[k] or "(no name)")
    groups_of = [members[k] for k in present.tolist()]
    return found, [f"{of[0]} and {len(of) - 1} more" if len(of) > 1 else of[0] for of in groups_of]


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
