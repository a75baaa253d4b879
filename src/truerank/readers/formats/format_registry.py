"""The formats of scores by name, and which of them a file or a folder fits."""

from __future__ import annotations

from truerank._support.registry import Registry
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.source import Content, Source
from truerank.readers.unforeseen import reading

FORMATS: Registry[ScoreFormat] = Registry(
    "format",
    homes={
        f"readers.formats.{module}": names
        for module, names in {
            "table": "table parquet",
            "records": "records",
            "objects": "array columns ranx",
            "trec_eval": "trec_eval",
            "lm_eval": "lm_eval lm_eval_results",
            "helm": "helm helm_stats helm_table",
            "inspect_log": "inspect",
            "question_tables": "ragas mlflow",
            "mteb": "mteb",
            "beir": "beir",
            "mt_metrics_eval": "mt_metrics_eval",
            "ir_measures_format": "ir_measures",
            "pyterrier": "pyterrier",
            "nested": "pytrec_eval",
            "rank_eval": "rank_eval",
            "opensearch": "opensearch",
            "quepid": "quepid",
            "alpaca_eval": "alpaca_eval",
            "swe_bench": "swe_bench",
            "promptfoo": "promptfoo",
            "every_eval_ever": "every_eval_ever every_eval_ever_results",
            "euroeval": "euroeval",
            "agent_trials": "terminal_bench harbor",
        }.items()
    },
)
register = FORMATS.register

_OWN = frozenset(FORMATS)
_BUT_JSON: dict[Content, str] = {
    "text": "table trec_eval ragas mlflow quepid mt_metrics_eval",
    "parquet": "parquet",
    "zip": "inspect",
}
"""Those of the package's own formats whose files may start like this; a file of JSON may be of any."""


def fitting_formats(source: Source, kind: str) -> list[ScoreFormat]:
    """The formats that fit a file or a folder; the modules of those of other first bytes are not imported."""
    with reading(source.path):
        content = None if source.is_folder else source.content
        other = _OWN.difference(_BUT_JSON[content].split()) if content in _BUT_JSON else ()
        return [
            found
            for found in (FORMATS[name] for name in FORMATS if name not in other)
            if any(taken.startswith(kind) for taken in found.takes)
            and (content is None or not found.content or content in found.content)
            and found.fits(source)
        ]


def recognized(source: Source) -> ScoreFormat | None:
    """The one format of scores that a file fits, if there is one."""
    fitting = fitting_formats(source, "file")
    special = [found for found in fitting if not found.general] or fitting
    return special[0] if len(special) == 1 else None
