"""What a user should know about runs and qrels beside the scores: one line for each kind of thing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank._support.wording import count, few
from truerank.readers.trecfiles import Qrels, Run

HIGH_UNJUDGED = 0.10
"""Share of unjudged documents in a run's top ten above which its scores may be too low."""


@dataclass(frozen=True)
class Findings:
    """What there is to say about one run once its documents are gone."""

    judged: frozenset[str]
    not_judged: tuple[str, ...]
    unjudged_top: float
    any_judged: bool
    tied: bool
    disordered: int
    more_tags: bool

    @classmethod
    def of(cls, run: Run, qrels: Qrels, rankings: Mapping[str, Sequence[str]]) -> Findings:
        """Look through a run; `rankings` are its documents on the topics of the qrels, best first."""
        shares = [
            sum(document in qrels[topic] for document in ranked[:10]) / len(ranked[:10])
            for topic, ranked in rankings.items()
        ]
        return cls(
            judged=frozenset(rankings),
            not_judged=tuple(topic for topic in run.documents if topic not in qrels),
            unjudged_top=1 - float(np.mean(shares)) if shares else 1.0,
            any_judged=any(run.documents[topic].keys() & qrels[topic].keys() for topic in rankings),
            tied=run.tied,
            disordered=run.disordered,
            more_tags=run.more_tags,
        )


def notes_on_runs(
    found: dict[str, Findings], topics: Sequence[str], qrels: Qrels, elsewhere: Collection[str] = ()
) -> list[str]:
    """The notes on all runs (system → findings) that are scored on `topics`; others are judged elsewhere."""
    notes = []
    left_out = len(qrels) - len(topics)
    if left_out:
        notes.append(f"no run covers {left_out} of the {count(len(qrels), 'topic')} in the qrels; left out")
    not_judged = list(dict.fromkeys(topic for run in found.values() for topic in run.not_judged))
    not_judged = [topic for topic in not_judged if topic not in elsewhere]
    if not_judged:
        of_runs = count(len(not_judged), "topic")
        notes.append(f"{of_runs} of the runs without judgments, ignored ({few(not_judged)})")
    lacking = {name: len(topics) - len(run.judged) for name, run in found.items()}
    if any(lacking.values()):
        notes.append(
            f"{_share(lacking, found)} lacking topics, which get the measure's default score "
            f"({_each(lacking)})"
        )
    notes += _on_judgments(found)
    tied = {name: run.tied for name, run in found.items()}
    if any(tied.values()):
        notes.append(
            f"{_share(tied, found)} with tied scores, which are ranked as trec_eval does, by document id, "
            f"descending ({few([name for name in tied if tied[name]])})"
        )
    disordered = {name: run.disordered for name, run in found.items()}
    if any(disordered.values()):
        notes.append(
            f"{_share(disordered, found)} with ranks that contradict the scores; the scores count "
            f"({_each(disordered)})"
        )
    mixed = {name: run.more_tags for name, run in found.items()}
    if any(mixed.values()):
        notes.append(
            f"{_share(mixed, found)} with several tags, of which the first counts "
            f"({few([name for name in mixed if mixed[name]])})"
        )
    return notes


def _on_judgments(found: dict[str, Findings]) -> list[str]:
    if not any(run.any_judged for run in found.values()):
        return ["no document of any run is judged; check that runs and qrels name documents alike"]
    unjudged = {name: run.unjudged_top for name, run in found.items()}
    worst = max(unjudged, key=lambda name: unjudged[name])
    if unjudged[worst] == 0:
        return []
    mean = np.mean(list(unjudged.values()))
    notes = [
        f"unjudged documents in the top ten: {mean:.1%} on average, most in {worst} ({unjudged[worst]:.1%})"
    ]
    high = {name: share > HIGH_UNJUDGED for name, share in unjudged.items()}
    if any(high.values()):
        notes.append(
            f"{_share(high, found)} with more than {HIGH_UNJUDGED:.0%} unjudged documents in the top ten, "
            "which may be better than their scores"
        )
    return notes


def _share(having: dict[str, Any], found: dict[str, Findings]) -> str:
    return f"{sum(map(bool, having.values()))} of {count(len(found), 'run')}"


def _each(numbers: dict[str, int]) -> str:
    """The first runs, each with its number of topics."""
    return few([f"{name}: {count(number, 'topic')}" for name, number in numbers.items() if number])


def note_on_relevance(measure: Any, topics: Iterable[str], qrels: Qrels) -> list[str]:
    """A note on topics without a document that is relevant at the measure's level."""
    level = measure["rel"] if "rel" in measure.SUPPORTED_PARAMS else 1
    level = level if isinstance(level, int) else 1  # NumRet has a level and no default for it
    bare = [topic for topic in topics if max(qrels[topic].values()) < level]
    if not bare:
        return []
    return [
        f"{count(len(bare), 'topic')} without a document of relevance {level} or more, where systems cannot "
        f"differ ({few(bare)})"
    ]
