"""The output of `trec_eval -q`, and of `ir_measures -q`, which has the same three columns."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.readers.columns import Asked
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.source import Source
from truerank.readers.raw_scores import RawScores
from truerank.readers.treceval import looks_like_treceval, read_treceval


def _recognizes(source: Source) -> bool:
    return looks_like_treceval(source.opening)


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    return read_treceval({source.path: source.text for source in sources}, asked.measure)


TREC_EVAL = ScoreFormat(
    "trec_eval",
    "trec_eval's output",
    "Lines of measure, topic and value, as trec_eval -q prints them, or of topic, measure and value, as "
    "ir_measures -q does. One file per system, or several outputs of trec_eval one after the other.",
    ("files",),
    _recognizes,
    _read,
)
