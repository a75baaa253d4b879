"""Lines of names and a score: outputs of trec_eval and ir_measures, and files of mt-metrics-eval."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from truerank._support.notes import Note
from truerank._support.wording import count
from truerank.errors import InputError, at
from truerank.readers.cell_values import is_missing, is_number
from truerank.readers.formats.adapter import Adapter, Files, Remark, Row
from truerank.readers.formats.source import Source
from truerank.readers.measures import known
from truerank.readers.names import choose_names, file_stem
from truerank.readers.roles import called_like_ids, is_average, is_topic
from truerank.readers.sheets import not_a_number

# What trec_eval -q prints, and ir_measures -q

_SAMPLE = 50


def _is_trec_eval(source: Source) -> bool:
    """Whether most of the first lines are `measure topic value` or `topic measure value`."""
    if source.content != "text":
        return False
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
    # A number before what is not a measure is the topic of a run: topic, document, rank.
    value = is_number(cells[2]) or is_missing(cells[2])
    return value and (known(cells[1]) or not is_number(cells[0]))


def _rows_of_outputs(files: Files) -> Iterator[Row | Remark]:
    """Scores of several systems from the outputs of `trec_eval -q`, one file each."""
    outputs = [(source.path, *_output(source)) for source in files]
    given = [runid or file_stem(path) for path, runid, _ in outputs]
    systems, notes = choose_names(given, [path for path, *_ in outputs], "runid")
    yield from map(Remark, notes)
    for system, (path, _, scores) in zip(systems, outputs, strict=True):
        for (measure, topic), (line, cell) in scores.items():
            if is_missing(cell):  # a topic that is there for other systems is then a missing score
                continue
            if not is_number(cell) or not np.isfinite(float(cell)):
                raise not_a_number(at(path, line), measure, cell)
            yield Row(system, topic, float(cell), measure, line=line, source=path)


_Scores = dict[tuple[str, str], tuple[int, str]]
"""Measure and topic → line and cell."""


def _output(source: Source) -> tuple[str, _Scores]:
    """The runid of an output, empty where it has none, and its scores on topics."""
    lines = [(k, cells) for k, line in enumerate(source.text.split("\n"), 1) if (cells := _cells(line))]
    for number, cells in lines:
        if len(cells) != 3:
            raise InputError(
                f"{at(source.path, number)}{len(cells)} columns where trec_eval prints three "
                "(measure, topic, value); run trec_eval -q again"
            )
    topic_first, scores = _topic_first([cells for _, cells in lines]), _Scores()
    for number, (first, second, value) in lines:
        key = (second, first) if topic_first else (first, second)
        if (line := scores.setdefault(key, (number, value))[0]) != number:
            raise InputError(
                f"{at(source.path, number)}{key[0]} of {key[1]!r} was already given on line {line}; give "
                "each system a file of its own"
            )
    runid = next((value for (measure, _), (_, value) in scores.items() if measure == "runid"), "")
    scores = {key: cell for key, cell in scores.items() if not is_average(key[1]) and key[0] != "runid"}
    if not scores:
        raise InputError(f"{source.path}: only averages over all topics; run trec_eval with -q")
    if all(":" in measure for measure, _ in scores):
        first = next(iter(scores))[0]
        raise InputError(
            f"{source.path}: each line begins with a file's name ({first!r}), as of grep. Give the files "
            f"themselves, or the lines of each alone: grep ^{first.rpartition(':')[2]} FILE"
        )
    return runid, scores


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


TREC_EVAL = Adapter(
    name="trec_eval",
    label="trec_eval's output",
    explanation="Lines of measure, topic and value, as trec_eval -q prints them, or of topic, measure "
    "and value, as ir_measures -q does. One file per system.",
    recognizes=_is_trec_eval,
    together=_rows_of_outputs,
    files=(),
    noun="topic",
)


# ir_measures --by_query -o jsonl


def _metrics(source: Source) -> Iterator[Row]:
    for record in source.records():
        if "query_id" not in record:
            raise InputError(
                f"{at(source.path, source.line)}an average over all topics; run ir_measures with --by_query"
            )
        if record["query_id"] != "all":
            yield Row("", record["query_id"], record["value"], record["measure"])


def _is_metrics(source: Source) -> bool:
    record = source.first
    return isinstance(record, dict) and record.keys() in (
        {"query_id", "measure", "value"},
        {"measure", "value"},
    )


IR_MEASURES = Adapter(
    name="ir_measures",
    label="the JSON lines of ir_measures",
    explanation="What ir_measures --by_query prints with -o jsonl, one file per system; in Python the "
    "tuples of iter_calc, or a dictionary of those of several systems. (Its -o tsv is read "
    "as trec_eval's output.)",
    rows=_metrics,
    recognizes=_is_metrics,
    files=(),
    noun="topic",
)


# Score files of mt-metrics-eval: for each system a block of lines, one per segment or document

_LANGUAGES = re.compile(r"[a-z]{2,3}-[a-z]{2,3}(_\w+)?")
_MISSING = "None"


def _is_mt(source: Source) -> bool:
    if source.content != "text":
        return False
    lines = [line.split() for line in source.opening.splitlines()[:2]]
    if len(lines) < 2 or lines[0][:1] != lines[1][:1] or not all(map(_is_segment, lines)):
        return False
    return not called_like_ids(lines[0][0])  # or it is the heading of a column of topics


def _is_segment(cells: Sequence[str]) -> bool:
    return len(cells) == 2 and not is_number(cells[0]) and (cells[1] == _MISSING or is_number(cells[1]))


def _named(source: Source) -> tuple[str, str]:
    """The language pair and the measure, of ``en-de.mqm.seg.score`` or ``en-de/BLEU-refA.seg.score``."""
    languages, *measure = re.sub(r"(\.(seg|doc|score))*$", "", Path(source.path).name).split(".")
    if measure and _LANGUAGES.fullmatch(languages):
        return languages, ".".join(measure)
    return source.folder_name, ".".join([languages, *measure])


def _systems(source: Source) -> dict[str, list[float | None]]:
    """The scores of each system, one per segment."""
    found: dict[str, list[float | None]] = {}
    last = None
    for line, text in enumerate(source.text.splitlines(), 1):
        cells = text.split()
        if not _is_segment(cells):
            raise InputError(
                f"{at(source.path, line)}{text[:40]!r} is not a system and its score; write both, and "
                f"{_MISSING} for a missing score"
            )
        system, value = cells
        if system != last and system in found:
            raise InputError(
                f"{at(source.path, line)}system {system!r} has a second block of lines; keep one of the two"
            )
        found.setdefault(system, []).append(None if value == _MISSING else float(value))
        last = system
    first, *others = found
    for other in others:
        if len(found[other]) != len(found[first]):
            raise InputError(
                f"{source.path}: system {other!r} has {count(len(found[other]), 'line')} and {first!r} has "
                f"{len(found[first])}; give each system one line per segment, None where it has no score"
            )
    return found


def _documents(source: Source, languages: str, segments: int) -> dict[int, str]:
    """The document of each segment, where the test set's folder says so."""
    for folder in Path(source.path).resolve().parents[1:3] if source.on_disk else ():
        path = folder / "documents" / f"{languages}.docs"
        names = Source(str(path)).text.splitlines() if path.is_file() else []
        if names and len(names) == segments:
            return dict(enumerate(names))
    return {}


def _rows_of_segments(files: Files) -> Iterator[Row | Remark]:
    several = len({_named(source)[0] for source in files}) > 1
    for source in files:
        languages, measure = _named(source)
        blocks = _systems(source)
        segments = list(zip(*blocks.values(), strict=True))
        of_document = _documents(source, languages, len(segments))
        left = 0
        for k, values in enumerate(segments):
            if all(value is None for value in values):
                left += 1
                continue
            for system, value in zip(blocks, values, strict=True):
                data_set = languages if several else ""
                yield Row(system, k + 1, value, measure, data_set, cluster=of_document.get(k, ""))
        if left:
            note = Note("topics-left-out", {"case": "unscored", "number": left})
            yield Remark(note, measure=measure)
        if of_document:
            yield Remark(Note("reading", {"case": "documents", "languages": languages}), measure=measure)
        source.forget()


MT_METRICS_EVAL = Adapter(
    name="mt_metrics_eval",
    label="a score file of mt-metrics-eval",
    explanation="Files such as human-scores/en-de.mqm.seg.score: a block of lines for each system, one "
    "line per segment. The measure is in the file's name, and a language pair is a data "
    "set.",
    recognizes=_is_mt,
    together=_rows_of_segments,
    files=("*.seg.score",),
    noun="topic",
)
