"""The documents of `assess` and `demo`."""

from __future__ import annotations

from truerank.cli.schemas.building import (
    Schema,
    array,
    by_name,
    either,
    flag,
    given,
    number,
    of,
    one_or_several,
    record,
    text,
    whole,
)
from truerank.cli.schemas.common import EXPLAINED, VERSION, WARNINGS
from truerank.cli.schemas.comparing import best_systems, machine_judge, one_or_several_decisions
from truerank.reliability.boards import DataSet, DroppedSystem
from truerank.reliability.fragility import Fragility
from truerank.reliability.leader import Gap, Leader
from truerank.reliability.leaderboard import BoardRow
from truerank.reliability.results import BaselineDifference, Best, Estimate, RankedSystem, Settings
from truerank.reliability.topics import DecidingTopic


def assessment(**more: Schema) -> Schema:
    """One measure's assessment.

    Args:
        **more: keys that are always there besides.
    """
    level = text("name of a data set; null where no ranking without one is another")
    return record(
        "Assessment",
        "the reliability of the ranking by one measure",
        optional={
            "data_sets": array(of(DataSet), "one each, in the order of the scores; with several data sets"),
            "most_moving": record(
                "MostMoving",
                "what the ranking rests on most; with several data sets",
                data_set=given(level, "the data set without which it changes most; ``None`` where none does"),
                system=given(
                    of(DroppedSystem),
                    "the system whose absence changes most; ``None`` for an average, which asks nobody else",
                ),
            ),
            "machine": machine_judge("the machine judge beside people; with --machine"),
            "baseline": record(
                "Baseline",
                "every other system against the baseline; with --baseline",
                system=text("the baseline"),
                level=number("of the intervals of the differences, in (0, 1)"),
                differences=array(of(BaselineDifference), "one each, best first"),
            ),
        }
        | ({} if "truth" in more else {"truth": true_coefficients()}),
        measure=text("its name; empty when unknown"),
        topics=whole("how many"),
        systems=whole("how many"),
        generalize_to=text(
            "what the ranking is to hold on: new topics of the same data sets, or new data sets like these",
            "topics",
            "data_sets",
        ),
        aggregate=text("how the data sets, or topics, become one score: mean, borda or win-rate"),
        headline=headline("the estimator behind ranks, tiers and differences"),
        estimates=array(of(Estimate), "one per estimator and coefficient"),
        ranking=array(of(RankedSystem), "one per system, best first"),
        best=given(
            best_systems(),
            "those that may be the best; ``None`` where the headline estimator has no probabilities",
        ),
        leader=given(
            of(
                Leader,
                gap=given(of(Gap), "its lead over the second system"),
                fragility=given(
                    of(Fragility),
                    "how few topics carry the lead; ``None`` where scores are no means over topics",
                ),
            ),
            "the leader once its having been picked is allowed for; ``None`` where scores are no means over topics",
        ),
        swap_probabilities=by_name(
            array(
                array(number("a probability, in [0, 1]"), "a row, a system"),
                "a matrix, symmetric, 0 on its diagonal",
            ),
            "by estimator, the probability that a pair is in the wrong order; systems as in the ranking",
        ),
        warnings=WARNINGS,
        settings=of(Settings),
        estimators=by_name(
            record(
                "EstimatorUsed",
                "what an estimator says of itself, and what it learnt from these scores",
                None,
                **EXPLAINED,
                learnt=by_name(
                    number("the number; NaN where it has no value"), "by name; empty where it learns nothing"
                ),
            ),
            "by name, all estimators that were asked for",
        ),
        **more,
    )


def topics() -> Schema:
    """Of one measure an object, of several a list."""
    one = record(
        "Topics",
        "what each topic adds to a ranking",
        measure=text("its name; empty when unknown"),
        systems=array(text("a name"), "in ranking order"),
        topics=array(of(DecidingTopic), "one each, in the order of the scores"),
        read_first=array(text("a name"), "labels to be read first, lowest item-rest correlation first"),
        heaviest_tenth=number(
            "share of the variance that the tenth of the topics with most of it has, in [0, 1]"
        ),
        warnings=WARNINGS,
        version=VERSION,
    )
    return one_or_several(one, "What truerank topics finds: an object, or a list of one a measure.")


def board() -> Schema:
    """Of one measure an object, of several a list."""
    one = record(
        "Leaderboard",
        "a leaderboard",
        measure=text("its name; empty when unknown"),
        rule=text("how scores come about: mean, borda or win-rate"),
        level=number("of the rank ranges, in (0, 1)"),
        joint=flag("whether all rank ranges hold together; otherwise each is of a system by itself"),
        systems=array(of(BoardRow), "one each, best first"),
        warnings=WARNINGS,
        seed=whole("of the joint draws; ``None`` where there are none"),
        draws=whole("how many joint draws; ``None`` where there are none"),
        version=VERSION,
    )
    return one_or_several(one, "What truerank board writes: an object, or a list of one a measure.")


def headline(about: str) -> Schema:
    """The headline estimator."""
    return given(
        record(
            "Headline",
            "an estimator and its dependence",
            estimator=text("its name"),
            dependence=text(
                "shrunk, sample or own: how swaps were taken to go together; ``None`` for split-half"
            ),
        ),
        about,
    )


def true_coefficients() -> Schema:
    """What the estimates are after, where it is known."""
    return by_name(
        number("the coefficient of the observed ranking with the true one, in [−1, 1]; NaN if it has none"),
        "by coefficient, what the estimates are after, where that is known: with --model, and in the demo",
    )


def two_systems() -> Schema:
    """What `assess` writes of two systems: their comparison, in the keys of an assessment."""
    return record(
        "TwoSystems",
        "two systems are no ranking: their comparison, as truerank gate makes it",
        optional={
            "machine": machine_judge("the machine judge beside people; with --machine"),
            "truth": record(
                "TrueDifference",
                "with --model",
                difference=number("the candidate’s true mean less the baseline’s"),
            ),
        },
        measure=text("its name; empty when unknown"),
        topics=whole("how many"),
        systems={"description": "Two.", "const": 2},
        headline={"description": "Always null: there is no estimator.", "type": "null"},
        estimates={"description": "Always empty.", "type": "array", "maxItems": 0},
        ranking=array(ranked_alone(), "the two, the better one first"),
        swap_probabilities={"description": "Always empty.", "type": "object", "maxProperties": 0},
        warnings=WARNINGS,
        gate=one_or_several_decisions("the verdict; a list of several where there are data sets"),
    )


def ranked_alone() -> Schema:
    """A system of two, in the keys of a ranking."""
    found = of(RankedSystem, title="RankedAlone")
    absent = {"description": "Always null: two systems are no ranking.", "type": "null"}
    kept = {name: found["properties"][name] for name in ("system", "mean", "mean_low", "mean_high", "rank")}
    return record(
        "RankedAlone",
        "one of two systems",
        None,
        **kept,
        **dict.fromkeys(("rank_low", "rank_high", "tier"), absent),
    )


def assess() -> Schema:
    """Of one measure an object, of several a list."""
    one = either(assessment(), two_systems())
    return {
        "description": "What truerank assess finds: an object, or a list of one a measure.",
        "anyOf": [assessment(), two_systems(), {"type": "array", "minItems": 2, "items": one}],
    }


def demo() -> Schema:
    """An assessment, and always the truth."""
    return given(assessment(truth=true_coefficients()), "what truerank demo finds")
