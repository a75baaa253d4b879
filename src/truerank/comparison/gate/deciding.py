"""`gate`: is the candidate better than the baseline, or at least not worse by a margin?"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.arguments import keywords_checked, setting
from truerank._support.notes import Note
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank._support.wording import listed
from truerank.battles import Scale
from truerank.comparison.gate.decision import (
    LOSSES,
    Decision,
    Gate,
    TopicLoss,
    UnpairedDecision,
    UnpairedGate,
)
from truerank.errors import InputError, at
from truerank.kinds import InBattles
from truerank.numerics import special
from truerank.numerics.resampling import (
    blocks,
    bootstrap_blocks,
    critical_values,
    sign_vectors,
    single_step_p_values,
)
from truerank.readers import as_scores
from truerank.readers.checks import refuse_other_scales
from truerank.readers.missing import FILLED, Filled
from truerank.readers.options import ReadOptions
from truerank.readers.score_reading import refuse_beside_machine
from truerank.reliability.means import Question
from truerank.reliability.means.facets import question_of_seeds
from truerank.reliability.noise import seeds_together
from truerank.reliability.pair.comparing import (
    Key,
    Pair,
    before_arms,
    check_level,
    check_margin,
    largest_difference,
    margins_of,
    name_arms,
    pair_scores,
    pairs_of,
    treated,
)
from truerank.reliability.pair.contrast import (
    POWER,
    Contrast,
    TopicsNeeded,
    Verdict,
    few_differ,
    interval,
    p_value,
    prior_of_table,
    rule_of,
    topics_needed,
    verdict_in,
)
from truerank.scores import TIE, ScoreMatrix

if TYPE_CHECKING:
    from truerank.readers.means_with_errors import Means


@keywords_checked
def gate(
    scores: Any,
    baseline: Any = None,
    candidate: str | Sequence[str] | None = None,
    *,
    margin: float | Mapping[str, float] = 0.0,
    level: float = 0.95,
    generalize_to: Question | None = None,
    each_data_set: bool = False,
    missing: Filled = "error",
    measure: str | None = None,
    machine: Any = None,
    direct: bool = False,
    pairs_alike: bool = False,
    draw_prior: float = 0.0,
    scale: Scale | None = None,
    covariates: str | Sequence[str] = (),
    shared_seeds: bool = False,
    guarantee: bool = False,
    range: Sequence[float] | None = None,
    power: float = POWER,
    seed: int = 0,
) -> Gate:
    """Is the candidate better than the baseline, or at least not worse by a margin?

    The verdict is read off the two-sided interval of the difference at `level`, and is the first of these.
    *better*: all of it is above 0. *pass*: all of it is above −margin. *fail*: all of it is below −margin.
    Otherwise it is *undecided*. The intervals of several candidates hold together, measure by measure.

    Args:
        scores: a ScoreMatrix, or anything :func:`truerank.read_scores` takes. Also a list of two paths to
            tables of one system each, the baseline's first; or a list of ScoreMatrix, one per measure. Also
            the baseline's scores alone: a series, an array, or a frame with a column of scores. A file of
            systems with means and standard errors is compared by these alone, as if they were independent.
        baseline: what the others are compared with; of two systems the first unless said otherwise. After the
            baseline's scores: those of the candidate.
        candidate: one or more systems; all but the baseline by default.
        margin: how much worse still passes, in units of the score; of several measures a mapping of their
            names, in which those left out have 0.
        level: of the two-sided intervals, above ½ and below 1.
        generalize_to: of scores of several data sets, whether the verdict is to hold on new topics of them
            (``topics``) or on new data sets like these (``data_sets``), as for :func:`truerank.assess`. With
            ``topics,A,B`` on new levels of facets too, of three levels or more; all systems of the table
            show how large their noise is.
        each_data_set: whether each data set has a verdict of its own too; by default the average alone.
        missing: what to do about a topic that one of the two systems lacks. ``error`` refuses it. ``common``
            leaves it out, and says how hard it is. ``zero`` counts zero there.
            ``complete`` leaves out the systems that lack any topic.
        measure: which measure, where `scores` holds several.
        machine: a machine judge's scores of the same systems on the topics of `scores`, which people judged,
            and on more, as for :func:`truerank.assess`.
        direct: of an arena, whether battles between the two alone decide, and not the strengths that all
            battles give; the margin is then a share of wins.
        pairs_alike: of an arena, as for :func:`truerank.assess`, like the next three.
        draw_prior: drawn battles that are added for each system.
        scale: of strengths; the margin is in the same unit.
        covariates: what else decided battles; not with `direct`.
        shared_seeds: whether runs of the two with the same label shared their random seeds. It changes only
            what is said of run noise: the bounds rest on differences of cell means either way.
        guarantee: whether the exact bound alone decides, which holds the level on every population. It needs
            scores of known range, and more topics.
        range: the lowest and the highest score that there can be; by default that of a known measure, or
            0 to 1 where all scores are 0 or 1.
        power: chance of a verdict at the topics that an inconclusive gate needs.
        seed: the same seed gives the same digits.

    Returns:
        The decisions. O(n) a comparison, and 10,000 permutations of n signs; k of them together O(n·k² + k³).

    Raises:
        InputError: a margin, level or score out of range, or a guarantee that there cannot be. Also scores
            that allow no verdict: a system without results or with constant scores, or systems that share
            few topics.
        UnknownNameError: no such system.

    Example:
        >>> import numpy as np, truerank
        >>> rng = np.random.default_rng(1)
        >>> old = rng.beta(2, 4, 100)
        >>> result = truerank.gate(old, old + rng.normal(-0.004, 0.03, 100), margin=0.01)
        >>> result.verdict, result.low > -0.01
        ('pass', True)
    """
    check_level(level)
    if not 0 < power < 1:
        raise InputError(f"the power must be between 0 and 1, not {power:g}")
    settings = Settings(
        level, generalize_to, each_data_set, direct, shared_seeds, guarantee, range, power, seed
    )
    if baseline is not None and not isinstance(baseline, str):
        from truerank.readers.joining import side_by_side

        (scores, named), baseline = side_by_side(scores, baseline, measure), None
        measure = measure or named or None
    if isinstance(scores, str | os.PathLike):
        from truerank.readers.means_with_errors import read_means

        if (means := read_means(os.fspath(scores), ReadOptions(measure=measure))) is not None:
            usual = vars(Settings(level, power=power, seed=seed))
            given = {"machine": machine is not None, "covariates": covariates, "pairs_alike": pairs_alike}
            given |= {name: value is not usual[name] for name, value in vars(settings).items()}
            if unused := [name for name, value in given.items() if value]:
                raise InputError(
                    f"{at(means.scores.source)}means with standard errors hold no topics; "
                    f"leave {setting(unused[0])} out"
                )
            return cast(Any, unpaired_gate(means, baseline, candidate, margin=margin, level=level))
    tables = _tables(scores, measure, missing, machine, covariates)
    asked: list[tuple[int, float, Pair]] = []  # the place of the measure, its margin, and the comparison
    for place, (table, loss) in enumerate(zip(tables, margins_of(tables, margin, range), strict=True)):
        arms = name_arms(table, baseline, candidate)
        table = table.counting(pairs_alike, draw_prior, scale)
        if isinstance(table.kind, InBattles):
            pairs = _in_battles(table, *arms, loss, settings)
        else:
            pairs = list(_on_topics(table, *arms, loss, missing, settings))
        asked += ((place, loss, pair) for pair in pairs)
    together = judged_together([pair for *_, pair in asked], level, seed, [place for place, *_ in asked])
    shared: dict[str, Any] = {
        "comparisons": len(asked),
        "pairs_alike": pairs_alike if any(pair.scale for *_, pair in asked) else None,
    }
    return Gate(
        tuple(
            replace(_decision(pair, loss, adjusted, own, settings), **shared)
            for (_, loss, pair), adjusted, own in zip(asked, *together, strict=True)
        )
    )


def unpaired_gate(
    means: Means,
    baseline: str | None = None,
    candidate: str | Sequence[str] | None = None,
    *,
    margin: float | Mapping[str, float] = 0.0,
    level: float = 0.95,
) -> UnpairedGate:
    """Is the candidate better than the baseline, as far as two means and their standard errors say?"""
    check_level(level)
    scores = means.scores
    base, (other, *more) = name_arms(scores, baseline, candidate)
    if more:
        raise InputError(
            f"{at(scores.source)}{len(more) + 1} candidates; means with standard errors are compared in "
            f"pairs. Choose one with {setting('candidate', other)}"
        )
    (loss,) = margins_of([scores], margin)
    check_margin(loss)
    places = [scores.systems.index(base), scores.systems.index(other)]
    (mean_a, mean_b), errors = scores.values[0, places].tolist(), means.errors[places]
    contrast = Contrast(mean_b - mean_a, errors, np.zeros(2, np.intp), math.inf, units=2.0, differing=2.0)
    low, high = interval(contrast, level)
    decision = UnpairedDecision(
        verdict=verdict_in(low, high, loss),
        baseline=base,
        candidate=other,
        measure=scores.measure,
        baseline_mean=mean_a,
        candidate_mean=mean_b,
        difference=contrast.estimate,
        low=low,
        high=high,
        level=level,
        margin=float(loss),
        baseline_stderr=float(errors[0]),
        candidate_stderr=float(errors[1]),
        stderr=contrast.error,
        p_value=p_value(contrast),
        p_margin=p_value(contrast, -loss) if loss else math.nan,
        notes=(*scores.notes, Note("unpaired", {}, "warning")),
    )
    return UnpairedGate((decision,))


@dataclass(frozen=True)
class Settings:
    """The arguments of :func:`gate` that hold for all its comparisons."""

    level: float
    generalize_to: Question | None = None
    each_data_set: bool = False
    direct: bool = False
    shared_seeds: bool = False
    guarantee: bool = False
    range: Sequence[float] | None = None
    power: float = POWER
    seed: int = 0


def _tables(
    scores: Any, measure: str | None, missing: Filled, machine: Any, covariates: str | Sequence[str]
) -> list[ScoreMatrix]:
    reading = before_arms(missing)
    several = isinstance(scores, Sequence) and all(isinstance(one, ScoreMatrix) for one in scores)
    tables = list(scores) if several else [scores]
    if machine is not None:
        # A topic is one that people judged, or it is not: beside a machine's scores no cell may be empty.
        if len(tables) != 1:
            raise InputError(
                f"{setting('machine')} goes with the scores of one measure, not with {len(tables)} tables"
            )
        from truerank.readers import with_machine

        refuse_beside_machine(covariates)
        return [with_machine(tables[0], machine, measure, missing)]
    if not several or not tables:
        tables = [as_scores(scores, measure, reading, "", FILLED, battles=True, covariates=covariates)]
    return [treated(table, missing) for table in tables]


def _in_battles(
    table: ScoreMatrix, base: str, candidates: Sequence[str], margin: float, settings: Settings
) -> list[Pair]:
    from truerank.reliability.pair.of_battles import arena_pairs

    check_margin(margin)
    if settings.range is not None or (settings.guarantee and not settings.direct):
        raise InputError(
            f"{at(table.source)}strengths of battles have no range, so no exact bound; leave "
            f"{setting('guarantee')} and {setting('range')} out, or use {setting('direct')}"
        )
    return arena_pairs(table, base, candidates, settings.level, settings.direct)


def _on_topics(
    table: ScoreMatrix,
    base: str,
    candidates: Sequence[str],
    margin: float,
    missing: Filled,
    settings: Settings,
) -> Iterator[Pair]:
    """The comparisons of means, over all topics and, if wanted, on each data set."""
    where, exact = at(table.source), setting("guarantee")
    table.refuse_of_scores(direct=settings.direct)
    if settings.shared_seeds:
        check_shared(table)
    check_margin(margin, table)
    refuse_other_scales(table, [base, *candidates])
    largest = largest_difference(table, settings.range)
    if settings.guarantee and table.machine is not None:
        raise InputError(f"{where}no bound is exact beside a machine's scores; leave {exact} out")
    if settings.guarantee and largest is None:
        by = f"of {table.measure!r} " if table.measure else ""
        raise InputError(
            f"{where}{exact} needs the range of scores, and none {by}is known; give it with "
            f"{setting('range', '0,1')}"
        )
    of_machine: list[Note] = []
    if table.machine is not None:
        from truerank.reliability.machine_judge import machine_judge, machine_warnings

        judge = machine_judge(table, settings.level)
        of_machine = machine_warnings(table, judge, settings.seed, biases=False)
        if not judge.same_topics:
            of_machine.append(Note("weight-of-pair", {}, "info"))
    generalize_to = settings.generalize_to or question_of_seeds(table)
    over_levels = generalize_to is not None and "," in generalize_to
    of_seeds = [] if over_levels else seeds_together(table)
    prior = cache(partial(prior_of_table, table, generalize_to))
    for name in candidates:
        scores = pair_scores(table, base, name, "error" if missing == "error" else "common")
        if isinstance(scores, str):
            raise InputError(scores)
        if settings.guarantee and scores.n < table.n:
            raise InputError(
                f"{where}{base!r} or {name!r} lacks topics, so no bound is exact; add them, or leave {exact} "
                "out"
            )
        counted = [] if over_levels else run_notes(scores, settings.shared_seeds, margin, settings.level)
        of_runs, if_open = counted or ([], [])
        asked = generalize_to, largest, settings.guarantee, settings.each_data_set
        for pair in pairs_of(scores, table, *asked):
            # The table says less of single data sets: its systems' averages are other quantities.
            known = prior if pair.data_set is None else None
            noted = pair.scores.noting(*of_machine, *of_seeds, *of_runs)
            yield replace(pair, scores=noted, if_open=tuple(if_open), prior=known)


def _decision(pair: Pair, margin: float, adjusted: float, own: float, settings: Settings) -> Decision:
    """The decision by an interval at its own level, and a p-value adjusted for all comparisons."""
    contrast, scores, (values, d) = pair.contrast, pair.scores, pair.each
    low, high = interval(contrast, own)
    verdict = verdict_in(low, high, margin)
    needed: TopicsNeeded | None = None
    known: Literal["table", "flat"] | None = None
    if verdict == "undecided" and not pair.levels:
        prior = pair.prior() if pair.prior else None
        needed = topics_needed(contrast, margin, own, settings.power, prior)
    if needed is not None:
        needed, known = needed.times(pair.count / contrast.units), "table" if prior else "flat"
    rng = stream(settings.seed, "gate", "randomization")  # no names: files may call the same scores otherwise
    flipped = math.nan if pair.scale or pair.levels else randomization_p_value(pair.parts, rng)
    sets = scores.data_set_of_each
    losses = [t for t in np.argsort(d, kind="stable")[:LOSSES].tolist() if d[t] < -1e-12]
    return Decision(
        verdict=verdict,
        baseline=scores.systems[0],
        candidate=scores.systems[1],
        measure=scores.measure,
        data_set=pair.data_set,
        baseline_mean=float(pair.means[0]),
        candidate_mean=float(pair.means[1]),
        difference=contrast.estimate,
        low=low,
        high=high,
        level=settings.level,
        margin=float(margin),
        p_value=p_value(contrast),
        p_margin=p_value(contrast, -margin) if margin else math.nan,
        p_randomization=flipped,
        p_adjusted=float(adjusted),
        topics=scores.n if pair.played is None else pair.played,
        units=pair.count,
        machine_topics=len(scores.machine.topics) if scores.machine else 0,
        differing=pair.differing,
        skewness=contrast.skewness,
        unit=scores.unit_of(pair.unit).one,
        generalize_to=",".join(["data_sets" if "data set" in pair.unit else "topics", *pair.levels]),
        rule=rule_of(contrast),
        covariates=pair.covariates,
        topics_needed=needed.topics if needed else None,
        topics_needed_low=needed.low if needed else None,
        topics_needed_high=needed.high if needed else None,
        topics_needed_prior=known,
        power=settings.power,
        seed=settings.seed,
        fragility=pair.fragility,
        losses=tuple(
            TopicLoss(scores.topics[t], sets[t] if sets else pair.data_set, a, b, float(d[t]))
            for t, (a, b) in zip(losses, values[losses].tolist(), strict=True)
        ),
        notes=(
            *scores.notes,
            *findings_of(pair, verdict, margin),
            *(pair.if_open if verdict == "undecided" else ()),
        ),
        scale=pair.scale,
        direct=pair.direct,
        differences=d,
        topic_names=scores.topics,
        noun=scores.noun,
        reading=scores.reading,
    )


RESAMPLES = 10_000  # behind adjusted p-values: a Monte Carlo error of 0.0022 at 0.05
CERTAIN = 37.0  # normal quantiles beyond this count as certain


def judged_together(
    pairs: Sequence[Pair], level: float, seed: int, groups: Sequence[int]
) -> tuple[Vector, Vector]:
    """K p-values adjusted for all comparisons, and k levels of intervals that hold together by measure."""
    p = np.array([p_value(one.contrast) for one in pairs])
    of = np.asarray(groups, dtype=np.intp)
    if len(pairs) == 1:
        return (p, np.array([level]))
    if any(one.levels for one in pairs):  # resampling topics hides levels’ noise: Bonferroni
        return (np.minimum(len(p) * p, 1.0), 1 - (1 - level) / np.bincount(of)[of])
    places: dict[Key, int] = {}  # each topic is one row, whichever comparisons it takes part in
    for key in (key for one in pairs for key in one.keys):
        places.setdefault(key, len(places))
    # The same digits in whatever order systems and topics are.
    columns = np.lexsort((p, of))
    rows = np.zeros((len(places), len(pairs)))
    for column, k in enumerate(columns):
        rows[[places[key] for key in pairs[k].keys], column] = pairs[k].contrast.rows
    rows = rows[np.lexsort(rows.T)]
    ordered = [pairs[k].contrast for k in columns]
    largest = np.concatenate(list(_largest(rows, ordered, of[columns], seed)))
    levels = np.maximum(1 - 2 * special.ndtr(-critical_values(largest, level)), level)
    levels[np.bincount(of) == 1] = level
    z = np.clip(-special.ndtri(p / 2), 0.0, CERTAIN)
    adjusted = single_step_p_values(z, [largest.max(axis=1, keepdims=True)])
    return (np.maximum(adjusted, p), levels[of])


def _largest(
    rows: Matrix, contrasts: Sequence[Contrast], groups: NDArray[np.intp], seed: int
) -> Iterator[Matrix]:
    """The largest |normal score| of each group, in blocks of resamples × groups."""
    exact = np.array([rule_of(one) == "exact" for one in contrasts])
    units, errors = np.array([(one.units, one.error) for one in contrasts]).T
    # Scores of one group with the same degrees of freedom are in order already; exact ones count as normal.
    degrees = np.where(exact, np.inf, [one.degrees for one in contrasts])
    kinds, of_kind = np.unique(np.stack([groups, degrees]), axis=1, return_inverse=True)
    rng = stream(seed, "gate", "max-T")
    for counts in bootstrap_blocks(len(rows), RESAMPLES, rng):
        weights = counts.astype(np.float64)
        first, second = (weights @ rows**power for power in (1, 2))
        squares = second - first**2 / units
        own = np.where(exact | (squares <= 1e-12 * second), errors, np.sqrt(np.maximum(squares, 0.0)))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(first) * np.sqrt((units - 1) / units) / own
        t[np.isnan(t)] = 0.0
        largest = np.zeros((len(t), int(groups.max()) + 1))
        for kind, (group, value) in enumerate(kinds.T):
            score, place = t[:, of_kind.ravel() == kind].max(axis=1), int(group)
            if np.isfinite(value):
                score = -special.ndtri(special.stdtr(value, -score))
            largest[:, place] = np.maximum(largest[:, place], score)
        yield np.minimum(largest, CERTAIN)


SKEWED = -1.0  # skewness of a claim's differences below which more claims are false than the level says


def findings_of(pair: Pair, verdict: Verdict, margin: float) -> list[Note]:
    """On few differing topics, differences that are all the same, and skewness against the claim."""
    contrast, copies = pair.contrast, pair.contrast.differing == 0
    unit, counted = pair.scores.unit.one, pair.scores.unit_of(pair.unit).one
    plain = contrast.differences is not None
    deciding = {"bounded": contrast.exact is not None, "copies": copies, "plain": plain}
    if copies:
        return [Note("identical", {"case": "copies", "unit": unit, **deciding})]
    found = []
    if few_differ(contrast.differing, contrast.units):
        facts = {"differing": pair.differing, "of": pair.count, "unit": counted}
        found.append(Note("few-differ", {**facts, **deciding}))
    elif contrast.error == 0:
        weighted = contrast.weights is not None
        found.append(Note("unseen-losses", {"case": "constant", "unit": unit, "weighted": weighted}))
    against = -contrast.skewness if verdict == "fail" else contrast.skewness
    if verdict != "undecided" and rule_of(contrast) == "t" and against < SKEWED:
        found.append(Note("skewed", {"verdict": verdict, "skewness": contrast.skewness}))
    if verdict == "undecided" and abs(contrast.estimate + margin) < contrast.error:
        found.append(Note("close-call", {"unit": counted}))
    return found


def check_shared(scores: ScoreMatrix) -> None:
    """Refuse shared seeds where runs have no labels that systems share."""
    runs, unit = scores.repeats, scores.unit.one
    if runs is not None and runs.labeled is not None:
        return
    way = f"leave {setting('shared_seeds')} out"
    if scores.facets is not None:
        names = listed([repr(name) for name in scores.facets.names])
        what = f"runs are averaged at each level of {names}, and shared seeds are not counted there"
    elif runs is not None and runs.measure != "mean":
        what = f"shared seeds are counted for means of runs, and {runs.measure} is not one"
    elif runs is not None and not runs.several:
        what = f"each system has one run on every {unit}, so shared seeds change nothing"
    elif runs is not None and runs.column:
        what = f"systems do not all have each label of column {runs.column!r} once on every {unit}"
    else:
        what = f"no column says which runs of the two share a seed on every {unit}"
        way += f", or name the column with {setting('run_column')}"
    raise InputError(f"{at(scores.source)}{what}; {way}")


def run_notes(
    scores: ScoreMatrix, shared_seeds: bool, margin: float, level: float
) -> tuple[list[Note], list[Note]]:
    """The part of the variance of the difference that comes from runs; and runs that would decide."""
    runs, d = scores.repeats, np.diff(scores.values)[:, 0]
    if runs is None or scores.k > 1 or scores.clusters is not None or not np.isfinite(runs.variances).any():
        return [], []
    n, total = len(d), float(d.var(ddof=1)) / len(d)
    if not total > 0:
        return [], []
    if shared_seeds and runs.labeled is not None:
        of_seeds = np.diff(runs.labeled.values.reshape(n, -1, 2))[:, :, 0]
        per_topic = of_seeds.var(axis=1, ddof=1) / of_seeds.shape[1]
    else:
        from truerank.reliability.means.run_noise import FilledRuns

        per_topic = FilledRuns(runs, scores.values).cells.sum(axis=1)
    part = float(per_topic.mean()) / n
    noted = [Note("run-noise", {"case": "share", "share": min(max(part / total, 0.0), 1.0)})]
    # Runs of each topic at which today's difference would decide: no number where topics alone vary too much.
    k = float(np.mean(1 / runs.counts)) ** -1
    largest = ((abs(float(d.mean()) + margin)) / float(special.stdtrit(n - 1, (1 + level) / 2))) ** 2
    topics = max(total - part, 0.0)
    wanted = None if largest <= topics else math.ceil(part * k / (largest - topics))
    if wanted is not None and wanted <= k:  # today's
        return noted, []
    return noted, [Note("run-noise", {"case": "to-decide", "runs": wanted, "unit": scores.unit.one})]


PERMUTATIONS = 10_000  # sign vectors of the randomization test
MANY = 1 << 13  # the largest differences have signs; the sum of the others counts as normal


def randomization_p_value(differences: Vector, rng: Generator, permutations: int = PERMUTATIONS) -> float:
    """The paired randomization test's, ``(1 + as extreme)/(1 + permutations)``; exact for few differences."""
    d = differences[np.abs(differences) > TIE]
    n = len(d)
    if n == 0:
        return 1.0
    least = abs(float(d.sum())) - TIE * n
    d = np.sort(np.abs(d))  # so that the same scores have the same digits, in whatever order and direction
    if 2 ** (min(n, 62) - 1) <= permutations:
        signs, _ = sign_vectors(n, permutations, rng)
        return float(np.mean(np.abs(signs @ d) >= least))
    rest, d = d[:-MANY], d[-MANY:]
    reached = 0
    for rows in blocks(permutations, len(d)):
        minus = rng.integers(0, 2, (len(range(permutations)[rows]), len(d)), dtype=np.int8)
        flipped = d.sum() - 2 * (minus @ d)
        if len(rest):
            flipped += rng.normal(0, np.sqrt(rest @ rest), len(flipped))
        reached += int(np.count_nonzero(np.abs(flipped) >= least))
    return (1 + reached) / (1 + permutations)
