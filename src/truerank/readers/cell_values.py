"""Columns of cells: each different text once, and what it says: a number, a word that counts as one …"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank.readers.measures import Short

Codes = NDArray[np.intp]
Vector = NDArray[np.float64]

MISSING_MARKS = frozenset(
    {"", "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "null", "none", "-", "--", "–", "—"}
)
"""Cells that say there is no value, in any case."""

MISSING, NUMBER, WORD, TEXT = range(4)
"""What a cell may say: no value, a number, a word that counts as a score, anything else."""

BLOCK = 1024
"""Rows that are parsed at once."""

_HEAD = 1024
"""Rows that often show that codes come again."""

TRUTH = Note("cells-read", {"case": "truth-values"}, "info")
PERCENT = Note("cells-read", {"case": "percentages"})
_PASSED = Note("cells-read", {"case": "verdicts"})
_GRADED = Note("cells-read", {"case": "grades"})
TRUTHS = {"true": 1.0, "false": 0.0}
VERDICTS = {
    **dict.fromkeys(("yes", "pass", "passed", "correct", "resolved", "success", "right"), 1.0),
    **dict.fromkeys(("no", "fail", "failed", "incorrect", "unresolved", "failure", "wrong"), 0.0),
}
LIKE_VERDICTS = frozenset(
    (
        "y",
        "n",
        "t",
        "f",
        "ja",
        "nein",
        "oui",
        "non",
        "si",
        "sí",
        "sì",
        "✓",
        "✗",
        "✔",
        "✘",
        "✅",
        "❌",
        "☑",
        "☒",
        "✕",
        "✖",
        "×",
    )
)
"""Cells that say right or wrong to a reader, and are not counted: N may stand for none, as in n/a."""
_GRADES = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0}
_WORDS = {
    **{word: (value, TRUTH) for word, value in TRUTHS.items()},
    **{word: (value, _PASSED) for word, value in VERDICTS.items()},
    **{word: (value, _GRADED) for word, value in _GRADES.items()},
}
"""What a cell may say in place of a number, and the note that says how it is read."""

_MINUS = Note("cells-read", {"case": "minus-signs"}, "info")

_LIKE_A_NUMBER = Short(r"['=$€£¥(+-]*[.,]?\d[\d.,_ ]*\S{0,6}( [.\d]+)*|[+-]?inf\w*", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?\b.*")


def is_number(cell: str) -> bool:
    """Whether a cell holds a number; marks for missing values are not numbers."""
    if is_missing(cell):
        return False
    try:
        float(cell)
    except ValueError:
        return False
    return (
        "_" not in cell and cell.strip().isascii()
    )  # Python alone reads 1_000, or Arabic digits, as a number


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.strip().casefold() in MISSING_MARKS


def word_value(cell: str) -> tuple[float, Note] | None:
    """The value of a cell that is not a number, with a note: a truth value, a grade, a percentage …"""
    text = cell.strip().casefold()
    if text.startswith("−") and is_number(text[1:]):
        return -float(text[1:]), _MINUS
    if text.endswith("%") and is_number(text[:-1].strip()):
        return float(text[:-1]) / 100, PERCENT
    if text in _WORDS:
        return _WORDS[text]
    if text.startswith(("[pass] ", "[fail] ")):  # before an answer, as promptfoo exports it
        return float(text.startswith("[pass]")), _PASSED
    return None


class Places(defaultdict[Any, int]):
    """Numbers for names, in the order in which they first come."""

    def __init__(self) -> None:
        super().__init__(count().__next__)

    def codes(self, names: Sequence[Any]) -> Codes:
        """The number of each name."""
        return np.fromiter(map(self.__getitem__, names), dtype=np.intp, count=len(names))


class Column:
    """The cells of one column, each different text once, and what they hold."""

    def __init__(self, codes: Codes, levels: Sequence[str]) -> None:
        """Number the N cells; `levels` are the different texts in the order in which they first come."""
        self.codes, self.levels = codes, levels

    @classmethod
    def of(cls, cells: Iterable[str]) -> Column:
        """The column with these cells."""
        places = Places()
        codes = places.codes(list(cells))
        return cls(codes, list(places))

    @classmethod
    def counting(cls, rows: int) -> Column:
        """The numbers of rows, from 1 on."""
        return cls(np.arange(rows), [str(row + 1) for row in range(rows)])

    def emptied(self, words: Collection[str]) -> Column:
        """The column with empty cells for words in any case; itself where no cell holds one."""
        levels = ["" if level.strip().casefold() in words else level for level in self.levels]
        return self if levels == list(self.levels) else Column.of(np.array(levels, object)[self.codes])

    def some(self, rows: Codes) -> Column:
        """Some of the cells."""
        used, places = in_order(self.codes[rows], len(self.levels))
        return Column(places, [self.levels[k] for k in used.tolist()])

    @cached_property
    def _read(self) -> tuple[Vector, NDArray[np.int8]]:
        """The number of each level, NaN without one, and its kind."""
        levels = self.levels
        values = plain_numbers(levels)
        if values is not None:
            return values, np.full(len(levels), NUMBER, dtype=np.int8)
        values, kinds = np.full(len(levels), np.nan), np.full(len(levels), TEXT, dtype=np.int8)
        words = dict[int, tuple[float, Note]]()
        for k, cell in enumerate(levels):
            if is_missing(cell):
                kinds[k] = MISSING
            elif is_number(cell):
                values[k], kinds[k] = float(cell), NUMBER
            elif (word := word_value(cell)) is not None:
                words[k] = word
        numbers = values[kinds == NUMBER]
        for k, (value, note) in words.items():
            # A letter beside numbers is no grade, and a percent sign beside some above 1 a mistake.
            grade = len(levels[k].strip()) == 1 and len(numbers)
            if not grade and not (note == PERCENT and (numbers > 1).any()):
                values[k], kinds[k] = value, WORD
        return values, kinds

    @property
    def kinds(self) -> NDArray[np.int8]:
        """What each level says, as one of `MISSING`, `NUMBER`, `WORD` and `TEXT`."""
        return self._read[1]

    @property
    def numbers(self) -> Vector:
        """The different numbers, words that count as one left out."""
        values, kinds = self._read
        return values[kinds == NUMBER]

    @cached_property
    def held(self) -> frozenset[int]:
        """The kinds that occur among the cells."""
        return frozenset(self.kinds.tolist())

    @property
    def holds_scores(self) -> bool:
        """Whether some cell is a number, or all that are filled say what counts as one."""
        return NUMBER in self.held or (WORD in self.held and TEXT not in self.held)

    @property
    def holds_names(self) -> bool:
        """Whether some cell is filled, and none with a score."""
        return not self.holds_scores and TEXT in self.held

    @cached_property
    def holds_text(self) -> bool:
        """Whether there are names, none of which starts like a number that is written in an unknown way."""
        if not self.holds_names or self.score_words is not None:
            return False
        cells = [cell.strip() for cell in self.levels]
        return not any(_LIKE_A_NUMBER.fullmatch(cell) and not _DATE.fullmatch(cell) for cell in cells)

    @cached_property
    def holds_fractions(self) -> bool:
        """Whether some number is not whole: scores have fractions, names and years have none."""
        with np.errstate(invalid="ignore"):
            return bool((self.numbers % 1 != 0).any())

    @property
    def counts_up(self) -> bool:
        """Whether the numbers are whole, and not all 0 or 1."""
        return not self.holds_fractions and not np.isin(self.numbers, (0.0, 1.0)).all()

    @property
    def texts(self) -> list[str]:
        """The different cells that say no score."""
        return [self.levels[k].strip() for k in np.flatnonzero(self.kinds == TEXT).tolist()]

    @property
    def says_verdicts(self) -> bool:
        """Whether all texts say right or wrong to a reader, by words that are not counted."""
        return TEXT in self.held and {cell.casefold() for cell in self.texts} <= LIKE_VERDICTS

    @property
    def mostly_scores(self) -> bool:
        """Whether fewer than half of the cells are texts."""
        texts = np.isin(self.codes, np.flatnonzero(self.kinds == TEXT))
        return 2 * int(texts.sum()) < len(texts)

    @property
    def word_notes(self) -> list[Note]:
        """How words are read as scores."""
        if WORD not in self.held:
            return []
        words = (word_value(self.levels[k]) for k in np.flatnonzero(self.kinds == WORD).tolist())
        return [word[1] for word in words if word is not None]

    @property
    def unread(self) -> int | None:
        """The first row whose cell is neither a finite score nor empty."""
        bad = np.isinf(self.values())
        if TEXT in self.held:
            bad = np.isin(self.codes, np.flatnonzero(self.kinds == TEXT))
        return int(np.argmax(bad)) if bad.any() else None

    @property
    def score_words(self) -> str | None:
        """The words that count as scores where most cells are such, for a message; else None."""
        if WORD not in self.held:
            return None
        times = np.bincount(self.codes, minlength=len(self.levels))
        words: Counter[str] = Counter()
        for k in np.flatnonzero(self.kinds == WORD).tolist():
            if (cell := self.levels[k].strip()).casefold() in (TRUTHS | VERDICTS):
                words[cell] += int(times[k])
        if 2 * words.total() <= times[self.kinds != MISSING].sum():
            return None
        return " and ".join(word for word, _ in words.most_common(2))

    def values(self, rows: Codes | None = None) -> Vector:
        """The number of each row, or of some rows; NaN where there is none."""
        return self._read[0][self.codes if rows is None else self.codes[rows]]

    def cells(self, rows: Codes | None = None) -> list[str]:
        """The text of all rows, or of some."""
        levels = np.empty(len(self.levels), dtype=object)
        levels[:] = self.levels
        found: list[str] = levels[self.codes if rows is None else self.codes[rows]].tolist()
        return found


class NumberColumn(Column):
    """A column of numbers, most of them different: their texts are looked up only where they are names."""

    def __init__(self, values: Vector, named: Callable[[], Column]) -> None:
        """Take N numbers, NaN where one is missing; `named` makes the column of their texts."""
        self._values, self._named = values, named

    @cached_property
    def _texts(self) -> Column:
        return self._named()

    @property
    def codes(self) -> Codes:  # type: ignore[override]
        """N, the level of each row."""
        return self._texts.codes

    @property
    def levels(self) -> Sequence[str]:  # type: ignore[override]
        """The different texts, in the order in which they first come."""
        return self._texts.levels

    @cached_property
    def numbers(self) -> Vector:
        """The numbers."""
        return self._values[~np.isnan(self._values)]

    @cached_property
    def held(self) -> frozenset[int]:
        """The kinds that occur among the cells."""
        missing = np.isnan(self._values)
        there = ((MISSING, missing.any()), (NUMBER, not missing.all()))
        return frozenset(kind for kind, some in there if some)

    def emptied(self, words: Collection[str]) -> Column:
        """Itself: no cell holds a word."""
        return self

    def some(self, rows: Codes) -> Column:
        """Some of the cells."""
        return NumberColumn(self._values[rows], lambda: self._texts.some(rows))

    def values(self, rows: Codes | None = None) -> Vector:
        """The number of each row, or of some rows."""
        return self._values if rows is None else self._values[rows]


def plain_numbers(cells: Sequence[str]) -> Vector | None:
    """The cells as finite numbers; None where one says anything else."""
    try:
        values = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
    except ValueError:
        return None
    text = "".join(cells)
    return values if np.isfinite(values).all() and "_" not in text and text.isascii() else None


def in_order(codes: Codes, size: int) -> tuple[Codes, Codes]:
    """The codes below `size` that occur, in the order in which they come, and their places as new codes."""
    if size > 4 * len(codes) + 1024:
        there, compact = np.unique(codes, return_inverse=True)
        used, places = in_order(compact.reshape(-1), len(there))
        return there[used], places
    first = np.full(size, len(codes), dtype=np.intp)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    there = np.flatnonzero(first < len(codes))
    used = there[np.argsort(first[there], kind="stable")]
    if len(used) == size and (used[1:] > used[:-1]).all():
        return used, codes
    place = np.zeros(size, dtype=np.intp)
    place[used] = np.arange(len(used))
    return used, place[codes]


def first_rows(codes: Codes) -> Codes:
    """The first row of each code, which are counted from 0 on."""
    found = np.zeros(int(codes.max(initial=-1)) + 1, dtype=np.intp)
    found[codes[::-1]] = np.arange(len(codes))[::-1]
    return found


def joint(codes: Codes, *others: Codes) -> Codes:
    """One code for each combination of codes."""
    for other in others:
        size = int(other.max(initial=0)) + 1
        if (int(codes.max(initial=0)) + 1) * size >= 1 << 62:
            codes = np.unique(codes, return_inverse=True)[1].reshape(-1)
        codes = codes * size + other
    return codes


def different(codes: Codes) -> int:
    """How many different codes there are."""
    top = int(codes.max(initial=0)) + 1
    if top <= 4 * len(codes) + 1024:
        there = np.zeros(top, dtype=bool)
        there[codes] = True
        return int(np.count_nonzero(there))
    return len(np.unique(codes))


def crossed(keys: Codes, codes: Codes) -> bool:
    """Whether each of several keys comes equally often with each of several codes."""
    alone, levels = different(keys), different(codes)
    times = np.unique(joint(keys, codes), return_counts=True)[1]
    return min(alone, levels) > 1 and len(times) == levels * alone and bool((times == times[0]).all())


def all_differ(codes: Codes) -> bool:
    """Whether no code comes twice; a look at the first rows is often enough."""
    head = codes[:_HEAD]
    return different(head) == len(head) and (len(head) == len(codes) or different(codes) == len(codes))


def first_repeat(codes: Codes) -> tuple[int, int]:
    """The first row whose code was there before, and the row that had it."""
    order = np.argsort(codes, kind="stable")
    again = np.flatnonzero(np.diff(codes[order]) == 0) + 1
    row = int(order[again].min())
    return row, int(np.argmax(codes == codes[row]))
