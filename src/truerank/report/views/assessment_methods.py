"""How an assessment was made: for the last line of a terminal, a page's methods and facts, and a paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from truerank._support.escaping import printable
from truerank._support.references import REFERENCES
from truerank._support.wording import (
    count,
    joined,
    level_text,
    listed,
    number,
    percent,
    score_digits,
    sentence,
)
from truerank.coefficients import COEFFICIENTS
from truerank.numerics.intervals import in_unit_range
from truerank.reliability.dependence import DEPENDENCES
from truerank.reliability.diagnostics import GRAVEST
from truerank.reliability.estimators import ESTIMATORS, SplitHalfEstimator
from truerank.reliability.means import AGGREGATES
from truerank.reliability.pair.contrast import FEW
from truerank.reliability.results import Assessment, Estimate
from truerank.report.sampled import basis, levels_counted, levels_of, one_score_each, score_word
from truerank.report.views import facts
from truerank.report.views.assessment_words import macro_of, pairs_in_order, ranges_hold, true_ranking
from truerank.report.words import CITED, PAIRS_ALIKE, symbol


def estimator_label(a: Assessment, otherwise: str) -> str:
    """What the headline estimator is called."""
    found = ESTIMATORS.get(a.headline_estimator)
    return found.label if found else otherwise


def how(a: Assessment) -> str:
    """What the digits rest on, for the last line of the terminal."""
    s = a.settings
    left_out = (
        [f"{len(s.dropped)} systems of the bottom {percent(s.drop_bottom)} dropped"] if s.dropped else []
    )
    if copies := sum(len(group) - 1 for group in s.identical):
        left_out.append(f"{copies} identical to another left out")
    parts = [
        f"By {a.headline_estimator} ({estimator_label(a, 'own estimator')}), {a.dependence} dependence, "
        f"{s.draws:,} draws",
        *left_out,
        *([PAIRS_ALIKE] if s.pairs_alike else []),
        f"seed {s.seed}",
        f"truerank {s.version}.",
    ]
    return "; ".join(parts)


def facts_of(a: Assessment) -> dict[str, str]:
    """What it takes to reproduce the numbers."""
    s = a.settings
    found = facts(s.version, s.seed) | {
        "Headline estimator": a.headline_estimator,
        "Dependence": next((e.dependence for e in a.estimates if e.dependence), "none"),
        "Draws": f"{s.draws:,}",
        "Levels": ", ".join(map(level_text, s.levels)),
    }
    if s.resamples:
        error = f" (Monte Carlo error {s.resampling_error:.4f})" if s.resampling_error is not None else ""
        found["Resamples"] = f"{s.resamples:,} of the {a.counted.many}{error}"
    if s.baseline is not None:
        found["Baseline"] = s.baseline
    if s.pairs_alike:
        found["Battles"] = PAIRS_ALIKE
    if copies := [name for group in s.identical for name in group[1:]]:
        found["Identical"] = f"{len(copies)} with the scores of another system left out: {listed(copies, 12)}"
    if s.dropped:
        dropped = f"{len(s.dropped)} systems: {listed(s.dropped, 12)}"
        found["Dropped"] = f"the bottom {percent(s.drop_bottom)}, {dropped}"
    if a.scores.source:
        found["Scores"] = Path(a.scores.source).name
    found["Fingerprint"] = f"{a.scores.fingerprint()[:16]} (of names, measure and scores, in ranking order)"
    return found


def bounded(estimate: Estimate, level: float) -> tuple[float, float | None, float | None]:
    """An estimate with the ends of its interval, where it has one."""
    interval = estimate.interval(level)
    return (estimate.estimate, interval.low, interval.high) if interval else (estimate.estimate, None, None)


def is_split_half(estimator: str) -> bool:
    """Whether an estimator compares two samples of topics, and no ranking with the true one."""
    return isinstance(ESTIMATORS.get(estimator), SplitHalfEstimator)


def means_by(a: Assessment) -> str:
    """What the intervals of the systems' scores are."""
    if not a.means.linear:
        return f"quantiles over resampled {a.counted.many}"
    rule = AGGREGATES.get(a.settings.aggregate)
    if a.arena is None and rule and rule.points is None and in_unit_range(a.scores.values):
        how = f"scaled to the half-width of a t interval over {a.counted.many}"
        return f"Wilson’s [@wilson-1927], {how}, and stay between 0 and 1"
    cut = "" if rule is None or rule.bounds is None else ", cut at the range of possible scores"
    return f"t intervals over {a.counted.many}{cut}"


def differences_by(a: Assessment) -> str:
    """What the intervals of differences from the baseline come from."""
    if a.baseline_by_gates:
        return (
            "Student’s t, or by an exact bound [@gaffke-2005] where scores have a known range, fewer than "
            f"{FEW:g} {a.counted.many} differ and they are fewer than half"
        )
    if not a.means.linear:
        return f"quantiles over resampled {a.counted.many}"
    return "the largest of all studentized differences" if a.settings.guarantee else "Student’s t"


def _papers(estimators: Iterable[str]) -> list[str]:
    """The first reference of each registered estimator, where it is a known paper."""
    first = [key for name in estimators if name in ESTIMATORS for key in ESTIMATORS[name].references[:1]]
    return [key for key in first if key in REFERENCES and key != "truerank"]


# ── in a paper ────────────────────────────────────────────────────────────────────────────────────────


TREATED = ("counted-as-zero", "topics-left-out", "systems-left-out")
"""Codes of the notes that say what was done about missing scores."""


def numbers(a: Assessment) -> dict[str, str]:
    """What a paper quotes of an assessment, by the names of macros."""
    s, m = a.settings, len(a.ranking)
    found = {
        "Systems": f"{m:,}",
        "Topics": f"{a.scores.n:,}",
        "Pairs": f"{m * (m - 1) // 2:,}",
        "Level": level_text(s.levels[0]),
        "Estimator": a.headline_estimator,
        "Dependence": a.dependence,
        "Leader": listed([a.ranking[0].system]),
        "Draws": f"{s.draws:,}",
        "Seed": str(s.seed),
        "Version": s.version,
    }
    found |= {"DataSets": str(a.scores.k)} if a.scores.k > 1 else {}
    for estimate in a.estimates:
        if estimate.estimator == a.headline_estimator:
            values = bounded(estimate, s.levels[0])
            for end, value in zip(("", "Low", "High"), values, strict=True):
                found[macro_of(estimate.coefficient) + end] = number(value, 2)
    if a.above is not None:
        found["SeparatedPairs"] = f"{int(np.count_nonzero(a.above)):,}"
    if pairs := pairs_in_order(a):
        found |= {f"PairsInOrder{end}": str(one) for end, one in zip(("", "Low", "High"), pairs, strict=True)}
    if equal := sum(one.rank_low == 1 for one in a.ranking):
        found["MayBeFirstCount"] = str(equal)
    if a.leader is not None:
        picked, digits = a.leader, score_digits([one.mean for one in a.ranking])
        scored = {"": picked.observed, "Expected": picked.shrunken, "Low": picked.low, "High": picked.high}
        found |= {f"LeaderScore{end}": number(score, digits) for end, score in scored.items()}
    if s.baseline is not None and a.baseline:
        counts: Counter[str] = Counter(one.verdict for one in a.baseline)
        found |= {"Baseline": listed([s.baseline]), "Compared": str(len(a.baseline))}
        of = {"Better": "better", "Worse": "fail", "Inconclusive": "undecided"}
        found |= {name: str(counts[verdict]) for name, verdict in of.items()}
    if (weighed := a.pareto) is not None:
        found |= {"ObservedFrontier": str(len(weighed.observed)), "Frontier": str(len(weighed.systems))}
        found |= {"FrontierSystems": listed(weighed.systems)}
    if (judge := a.machine) is not None:
        found |= {"HumanTopics": f"{judge.human_topics:,}", "MachineTopics": f"{judge.machine_topics:,}"}
        found |= {
            "Lambda": number(judge.scale, 2),
            "EffectiveTopics": f"{judge.effective_topics:,.0f}",
            "OverScored": listed([one.system for one in judge.over_scored]),
            "UnderScored": listed([one.system for one in judge.under_scored]),
        }
    if a.scores.battles is not None:
        found["Battles"] = f"{len(a.scores.battles.first):,}"
    if a.noise is not None and a.noise.of_runs:
        main = a.noise.main
        shares = {"": main.share, "Low": main.low, "High": main.high}
        found |= {f"RunsShare{end}": percent(share) for end, share in shares.items()}
    return found


def paper_sentence(a: Assessment) -> str:
    """The method in sentences, for a paper: each says what was done for these numbers."""
    return " ".join(one for part in _PARTS for one in part(a))


def papers(a: Assessment) -> list[str]:
    """Keys of the papers that its estimators and scores come from, that of the approach first."""
    scored = [key for one in _ranked(a) for key in CITED.findall(one)]
    return list(dict.fromkeys(["urbano-marrero-2016", *_papers(a.estimators), *scored]))


def _ranked(a: Assessment) -> Iterator[str]:
    """What is ranked, by what score."""
    systems = f"{a.scores.m:,} systems"
    if a.arena is not None:
        yield from _strengths(a, f"{systems} in {basis(a)}")
        return
    aggregate, measure = AGGREGATES.get(a.settings.aggregate), printable(a.measure)
    plain = aggregate is not None and aggregate.points is None
    if plain and (a.scores.k == 1 or one_score_each(a)):
        yield f"We ranked {systems} by mean {measure or 'score'} on {basis(a)}."
    else:
        yield f"We ranked {systems}{f' by {measure}' if measure else ''} on {basis(a)}."
        how = aggregate.label if aggregate else printable(a.settings.aggregate)
        counts = "counts by its weight" if a.scores.weights else "counts alike"
        what = f"mean of its means on the data sets, each of which {counts}" if plain else f"{how} over them"
        yield f"A system’s score is the {what}."
    if a.means.unit == "cluster":
        yield f"{a.sampled.many.capitalize()} of one cluster were kept together: clusters are the sample."


def _strengths(a: Assessment, on: str) -> Iterator[str]:
    """How battles become strengths, and what their errors are clustered by."""
    assert a.arena is not None
    clustered = "robust errors [@liang-zeger-1986]"
    if a.arena.unit != "battle":
        clustered = f"errors clustered by {a.arena.unit} [@liang-zeger-1986]"
        clustered += "" if a.arena.voters is None else " and voter [@cameron-2011]"
    yield f"We ranked {on}, by Bradley–Terry strengths [@bradley-terry-1952] with {clustered}."
    yield "A tie counts as half a win of each."
    if a.covariates:
        names = listed([printable(one.name) for one in a.covariates])
        yield f"Strengths are those at equal style: the model has the covariates {names}."
    if a.arena.pairs_alike:
        yield "Battles are weighted so that every pair of systems that met counts alike."
    if a.arena.draw_prior:
        drawn = f"{a.arena.draw_prior:g} drawn ones with an average player"
        yield f"To the battles of each system {drawn} were added."


def _cells(a: Assessment) -> Iterator[str]:
    """What the scores are means of: levels of facets, and runs."""
    facets, repeats = a.scores.facets, a.scores.repeats
    over = [] if facets is None else [levels_counted(facets, name) for name in facets.several]
    if repeats is not None and repeats.several:
        least, most = int(repeats.counts.min()), int(repeats.counts.max())
        over.append(f"{most if least == most else f'{least} to {most}'} runs")
    elif facets is not None and facets.runs > 1:
        about = "" if facets.runs == round(facets.runs) else "about "
        over.append(f"{about}{facets.runs:.3g} runs")
    if over:
        yield f"A system’s score on a {a.sampled.one} is the mean over {joined(over)}."


def _missing(a: Assessment) -> Iterator[str]:
    """How missing scores, dropped and identical systems were treated."""
    for note in a.notes:
        if note.code in TREATED:
            yield f"Missing scores: {note.text.partition(':')[0]}."
    empty = int(np.isnan(a.scores.values).sum()) if a.scores.kind.by_cells else 0
    if empty:
        yield (
            f"{empty:,} scores are missing and were not filled in: means are fitted by least squares, as a "
            f"system’s part plus a {a.sampled.one}’s part."
        )
    s = a.settings
    if s.dropped:
        yield f"The bottom {percent(s.drop_bottom)} ({len(s.dropped):,} systems) were left out."
    if copies := sum(len(group) - 1 for group in s.identical):
        yield f"Of systems with the same scores only one was kept; {count(copies, 'other')} were left out."


def _machine(a: Assessment) -> Iterator[str]:
    """How a machine's scores correct the human ones."""
    judge = a.machine
    if judge is None:
        return
    topics = a.sampled.many
    yield (
        f"People’s scores on {judge.human_topics:,} {topics} were combined with a machine’s on "
        f"{judge.machine_topics:,} by "
        "prediction-powered inference [@angelopoulos-2023]. The weight of the machine is "
        f"λ = {number(judge.scale, 2)}."
    )
    yield f"People’s {topics} are taken for a random sample of the machine’s, so its bias is corrected."


def _estimated(a: Assessment) -> Iterator[str]:
    """What is estimated, for which population, and by what."""
    yield _population(a)
    estimator, s = estimator_label(a, a.headline_estimator), a.settings
    names = dict.fromkeys(e.coefficient for e in a.estimates)
    called = joined([f"{'Kendall’s ' * (name == 'tau')}{symbol(name)}{_cited(name)}" for name in names])
    yield (
        f"We estimated the expected rank correlation, {called}, of the observed with the true ranking "
        f"[@urbano-marrero-2016] by {estimator}{_own_paper(a)}. We used truerank {s.version} [@truerank] "
        f"with {s.draws:,} draws and seed {s.seed}."
    )
    coupled = DEPENDENCES.get(a.dependence)
    if coupled is not None and coupled.references:
        yield (
            f"Pairs share systems and {a.counted.many}, so their errors are dependent: we drew all pairs "
            f"together, with the {coupled.label} of the scores [@{coupled.references[0]}]. Intervals of "
            "correlations run between quantiles of these draws, after [@bavdaz-2018]."
        )


def _cited(coefficient: str) -> str:
    """The citation of the first reference of a coefficient, where it has one."""
    found = COEFFICIENTS.get(coefficient)
    return "".join(f" [@{key}]" for key in found.references[:1]) if found else ""


def _population(a: Assessment) -> str:
    """The population that the true ranking is over."""
    facets = a.scores.facets
    fixed = [] if facets is None else [one for one in facets.several if one not in _random(a)]
    kept = f", with the same {listed([levels_of(one) for one in fixed])}" if fixed else ""
    if a.scores.k > 1 and not a.settings.generalize_to.startswith("data_sets"):
        kept = f" in the same {a.scores.k:,} data sets{kept}"
    return f"{true_ranking(a)[:-1]}{kept}."


def _random(a: Assessment) -> tuple[str, ...]:
    """The facets whose levels are a sample, too."""
    return () if a.noise is None else a.noise.random


def _own_paper(a: Assessment) -> str:
    """The paper of the headline's estimator, where that of the approach is another."""
    keys = _papers([a.headline_estimator])
    return "".join(f" [@{key}]" for key in keys if key != "urbano-marrero-2016")


def _ranges(a: Assessment) -> Iterator[str]:
    """What is said of ranks, as surely as it was measured, and of the leader."""
    for note in [one for one in a.notes if one.code in GRAVEST and one.meaning][:1]:
        yield sentence(note.meaning if note.code in ("skewed", "few-systems") else note.text)
    yield f"Intervals of {score_word(a)}s are {means_by(a)}."
    if together := ranges_hold(a):
        yield f"The rank range of a system has the ranks that it may truly have. {together}"
    if a.settings.guarantee:
        yield "Pairs are separated by a step-down max-T procedure [@westfall-young-1993] over all pairs."
    if a.leader is not None:
        yield "The expected score of the leader allows for its having been picked as the best."


def _baseline(a: Assessment) -> Iterator[str]:
    """How the baseline was compared with all others."""
    s = a.settings
    if s.baseline is None or not a.baseline:
        return
    name, level = listed([s.baseline]), level_text(s.levels[0])
    if s.guarantee:
        yield f"Verdicts against the baseline {name} hold for all pairs together with {level} confidence."
        return
    yield (
        f"Each other system was compared with the baseline {name} by itself, by {level} intervals of the "
        f"difference from {differences_by(a)}."
    )


def _weighed(a: Assessment) -> Iterator[str]:
    """How systems on the frontier of two criteria are found."""
    found = a.pareto
    if found is None:
        return
    by = "by tests of all pairs together" if a.settings.guarantee else "from the same draws"
    name, level = printable(found.measure), level_text(found.level)
    drawn = f"{name} was drawn separately" if found.by_topic else f"{name} is taken as known"
    yield (
        f"With {level} confidence the set has every system on the true frontier of {score_word(a)} and "
        f"{name}, {by}; {drawn}."
    )


_PARTS = (_ranked, _cells, _machine, _missing, _estimated, _ranges, _baseline, _weighed)
"""The sentences in order."""
