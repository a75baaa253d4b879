"""The document of `plan`."""

from __future__ import annotations

from truerank.cli.schemas.building import (
    Schema,
    array,
    by_name,
    given,
    number,
    of,
    one_or_several,
    record,
    text,
    whole,
)
from truerank.planning.classical import ClassicalDesign
from truerank.planning.machine import MachineGain
from truerank.planning.plan_results import (
    CurvePoint,
    Generalizability,
    Needed,
    PairPlan,
    Plan,
    StabilityPoint,
)


def plan() -> Schema:
    """Of one measure an object, of several a list."""
    curve = array(of(CurvePoint), "what to expect at each number of topics, fewest first")
    one = of(
        Plan,
        without=("curves",),
        curve=given(curve, "what to expect of the leading coefficient at each number of topics"),
        other_curves=by_name(curve, "by coefficient, the curves of the others"),
        needed=array(needed(), "topics for each target"),
        pair=given(
            of(
                PairPlan,
                needed=given(needed(), "topics of a new collection"),
                classical=topics("by the pilot alone"),
            ),
            "the plan of a pair of systems; ``None`` unless asked for",
        ),
        generalizability=given(generalizability(), "of the pilot; ``None`` without one"),
        classical=array(
            of(ClassicalDesign, topics=topics("the fewest")),
            "classical designs; none without a pilot, and with several data sets",
        ),
        machine=given(
            machine_gain(), "what human topics are worth beside a machine’s; ``None`` without a machine"
        ),
    )
    return one_or_several(one, "What truerank plan finds: an object, or a list of one a measure.")


def topics(about: str) -> Schema:
    """A number of topics, perhaps more than any."""
    return whole(f"{about}; infinite where no number that was looked at is enough")


def needed() -> Schema:
    """The fewest topics that reach a target."""
    return of(
        Needed,
        criterion=text(
            "what reaches it: the expected value, or the lower end of its interval", "expected", "low"
        ),
        topics=topics("of the collection"),
        low=topics("lower end of the interval of that number, over what is not known of the truth"),
        high=topics("upper end"),
    )


def machine_gain() -> Schema:
    """What human topics are worth beside a machine's."""
    found = of(MachineGain, without=("scale",))
    scale = {"lambda": number("how much the machine’s scores count in the pilot, in [0, 1]")}
    return record("MachineGain", found["description"], None, **scale, **found["properties"])


def generalizability() -> Schema:
    """Components of variance, indices, and both at other numbers of topics."""
    index = record(
        "StabilityIndex",
        "an index of generalizability theory, and the topics that it asks for",
        estimate=number("the index, in [0, 1]"),
        low=number("lower end of its interval; NaN with several data sets, where none is known"),
        high=number("upper end; NaN likewise"),
        topics=topics("that reach the wanted stability"),
        topics_low=topics("lower end of their interval"),
        topics_high=topics("upper end"),
    )
    nested = {
        "data_set": number("between data sets, common to all systems; with several data sets"),
        "system_data_set": number("how a difference changes with the data set; with several data sets"),
    }
    variance = record(
        "VarianceComponents",
        "where the variance of one score comes from; each is 0 or more",
        optional=nested,
        system=number("between systems"),
        topic=number("between topics"),
        residual=number("what is left: system × topic, and everything that was not looked at"),
    )
    return of(
        Generalizability,
        without=("nested",),
        variance=variance,
        relative=given(index, "Eρ², of differences between systems"),
        absolute=given(index, "Φ, of the scores themselves"),
        study=array(
            of(
                StabilityPoint,
                mapped=by_name(number("its value"), "by coefficient, what published maps make of it"),
            ),
            "both at other numbers of topics",
        ),
    )
