"""How an assessment was made: for the last line of a terminal, a page's methods and facts, and a paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.wording import level_text, listed, percent, rough
from truerank.coefficients import COEFFICIENTS
from truerank.numerics.intervals import in_unit_range
from truerank.reliability.dependence import DEPENDENCES, OWN, OWN_DRAWS
from truerank.reliability.estimators import ESTIMATORS, SplitHalfEstimator
from truerank.reliability.means import AGGREGATES
from truerank.reliability.pair.contrast import FEW
from truerank.reliability.results import Assessment, Estimate
from truerank.report.sampled import score_word
from truerank.report.words import PAIRS_ALIKE, Described, described

if TYPE_CHECKING:
    from markupsafe import Markup


def made(a: Assessment) -> str:
    """What sets the digits of a table, for its caption in a paper."""
    return f"(truerank {a.settings.version}, {a.headline_estimator}, {a.dependence}, seed {a.settings.seed}.)"


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


def facts(a: Assessment, command: str | None) -> dict[str, str]:
    """What it takes to reproduce the numbers."""
    s = a.settings
    found = {"Command": command} if command else {}
    found |= {
        "truerank": f"version {s.version}",
        "Seed": str(s.seed),
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


def estimators(a: Assessment, every: bool = False) -> list[Described]:
    """What its estimators say of themselves; those by split-half only with every one, or alone."""
    halves = every or all(map(is_split_half, a.estimators))
    names = [name for name in a.estimators if halves or not is_split_half(name)]
    return described(ESTIMATORS, names, a.counted)


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
            "Student’s t, corrected for skewness [@hall-1992], or by an exact bound [@gaffke-2005] where "
            f"fewer than {FEW:g} {a.counted.many} differ and they are fewer than half"
        )
    if not a.means.linear:
        return f"quantiles over resampled {a.counted.many}"
    return "the same posterior as the probability of being better"


def coefficients(a: Assessment) -> list[Described]:
    """What its coefficients say of themselves."""
    return described(COEFFICIENTS, (e.coefficient for e in a.estimates))


def dependences(a: Assessment) -> list[Described]:
    """What its kinds of dependence between swaps say of themselves."""
    used = (e.dependence for e in a.estimates if e.dependence)
    return described({**DEPENDENCES, OWN: OWN_DRAWS}, used, a.counted)


def methods(a: Assessment, every: bool = False) -> Markup:
    """The methods on a page, those of every estimator or of the shown ones."""
    from truerank.report.templating import fill, sources

    def estimator(found: Described) -> dict[str, Any]:
        learned = [
            (f"{one.symbol} = {rough(one.value).replace('−', '-')}", a.counted.fill(one.meaning))
            for one in a.learned.get(found.name, ())
        ]
        resampled = getattr(ESTIMATORS.get(found.name), "resampled", False)
        resamples = a.settings.resamples if resampled else None
        return found._asdict() | {"learned": learned, "resamples": resamples}

    return fill(
        "methods.html",
        coefficients=coefficients(a),
        estimators=[estimator(e) for e in estimators(a, every)],
        sources=sources,
        dependences=dependences(a),
        pairwise=bool(a.swap_probabilities),
        headline=printable(a.headline_estimator),
        settings=a.settings,
        level=level_text(a.settings.levels[0]),
        guarantee=a.settings.guarantee,
        units=a.counted.many,
        topics=a.sampled.many,
        score=score_word(a),
        means_by=means_by(a),
        differences_by=differences_by(a) if a.baseline else "",
        stratified=a.scores.k > 1 and a.settings.generalize_to.startswith("topics"),
        machine=a.machine,
        arena=a.arena,
    )
