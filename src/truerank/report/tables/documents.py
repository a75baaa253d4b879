"""An analysis of document samples as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from truerank._support.plain import plain

if TYPE_CHECKING:
    from truerank.documents.analysis import DocumentAnalysis
    from truerank.documents.decomposition import Decomposition
    from truerank.numerics.intervals import Interval


def analysis_document(analysis: DocumentAnalysis) -> dict[str, Any]:
    """The documented JSON of `truerank documents`.

    ``intervals`` has the shape of the summaries themselves, with low and high in place of numbers.
    """
    asl = analysis.asl
    document = {
        "measure": analysis.measure,
        "model": analysis.model,
        "topics": analysis.scores.n,
        "systems": analysis.scores.m,
        "error_rate": [
            {"low": bin_.low, "high": bin_.high, "count": bin_.count, "error_rate": bin_.error_rate}
            for bin_ in analysis.error_rate
        ],
        "krcc": analysis.krcc.mean,
        "asl": {
            "pct_below_0.05": asl.below,
            "pct_above_0.95": asl.above,
            "mean": asl.mean,
            "raw_significant": asl.raw_significant,
        },
        "ed": analysis.ed.difference,
        "intervals": {
            "level": analysis.settings.level,
            "error_rate": [_ends(bin_.interval) for bin_ in analysis.error_rate],
            "krcc": _ends(analysis.krcc.interval),
            "asl": {
                "pct_below_0.05": _ends(asl.below_interval),
                "pct_above_0.95": _ends(asl.above_interval),
                "mean": _ends(asl.mean_interval),
            },
            "ed": _ends(analysis.ed.interval),
        },
        "spread": {
            "level": analysis.settings.level,
            "wrong_order": {"mean": analysis.error_share, **_ends(analysis.error_spread)},
            "tau": {"mean": analysis.krcc.mean, **_ends(analysis.krcc.spread)},
            "significant": {"mean": asl.mean, **_ends(asl.spread)},
        },
        "ed_pair": [analysis.scores.systems[s] for s in analysis.ed.pair],
        "topic_error": analysis.topic_error,
        "ranking": [asdict(system) for system in analysis.systems],
        "decomposition": decomposition_document(analysis.decomposition),
        "warnings": analysis.warnings,
        "settings": asdict(analysis.settings),
    }
    result: dict[str, Any] = plain(document)
    return result


def decomposition_document(decomposition: Decomposition | None) -> dict[str, Any] | None:
    """The decomposition's part of the JSON."""
    if decomposition is None:
        return None
    return {
        "samples": decomposition.samples,
        "components": [asdict(component) for component in decomposition.components],
        "designs": [asdict(design) for design in decomposition.designs],
        "movements": [
            {
                "sampled": movement.sampled,
                "tau": {"mean": movement.tau, **_ends(movement.spread)},
                "difference_sd": movement.difference_sd,
            }
            for movement in decomposition.movements
        ],
        "advice": decomposition.advice,
    }


def _ends(interval: Interval) -> dict[str, float]:
    return {"low": interval.low, "high": interval.high}
