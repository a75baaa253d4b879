"""The formats of scores by name, and which of them a file or a folder fits."""

from __future__ import annotations

from truerank._support.registry import Registry
from truerank.readers.formats.alpaca_eval import ALPACA_EVAL
from truerank.readers.formats.beir import BEIR
from truerank.readers.formats.every_eval_ever import EVERY_EVAL_EVER, EVERY_EVAL_EVER_RESULTS
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.helm import HELM, HELM_STATS, HELM_TABLE
from truerank.readers.formats.inspect_log import INSPECT
from truerank.readers.formats.ir_measures_format import IR_MEASURES
from truerank.readers.formats.lm_eval import LM_EVAL, LM_EVAL_RESULTS
from truerank.readers.formats.mteb import MTEB
from truerank.readers.formats.nested import PYTREC_EVAL
from truerank.readers.formats.objects import ARRAY, NAMED_COLUMNS, RANX
from truerank.readers.formats.opensearch import OPENSEARCH
from truerank.readers.formats.promptfoo import PROMPTFOO
from truerank.readers.formats.pyterrier import PYTERRIER
from truerank.readers.formats.quepid import QUEPID
from truerank.readers.formats.question_tables import MLFLOW, RAGAS
from truerank.readers.formats.rank_eval import RANK_EVAL
from truerank.readers.formats.records import RECORDS
from truerank.readers.formats.source import Source
from truerank.readers.formats.swe_bench import SWE_BENCH
from truerank.readers.formats.table import PARQUET, TABLE
from truerank.readers.formats.trec_eval import TREC_EVAL
from truerank.readers.unforeseen import reading

FORMATS: Registry[ScoreFormat] = Registry(
    "format",
    TABLE,
    PARQUET,
    RECORDS,
    ARRAY,
    NAMED_COLUMNS,
    RANX,
    TREC_EVAL,
    LM_EVAL,
    LM_EVAL_RESULTS,
    HELM,
    HELM_STATS,
    HELM_TABLE,
    INSPECT,
    RAGAS,
    MLFLOW,
    MTEB,
    BEIR,
    IR_MEASURES,
    PYTERRIER,
    PYTREC_EVAL,
    RANK_EVAL,
    OPENSEARCH,
    QUEPID,
    ALPACA_EVAL,
    SWE_BENCH,
    PROMPTFOO,
    EVERY_EVAL_EVER,
    EVERY_EVAL_EVER_RESULTS,
)
register = FORMATS.register


def fitting_formats(source: Source, kind: str) -> list[ScoreFormat]:
    """The formats that fit a file or a folder; those of other first bytes are not asked."""
    with reading(source.path):
        content = None if source.is_folder else source.content
        return [
            found
            for found in FORMATS.values()
            if any(taken.startswith(kind) for taken in found.takes)
            and (content is None or not found.content or content in found.content)
            and found.fits(source)
        ]


def recognized(source: Source) -> ScoreFormat | None:
    """The one format of scores that a file fits, if there is one."""
    fitting = fitting_formats(source, "file")
    special = [found for found in fitting if not found.general] or fitting
    return special[0] if len(special) == 1 else None
