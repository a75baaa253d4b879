"""From scores to means: which population is generalized to, and how the systems are scored."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.types import Matrix, Vector, frozen
from truerank._support.wording import listed, some
from truerank.battles import places_of
from truerank.errors import InputError, at, unknown_name
from truerank.kinds import BesideMachine, InBattles
from truerank.reliability.means.aggregates import AGGREGATES, Aggregate
from truerank.reliability.means.data_sets import (
    averaged,
    data_set_means,
    refuse_disconnected,
    sampled,
    usable,
    voted,
)
from truerank.reliability.means.facets import (
    FEWEST_EFFECTIVE,
    FEWEST_TO_SHRINK,
    TOPIC,
    Cells,
    Components,
    facet_cells,
    facets_named,
    question_of_seeds,
    shrunken_variances,
)
from truerank.reliability.means.means import Means, members, plain_means
from truerank.scores import ScoreMatrix, renumbered

if TYPE_CHECKING:
    from truerank.reliability.means.corrected import Corrected
    from truerank.reliability.means.run_noise import RunNoise

Question = Literal["topics", "data_sets"] | str
"""What a ranking is to hold on: ``topics``, new ones of these data sets; ``data_sets``, new ones like these;
or ``topics,prompt,judge``, ``data_sets,judge``: and new levels of these facets.

Example:
    >>> from truerank.reliability.means import Question
    >>> asked: Question = "topics,prompt"
    >>> asked.partition(",")[2]
    'prompt'
"""

MOST_DATA_SETS = 10_000  # beyond this, each data set left out in turn takes minutes
QUESTIONS = ("topics", "data_sets")  # the questions without facets


def means_of(
    scores: ScoreMatrix, generalize_to: Question | None = None, aggregate: str | Aggregate = "mean"
) -> Means:
    """How the systems are scored from these scores (docs/methods/data-sets.md).

    Args:
        scores: n × m, of one or several data sets, with or without empty cells.
        generalize_to: ``topics`` for new topics of these data sets, ``data_sets`` for new data sets like
            these, ``topics,A,B`` or ``data_sets,A`` for new levels of facets too. The default is
            ``topics``; with one topic per data set only ``data_sets`` is possible.
        aggregate: ``mean``, ``borda``, ``win-rate``, or an :class:`Aggregate`.

    Returns:
        The means, in the order of `scores.systems`.

    Raises:
        InputError: fixed data sets of one topic, too few random ones, systems that share no topics, or one
            without enough of them. Also machine scores together with data sets, clusters, empty cells or
            votes.
        UnknownNameError: an unknown question or aggregate.

    Example:
        >>> scores = ScoreMatrix.build(
        ...     [[0.1, 0.3], [0.3, 0.4], [0.8, 0.2], [0.6, 0.2]], data_sets=["A", "A", "B", "B"]
        ... )
        >>> means_of(scores).theta.round(3).tolist()
        [0.45, 0.275]
    """
    rule = AGGREGATES.find(aggregate)
    if scores.k > MOST_DATA_SETS:
        raise InputError(
            f"{at(scores.source)}{scores.k:,} data sets are more than {MOST_DATA_SETS:,}. If they are topics "
            f"with several scores each, give their column as {setting('topic_column')} and the column of "
            f"{scores.unit.many} as {setting('run_column')}"
        )
    question = question_of(scores, generalize_to)
    if (cells := facet_cells(scores, question, rule)) is not None:
        return facet_means(cells)
    means = _means_of(scores, question, rule)
    noise = noise_of(scores, question, rule, means)
    if noise is None:
        return means
    return replace(means, effective=means.effective * (1 - noise.capped), run_share=noise.capped)


def theta_of(
    scores: ScoreMatrix, generalize_to: Question | None = None, aggregate: str | Aggregate = "mean"
) -> Vector:
    """The estimates of :func:`means_of`, without what their errors need: enough to put systems in order."""
    if scores.battles is not None and AGGREGATES.find(aggregate).name == "mean":
        from truerank.reliability.means.bradley_terry import theta_alone

        return theta_alone(scores.battles, scores.systems, at(scores.source))
    return means_of(scores, generalize_to, aggregate).theta


def noise_of(scores: ScoreMatrix, question: Question, rule: Aggregate, means: Means) -> RunNoise | None:
    """The noise of runs in means over topics; None where there are no repeats, or no method."""
    if scores.repeats is None or question != "topics" or rule.points or scores.machine:
        return None
    from truerank.reliability.means.run_noise import run_noise

    return run_noise(scores, means)


def _means_of(scores: ScoreMatrix, question: Question, rule: Aggregate) -> Means:
    """The means, ignoring runs and facets."""
    kind = scores.kind
    if not kind.by_cells and rule.name != "mean":
        raise InputError(
            f"{at(scores.source)}{rule.label} is for scores; battles are ranked by strengths, so leave it out"
        )
    if isinstance(kind, BesideMachine):
        if scores.k > 1 or scores.clusters is not None or rule.points is not None or not scores.complete:
            raise InputError(
                f"{at(scores.source)}machine judgments correct the means of one complete table, without data "
                "sets, clusters or another rule; leave one of the two out"
            )
        return corrected_of(scores).means
    if isinstance(kind, InBattles):
        from truerank.reliability.means.bradley_terry import bradley_terry

        return bradley_terry(kind.battles, scores.systems, at(scores.source), scores.topics)
    if question == "data_sets":
        return _sampled(scores, rule)
    values = scores.values
    if scores.strata is None:
        if rule.points is not None:
            values = rule.points(values) * (len(values) if rule.total else 1)
        return _of_one(scores, values, rule)
    if rule.points is not None:
        _refuse_absent(scores)
        return voted(values, scores.strata, scores.clusters, scores.set_weights, rule)
    _refuse_single_topics(scores)
    if scores.k == 1:
        return _of_one(scores, values, rule)
    each, clusters = members(scores.strata, scores.k), scores.clusters
    sets = [data_set_means(values[topics], None if clusters is None else clusters[topics]) for topics in each]
    _refuse_apart(scores, np.array([one.means for one in sets]), "data set")
    return averaged(sets, scores.set_weights, _unit(scores))


def corrected_of(scores: ScoreMatrix) -> Corrected:
    from truerank.reliability.means.corrected import corrected

    machine = scores.machine
    assert machine is not None
    return corrected(scores.values, machine.values, machine.matched)


def question_of(scores: ScoreMatrix, generalize_to: Question | None) -> Question:
    """The requested question, or the one that the scores can answer."""
    if generalize_to is None:
        if scores.k > 1 and not has_topics(scores):
            return "data_sets"
        return question_of_seeds(scores) or "topics"
    parts = generalize_to.split(",") if isinstance(generalize_to, str) else map(str, generalize_to)
    population, *facets = dict.fromkeys(part.strip() for part in parts)
    population = population.replace("-", "_")
    if population not in QUESTIONS:
        raise unknown_name("population", population, QUESTIONS)
    if facets:
        facets_named(scores, facets)
    if population == "data_sets" and scores.k < 2:
        raise InputError(
            f"{at(scores.source)}there is one data set only, so nothing shows how data sets differ. "
            f"Give scores of several, with a column 'data_set', or ask for new topics "
            f"({setting('generalize_to', 'topics')})"
        )
    return ",".join([population, *facets])


def has_topics(scores: ScoreMatrix) -> bool:
    return scores.strata is None or bool(np.bincount(scores.strata).max() > 1)


def table_of(scores: ScoreMatrix, own_means: bool = False) -> Matrix:
    """The systems' means on each data set, K × m; NaN where a system has none."""
    table = np.full((scores.k, scores.m), np.nan)
    for k, topics in enumerate(members(scores.stratum_of_each, scores.k)):
        values = scores.values[topics]
        if own_means or len(values) == 1:
            here = ~np.isnan(values).all(axis=0)
            table[k, here] = np.nanmean(values[:, here], axis=0)
        else:
            table[k] = data_set_means(values).means
    return table


def _unit(scores: ScoreMatrix) -> str:
    return "topic" if scores.clusters is None else "cluster"


def _of_one(scores: ScoreMatrix, values: Matrix, rule: Aggregate) -> Means:
    holes = bool(np.isnan(values).any())
    if scores.clusters is None and not holes:
        return plain_means(values)
    if holes and rule.points is not None:
        equal = np.full(len(values), 1 / len(values))
        return sampled(values, equal, scores.clusters, own_means=True, unit=_unit(scores))
    _refuse_apart(scores, values, "topic", linked=True)
    return averaged([data_set_means(values, scores.clusters)], np.ones(1), _unit(scores))


def _sampled(scores: ScoreMatrix, rule: Aggregate) -> Means:
    own = rule.points is not None
    table = table_of(scores, own)
    if rule.points is not None:
        table = rule.points(table)
    families, units, unit, what = None, scores.k, "data set", "data sets"
    if scores.families:
        families, names = renumbered(np.array(scores.families))
        units, unit, what = len(names), "family of data sets", "families of data sets"
    if units < 3:
        raise InputError(
            f"{at(scores.source)}only {units} {what}; at least three are needed, and dozens are better. Or "
            f"ask for new {scores.unit.many} of these ({setting('generalize_to', 'topics')})"
        )
    _refuse_apart(scores, table, "data set", linked=not own)
    return sampled(table, scores.set_weights, families, rule.total, own, unit)


def _refuse_single_topics(scores: ScoreMatrix) -> None:
    """A data set of one topic has no variance."""
    assert scores.strata is not None
    units, what = scores.strata, _unit(scores)
    if scores.clusters is not None:
        units = units[np.unique(scores.clusters, return_index=True)[1]]
    single = [scores.data_sets[k] for k in np.flatnonzero(np.bincount(units, minlength=scores.k) < 2)]
    others = f"ask for new data sets like these ({setting('generalize_to', 'data_sets')})"
    if len(single) == scores.k:
        raise InputError(
            f"{at(scores.source)}one score per system and data set shows nothing about new topics: {others}, "
            "or give the scores of each topic"
        )
    if single:
        raise InputError(
            f"{at(scores.source)}one {what} only in data set {some(list(map(repr, single)), 4)}, so nothing "
            f"shows how {what}s differ there. Leave it out, or {others}"
        )


def _refuse_absent(scores: ScoreMatrix) -> None:
    for s in np.flatnonzero(np.isnan(scores.values).all(axis=0)):
        lacks = "has no score at all"
        if scores.facets is not None and not np.isnan(scores.facets.values[:, s]).all():
            facets = listed(list(map(repr, scores.facets.names)))
            lacks = f"lacks some level of {facets} on every {scores.unit.one}, so it has no mean"
        raise InputError(f"{at(scores.source)}system {scores.systems[s]!r} {lacks}; leave it out")


def _refuse_apart(scores: ScoreMatrix, table: Matrix, unit: str, linked: bool = False) -> None:
    """Refuse systems without scores, groups that share no row and, if `linked`, under two shared rows."""
    _refuse_absent(scores)
    present = ~np.isnan(table)

    def refuse_short(cells: NDArray[np.bool_], fewest: int) -> None:
        counts = cells.sum(axis=0)
        if len(short := np.flatnonzero(counts < fewest)):
            more = f" ({len(short)} systems in all)" if len(short) > 1 else ""
            raise InputError(
                f"{at(scores.source)}system {scores.systems[short[0]]!r} has {counts[short[0]]} usable "
                f"{unit}(s){more}; two {unit}s that other systems share are the least: leave it out "
                f"({setting('missing', 'complete')} keeps the systems without holes)"
            )

    refuse_short(present, 1)
    refuse_disconnected(present, scores.systems, at(scores.source), unit)
    if linked:
        refuse_short(usable(present), 2)


def canonical_rows(scores: ScoreMatrix) -> ScoreMatrix:
    """The scores with topics ordered by their content, as random draws take them by their place."""
    held, machine = scores.values, scores.machine
    if scores.battles is not None:
        battles, places = scores.battles.in_order(scores.m)
        names = tuple(scores.topics[c] for c in places.tolist())
        return replace(scores, battles=battles, topics=names, values=frozen(scores.values[places]))
    if machine is not None:
        held = np.concatenate([held, machine.values[machine.matched]], axis=1)
    content = _content(held)
    named = sorted(range(len(scores.data_sets)), key=scores.data_sets.__getitem__)
    strata = np.zeros(scores.n, np.intp) if scores.strata is None else np.argsort(named)[scores.strata]
    clusters = np.zeros(scores.n, np.intp) if scores.clusters is None else scores.clusters
    kinds = strata * (int(content.max(initial=0)) + 1) + content
    found = scores.rows(np.lexsort((content, places_of(clusters, kinds)[clusters], strata)))
    if (machine := found.machine) is None:
        return found
    # First the topics that people judged, in their order, then the others.
    rest = machine.rest
    rows = np.concatenate([machine.matched, rest[np.argsort(_content(machine.values[rest]))]])
    machine = replace(
        machine,
        values=frozen(machine.values[rows]),
        topics=tuple(machine.topics[t] for t in rows),
        matched=frozen(np.arange(len(machine.matched), dtype=np.intp)),
    )
    return replace(found, machine=machine)


def _content(values: Matrix) -> NDArray[np.intp]:
    """A number for each row, the same for the same scores, by the first system's score, then the next …"""
    if not len(values):
        return np.empty(0, dtype=np.intp)
    plain = np.where(np.isnan(values), np.nan, values + 0.0)  # one representation of missing and of zero
    bits = plain.view(np.uint64)
    sign = np.uint64(1 << 63)
    bits = np.where(bits & sign, ~bits, bits | sign).astype(">u8")
    rows = np.ascontiguousarray(bits).view(np.dtype((np.void, 8 * bits.shape[1])))
    return np.unique(rows.ravel(), return_inverse=True)[1].astype(np.intp)


def facet_means(cells: Cells) -> Means:
    """The means over the cells, whose factors are all a sample of levels like these."""
    found = Components.of(cells)
    theta, n = cells.theta, len(cells.values)
    of_topics = cells.values.reshape(n, -1).mean(axis=1)
    # With what all systems share on a topic.
    blocks = [found.rows[TOPIC] + (of_topics - of_topics.mean())[:, None] / n]
    factors, degrees = [found.kappa(TOPIC)], [max(n - 1.0, 1.0)]
    for rows, factor, freedom in filter(None, (_of_facet(found, name) for name in cells.factors[1:])):
        blocks.append(rows)
        factors.append(factor)
        degrees.append(freedom)
    of_base = float(found.variances[found.place(TOPIC)])
    return Means(
        theta=theta,
        contrasts=theta - theta.mean(),
        influences=np.concatenate(blocks),
        strata=np.repeat(np.arange(len(blocks)), [len(block) for block in blocks]),
        factors=np.array(factors),
        stratum_degrees=np.array(degrees),
        # Topics that would leave as much without any other noise.
        effective=max(of_base / found.variance, FEWEST_EFFECTIVE) if found.variance > 0 else float(n),
        unit=TOPIC,
        by_pairs=True,
        components=found,
    )


def _of_facet(found: Components, name: str) -> tuple[Matrix, float, float] | None:
    """The rows of a facet, their factor and degrees of freedom (eq. 8, 9); None where it leaves nothing."""
    place, m = found.place(name), found.cells.systems
    levels = found.effects[place].levels
    left, degrees = 1 - 1 / levels, levels - 1.0
    rows, kappa = found.rows[name], found.kappa(name)
    if (m - 1) * degrees < FEWEST_TO_SHRINK:
        return rows, 1 / left, degrees
    if not kappa > 0:
        return None
    squares, of_topics = found.squares[place], found.squares[found.place(TOPIC)]
    spread, added = shrunken_variances(kappa * m / (m - 1) * squares, degrees)
    freedom = min(added + degrees, (m - 1) * degrees)
    freedom = max(0.5, min(1.0, kappa * left) ** 2 * freedom)
    if not of_topics.sum() > 0:
        half = np.diag(np.sqrt(spread / 2))
        return np.concatenate([half, -half]), 1.0, freedom
    half = np.diag(np.sqrt(spread / 4))
    shaped = np.sqrt(kappa * squares.sum() / of_topics.sum() / 2) * found.rows[TOPIC]
    return np.concatenate([half, -half, shaped]), 1.0, freedom
