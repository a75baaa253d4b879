"""What a user should know about runs and qrels beside the scores: one line for each kind of thing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank._support.notes import Note
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
) -> list[Note]:
    """The notes on all runs (system → findings) that are scored on `topics`; others are judged elsewhere."""
    notes = []
    left_out = len(qrels) - len(topics)
    if left_out:
        said = f"no run covers {left_out} of the {count(len(qrels), 'topic')} in the qrels; left out"
        notes.append(Note("topics-left-out", said))
    not_judged = list(dict.fromkeys(topic for run in found.values() for topic in run.not_judged))
    not_judged = [topic for topic in not_judged if topic not in elsewhere]
    if not_judged:
        of_runs = count(len(not_judged), "topic")
        said = f"{of_runs} of the runs without judgments, ignored ({few(not_judged)})"
        notes.append(Note("topics-not-judged", said))
    lacking = {name: len(topics) - len(run.judged) for name, run in found.items()}
    tied = {name: run.tied for name, run in found.items()}
    disordered = {name: run.disordered for name, run in found.items()}
    mixed = {name: run.more_tags for name, run in found.items()}
    as_ranked = "which are ranked as trec_eval does, by document id, descending"
    return [
        *notes,
        *_some(
            "topics-lacking", lacking, "lacking topics, which get the measure's default score", _each(lacking)
        ),
        *_on_judgments(found),
        *_some(
            "tied-documents",
            tied,
            f"with tied scores, {as_ranked}",
            few([name for name in tied if tied[name]]),
        ),
        *_some(
            "ranks-contradict",
            disordered,
            "with ranks that contradict the scores; the scores count",
            _each(disordered),
        ),
        *_some(
            "several-tags",
            mixed,
            "with several tags, of which the first counts",
            few([n for n in mixed if mixed[n]]),
        ),
    ]


def _on_judgments(found: dict[str, Findings]) -> list[Note]:
    if not any(run.any_judged for run in found.values()):
        said = "no document of any run is judged; check that runs and qrels name documents alike"
        return [Note("nothing-judged", said)]
    unjudged = {name: run.unjudged_top for name, run in found.items()}
    worst = max(unjudged, key=lambda name: unjudged[name])
    if unjudged[worst] == 0:
        return []
    mean = np.mean(list(unjudged.values()))
    said = (
        f"unjudged documents in the top ten: {mean:.1%} on average, most in {worst} ({unjudged[worst]:.1%})"
    )
    notes = [Note("unjudged-documents", said)]
    high = {name: share > HIGH_UNJUDGED for name, share in unjudged.items()}
    what = f"with more than {HIGH_UNJUDGED:.0%} unjudged documents in the top ten"
    return [*notes, *_some("many-unjudged", high, f"{what}, which may be better than their scores")]


def _some(code: str, having: dict[str, Any], what: str, which: str = "") -> list[Note]:
    """A note on the runs that have something, where there are any."""
    number = sum(map(bool, having.values()))
    named = f" ({which})" if which else ""
    return [Note(code, f"{number} of {count(len(having), 'run')} {what}{named}")] if number else []


def _each(numbers: dict[str, int]) -> str:
    """The first runs, each with its number of topics."""
    return few([f"{name}: {count(number, 'topic')}" for name, number in numbers.items() if number])


def note_on_relevance(measure: Any, topics: Iterable[str], qrels: Qrels) -> list[Note]:
    """A note on topics without a document that is relevant at the measure's level."""
    level = measure["rel"] if "rel" in measure.SUPPORTED_PARAMS else 1
    level = level if isinstance(level, int) else 1  # NumRet has a level and no default for it
    bare = [topic for topic in topics if max(qrels[topic].values()) < level]
    if not bare:
        return []
    said = (
        f"{count(len(bare), 'topic')} without a document of relevance {level} or more, where systems cannot "
        f"differ ({few(bare)})"
    )
    return [Note("nothing-relevant", said)]
