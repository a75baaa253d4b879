"""Annotations of AlpacaEval: a judge's preferences between each system's outputs and a baseline's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.columns import Options
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat, starts_with
from truerank.readers.formats.json_text import a_list, a_name, an_object
from truerank.readers.formats.source import Source
from truerank.scores import ScoreMatrix


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given)
    baselines: dict[str, str] = {}
    for source in sources:
        times: Counter[tuple[str, str, str]] = Counter()
        for number, entry in enumerate(a_list(source.json, f"{source.path}: ", "the file"), 1):
            where = f"{source.path}: annotation {number}: "
            record = an_object(entry, where, "it")
            topic = a_name(record.get("instruction"), where, "the instruction")
            model = a_name(record.get("generator_2"), where, "generator_2")
            baselines.setdefault(a_name(record.get("generator_1"), where, "generator_1"), source.path)
            judge = str(record.get("annotator") or "")
            times[model, judge, topic] += 1
            if times[model, judge, topic] > 1:
                topic = f"{topic} ({times[model, judge, topic]})"
            scores.add(model, topic, _share(record.get("preference"), where), judge, source=source.path)
        source.forget()
    if len(baselines) > 1:
        raise InputError(
            f"{list(baselines.values())[1]}: preferences over {few(list(baselines))} are not of one kind; "
            "give files with one baseline"
        )
    baseline = next(iter(baselines), "")
    said = f"a score is the preference minus 1: the chance that the judge prefers the system to {baseline}"
    scores.note(Note("preferences-read", said))
    return scores.table(options)


def _share(preference: object, where: str) -> float | None:
    """A preference as a share of the system: 1 is the baseline, 2 the system, 1.5 and (of old) 0 a draw."""
    if preference is None or preference != preference:
        return None
    if not isinstance(preference, int | float) or not (preference == 0 or 1 <= preference <= 2):
        raise InputError(
            f"{where}preference {preference!r}; it must be 1 (baseline) to 2 (system); annotate again"
        )
    return 0.5 if preference == 0 else float(preference) - 1


ALPACA_EVAL = ScoreFormat(
    "alpaca_eval",
    "a file of annotations by AlpacaEval",
    "annotations.json of AlpacaEval: generator_2 is the system, an instruction the topic, and the preference "
    "minus 1 the score; an annotator is a measure.",
    ("files", "folder"),
    starts_with("instruction", "generator_1", "generator_2", "preference", of="list"),
    _read,
    inside=("annotations.json",),
    noun="question",
    content=("json",),
)
