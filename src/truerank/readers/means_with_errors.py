"""Tables of means with standard errors, one row per system, where no topics are left to pair systems by."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from truerank._support.arguments import setting
from truerank._support.types import Vector, frozen
from truerank._support.wording import few
from truerank.errors import InputError, unknown_name
from truerank.readers.checks import higher_is_better
from truerank.readers.formats.source import Source
from truerank.readers.measures import Short
from truerank.readers.options import ReadOptions
from truerank.readers.roles import plain
from truerank.readers.sheets import Sheet
from truerank.scores import ScoreMatrix

_ERROR = Short(r"(?:(.+?)[_.]*)?\(?(?:se|sem|stderr|std_err|standard_error|std_error)\)?")
_MEANS = frozenset({"mean", "score", "value", "average", "avg"})
"""Names of a column of means that name no measure."""

_APART = re.compile(r'[,;\t"|]+')
_TAKEN = frozenset({"measure", "missing", "lower_is_better", "direction"})


@dataclass(frozen=True, eq=False)
class Means:
    """Means of systems with their standard errors.

    Attributes:
        scores: the means, as one row; higher is better.
        errors: m, the standard errors.
    """

    scores: ScoreMatrix
    errors: Vector


def read_means(path: str, options: ReadOptions) -> Means | None:
    """Means and standard errors of a table with one row per system; None where it is another table."""
    source, usual = Source(path), ReadOptions()
    given = {name for name in vars(usual) if getattr(options, name) != getattr(usual, name)}
    if given - _TAKEN or not source.on_disk or source.is_folder or source.content != "text":
        return None
    if not any(_ERROR.fullmatch(plain(name)) for name in _APART.split(source.first_line)):
        return None
    sheet = source.sheet
    system = sheet.find("system")
    if system is None or sheet.find("topic", "data_set", "task", "run") is not None:
        return None
    pairs = means_and_errors(sheet, system)
    systems = [name.strip() for name in sheet.names(system)]
    if not pairs or len(set(systems)) < len(systems):
        return None
    mean, error = _chosen(sheet, pairs, options.measure)
    measure = sheet.header[mean].strip()
    if plain(measure) in _MEANS:
        measure = options.measure or ""
    means, errors = sheet.numbers([mean, error]).T
    for row, name in enumerate(systems):
        for column, values in ((mean, means), (error, errors)):
            if np.isnan(values[row]):
                raise InputError(
                    f"{sheet.place(row)}column {sheet.header[column]!r} is empty for {name!r}; "
                    "fill it in or remove the row"
                )
        if errors[row] <= 0:
            raise InputError(
                f"{sheet.place(row)}{errors[row]:g} is not a standard error of {name!r}; "
                "write a number above 0 or remove the row"
            )
    scores = ScoreMatrix(frozen(means[None]), ("mean",), tuple(systems), measure=measure, source=path)
    return Means(higher_is_better(scores, options.lower(measure)), frozen(errors))


def means_and_errors(sheet: Sheet, system: int) -> dict[int, int]:
    """The columns of standard errors by those of their means; empty where there are other columns of numbers.

    An error is called like its mean, as in `acc_stderr`, or stands alone beside a single mean.
    """
    bare = {c: plain(name) for c, name in enumerate(sheet.header) if c != system}
    found = {c: match[1] for c, name in bare.items() if (match := _ERROR.fullmatch(name))}
    means = [c for c in bare if c not in found]
    if len(means) == len(found) == 1 and None in found.values():
        return {means[0]: next(iter(found))}
    pairs = {c: e for c in means for e, stem in found.items() if stem == bare[c]}
    return pairs if len(pairs) == len(found) == len(means) else {}


def _chosen(sheet: Sheet, pairs: dict[int, int], measure: str | None) -> tuple[int, int]:
    names = {sheet.header[c].strip(): c for c in pairs}
    if measure in names:
        return names[measure], pairs[names[measure]]
    first = next(iter(names))
    if measure is not None and (len(pairs) > 1 or plain(first) not in _MEANS):
        raise unknown_name("measure", measure, list(names))
    if len(pairs) > 1:
        raise InputError(
            f"{sheet.place()}several measures: {few(list(names), 8)}; choose one, "
            f"such as {setting('measure', first)}"
        )
    return names[first], pairs[names[first]]
