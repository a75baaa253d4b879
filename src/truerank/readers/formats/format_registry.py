"""The formats of scores by name."""

from __future__ import annotations

from truerank._support.registry import Registry
from truerank.readers.formats.array_format import ARRAY
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.table import PARQUET, TABLE
from truerank.readers.formats.trec_eval import TREC_EVAL

FORMATS: Registry[ScoreFormat] = Registry("format")
register = FORMATS.register

for _format in (
    TABLE,
    PARQUET,
    ARRAY,
    TREC_EVAL,
):
    register(_format)
