"""What to know before quoting a number of a document analysis, one sentence each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truerank._support.notes import Note
from truerank.documents.collection import DocumentCollection
from truerank.documents.measures import PlaceMeasure
from truerank.documents.models import DocumentModel
from truerank.documents.models.continuous import lacks_spread

if TYPE_CHECKING:
    from truerank.documents.document_analysis import SampledSystem

MISFIT = 0.1
"""Share of its raw mean by which a system's sampled mean may be off before it is worth a warning."""


def model_notes(collection: DocumentCollection, measure: PlaceMeasure, model: DocumentModel) -> list[Note]:
    """What the document model meets in these lists, one sentence each."""
    lists = [documents for row in collection.at_level(measure.level).lists for documents in row]
    total = len(lists)
    notes = []
    bare = sum(len(documents.relevant) == 0 for documents in lists)
    if bare:
        said = f"{bare:,} of {total:,} lists (system and topic) without relevant documents"
        notes.append(Note("lists-without-relevant", f"{said}; they score 0 in every sample"))
    full = sum(0 < len(documents.relevant) == documents.retrieved for documents in lists)
    if full:
        said = f"{full} of {total} lists with nothing but relevant documents; so are their samples"
        notes.append(Note("lists-all-relevant", said))
    longest = max(documents.retrieved for documents in lists)
    short = [
        system
        for system, row in zip(collection.systems, collection.lists, strict=True)
        if max(documents.retrieved for documents in row) < longest
    ]
    if short:
        said = f"{len(short)} of {collection.m} runs never list as many documents as others ({longest:,})"
        listed = f"{', '.join(short[:3])}{', …' * (len(short) > 3)}"
        long = f"samples are as long as the list sampled ({listed})"
        notes.append(Note("short-lists", f"{said}; {long}", systems=tuple(short)))
    if not model.draws_documents:
        poor = sum(lacks_spread(documents) for documents in lists if len(documents.relevant))
        if poor:
            said = (
                f"{poor} of {total} lists have fewer than two distinct scores of relevant documents or of "
                f"others. These are drawn with replacement instead of by {model.name}"
            )
            notes.append(Note("lists-without-spread", said))
    return notes


def misfits(systems: Sequence[SampledSystem], model: str) -> list[Note]:
    """A note on the systems whose samples are far from their raw mean: there the model is wrong."""
    off = [s for s in systems if abs(s.sampled_mean - s.mean) > MISFIT * s.mean]
    if not off:
        return []
    listed = ", ".join(f"{s.system} {s.mean:.3f} → {s.sampled_mean:.3f}" for s in off[:3])
    misfit = (
        f"the model {model} does not fit {len(off)} of {len(systems)} runs: their sampled mean is off the "
        f"raw one by more than {MISFIT:.0%} ({listed}{', …' * (len(off) > 3)}). "
        "This happens where scores are only ranks"
    )
    return [Note("model-misfit", misfit, systems=tuple(s.system for s in off))]
