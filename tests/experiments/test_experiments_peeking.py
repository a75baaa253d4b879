"""The experiment `peeking`: its sequences are judged as a monitor judges them, and its tables count them."""

from __future__ import annotations

import numpy as np
import pytest

from truerank import Monitor
from truerank._support.seeds import stream
from truerank.errors import InputError
from truerank.experiments import run
from truerank.report.writers.frame import frame
from truerank.scores import ScoreMatrix
from validation.studies.pair_populations import built_in
from validation.studies.peeking import (
    EXPERIMENT,
    PeekingParameters,
    disaster,
    looks_at,
    prepare,
    work,
)


def test_a_block_is_judged_as_a_monitor_judges_it() -> None:
    p = PeekingParameters(sequences=12, topics=400)
    context = prepare(p, {"P@10": built_in()["P@10, mostly ties"]}, 0)
    rows = work(context, {"data": "P@10", "trial": 0, "truth": 3}, 7)
    (row,) = [one for one in rows if one["method"] == "betting"]
    d = context.populations["P@10", -2.0].sample(12, 400, stream(7, "sequences"))
    spent = []
    for one in d:
        monitor = Monitor(margin=context.margins["P@10"])
        first = 400
        for t, difference in enumerate(one.tolist()):
            if monitor.update(str(t), max(-difference, 0.0), max(difference, 0.0)).verdict == "fail":
                first = t + 1
                break
        spent.append(first)
    assert row["spent"] == pytest.approx(np.mean(spent))
    assert row["false"] == 0


def test_looks_are_evenly_spaced() -> None:
    assert np.flatnonzero(looks_at(1000, 5)).tolist() == [199, 399, 599, 799, 999]
    assert looks_at(1000, 100).sum() == 99
    assert looks_at(1000, None).all()


def test_a_disaster_is_rare_and_large() -> None:
    one = disaster()
    assert one.probabilities[0] == pytest.approx(0.01)
    assert one.values[0] == pytest.approx(-0.8)
    assert one.deviation == pytest.approx(0.1, abs=0.002)


def test_the_tables_count_false_and_true_claims(tmp_path) -> None:  # type: ignore[no-untyped-def]
    x = np.random.default_rng(1).beta(2, 2, (40, 6)).round(2)
    found = run(
        EXPERIMENT,
        ScoreMatrix.build(x, measure="AP"),
        tmp_path,
        workers=1,
        trials=2,
        sequences=20,
        topics=200,
    )
    tables = {one.name: frame(one) for one in found.findings.tables}
    rows = found.frame()
    false = rows[(rows["false"] == 1) & (rows["method"] == "t, 99 looks") & (rows["claim"] != "any")]
    worst = 100 * false.groupby(["difference", "claim"])["claimed"].mean().max()
    assert tables["false"]["t, 99 looks"].iloc[0] == pytest.approx(worst)
    assert tables["cells"]["sequences"].tolist() == [40] * len(tables["cells"])
    true = rows[(rows["false"] == 0) & (rows["method"] == "betting")]
    assert tables["topics"]["betting"].iloc[0] == pytest.approx(true["spent"].mean())


@pytest.mark.parametrize("wrong", [{"topics": 300}, {"margin": 0.0}, {"level": 0.4}])
def test_sizes_that_are_none(wrong: dict[str, float]) -> None:
    with pytest.raises(InputError):
        PeekingParameters(**wrong)  # type: ignore[arg-type]
