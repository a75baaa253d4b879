"""The view of a plan: how many topics, what each number of them brings, and what to buy next."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from truerank._support.escaping import printable
from truerank._support.tables import Bounded, Column, Count, Number, Percent, Significant, Table, Text
from truerank._support.wording import level_text, number, rough, span, topics_text, two_digits
from truerank.planning import Plan
from truerank.planning.buying import RUN
from truerank.planning.generalizability import MAPS, TAU_MISS
from truerank.planning.pilot import TOPIC
from truerank.planning.plan_results import Needed, OneMore, Spending
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import ends_of, made, subject
from truerank.report.words import Words, in_words, levels_of, money, symbol

MOST = 5  # sentences of an answer

GOALS = {"first": "winner"}  # goals that are called otherwise among the targets

TARGETS = {
    "width": "width of the interval",
    "winner": "best system first",
    "pair": "power for the pair",
    "relative": "Eρ²",
    "absolute": "Φ",
}
"""Targets that are not coefficients, as tables name them."""

SHOWN = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1_000)
"""Numbers of topics that the curve's table has rows for; its file has all."""


def view(plan: Plan, asked: Asked) -> View:
    """What there is to see of a plan."""
    said = words_of(plan)
    units = said.facts["units"]
    basis = {"pilot": f"a pilot of {plan.pilot_topics:,} {units}", "model": "a simulation model"}
    basis |= {"effect": "a given effect size", "collections": "no scores yet"}
    sections = (_curve, _needed, spending_section, _more_runs, _generalizability)
    return View(
        command="plan",
        title=f"How many {units}?",
        subject=subject(plan.measure, f"{plan.systems} systems", basis[plan.settings.basis]),
        answer=_answer(plan, said),
        sections=[section for one in sections if (section := one(plan, said))],
        notes=plan.notes,
        how=said("how"),
        made=made(plan.settings.version, seed=plan.settings.seed),
        measure=plan.measure,
        numbers=_numbers(plan),
        sentence=said("paper"),
        unit=units,
    )


def words_of(plan: Plan) -> Words:
    """The template of a plan with its facts."""
    counted = plan.sampled if plan.unit == "topic per data set" else plan.counted
    ceiling, interval = plan.ceiling, plan.ceiling_interval
    return Words(
        "plan",
        plan=plan,
        topic=plan.sampled.one,
        topics=plan.sampled.many,
        unit=counted.one,
        units=counted.many,
        counted=plan.counted.many,
        level=level_text(plan.settings.level),
        sure=level_text(round((1 + plan.settings.level) / 2, 12)),
        inf=math.inf,
        per_set=plan.unit == "topic per data set",  # where it is the unit, tables name the data set, too
        places=next((one.places for one in plan.goals if one.places is not None), 1),
        ceiling="" if ceiling is None or interval is None else span(*interval, 2),
        of_measure=f" ({printable(plan.measure)})" if plan.measure else "",
        found=plan.spending,
        miss=TAU_MISS,
    )


def _answer(plan: Plan, said: Words) -> list[str]:
    """The answer to each question, the one number for all that was asked, and what the machine is worth."""
    more = [] if plan.looks is None else said.all("looks")
    more += [] if plan.spending is None else _buy(plan, plan.spending, said)
    targets = list(_targets(plan, said))
    room = MOST - len(more) - (len(targets) > 1 and plan.asked)
    if sum(map(len, targets)) > room:  # the table has what is left out here
        targets = [told[:1] for told in targets]
    if len(targets) > room:
        left = len(targets) - room + 1
        targets = [*targets[: room - 1], said.all("more_targets", left=left)]
    return [*dict.fromkeys(text for told in targets for text in told), *said.all("together"), *more]


def _targets(plan: Plan, said: Words) -> Iterator[list[str]]:
    """What is said of each target, the number of topics first."""
    lows = {(one.what, one.target): one for one in plan.needed if one.criterion == "low" and plan.asked}
    for one in (one for one in plan.needed if one.criterion == "expected"):
        this, low = (one.what, one.target, one.criterion), lows.get((one.what, one.target))
        reason = next((g for g in plan.goals if GOALS.get(g.goal, g.goal) == one.what), None)
        told = said.all("target", one=one, reason=reason, most=_most(plan, one))
        told += [] if low is None else said.all("assured", low=low)
        if (
            plan.machine is not None
            and math.isfinite(one.topics)
            and one.what not in ("relative", "absolute")
        ):
            people, without = (
                next((n for n in found or () if (n.what, n.target, n.criterion) == this), None)
                for found in (plan.people_alone, plan.without_machine)
            )
            told += said.all("without_machine", one=one, people=people, without=without)
        yield told
    if plan.pair is not None:
        yield said.all("pair")


def _most(plan: Plan, one: Needed) -> str:
    """The largest coefficient that is expected, with as many digits as show it below the target."""
    if plan.ceiling is None:
        return ""

    def up(digits: int) -> float:
        return round(math.ceil(round((plan.ceiling or 0.0) * 10**digits, 9)) / 10**digits, digits)

    digits = next((d for d in range(2, 9) if up(d) < one.target), 2)
    return f"{up(digits):.{digits}f}"


def _target(one: Needed) -> str:
    return f"{TARGETS.get(one.what) or symbol(one.what)} {'≤' if one.what == 'width' else '='} {one.target:g}"


def _numbers(plan: Plan) -> dict[str, str]:
    """What a paper quotes of a plan: its first target as such, each by its name, and points of its curves."""
    s = plan.settings
    made = {"Systems": f"{plan.systems:,}", "PilotTopics": f"{plan.pilot_topics:,}", "Draws": f"{s.draws:,}"}
    made |= {"Level": level_text(s.level), "Seed": str(s.seed)}
    needed = [*plan.needed, *([] if plan.pair is None else [plan.pair.needed])]
    for place, one in enumerate(needed):
        assured = "Assured" if one.criterion == "low" else ""
        stem = f"Topics{assured}For{one.what.title().replace('_', '')}{one.target:g}"
        made |= {stem: topics_text(one.topics)}
        ends = {} if math.isnan(one.low) else {"Low": topics_text(one.low), "High": topics_text(one.high)}
        made |= {f"{stem}{end}": text for end, text in ends.items()}  # the end of an interval has none
        if place == 0:
            made |= {"Target": f"{one.target:g}", "TopicsNeeded": made[stem]}
            made |= {f"Needed{end}": text for end, text in ends.items()}
    if plan.now is not None:
        made["Now"] = number(plan.now, 2)
    for name, curve in plan.curves.items():
        for point in curve:
            if point.topics in (*SHOWN, plan.pilot_topics):
                stem = f"{name.title().replace('_', '')}At{point.topics}"
                made |= ends_of(stem, (point.estimate, point.low, point.high), 2)
    if (g := plan.generalizability) is not None:
        for name, index in {"Relative": g.relative, "Absolute": g.absolute}.items():
            made |= ends_of(f"Stability{name}", (index.estimate, index.low, index.high), 3)
            made[f"TopicsForStability{name}"] = topics_text(index.topics)
    if (found := plan.spending) is not None:
        made |= ends_of("BestRuns", (found.best_runs, found.best_low, found.best_high), 1)
    return made


def _curve(plan: Plan, said: Words) -> Section:
    level, units = said.facts["level"], plan.counted.many
    whose = f"{units}, the pilot’s included" if plan.extend else f"new {units}"
    columns = [Column(units.capitalize(), Count(), "topics")]
    for name in plan.curves:
        kind = Bounded(digits=2, low=f"{name}_low", high=f"{name}_high")
        columns.append(Column(f"{symbol(name)} ({level} interval)", kind, name))
    points = list(zip(*plan.curves.values(), strict=True))
    rows = [[row[0].topics, *((p.estimate, p.low, p.high) for p in row)] for row in points]
    first = points[0][0].topics
    shown = [row for row in rows if row[0] in SHOWN or (plan.extend and row[0] == first)]
    title = f"What to expect by number of {whose}{said.facts['of_measure']}"
    others = sorted({_target(n) for n in plan.needed if n.what in plan.curves and n.what != plan.coefficient})
    figure = Figure(
        "plan",
        said("caption", others=others),
        lambda size: charts.plan_chart(plan, size),
        subject=f"{title}, {plan.systems} systems.",
    )
    tables = [
        Table("curve", title, tuple(columns), shown, said("intervals"), advice=said("own")),
        Table("all_points", title, tuple(columns), rows, files_only=True),
    ]
    beside = plan.asked and not any(one.what in ("width", *plan.curves) for one in plan.needed)
    return Section("curve", "Curve", figures=[figure], tables=tables, details=beside)


def _needed(plan: Plan, said: Words) -> Section | None:
    needed = list(plan.needed)
    if plan.pair is not None and not said.facts["per_set"]:  # a gate counts topics in all
        needed.append(plan.pair.needed)
    if not needed:
        return None
    topics = plan.counted.many.capitalize()
    columns = (
        Column("Target", Text(), "target"),
        Column("Reached by", Text(), "criterion"),
        Column(topics, Count(), "topics"),
        Column("From", Count(), "low", "lower end of the interval of that number"),
        Column("To", Count(), "high", "upper end"),
    )
    reached = {"expected": "the expectation", "low": f"{said.facts['sure']} probability"}
    rows = [[_target(one), reached[one.criterion], one.topics, one.low, one.high] for one in needed]
    note = said("needed", ends=any(math.isnan(one.low) for one in needed))
    table = Table("needed", f"{topics} needed{said.facts['of_measure']}", columns, rows, note)
    return Section("needed", "Targets", tables=[table], details=True)


def _generalizability(plan: Plan, said: Words) -> Section | None:
    g = plan.generalizability
    if g is None:
        return None
    topic, topics, counted = plan.sampled.one, plan.sampled.many, plan.counted.many.capitalize()
    sources = {"system": "systems", "topic": topics, "residual": f"system × {topic}, and the rest"}
    parts = g.variance.to_dict()
    total = sum(parts.values())
    components = Table(
        "components",
        "Generalizability theory: sources of the variance of a score",
        (
            Column("Source", Text(), "source"),
            Column("Variance", Number(digits=5), "variance"),
            Column("Share", Percent(), "share"),
        ),
        [[sources[name], value, value / total if total else 0.0] for name, value in parts.items()],
    )
    indices = Table(
        "stability",
        f"Stability of the means, and {plan.counted.many} for {g.stability:g}",
        (
            Column("Index", Text(), "index"),
            Column("Now", Bounded(low="low", high="high"), "estimate"),
            Column(f"{counted} for {g.stability:g}", Count(), "topics"),
            Column("From", Count(), "topics_low"),
            Column("To", Count(), "topics_high"),
        ),
        [
            [name, (one.estimate, one.low, one.high), one.topics, one.topics_low, one.topics_high]
            for name, one in {"Eρ², differences": g.relative, "Φ, scores": g.absolute}.items()
        ],
        said("indices"),
    )
    taus = {p.topics: p.estimate for p in plan.curves["tau"]}
    study = Table(
        "study",
        f"Stability by number of {topics} (D-study), and two values of τ",
        (
            Column(counted, Count(), "topics"),
            Column("Eρ²", Number(), "relative"),
            Column("Φ", Number(), "absolute"),
            Column("τ by the curve", Number(), "posterior"),
            *(Column(label, Number(), name, details=name != "tau") for name, (label, _) in MAPS.items()),
        ),
        [
            [p.topics, p.relative, p.absolute, taus.get(p.topics, math.nan), *(p.mapped[n] for n in MAPS)]
            for p in g.study
        ],
        said("study"),
    )
    text = said.all("generalizability", indices=said("indices"))
    return Section(
        "generalizability", "Generalizability", text, tables=[components, indices, study], details=True
    )


# ── what to buy next ──────────────────────────────────────────────────────────────────────────────────


def _bought(plan: Plan, found: Spending) -> dict[str, Any]:
    """What brings most for its price, alone or with what may bring as much, and what comes next."""
    names = {TOPIC: plan.sampled.many, RUN: "runs", **{name: levels_of(name) for name in found.facets}}
    known = bool(found.next) and math.isfinite(found.next[0].worth[0])
    alike = [one for one in found.next[1:] if known and one.worth[2] >= found.next[0].worth[1]]
    rest: list[OneMore] = [one for one in found.next[1:] if known and one not in alike]
    return {
        "first": [names[one.what] for one in [*found.next[:1], *alike]] or [names[TOPIC]],
        "second": names[rest[0].what] if rest else "",
        "times": rough(found.next[0].worth[0] / rest[0].worth[0]) if rest else "",
        "alone": not alike,
    }


def _buy(plan: Plan, found: Spending, said: Words) -> list[str]:
    """What one more of brings most, the best number of runs, and the best for the budget."""

    def whole(runs: float) -> int:
        return max(two_digits(runs), 1) if math.isfinite(runs) else 0

    # Of what the budget pays, where there is one, as its table marks it.
    best = whole(found.best_runs) if math.isnan(found.budget) else found.best.runs
    low, high = whole(found.best_low), whole(found.best_high)
    tau = next((one for one in plan.needed if one.what == "tau" and one.criterion == "expected"), None)
    reach = None
    if tau is None or plan.runs is None or not math.isfinite(found.ratio):
        pass
    elif math.isfinite(tau.topics * found.best_runs) and abs(best - plan.runs) >= 0.5:  # eq. (11)
        reach = tau.topics * (1 + found.ratio / best) / (1 + found.ratio / plan.runs)
    more = {"best": best, "low": low, "high": high, "tau": tau, "reach": reach} | _bought(plan, found)
    return [*said.all("buy", **more), *said.all("budget")]


def spending_section(plan: Plan, said: Words | None = None) -> Section | None:
    """Purchases, ways to spend the budget, and what other numbers of runs bring."""
    found, said = plan.spending, said or words_of(plan)
    if found is None:
        return None
    title = f"{plan.sampled.many.capitalize()}{', levels' if found.facets else ''} or runs"
    return Section("spending", title, tables=[_purchases(plan, found, said), _ways(plan, found, said)])


def _purchases(plan: Plan, found: Spending, said: Words) -> Table:
    names = {TOPIC: plan.sampled.one, RUN: f"run of every {plan.sampled.one}"}
    names |= {name: in_words(name) for name in found.facets}
    most = max((one.per_price for one in found.next if math.isfinite(one.per_price)), default=math.nan)
    gain = f"Noise removed ({level_text(found.level)} interval)"
    columns = (
        Column("One more", Text(), "what"),
        Column("Price in all", Number(digits=2), "price", "with all its runs"),
        Column(gain, Bounded(low="low", high="high"), "gain", "share of the variance of a difference"),
        Column("Per price", Significant(), "worth", "noise removed for the same sum, best = 1"),
    )
    rows = []
    for one in found.next:
        ends = (None, None) if one.low == one.high else (one.low, one.high)
        rows.append([names[one.what], one.price, (one.gain, *ends), one.per_price / most])
    return Table("purchases", "What to buy next", columns, rows, said("purchases", **_bought(plan, found)))


def _ways(plan: Plan, found: Spending, said: Words) -> Table:
    budget, best, units = not math.isnan(found.budget), found.best, plan.sampled.many
    by_runs = not found.facets or len({one.runs for one in found.designs}) > 1
    columns = [Column(units.capitalize(), Count(), "topics")] if budget else []
    columns += [Column(printable(name), Count(), f"level {name}") for name in found.facets]
    columns += [Column("Runs of each", Count(), "runs")] if by_runs else []
    columns += [Column("τ (interval)", Bounded(digits=2, low="low", high="high"), "estimate")]
    columns += [] if found.assumed else [Column("Cost", Number(digits=2), "cost")]
    columns += [Column("Best", Text(), "best")] if budget else []
    cells = [
        {f"level {name}": levels for name, levels in one.levels.items()}
        | {**vars(one), "estimate": (one.estimate, one.low, one.high), "best": "best" if one is best else ""}
        for one in found.designs
    ]
    caption = f"Ways to spend {money(found.budget)} on a new collection from nothing"
    if not budget:
        others = "levels" if found.facets else "runs"
        caption = f"{plan.pilot_topics:,} new {units} with other numbers of {others}"
    rows = [[cell[column.key] for column in columns] for cell in cells]
    strong = frozenset(place for place, one in enumerate(found.designs) if one is best and budget)
    return Table("spending", caption, tuple(columns), rows, said("spending"), strong=strong)


def _more_runs(plan: Plan, said: Words) -> Section | None:
    if plan.spending is None or plan.spending.runs is None:
        return None
    topic, topics = plan.sampled.one, plan.sampled.many
    columns = (
        Column(f"Runs of each {topic}", Text(), "runs"),
        Column(f"τ, as many new {topics}", Number(digits=2), "new_topics"),
        Column(f"τ, the same {topics}", Number(digits=2), "same_topics", "with these runs in all"),
    )
    rows = [
        ["infinitely many" if one.runs is None else str(one.runs), one.new_topics, one.same_topics]
        for one in plan.spending.runs
    ]
    table = Table("runs", f"Other numbers of runs, on new {topics} and on these", columns, rows)
    return Section("runs", "Other numbers of runs", tables=[table], details=True)
