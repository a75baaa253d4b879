"""What `trec_eval -q` prints, for one system or several one after the other; and `ir_measures -q`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from truerank._support.arguments import setting
from truerank.errors import InputError, UnknownNameError, at
from truerank.readers.cell_values import Places, is_missing, is_number
from truerank.readers.formats.format import declared
from truerank.readers.formats.source import Source
from truerank.readers.measures import known, pick_measure
from truerank.readers.names import choose_names, file_stem
from truerank.readers.options import Options
from truerank.readers.records import Records
from truerank.readers.roles import is_average, is_topic
from truerank.readers.sheets import not_a_number
from truerank.scores import ScoreMatrix

_SAMPLE = 50
_APART = (
    "With several systems in a file trec_eval has to print the runid of each (-q without -m, or -m runid). "
    "Else give each system a file of its own"
)
"""What to do about outputs of several systems that look like one."""


@dataclass
class _Output:
    """The scores of one system: measure → topic → (line, cell)."""

    source: str
    scores: dict[str, dict[str, tuple[int, str]]] = field(default_factory=dict)
    averaged: list[str] = field(default_factory=list)
    runid: str | None = None


def _recognizes(source: Source) -> bool:
    """Whether most of the first lines are `measure topic value` or `topic measure value`."""
    lines = [line for line in source.opening.lstrip()[:20_000].splitlines() if line.strip()][:_SAMPLE]
    fitting = [_is_score_line(_cells(line)) for line in lines]
    return bool(fitting) and fitting[0] and 2 * sum(fitting) > len(fitting)


def _cells(line: str) -> list[str]:
    """The columns of a line; names with blanks are separated by tabs."""
    cells = line.split()
    return [cell.strip() for cell in line.split("\t")] if len(cells) > 3 and line.count("\t") == 2 else cells


def _is_score_line(cells: list[str]) -> bool:
    if len(cells) != 3 or any(cell.endswith((",", ";")) for cell in cells) or is_topic(cells[0]):
        return False
    if "," in re.sub(r"\(.*\)", "", cells[0]):
        return False  # a line of a table with blanks in its names
    if cells[0] in ("runid", "relstring"):
        return True
    value = is_number(cells[2]) or is_missing(cells[2])
    return value and not (is_number(cells[0]) and is_number(cells[1]))


def read_treceval(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    """Scores of several systems from the outputs of `trec_eval -q`."""
    outputs = [output for source in sources for output in _parse(source.text, source.path)]
    measure = options.measure
    names = {name for output in outputs for name in output.scores}
    if names and all(re.fullmatch(r"\S+:\w+", name) for name in names):
        first = min(names)
        only = first.rpartition(":")[2]
        raise InputError(
            f"{at(outputs[0].source)}each line begins with a file's name ({first!r}), as of grep. Give "
            f"the files themselves, or the lines of each alone: grep ^{only} FILE"
        )
    columns = []
    name = None
    for output in outputs:
        spelled = _pick(output, measure)
        if name is not None and measure is None and spelled != name:
            raise InputError(
                f"{output.source}: measure {spelled!r}, but {outputs[0].source} has {name!r}; "
                f"choose one that all files have with {setting('measure')}"
            )
        name = name or spelled
        columns.append(_numbers(output, spelled))
    systems, notes = choose_names(
        [output.runid or file_stem(output.source) for output in outputs],
        [output.source for output in outputs],
        "runid",
    )
    topics = Places()
    places = [topics.codes(list(column)) for column in columns]
    source = outputs[0].source if len(sources) == 1 else None
    records = Records(
        np.array([value for column in columns for value in column.values()]),
        np.concatenate(places),
        np.repeat(np.arange(len(columns)), list(map(len, columns))),
        [("", topic) for topic in topics],
        systems,
        f"{outputs[0].source} …: " if len(sources) > 1 else f"{source}: ",
    )
    return records.table(
        records.pivot(),
        lambda _, s: f"{outputs[s].source}: ",
        name or "",
        source,
        notes,
        False,
    )


def _parse(text: str, source: str) -> list[_Output]:
    lines: list[tuple[int, list[str]]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        cells = _cells(line)
        if not cells:
            continue
        if len(cells) != 3:
            raise InputError(
                f"{at(source, number)}{len(cells)} columns where trec_eval prints three "
                "(measure, topic, value); run trec_eval -q again"
            )
        lines.append((number, cells))
    topic_first = _topic_first([cells for _, cells in lines])
    outputs = [_output(block, source, topic_first) for block in _blocks(lines)]
    if len(outputs) > 1:
        _check_runids(outputs)
    return outputs


_Lines = list[tuple[int, list[str]]]


def _blocks(lines: _Lines) -> list[_Lines]:
    """The lines of each system, where there are several `runid`.

    Where the first line is a `runid`, each of them starts a system; else a summary ends what is said of one.
    """
    if sum(cells[0] == "runid" for _, cells in lines) < 2:
        return [lines]
    headed = lines[0][1][0] == "runid"
    blocks: list[_Lines] = [[]]
    summed = False
    for number, cells in lines:
        summary = is_average(cells[1])
        starts = cells[0] == "runid" if headed else summed and not summary
        if starts and blocks[-1]:
            blocks.append([])
        summed = summary
        blocks[-1].append((number, cells))
    return blocks


def _check_runids(outputs: Sequence[_Output]) -> None:
    """Refuse several systems in one file without a name for each."""
    seen = set()
    for output in outputs:
        first = min(line for topics in output.scores.values() for line, _ in topics.values())
        where = at(output.source, first)
        if output.runid is None:
            raise InputError(
                f"{where}no runid in the output that starts here, though others in this file have one; "
                "give it a file of its own"
            )
        if output.runid in seen:
            raise InputError(
                f"{where}the output that starts here has the runid {output.runid!r}, as one above; "
                "change one, or give each a file of its own"
            )
        seen.add(output.runid)


def _output(lines: _Lines, source: str, topic_first: bool) -> _Output:
    output = _Output(source)
    averages: dict[tuple[str, str], int] = {}
    for number, (first, second, value) in lines:
        measure, topic = (second, first) if topic_first else (first, second)
        if measure == "runid":
            output.runid = value
        elif is_average(topic):
            first_line = averages.setdefault((measure, topic), number)
            if first_line != number:
                raise InputError(
                    f"{at(source, number)}{measure} of {topic!r} was already given on line {first_line}. "
                    f"{_APART}"
                )
            output.averaged.append(measure)
        else:
            topics = output.scores.setdefault(measure, {})
            if topic in topics:
                raise InputError(
                    f"{at(source, number)}{measure} of topic {topic!r} was already given on line "
                    f"{topics[topic][0]}. {_APART}"
                )
            topics[topic] = (number, value)
    if not output.scores:
        raise InputError(f"{source}: only averages over all topics; run trec_eval with -q")
    return output


def _topic_first(lines: Sequence[list[str]]) -> bool:
    """Whether the lines are ir_measures' (topic, measure, value), not trec_eval's."""
    for first, second, _ in lines:
        if is_average(second) or first == "runid":
            return False
        if is_average(first):
            return True
    # Neither says which: trec_eval -n. Measures have known names, topics have not.
    first, second, _ = lines[0]
    return is_number(first) or (known(second) and not known(first))


def _pick(output: _Output, measure: str | None) -> str:
    where = f"{output.source}: "
    try:
        return pick_measure(list(output.scores), measure, where)
    except UnknownNameError:
        averaged = [name for name in output.averaged if name not in output.scores]
        try:
            average = pick_measure(averaged, measure, where)
        except (UnknownNameError, InputError):
            average = None
        if average is None:
            raise
        raise InputError(f"{where}{average} is there only as an average; run trec_eval with -q") from None


def _numbers(output: _Output, measure: str) -> dict[str, float]:
    numbers = {}
    for topic, (line, cell) in output.scores[measure].items():
        if is_missing(cell):
            continue  # a topic that is there for other systems is then a missing score
        if not is_number(cell) or not np.isfinite(float(cell)):
            raise not_a_number(at(output.source, line), measure, cell)
        numbers[topic] = float(cell)
    if not numbers:
        raise InputError(
            f"{output.source}: measure {measure!r} has no score on any topic; choose another with "
            f"{setting('measure')}"
        )
    return numbers


TREC_EVAL = declared("trec_eval", recognizes=_recognizes, read=read_treceval)
