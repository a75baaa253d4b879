"""Readers: score tables, trec_eval output, runs with qrels, rankings, data frames and arrays."""

from typing import TYPE_CHECKING

from truerank._support.imports import opened_when_used

if TYPE_CHECKING:
    from truerank.readers.machine_scores import with_machine
    from truerank.readers.ranked_runs import RankedRuns, read_ranked_runs
    from truerank.readers.ranking_files import parse_ranking, read_scores_or_ranking
    from truerank.readers.runs import evaluate
    from truerank.readers.sampled_judgments import evaluate_sampled
    from truerank.readers.score_reading import as_scores, read_scores
    from truerank.readers.writing import write_scores

__all__ = [
    "RankedRuns",
    "as_scores",
    "evaluate",
    "evaluate_sampled",
    "parse_ranking",
    "read_ranked_runs",
    "read_scores",
    "read_scores_or_ranking",
    "with_machine",
    "write_scores",
]

__getattr__, __dir__ = opened_when_used(
    __name__,
    {
        "readers.runs": "evaluate",
        "readers.machine_scores": "with_machine",
        "readers.ranked_runs": "RankedRuns read_ranked_runs",
        "readers.ranking_files": "parse_ranking read_scores_or_ranking",
        "readers.sampled_judgments": "evaluate_sampled",
        "readers.score_reading": "as_scores read_scores",
        "readers.writing": "write_scores",
    },
)
