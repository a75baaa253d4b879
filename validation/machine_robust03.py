"""Real runs in docs/methods/evidence/machine-judgments.md: Robust 2003, its qrels, made-up machines.

A machine flips the judgments at rates that were measured for a language model; 500 draws of the topics
that people judge. Two minutes of processor time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.coefficients import TAU
from truerank.readers.ranked_runs import Judgments, RankedRuns, read_ranked_runs
from truerank.reliability.estimators import TopicSample
from truerank.reliability.means import Means
from truerank.reliability.means.corrected import corrected
from truerank.reliability.means.means import plain_means
from truerank.reliability.predictive import Predictive
from truerank.scores import TIE, ranking_order
from validation.checks import Checks, data_folder

FALSE_POSITIVES, FALSE_NEGATIVES = 0.10, 0.21
"""Of documents that assessors found not relevant, and relevant, the share that a model called the other.

Thomas, Spielman, Craswell and Mitra (SIGIR 2024) report of their best prompt on a sample of TREC Robust that
assessors called 33% not relevant and the model 44%, that 94% of what it called relevant was, and κ = 0.64.
So 0.06 · 0.56 of 0.33 are false positives, 0.67 − 0.94 · 0.56 of 0.67 false negatives, which gives κ = 0.63.
"""

MEASURES = ("AP", "P@10")
HUMAN = (20, 50)
MACHINES, DRAWS = 20, 25
"""Machines of each kind, and draws of human topics for each."""

Flips = Callable[[RankedRuns, int, int], NDArray[np.float64]]
"""From runs, topic and a run of middling quality to the chance of each judged document, were it not relevant,
to be called so."""


def independent(runs: RankedRuns, topic: int, middling: int) -> NDArray[np.float64]:
    """Any document that is not relevant is as likely to be called so as any other."""
    return np.full(len(runs.grades[topic]), FALSE_POSITIVES)


def plausible(runs: RankedRuns, topic: int, middling: int) -> NDArray[np.float64]:
    """In proportion to the number of runs that rank a document among their first 100: it looks relevant."""
    count = len(runs.grades[topic])
    votes = np.full(count, 0.1)
    for ranking in (row[topic][:100] for row in runs.rankings):
        votes[ranking[ranking < count]] += 1
    others = runs.grades[topic] <= 0
    return np.minimum(votes * FALSE_POSITIVES / votes[others].mean(), 1.0)


def favouring(runs: RankedRuns, topic: int, middling: int) -> NDArray[np.float64]:
    """What the middling run ranks among its first 20 is called so three times as often: its own model."""
    found = independent(runs, topic, middling)
    own = runs.rankings[middling][topic][:20]
    found[own[own < len(found)]] *= 3
    return found


KINDS: dict[str, Flips] = {
    "errors at random": independent,
    "errors where documents look relevant": plausible,
    "favouring one run": favouring,
}


def judgments(runs: RankedRuns, kind: Flips, middling: int, rng: Generator) -> list[Judgments]:
    """What one machine says of the pooled documents: 1 or 0."""
    found = []
    for topic, (documents, grades) in enumerate(runs.judgments()):
        said = rng.random(len(grades))
        relevant = np.where(grades > 0, said >= FALSE_NEGATIVES, said < kind(runs, topic, middling))
        found.append((documents, relevant.astype(np.int32)))
    return found


def run(checks: Checks) -> None:
    """Print the table, and check what it is there to show."""
    folder = data_folder() / "robust03"
    runs = read_ranked_runs(folder / "robust03_qrels.txt.gz", folder / "runs")
    people = runs.evaluate(MEASURES, runs.judgments())
    middling = int(ranking_order(people[MEASURES[0]].means)[runs.m // 2])
    checks.note(f"  {runs.m} runs, {runs.n} topics; τ with the ranking by people's judgments of all topics")
    checks.note("  | measure | machine | human topics | people | both | machine | it claims | λ | count as |")
    checks.note("  | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for number, (name, kind) in enumerate(KINDS.items()):
        rng = np.random.default_rng([2003, number])
        drawn = [judgments(runs, kind, middling, rng) for _ in range(MACHINES)]
        machines = [runs.evaluate(MEASURES, one) for one in drawn]
        for measure in MEASURES:
            scores = [one[measure].values for one in machines]
            for n in HUMAN:
                table = _draws(people[measure].values, scores, n)
                means = table.mean(axis=0)
                cells = " | ".join([*(f"{x:.3f}" for x in means[:4]), f"{means[4]:.2f}", f"{means[5]:.1f}"])
                checks.note(f"  | {measure} | {name} | {n} | {cells} |")
                gain = table[:, 1] - table[:, 0]
                error = float(gain.std() / np.sqrt(len(gain)))
                checks.that(
                    f"{measure}, {name}, {n} human topics: both no further from the ranking than people",
                    bool(gain.mean() >= -3 * error),
                    f"{gain.mean():+.4f} ± {error:.4f}",
                )


def _draws(people: Matrix, machines: Sequence[Matrix], n: int) -> Matrix:
    """For each machine and draw of human topics: τ of people, both and machine; what it claims; λ; topics."""
    reference = people.mean(axis=0)
    topics = np.random.default_rng(n)  # the same draws for every kind of machine
    found = []
    for machine in machines:
        alone = plain_means(machine)
        by_machine, claimed = _tau(alone.theta, reference), _claimed(alone)
        for _ in range(DRAWS):
            matched = topics.permutation(len(people))[:n]
            both = corrected(people[matched], machine, matched)
            of_people, of_both = _tau(both.human.theta, reference), _tau(both.means.theta, reference)
            found.append((of_people, of_both, by_machine, claimed, both.scale, both.means.effective))
    return np.array(found)


def _tau(theta: NDArray[np.float64], reference: NDArray[np.float64]) -> float:
    in_order = reference[ranking_order(theta)]
    swapped = np.triu((in_order[:, None] < in_order[None, :] - TIE).astype(np.float64), 1)
    return TAU.of_swaps(swapped)


def _claimed(means: Means) -> float:
    """What is said of a machine's ranking where its scores are taken for people's."""
    ranked = means.select(ranking_order(means.theta))
    return TAU.of_swaps(Predictive(TopicSample.of(ranked), [TAU]).fit("eb").probabilities)
