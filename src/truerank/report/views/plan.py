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
    words = words_of(plan)
    units = words.facts["units"]
    basis = {"pilot": f"a pilot of {plan.pilot_topics:,} {units}", "model": "a simulation model"}
    basis |= {"effect": "a given effect size", "collections": "no scores yet"}
    sections = (_curve, _needed, _spending, _more_runs, _generalizability)
    return View(
        command="plan",
        title=f"How many {units}?",
        subject=subject(plan.measure, f"{plan.systems} systems", basis[plan.settings.basis]),
        answer=_answer(plan, words),
        sections=[section for item in sections if (section := item(plan, words))],
        notes=plan.notes,
        how=words("how"),
        made=made(plan.settings.version, seed=plan.settings.seed),
        measure=plan.measure,
        numbers=_numbers(plan),
        sentence=words("paper"),
        unit=units,
    )


def words_of(plan: Plan) -> Words:
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
        places=next((item.places for item in plan.goals if item.places is not None), 1),
        ceiling="" if ceiling is None or interval is None else span(*interval, 2),
        of_measure=f" ({printable(plan.measure)})" if plan.measure else "",
        spending=plan.spending,
        called=_target,
        limit=lambda item: _limit(plan, item),
        miss=TAU_MISS,
    )


def _answer(plan: Plan, words: Words) -> list[str]:
    """The answer to each question, the one number for all that was asked, and what the machine is worth."""
    targets = list(_targets(plan, words))
    if _is_long(plan, words):
        targets = [told[:1] for told in targets]
    told = dict.fromkeys(text for told in targets for text in told)
    return [*told, *words.all("together"), *_more(plan, words)]


def _is_long(plan: Plan, words: Words) -> bool:
    """Whether only the first sentence of each target has room, so that their table has the rest."""
    targets = list(_targets(plan, words))
    room = MOST - len(_more(plan, words)) - (len(targets) > 1 and plan.asked)
    return sum(map(len, targets)) > room


def _more(plan: Plan, words: Words) -> list[str]:
    """What looks cost, and what to buy next."""
    more = [] if plan.looks is None else words.all("looks")
    return more + ([] if plan.spending is None else _buy(plan, plan.spending, words))


def _targets(plan: Plan, words: Words) -> Iterator[list[str]]:
    """What is said of each target, the number of topics first."""
    lows = {(item.what, item.target): item for item in plan.needed if item.criterion == "low" and plan.asked}
    for item in (item for item in plan.needed if item.criterion == "expected"):
        this, low = (item.what, item.target, item.criterion), lows.get((item.what, item.target))
        reason = next((g for g in plan.goals if GOALS.get(g.goal, g.goal) == item.what), None)
        told = words.all("target", item=item, reason=reason, most=_most(plan, item))
        told += [] if low is None else words.all("assured", low=low)
        if (
            plan.machine is not None
            and math.isfinite(item.topics)
            and item.what not in ("relative", "absolute")
        ):
            people, without = (
                next((n for n in needs or () if (n.what, n.target, n.criterion) == this), None)
                for needs in (plan.people_alone, plan.without_machine)
            )
            told += words.all("without_machine", item=item, people=people, without=without)
        yield told
    if plan.pair is not None:
        yield words.all("pair")


def _most(plan: Plan, item: Needed) -> str:
    """The largest coefficient that is expected, with as many digits as show it below the target."""
    if plan.ceiling is None:
        return ""

    def up(digits: int) -> float:
        return round(math.ceil(round((plan.ceiling or 0.0) * 10**digits, 9)) / 10**digits, digits)

    digits = next((d for d in range(2, 9) if up(d) < item.target), 2)
    return f"{up(digits):.{digits}f}"


def _limit(plan: Plan, item: Needed) -> str:
    """What infinitely many topics are more than: curves end there."""
    return f"{plan.settings.most:,}" if item.what in ("winner", "width", *plan.curves) else "a million"


def _target(item: Needed) -> str:
    relation = "≤" if item.what == "width" else "="
    return f"{TARGETS.get(item.what) or symbol(item.what)} {relation} {item.target:g}"


def _numbers(plan: Plan) -> dict[str, str]:
    """What a paper quotes of a plan: its first target as such, each by its name, and points of its curves."""
    s = plan.settings
    made = {"Systems": f"{plan.systems:,}", "PilotTopics": f"{plan.pilot_topics:,}", "Draws": f"{s.draws:,}"}
    made |= {"Level": level_text(s.level), "Seed": str(s.seed)}
    needed = [*plan.needed, *([] if plan.pair is None else [plan.pair.needed])]
    for place, item in enumerate(needed):

        def text(topics: float, item: Needed = item) -> str:
            return f"more than {_limit(plan, item)}" if math.isinf(topics) else topics_text(topics)

        assured = "Assured" if item.criterion == "low" else ""
        stem = f"Topics{assured}For{item.what.title().replace('_', '')}{item.target:g}"
        made |= {stem: text(item.topics)}
        ends = {} if math.isnan(item.low) else {"Low": text(item.low), "High": text(item.high)}
        made |= {f"{stem}{end}": shown for end, shown in ends.items()}  # the end of an interval has none
        if place == 0:
            made |= {"Target": f"{item.target:g}", "TopicsNeeded": made[stem]}
            made |= {f"Needed{end}": shown for end, shown in ends.items()}
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
    if (spending := plan.spending) is not None:
        made |= ends_of("BestRuns", (spending.best_runs, spending.best_low, spending.best_high), 1)
    return made


def _curve(plan: Plan, words: Words) -> Section:
    level, units = words.facts["level"], plan.counted.many
    whose = f"{units}, the pilot’s included" if plan.extend else f"new {units}"
    columns = [Column(units.capitalize(), Count(), "topics")]
    for name in plan.curves:
        kind = Bounded(digits=2, low=f"{name}_low", high=f"{name}_high")
        columns.append(Column(f"{symbol(name)} ({level} interval)", kind, name))
    points = list(zip(*plan.curves.values(), strict=True))
    rows = [[row[0].topics, *((p.estimate, p.low, p.high) for p in row)] for row in points]
    first = points[0][0].topics
    shown = [row for row in rows if row[0] in SHOWN or (plan.extend and row[0] == first)]
    title = f"What to expect by number of {whose}{words.facts['of_measure']}"
    others = sorted({_target(n) for n in plan.needed if n.what in plan.curves and n.what != plan.coefficient})
    figure = Figure(
        "plan",
        words("caption", others=others),
        lambda size: charts.plan_chart(plan, size),
        subject=f"{title}, {plan.systems} systems.",
    )
    tables = [
        Table("curve", title, tuple(columns), shown, words("intervals"), advice=words("own")),
        Table("all_points", title, tuple(columns), rows, files_only=True),
    ]
    beside = plan.asked and not any(item.what in ("width", *plan.curves) for item in plan.needed)
    return Section("curve", "Curve", figures=[figure], tables=tables, details=beside)


def _needed(plan: Plan, words: Words) -> Section | None:
    needed = list(plan.needed)
    if plan.pair is not None and not words.facts["per_set"]:  # a gate counts topics in all
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
    reached = {"expected": "the expectation", "low": f"{words.facts['sure']} probability"}
    rows = [[_target(item), reached[item.criterion], item.topics, item.low, item.high] for item in needed]
    endless = {_limit(plan, n) for n in needed if math.inf in (n.topics, n.low, n.high)}
    note = words("needed", ends=any(math.isnan(item.low) for item in needed), endless=sorted(endless))
    table = Table("needed", f"{topics} needed{words.facts['of_measure']}", columns, rows, note)
    return Section("needed", "Targets", tables=[table], details=not (plan.asked and _is_long(plan, words)))


def _generalizability(plan: Plan, words: Words) -> Section | None:
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
            [name, (item.estimate, item.low, item.high), item.topics, item.topics_low, item.topics_high]
            for name, item in {"Eρ², differences": g.relative, "Φ, scores": g.absolute}.items()
        ],
        words("indices"),
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
        words("study"),
    )
    text = words.all("generalizability", indices=words("indices"))
    return Section(
        "generalizability", "Generalizability", text, tables=[components, indices, study], details=True
    )


# ── what to buy next ──────────────────────────────────────────────────────────────────────────────────


def _bought(plan: Plan, spending: Spending) -> dict[str, Any]:
    """What brings most for its price, alone or with what may bring as much, and what comes next."""
    names = {TOPIC: plan.sampled.many, RUN: "runs", **{name: levels_of(name) for name in spending.facets}}
    known = bool(spending.next) and math.isfinite(spending.next[0].worth[0])
    alike = [item for item in spending.next[1:] if known and item.worth[2] >= spending.next[0].worth[1]]
    rest: list[OneMore] = [item for item in spending.next[1:] if known and item not in alike]
    return {
        "first": [names[item.what] for item in [*spending.next[:1], *alike]] or [names[TOPIC]],
        "second": names[rest[0].what] if rest else "",
        "times": rough(spending.next[0].worth[0] / rest[0].worth[0]) if rest else "",
        "alone": not alike,
    }


def _buy(plan: Plan, spending: Spending, words: Words) -> list[str]:
    """What one more of brings most, the best number of runs, and the best for the budget."""
    if spending.one_run:
        ends = span(spending.best.low, spending.best.high, 2)
        return [*words.all("topics_cost"), *words.all("budget", ends=ends)]

    def whole(runs: float) -> int:
        return max(two_digits(runs), 1) if math.isfinite(runs) else 0

    # The best that the budget pays, where there is one, as its table marks it.
    best = whole(spending.best_runs) if math.isnan(spending.budget) else spending.best.runs
    low, high = whole(spending.best_low), whole(spending.best_high)
    tau = next((item for item in plan.needed if item.what == "tau" and item.criterion == "expected"), None)
    reach = None
    if tau is None or plan.runs is None or not math.isfinite(spending.ratio):
        pass
    elif math.isfinite(tau.topics * spending.best_runs) and abs(best - plan.runs) >= 0.5:  # eq. (11)
        reach = tau.topics * (1 + spending.ratio / best) / (1 + spending.ratio / plan.runs)
    more = {"best": best, "low": low, "high": high, "tau": tau, "reach": reach} | _bought(plan, spending)
    return [*words.all("buy", **more), *words.all("budget")]


def _spending(plan: Plan, words: Words) -> Section | None:
    """Purchases, ways to spend the budget, and what other numbers of runs bring."""
    spending = plan.spending
    if spending is None or spending.one_run:  # the answer says it all
        return None
    title = f"{plan.sampled.many.capitalize()}{', levels' if spending.facets else ''} or runs"
    return Section(
        "spending", title, tables=[_purchases(plan, spending, words), _ways(plan, spending, words)]
    )


def _purchases(plan: Plan, spending: Spending, words: Words) -> Table:
    names = {TOPIC: plan.sampled.one, RUN: f"run of every {plan.sampled.one}"}
    names |= {name: in_words(name) for name in spending.facets}
    most = max((item.per_price for item in spending.next if math.isfinite(item.per_price)), default=math.nan)
    gain = f"Noise removed ({level_text(spending.level)} interval)"
    columns = (
        Column("One more", Text(), "what"),
        Column("Price in all", Number(digits=2), "price", "with all its runs"),
        Column(gain, Bounded(low="low", high="high"), "gain", "share of the variance of a difference"),
        Column("Per price", Significant(), "worth", "noise removed for the same sum, best = 1"),
    )
    rows = []
    for item in spending.next:
        ends = (None, None) if item.low == item.high else (item.low, item.high)
        rows.append([names[item.what], item.price, (item.gain, *ends), item.per_price / most])
    return Table(
        "purchases", "What to buy next", columns, rows, words("purchases", **_bought(plan, spending))
    )


def _ways(plan: Plan, spending: Spending, words: Words) -> Table:
    budget, best, units = not math.isnan(spending.budget), spending.best, plan.sampled.many
    by_runs = not spending.facets or len({item.runs for item in spending.designs}) > 1
    columns = [Column(units.capitalize(), Count(), "topics")] if budget else []
    columns += [Column(printable(name), Count(), f"level {name}") for name in spending.facets]
    columns += [Column("Runs of each", Count(), "runs")] if by_runs else []
    columns += [Column("τ (interval)", Bounded(digits=2, low="low", high="high"), "estimate")]
    columns += [] if spending.assumed else [Column("Cost", Number(digits=2), "cost")]
    columns += [Column("Best", Text(), "best")] if budget else []
    cells = [
        {f"level {name}": levels for name, levels in item.levels.items()}
        | {
            **vars(item),
            "estimate": (item.estimate, item.low, item.high),
            "best": "best" if item is best else "",
        }
        for item in spending.designs
    ]
    caption = f"Ways to spend {money(spending.budget)} on a new collection from nothing"
    if not budget:
        others = "levels" if spending.facets else "runs"
        caption = f"{plan.pilot_topics:,} new {units} with other numbers of {others}"
    rows = [[cell[column.key] for column in columns] for cell in cells]
    strong = frozenset(place for place, item in enumerate(spending.designs) if item is best and budget)
    return Table("spending", caption, tuple(columns), rows, words("spending"), strong=strong)


def _more_runs(plan: Plan, words: Words) -> Section | None:
    if plan.spending is None or plan.spending.runs is None:
        return None
    topic, topics = plan.sampled.one, plan.sampled.many
    columns = (
        Column(f"Runs of each {topic}", Text(), "runs"),
        Column(f"τ, as many new {topics}", Number(digits=2), "new_topics"),
        Column(f"τ, the same {topics}", Number(digits=2), "same_topics", "with these runs in all"),
    )
    rows = [
        ["infinitely many" if item.runs is None else str(item.runs), item.new_topics, item.same_topics]
        for item in plan.spending.runs
    ]
    table = Table("runs", f"Other numbers of runs, on new {topics} and on these", columns, rows)
    return Section("runs", "Other numbers of runs", tables=[table], details=True)
