"""Lines of names and a score: outputs of trec_eval and ir_measures, and files of mt-metrics-eval."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import count
from truerank.errors import InputError, at
from truerank.readers.cell_values import is_missing, is_number
from truerank.readers.formats.adapter import Adapter, Collected, Row
from truerank.readers.formats.source import Source
from truerank.readers.measures import known, pick_measure
from truerank.readers.names import choose_names, file_stem
from truerank.readers.options import Options
from truerank.readers.roles import called_like_ids, is_average, is_topic
from truerank.readers.sheets import not_a_number
from truerank.scores import ScoreMatrix

# What trec_eval -q prints, for one system or several one after the other; and ir_measures -q

_SAMPLE = 50
_APART = (
    "With several systems in a file trec_eval has to print the runid of each (-q without -m, or -m runid). "
    "Else give each system a file of its own"
)
"""What to do about outputs of several systems that look like one."""

_Lines = list[tuple[int, list[str]]]


@dataclass(frozen=True)
class _Output:
    """The scores of one system: measure → topic → (line, cell)."""

    source: str
    runid: str | None
    scores: dict[str, dict[str, tuple[int, str]]]


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
    value = is_number(cells[2]) or is_missing(cells[2])
    return value and not (is_number(cells[0]) and is_number(cells[1]))


def _read_outputs(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    """Scores of several systems from the outputs of `trec_eval -q`."""
    outputs = [output for source in sources for output in _parse(source.text, source.path)]
    given = [output.runid or file_stem(output.source) for output in outputs]
    systems, notes = choose_names(given, [output.source for output in outputs], "runid")
    scores = Collected(sources[0].path)
    scores.note(*notes)
    name = ""
    for system, output in zip(systems, outputs, strict=True):
        first = next(iter(output.scores))
        if all(":" in measure for measure in output.scores):
            raise InputError(
                f"{output.source}: each line begins with a file's name ({first!r}), as of grep. Give the "
                f"files themselves, or the lines of each alone: grep ^{first.rpartition(':')[2]} FILE"
            )
        measure = pick_measure(list(output.scores), options.measure, f"{output.source}: ")
        name = name or measure
        if options.measure is None and measure != name:
            raise InputError(
                f"{output.source}: measure {measure!r}, but {outputs[0].source} has {name!r}; "
                f"choose one that all files have with {setting('measure')}"
            )
        cells = output.scores[measure].items()
        # A topic that is there for other systems is then a missing score.
        there = [(topic, line, cell) for topic, (line, cell) in cells if not is_missing(cell)]
        if not there:
            raise InputError(
                f"{output.source}: measure {measure!r} has no score on any topic; choose another with "
                f"{setting('measure')}"
            )
        for topic, line, cell in there:
            if not is_number(cell) or not np.isfinite(float(cell)):
                raise not_a_number(at(output.source, line), measure, cell)
            scores.add(system, topic, float(cell), name, source=output.source, line=line)
    return scores.table(replace(options, measure=name))


def _parse(text: str, source: str) -> list[_Output]:
    lines = [(n, cells) for n, line in enumerate(text.split("\n"), start=1) if (cells := _cells(line))]
    for number, cells in lines:
        if len(cells) != 3:
            raise InputError(
                f"{at(source, number)}{len(cells)} columns where trec_eval prints three "
                "(measure, topic, value); run trec_eval -q again"
            )
    topic_first = _topic_first([cells for _, cells in lines])
    outputs = [_output(block, source, topic_first) for block in _blocks(lines)]
    runids = [output.runid for output in outputs]
    if len(outputs) > 1 and (None in runids or len(set(runids)) < len(runids)):
        wrong = next(one for k, one in enumerate(outputs) if one.runid is None or one.runid in runids[:k])
        first = min(line for topics in wrong.scores.values() for line, _ in topics.values())
        what = "no runid" if wrong.runid is None else f"the runid {wrong.runid!r} of another output"
        raise InputError(f"{at(source, first)}{what} in the output that starts here. {_APART}")
    return outputs


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


def _output(lines: _Lines, source: str, topic_first: bool) -> _Output:
    scores: dict[str, dict[str, tuple[int, str]]] = {}
    runid = None
    for number, (first, second, value) in lines:
        measure, topic = (second, first) if topic_first else (first, second)
        if measure == "runid":
            runid = value
            continue
        line, _ = scores.setdefault(measure, {}).setdefault(topic, (number, value))
        if line != number:
            raise InputError(
                f"{at(source, number)}{measure} of {topic!r} was already given on line {line}. {_APART}"
            )
    for measure in list(scores):
        scores[measure] = {topic: of for topic, of in scores[measure].items() if not is_average(topic)}
        if not scores[measure]:
            del scores[measure]
    if not scores:
        raise InputError(f"{source}: only averages over all topics; run trec_eval with -q")
    return _Output(source, runid, scores)


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
    "and value, as ir_measures -q does. One file per system, or several outputs of "
    "trec_eval one after the other.",
    recognizes=_is_trec_eval,
    table=_read_outputs,
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


def _read_segments(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given)
    named = [(source, *_named(source)) for source in sources if _is_mt(source)]
    several = len({languages for _, languages, _ in named}) > 1
    documents: dict[tuple[str, str], tuple[str, str]] = {}
    for source, languages, measure in named:
        blocks = _systems(source)
        data_set = languages if several else ""
        segments = list(zip(*blocks.values(), strict=True))
        of_document = _documents(source, languages, len(segments))
        scored = [k for k, values in enumerate(segments) if any(value is not None for value in values)]
        for k in scored:
            documents[data_set, str(k + 1)] = (data_set, of_document.get(k, f"segment {k + 1}"))
            for system, value in zip(blocks, segments[k], strict=True):
                scores.add(system, str(k + 1), value, measure, data_set=data_set, source=source.path)
        if left := len(segments) - len(scored):
            scores.note(Note("topics-left-out", {"case": "unscored", "number": left}), of=measure)
        if of_document:
            scores.note(Note("reading", {"case": "documents", "languages": languages}), of=measure)
        source.forget()
    table = scores.table(options)
    numbers: dict[tuple[str, str], int] = {}
    clusters = [numbers.setdefault(documents[key], len(numbers)) for key in table.keys]
    return table if len(numbers) == table.n else replace(table, clusters=np.array(clusters))


MT_METRICS_EVAL = Adapter(
    name="mt_metrics_eval",
    label="a score file of mt-metrics-eval",
    explanation="Files such as human-scores/en-de.mqm.seg.score: a block of lines for each system, one "
    "line per segment. The measure is in the file's name, and a language pair is a data "
    "set.",
    recognizes=_is_mt,
    table=_read_segments,
    files=("*.seg.score",),
    noun="topic",
)
