"""Topics, runs and levels for their prices: against closed forms and simulated collections."""

from __future__ import annotations

import math
import re
import shlex
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import truerank
from truerank.cli import run
from truerank.errors import InputError
from truerank.planning.beliefs import after_pilot
from truerank.planning.buying import RUN, TOPIC, Market, variances_of
from truerank.planning.pilot import pilot_of
from truerank.planning.plan_results import NoiseDesign
from truerank.reliability.means import means_of
from truerank.repeats import Facets, Repeats
from truerank.scores import ScoreMatrix

LEVEL, CELLS, EVERY = "level", (TOPIC, "level"), (TOPIC, "level", RUN)


def of_levels(name: str, levels: str, values: np.ndarray) -> ScoreMatrix:
    """Scores of topics × levels × systems."""
    return replace(ScoreMatrix.build(values.mean(axis=1)), facets=Facets.crossed(name, levels, values))


def pilot(n: int = 30, m: int = 8, k: int = 3, ratio: float = 2.0, seed: int = 1) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    runs = (
        rng.normal(0, 1, (n, m, 1))
        + rng.normal(0, np.sqrt(ratio), (n, m, k))
        + np.linspace(0.8, 0, m)[:, None]
    )
    scores = ScoreMatrix.build(runs.mean(axis=2))
    counts = np.full((n, m), k)
    return replace(scores, repeats=Repeats(counts, runs.var(axis=2, ddof=1) / k, "trial"))


@pytest.mark.parametrize(("topic", "run", "ratio"), [(10, 1, 1.0), (1, 0.05, 4.0), (3, 1, 0.2)])
def test_best_number_of_runs_by_search(topic: float, run: float, ratio: float) -> None:
    """K* is the least variance for the money, found by trying all numbers."""
    product = (TOPIC, RUN)
    market = Market({(TOPIC,): topic, product: run}, {(TOPIC,): 1.0, product: ratio})
    tried = np.linspace(0.2, 20, 4000)
    variance = [market.variance(one) * market.price(one) for k in tried if (one := {TOPIC: 1, RUN: k})]
    assert market.best(product) == pytest.approx(tried[np.argmin(variance)], abs=0.01)


@pytest.mark.parametrize("best", [1.3, 1.5, 3.4, 3.5, 5.0])
def test_what_to_buy_next_agrees_with_the_best_number_of_runs(best: float) -> None:
    """More runs below it, more topics from it on, though a topic is the smaller purchase."""
    product = (TOPIC, RUN)
    market = Market({(TOPIC,): 1, product: 1}, {(TOPIC,): 1.0, product: best**2})
    assert market.best(product) == pytest.approx(best)
    for runs in range(1, 8):
        first = market.one_more((TOPIC, RUN), {TOPIC: 25, RUN: runs}, [])[0].what
        cost_of = {k: (1 + k) * (1 + best**2 / k) for k in (runs, runs + 1)}  # at the same variance
        assert first == (RUN if cost_of[runs + 1] < cost_of[runs] else TOPIC)
        assert first == (RUN if round(best + 1e-9) > runs else TOPIC)


def test_gains_are_what_one_more_takes_away() -> None:
    market = Market(
        {(TOPIC,): 1, (LEVEL,): 5, EVERY: 0.1}, {(LEVEL,): 0.3, (TOPIC,): 1.0, CELLS: 0.7, EVERY: 2.0}
    )
    now = {TOPIC: 40, LEVEL: 4, RUN: 3}
    assert market.price(now) == pytest.approx(40 + 5 * 4 + 0.1 * 40 * 4 * 3)
    assert market.variance(now) == pytest.approx(0.3 / 4 + 1 / 40 + 0.7 / 160 + 2 / 480)
    bought = market.one_more((TOPIC, RUN, LEVEL), now, [])
    found = {one.what: one for one in bought}
    for what in (TOPIC, RUN, LEVEL):
        more = {**now, what: now[what] + 1}
        price = market.price(more) - market.price(now)
        assert found[what].price == pytest.approx(price)
        taken = 1 - market.variance(more) / market.variance(now)
        assert found[what].gain == pytest.approx(taken)
        # For the same sum, the price of the dearest, more than one of a cheap source is bought.
        spent = max(one.price for one in bought)
        same = {**now, what: now[what] + spent / price}
        assert market.price(same) - market.price(now) == pytest.approx(spent)
        taken = 1 - market.variance(same) / market.variance(now)
        assert found[what].per_price == pytest.approx(taken / spent)
    per_price = [one.per_price for one in bought]
    assert per_price == sorted(per_price, reverse=True)


@pytest.mark.parametrize("budget", [0.5, 21.0, 400.0])
def test_a_budget_pays_for_the_most_topics(budget: float) -> None:
    market = Market({(TOPIC,): 1, (LEVEL,): 5, EVERY: 0.1}, {(TOPIC,): 1.0})
    each = {LEVEL: 3, RUN: 2}
    topics = market.topics(each, budget)
    assert market.price({**each, TOPIC: topics + 1}) > budget
    assert topics == 0 or market.price({**each, TOPIC: topics}) <= budget


def test_gains_have_the_interval_of_the_share_of_run_noise() -> None:
    """Of V, runs leave φ: one more of K takes away φ/(K + 1), and one more of n topics 1/(n + 1)."""
    from truerank.reliability.means import AGGREGATES, means_of
    from truerank.reliability.means.means_of import noise_of

    scores = pilot()
    noise = noise_of(scores, "topics", AGGREGATES.find("mean"), means_of(scores, "topics"))
    assert noise is not None
    spending = truerank.plan(scores, draws=64, level=0.9).spending
    assert spending is not None
    by_name = {one.what: one for one in spending.next}
    low, high = noise.interval(0.9)
    run = by_name["run"]
    wanted = np.array([noise.share, low, min(high, 0.95)]) / (3 + 1)
    assert (run.gain, run.low, run.high) == pytest.approx(tuple(wanted))
    topic = by_name["topic"]
    assert (topic.gain, topic.low, topic.high) == pytest.approx((1 / 31,) * 3)
    assert spending.level == 0.9


def test_purchases_of_two_facets() -> None:
    """Gains for their price, and the best design of all for a budget, by a second program."""
    t, f, g, s = np.meshgrid(*(np.arange(1, size + 1) for size in (5, 3, 2, 4)), indexing="ij")
    x = 20 * ((t * t * s + 2 * t + s) % 7) + 12 * ((f * s * s + f) % 5) + 10 * ((g * s + s * s) % 4)
    x = x + 7 * ((t * f * s + t) % 5) + 6 * ((t * g + t * s * g) % 3) + 5 * ((f * g * s + g) % 4)
    x = (x + 4 * ((t * f * g * s + f) % 7)) / 200
    places = np.indices((5, 3, 2)).reshape(3, -1)
    facets = Facets(
        ("f", "g"), (tuple("123"), tuple("12")), places[0], (places[1], places[2]), x.reshape(30, 4)
    )
    scores = replace(ScoreMatrix.build(facets.table()), facets=facets)
    cost = {"topic": 1, "f": 2, "g": 3, "topic:f": 0.1, "f:topic:g": 0.05, "run": 0}
    spending = truerank.plan(scores, cost=cost, budget=60, generalize_to="topics,f,g", draws=64).spending
    assert spending is not None
    assert spending.now == pytest.approx(5 * 1 + 3 * 2 + 2 * 3 + 0.1 * 15 + 0.05 * 30)
    found = {one.what: one.per_price for one in spending.next}
    # Of one more topic, f and g; for 3.75, the price of a g, there are 3.75/1.6 topics or 3.75/3 of f.
    one_more = {"topic": 0.07750 * 6 / (5 + 3.75 / 1.6), "f": 0.01177 * 4 / (3 + 3.75 / 3), "g": 0.01242}
    assert found == pytest.approx(one_more, abs=5.1e-6)
    best = min(spending.designs, key=lambda one: one.variance)
    assert (best.topics, best.levels, best.cost <= 60) == (21, {"f": 4, "g": 3}, True)
    assert best.variance == pytest.approx(0.0054201, abs=5e-8)
    assert best is spending.best
    with pytest.raises(InputError, match="nothing here is called 'judge'"):
        truerank.plan(scores, cost=cost | {"topic:judge": 1}, generalize_to="topics,f,g", draws=64)


def test_parts_add_up_to_the_variance_of_the_pilot() -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(30, 4, 8)) + rng.normal(size=(1, 4, 8)) + rng.normal(size=(30, 1, 8))
    scores = of_levels("prompt", "abcd", values)
    assert scores.facets is not None
    scores = replace(scores, facets=replace(scores.facets, runs=3.0, run_variance=0.4))
    parts = means_of(scores, "topics,prompt").components
    assert parts is not None
    pilot = {TOPIC: 30, "prompt": 4, RUN: 3.0}
    market = Market({}, variances_of(parts, parts.variances, pilot))
    assert market.variance(pilot) == pytest.approx(parts.variance)


def test_a_plan_from_runs() -> None:
    found = truerank.plan(pilot(), cost={"topic": 10, "run": 1}, budget=390, draws=64, seed=1)
    spending = found.spending
    assert spending is not None
    assert spending.best_low < spending.best_runs < spending.best_high
    assert all(one.cost <= 390 for one in spending.designs)
    (same,) = (one for one in spending.designs if one.runs == 3)
    assert (same.topics, same.cost) == (30, 390)
    assert spending.now == pytest.approx(30 * 10 + 30 * 3 * 1)
    assert " What is there now costs 390 at these prices." in found.summary().replace("\n", " ")
    # The pilot over again: the curve at its own size, and the table of runs, say the same.
    (now,) = (one for one in spending.runs or () if one.runs == 3)
    (point,) = (one for one in found.curve if one.topics == 30)
    assert same.estimate == pytest.approx(point.estimate, abs=1e-3)
    assert now.new_topics == pytest.approx(point.estimate, abs=1e-6)
    assert now.same_topics == pytest.approx(found.now or 0, abs=1e-4)
    best = spending.best.runs
    assert 0.4 < best / spending.best_runs < 2.5


def test_intervals_of_few_systems_hold_values_that_tau_can_take() -> None:
    """Of 4 systems: −1, −2/3 … 1; and rankings of simulated collections fall in as often as they should."""
    rng, m, inside, covered = np.random.default_rng(5), 4, [], []
    i, j = np.triu_indices(m, 1)
    for seed in range(4):
        true = rng.normal(0, 0.4, m)
        runs = true[:, None] + rng.normal(0, 1, (30, m, 1)) + rng.normal(0, 1, (30, m, 3))
        scores = replace(
            ScoreMatrix.build(runs.mean(axis=2)),
            repeats=Repeats(np.full((30, m), 3), runs.var(axis=2, ddof=1) / 3),
        )
        found = truerank.plan(scores, cost={"topic": 1, "run": 0.05}, budget=60, draws=256, seed=seed)
        assert found.spending is not None
        designs = sorted(found.spending.designs, key=lambda one: -one.variance)
        points = [*found.curve, *designs]
        ends = 3 * np.array([(one.low, one.high) for one in points])
        assert ends == pytest.approx(np.round(ends), abs=1e-9)
        for several in (found.curve, designs):
            assert all(np.diff([one.low for one in several]) >= 0)
            assert all(np.diff([one.high for one in several]) >= 0)
        for one in points:
            noise = 1 + 1 / (one.runs if isinstance(one, NoiseDesign) else 3)
            new = true + rng.normal(0, np.sqrt(noise / one.topics), (200, m))
            tau = np.mean(np.sign(new[:, i] - new[:, j]) * np.sign(true[i] - true[j]), axis=1)
            share = np.mean((tau >= one.low - 1e-9) & (tau <= one.high + 1e-9))
            (inside if isinstance(one, NoiseDesign) else covered).append(share)
    assert np.mean(inside) > 0.93
    assert np.mean(covered) > 0.93


@pytest.mark.parametrize(
    ("cost", "name"), [({"topic": 1}, "run"), ({"run": 1}, "topic"), ({"topic": 1, "run": 0}, None)]
)
def test_no_price_is_made_up_beside_those_given(cost: dict[str, float], name: str | None) -> None:
    if name is None:
        assert truerank.plan(pilot(), cost=cost, draws=64).spending is not None
        return
    with pytest.raises(InputError, match=f"price of a {name}.*is not given; use cost=.*'{name}': 1.0"):
        truerank.plan(pilot(), cost=cost, draws=64)


def test_planned_agreement_on_new_collections() -> None:
    """τ at other numbers of topics and runs, beside that of simulated collections."""
    rng = np.random.default_rng(3)
    planned, actual = [], []
    for seed in range(6):
        m, ratio = 10, 3.0
        true = rng.normal(0, 0.35, m)
        runs = true[:, None] + rng.normal(0, 1, (40, m, 1)) + rng.normal(0, np.sqrt(ratio), (40, m, 2))
        scores = ScoreMatrix.build(runs.mean(axis=2))
        repeats = Repeats(np.full((40, m), 2), runs.var(axis=2, ddof=1) / 2)
        found = truerank.plan(replace(scores, repeats=repeats), draws=64, seed=seed).spending
        assert found is not None
        planned.append([next(o for o in found.runs or () if o.runs == k).new_topics for k in (1, 10)])
        each = []
        for k in (1, 10):
            new = true + rng.normal(0, np.sqrt((1 + ratio / k) / 40), (200, m))
            signs = np.sign(new[:, :, None] - new[:, None, :]) * np.sign(true[:, None] - true)
            each.append(signs[:, *np.triu_indices(m, 1)].mean())
        actual.append(each)
    np.testing.assert_allclose(np.mean(planned, axis=0), np.mean(actual, axis=0), atol=0.05)


def test_refused_prices() -> None:
    with pytest.raises(InputError, match="nothing here is called 'judge'"):
        truerank.plan(pilot(), cost={"judge": 2}, draws=64)
    with pytest.raises(InputError, match="a budget needs prices"):
        truerank.plan(pilot(), budget=100, draws=64)
    with pytest.raises(InputError, match="does not pay two topics"):
        truerank.plan(pilot(), cost={"topic": 100, "run": 1}, budget=150, draws=64)
    clusters = replace(pilot(), repeats=None, clusters=np.repeat(np.arange(10), 3))
    with pytest.raises(InputError, match="plain means over topics of one data set; leave cost=… out"):
        truerank.plan(clusters, cost={"topic": 1}, draws=64)
    with pytest.raises(InputError, match="prices are for a new collection; leave extend=… or cost=… out"):
        truerank.plan(pilot(), cost={"topic": 1, "run": 1}, extend=True, draws=64)
    with pytest.raises(InputError, match="'question' and another price are of one thing"):
        truerank.plan(replace(pilot(), noun="question"), cost={"topic": 1, "question": 2}, draws=64)


def test_levels_that_are_fixed_have_no_price() -> None:
    values = np.random.default_rng(1).normal(size=(20, 3, 8))
    scores = of_levels("judge", "abc", values)
    with pytest.raises(InputError, match="use generalize_to='topics,judge'"):
        truerank.plan(scores, cost={"judge": 1}, draws=64)
    runs = replace(scores, repeats=pilot(n=20).repeats)
    with pytest.raises(InputError, match=r"levels of 'judge' are fixed.*generalize_to='topics,judge'"):
        truerank.plan(runs, cost={"judge": 1}, draws=64)
    answer = " ".join(truerank.plan(scores, tau=0.1, draws=64).summary().split())
    assert "topics or fewer with these 3 judges" in answer


def test_the_ranking_of_a_pilot_is_expected_at_what_an_assessment_says() -> None:
    """Where one system breaks on a level, pairs differ in their degrees of freedom, so one misleads."""
    rng = np.random.default_rng(4)
    shift = rng.normal(size=(1, 3, 8)) * np.array([0.02] * 7 + [0.8])
    values = 0.3 * rng.normal(size=(60, 3, 8)) + shift + np.linspace(0.4, 0, 8)
    scores = of_levels("prompt", "abc", values)
    for given in (scores, pilot()):
        over = {"generalize_to": "topics,prompt"} if given.facets else {}
        assessed = truerank.assess(given, estimator="eb", coefficients="tau", **over)
        planned = truerank.plan(given, draws=64, **over)
        assert planned.now == pytest.approx(assessed.estimates[0].estimate, abs=1e-9)


def test_a_target_that_levels_rule_out_names_what_topics_can_reach() -> None:
    """What a plan says of any number of topics is τ of the variance that prompts alone leave."""
    rng = np.random.default_rng(4)
    values = rng.normal(size=(30, 3, 8)) + 2 * rng.normal(size=(1, 3, 8)) + np.arange(8) / 2
    found = truerank.plan(of_levels("prompt", "abc", values), generalize_to="topics,prompt", draws=64)
    assert found.levels == {"prompt": 3}
    assert found.ceiling is not None
    parts = means_of(of_levels("prompt", "abc", values), "topics,prompt").components
    assert parts is not None
    (left,) = (
        variance / 3  # what endless topics leave
        for one, variance in zip(parts.effects, parts.variances, strict=True)
        if one.factors == ("prompt",)
    )
    means = pilot_of(of_levels("prompt", "abc", values), "topics,prompt", 0.0, False).means
    endless = after_pilot(means).tau(means.effective * parts.variance / left)
    assert found.ceiling == pytest.approx(endless, abs=2e-3)
    answer = " ".join(found.summary().split())
    assert "Order as a whole (τ = 0.9): out of reach with 3 prompts" in answer
    assert found.now is not None
    assert found.ceiling_interval is not None
    low, high = found.ceiling_interval
    assert low < found.ceiling < high
    most = f"{math.ceil(100 * found.ceiling) / 100:.2f}"
    ends = re.search(rf"at {most} at most \(95% interval (\S+) to (\S+)\), however many topics", answer)
    assert ends is not None
    assert [float(end.replace("−", "-")) for end in ends.groups()] == pytest.approx([low, high], abs=0.005)
    # The digit that tells the two apart is printed.
    close = math.ceil(100 * found.ceiling) / 100
    closest = truerank.plan(
        of_levels("prompt", "abc", values), generalize_to="topics,prompt", draws=64, tau=close
    )
    at_most = re.search(r"expected at (\S+) at most", " ".join(closest.summary().split()))
    assert at_most is not None
    assert found.ceiling <= float(at_most[1]) < close
    near = truerank.plan(
        of_levels("prompt", "abc", values), generalize_to="topics,prompt", draws=64, tau=found.ceiling - 0.05
    )
    assert math.isfinite(near.needed[0].topics)


@pytest.mark.parametrize(
    ("cost", "over"),
    [("topic=2", []), ("template=5,run=0.1", ["--generalize-to", "topics,prompt"])],
)
def test_the_option_that_a_message_about_prices_names_works(
    cost: str, over: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One try: what is given stays, and nothing is left to be asked for."""
    rng = np.random.default_rng(4)
    lines = [
        f"q{t},s{s},{p},{rng.normal(s / 4, 1):.3f}"
        for t in range(20)
        for s in range(4)
        for p in ("a", "b", "c")
    ]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["topic,system,prompt_id,score", *lines]))
    names = ["--topic-column", "topic", "--facet", "prompt_id", "--draws", "64"]
    given = cost.replace("prompt", "prompt_id")
    asked = [one.replace("prompt", "prompt_id") for one in over]
    assert run(["plan", str(path), *names, "--cost", given, *asked]) == 2
    message = capsys.readouterr().err
    pasted = shlex.split(re.findall(r"use ((?:--generalize-to \S+ )?--cost \S+)", message)[0])
    for part in given.split(","):
        assert part in pasted[-1] or part.startswith("template")
    assert run(["plan", str(path), *names, *asked, *pasted]) == 0
