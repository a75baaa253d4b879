"""An analysis of document samples as the JSON of ``truerank documents``; keys in ``docs/documents.md``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from truerank._support.plain import plain
from truerank._support.registry import explained
from truerank.documents.models import MODELS
from truerank.documents.summaries import SUMMARIES, SummaryResult
from truerank.documents.summaries.summary import ends

if TYPE_CHECKING:
    from truerank.documents.analysis import DocumentAnalysis
    from truerank.documents.decomposition import Decomposition


def analysis_document(analysis: DocumentAnalysis) -> dict[str, Any]:
    """The documented JSON of one analysis: a key for each summary, and what goes with all of them.

    ``intervals`` has the shape of the summaries themselves, with low and high in place of numbers;
    ``explained`` has what model and summaries say of themselves.

    Args:
        analysis: what was found.

    Returns:
        Data that JSON can hold: ``None`` for what has no value.
    """
    found, level = analysis.summaries, analysis.settings.level
    intervals = {name: result.intervals() for name, result in found.items()}
    document: dict[str, Any] = {
        "measure": analysis.measure,
        "model": analysis.model,
        "topics": analysis.scores.n,
        "systems": analysis.scores.m,
        **{name: result.value() for name, result in found.items()},
        "intervals": {
            "level": level,
            **{name: shown for name, shown in intervals.items() if shown is not None},
        },
        "spread": {"level": level, **_spreads(found.values())},
    }
    for result in found.values():
        document |= result.more()
    document |= {
        "ranking": [asdict(system) for system in analysis.systems],
        "decomposition": decomposition_document(analysis.decomposition),
        "explained": _explained(analysis),
        "warnings": analysis.warnings,
        "settings": asdict(analysis.settings),
    }
    made: dict[str, Any] = plain(document)
    return made


def _spreads(results: Iterable[SummaryResult]) -> dict[str, Any]:
    """Where a single sample's values fall."""
    return {
        number.spread.key: {"mean": number.value, **ends(number.spread.interval)}
        for result in results
        for number in result.numbers()
        if number.spread is not None
    }


def _explained(analysis: DocumentAnalysis) -> dict[str, Any]:
    """What the document model and the summaries say of themselves."""
    model = MODELS.get(analysis.model)
    return {
        "model": None if model is None else explained(model),
        **{name: explained(SUMMARIES[name]) for name in analysis.summaries if name in SUMMARIES},
    }


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
                "tau": {"mean": movement.tau, **ends(movement.spread)},
                "difference_sd": movement.difference_sd,
            }
            for movement in decomposition.movements
        ],
        "advice": decomposition.advice,
    }
