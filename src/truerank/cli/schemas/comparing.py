"""The documents of `compare`, `gate` and `significance`, and what an assessment shares with them."""

from __future__ import annotations

from typing import Any

from truerank.cli.schemas.building import (
    Schema,
    array,
    by_name,
    flag,
    given,
    number,
    of,
    one_or_several,
    record,
    text,
    whole,
)
from truerank.cli.schemas.common import EXPLAINED, SEED, VERSION, WARNINGS, ends
from truerank.comparison.comparison_results import Swap
from truerank.comparison.gate.decision import Decision
from truerank.comparison.machine_alone import TauOf, WrongPair
from truerank.comparison.significance.anova import Anova
from truerank.comparison.significance.sensitivity import Sensitivity
from truerank.reliability.fragility import Fragility
from truerank.reliability.machine_judge import MachineBias
from truerank.reliability.results import Best

TOGETHER: dict[str, Any] = {
    "comparisons": whole("how many were judged together"),
    "seed": SEED,
    "version": VERSION,
}


def best_systems() -> Schema:
    """The systems that may be the best."""
    about = "how few topics carry the first k places; ``None`` unless the best k were asked for"
    return of(Best, fragility=given(of(Fragility), about))


def machine_judge(about: str) -> Schema:
    """A machine judge beside people."""
    return given(
        record(
            "MachineJudge",
            "a machine judge beside people",
            None,
            **{"lambda": number("how much the machine’s scores count, in [0, 1]")},
            human_topics=whole("topics that people judged"),
            machine_topics=whole("topics that the machine judged, those by people among them"),
            effective_topics=number("as many topics judged by people alone would leave the same error"),
            agreement=number(
                "Kendall’s τ (b) of both judges’ rankings by the topics that both judged, in [−1, 1]; NaN "
                "where one of them has the same mean for all systems"
            ),
            level=number("of the intervals, each kind for all systems at once, in (0, 1)"),
            bias=array(of(MachineBias), "one a system, in ranking order"),
        ),
        about,
    )


def decision(optional: dict[str, Schema] | None = None) -> Schema:
    """One candidate against the baseline."""
    found = of(Decision, without=("differences", "topic_names", "findings"), **TOGETHER)
    return found | {"properties": found["properties"] | (optional or {})}


def one_or_several_decisions(about: str) -> Schema:
    """What a gate writes."""
    return one_or_several(decision(), about)


def gate() -> Schema:
    """Of one comparison an object, of several a list."""
    return one_or_several_decisions(
        "What truerank gate finds: an object, or a list of one a candidate, measure and data set."
    )


def comparison() -> Schema:
    """One ranking against the reference."""
    return record(
        "Comparison",
        "one ranking against the reference",
        other=text("what the other ranking is called: the file as it was given"),
        measure=text("of the reference; empty when unknown"),
        topics=whole("of the reference"),
        systems=whole("that both have"),
        tau=number("Kendall’s τ, in [−1, 1]; ties in either broken by the reference’s column order"),
        kendall_interval=ends("of τ at 95%, over systems (Carterette 2009)"),
        tau_b=number("τ corrected for ties, in [−1, 1]; NaN where a ranking is all ties"),
        tau_ap=number("τ_AP with the reference as the truth, in [−1, 1]"),
        rbo=number("rank-biased overlap, in [0, 1]"),
        rbo_p=number("its persistence, in (0, 1)"),
        rank_distance=number("how far the other ranking is from the reference, 0 or more, as a t statistic"),
        ridge=number("λ, what was added to the variances, 0 or more, in squared units of the measure"),
        ridge_reason=text("why it is what it is"),
        regularize=text("what it was added to", "differences", "scores"),
        p_value=number("share of resamples of the topics whose ranking is at least as far, in [0, 1]"),
        resamples=whole("behind it, all there are where exact"),
        exact=flag("whether all resamples were enumerated"),
        seed=SEED,
        critical_values=array(
            record(
                "CriticalValue",
                "a distance that few resamples are beyond",
                alpha=number("the share of resamples, in (0, 1)"),
                distance=number("above it p is at most that"),
            ),
            "at 0.1, 0.05 and 0.01",
        ),
        significant_agreement=number(
            "of the pairs that differ significantly in the reference, the share in that order in the other "
            "ranking, in [0, 1]; NaN where no pair does"
        ),
        discordant_pairs=whole("how many pairs the two order differently"),
        swaps=array(of(Swap), "those pairs with most evidence against them, most first"),
        missing_systems=array(
            text("a name"), "systems of the reference that the other ranking lacks; left out"
        ),
        extra_systems=array(
            text("a name"), "systems of the other ranking that the reference lacks; left out"
        ),
        warnings=WARNINGS,
    )


def machine_alone() -> Schema:
    """What a machine's ranking alone would have got wrong."""
    return record(
        "MachineAlone",
        "what a ranking by a machine judge alone would have got wrong; with --machine",
        measure=text("its name; empty when unknown"),
        systems=whole("how many"),
        machine=machine_judge("the machine held against people"),
        machine_ranking=array(
            text("a name"), "the systems by the machine’s means of all its topics, best first"
        ),
        ranking=array(text("a name"), "the systems by people and machine together, best first"),
        tau=given(of(TauOf), "of the machine’s ranking with the true one, by people and machine together"),
        claimed=given(of(TauOf), "what the machine’s scores alone, taken for people’s, would say of that"),
        people=given(of(TauOf), "of the ranking by the human scores alone"),
        both=given(of(TauOf), "of the ranking by people and machine together"),
        bias_kept=number("how much of the biases seen is taken for true, in [0, 1]"),
        pairs=whole("of systems"),
        wrong_pairs=record(
            "WrongPairs",
            "pairs that the machine alone has in the wrong order",
            expected=number("how many"),
            low=number("lower end of its interval"),
            high=number("upper end"),
            surely=whole("how many of them it has wrong with the level’s probability"),
            named=array(of(WrongPair), "of these the ones farthest apart"),
        ),
        first=record(
            "MachineFirst",
            "the system that the machine puts first",
            system=text("its name"),
            probability_best=number("that it is truly the best, in [0, 1]"),
            may_be_best=flag("whether it is in the set that holds the best with the level’s probability"),
        ),
        best=given(
            best_systems(), "the systems that may be the best; ``None`` where there are no probabilities"
        ),
        level=number("of the intervals, in (0, 1)"),
        draws=whole("joint draws behind them"),
        seed=SEED,
        version=VERSION,
        warnings=WARNINGS,
    )


def compare() -> Schema:
    """Of one other ranking an object, of several a list; with a machine alone an object."""
    return {
        "description": "What truerank compare finds: an object, or a list of one per ranking.",
        "anyOf": [comparison(), machine_alone(), {"type": "array", "minItems": 2, "items": comparison()}],
    }


def significance() -> Schema:
    """Of one measure an object, of several a list."""
    p_value = "two-sided p-value, in [0, 1]"
    adjusted = "the same, adjusted, in [0, 1]"
    derived: dict[str, Any] = {
        name: whole(f"degrees of freedom of the {what}")
        for name, what in (("df_systems", "systems"), ("df_topics", "topics"), ("df_error", "error"))
    } | {
        name: number(f"mean square of the {what}")
        for name, what in (("ms_systems", "systems"), ("ms_topics", "topics"), ("ms_error", "error"))
    }
    one = record(
        "Significance",
        "the significant differences by one measure",
        version=VERSION,
        measure=text("its name; empty when unknown"),
        topics=whole("how many"),
        test=record("Test", "the test, and what it says of itself", None, name=text("its name"), **EXPLAINED),
        correction=record(
            "Correction",
            "the correction, and what it says of itself",
            None,
            name=text("its name"),
            **EXPLAINED,
        ),
        alpha=number("a p-value below it is significant, in (0, 1)"),
        seed=SEED,
        permutations=whole(
            "sign vectors, permutations or resamples behind the p-values; ``None`` where there are none"
        ),
        exact=flag("whether a randomization test took all sign vectors"),
        pairs_tested=whole("how many pairs there are"),
        pairs_significant=whole("how many of them differ significantly, after the correction"),
        discriminative_power=number(
            "share of the pairs with p below alpha without the correction, in [0, 1]"
        ),
        systems=array(
            record(
                "TestedSystem",
                "a system and whom it is better than",
                rank=whole("from 1"),
                system=text("its name"),
                mean=number("its mean score"),
                better_than=array(text("a name"), "the systems that it is significantly better than"),
            ),
            "best first",
        ),
        pairs=array(
            record(
                "TestedPair",
                "two systems",
                above=text("the one with the higher mean"),
                below=text("the other"),
                difference=number("of their means, 0 or more"),
                p=number(p_value),
                p_adjusted=number(adjusted),
            ),
            "all pairs",
        ),
        baseline=text("the system that every other one is compared with; ``None`` without one"),
        against_baseline=array(
            record(
                "AgainstBaseline",
                "a system against the baseline",
                system=text("its name"),
                difference=number("its mean less the baseline’s"),
                p=number(p_value),
                p_adjusted=number("the same, adjusted for the comparisons with the baseline, in [0, 1]"),
            ),
            "one a system, in ranking order; empty without a baseline",
        ),
        anova=of(
            Anova,
            **derived,
            variance_components=by_name(number("a variance, 0 or more"), "of systems, topics and error"),
            least_significant_difference=number(
                "Fisher’s: the least difference of two means with p below alpha"
            ),
        ),
        sensitivity=of(Sensitivity),
        warnings=WARNINGS,
    )
    return one_or_several(one, "What truerank significance finds: an object, or a list of one a measure.")
