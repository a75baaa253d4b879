"""The view of a plan: how many topics, and what each number of them brings."""

from __future__ import annotations

import math

from truerank._support.arguments import doing, either
from truerank._support.escaping import printable
from truerank._support.tables import Bounded, Column, Count, Number, Percent, Table, Text
from truerank._support.wording import level_text, number, percent, topics_text
from truerank.planning import Plan
from truerank.planning.generalizability import MAPS, TAU_MISS
from truerank.planning.plan_results import Generalizability
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import facts, made, register, subject
from truerank.report.views import plan_words as words
from truerank.report.views.plan_buying import more_runs_section, spending_section
from truerank.report.words import symbol

SHOWN = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1_000)
"""Numbers of topics that the curve's table has rows for; its file has all."""


def view(plan: Plan, asked: Asked) -> View:
    """What there is to see of a plan."""
    s = plan.settings
    sections = [_curve(plan), _needed(plan), spending_section(plan), more_runs_section(plan)]
    sections += [_generalizability(plan)]
    return View(
        command="plan",
        title=f"How many {words.units(plan)}?",
        subject=_subject(plan),
        answer=list(words.sentences(plan)),
        sections=[section for section in sections if section],
        notes=plan.notes,
        how=f"{s.draws:,} draws; seed {s.seed}; truerank {s.version}.",
        measure=plan.measure,
        facts=_facts(plan),
        numbers=_numbers(plan),
        sentence=_sentence(plan),
        references=("bavdaz-2018",),
        unit=words.units(plan),
    )


def _numbers(plan: Plan) -> dict[str, str]:
    """What a paper quotes of a plan: its first target as such, and each by its name."""
    s = plan.settings
    made = {"Systems": f"{plan.systems:,}", "PilotTopics": f"{plan.pilot_topics:,}", "Draws": f"{s.draws:,}"}
    made |= {"Level": level_text(s.level), "Seed": str(s.seed), "Version": s.version}
    for place, one in enumerate(plan.needed):
        assured = "Assured" if one.criterion == "low" else ""
        stem = f"Topics{assured}For{one.what.title().replace('_', '')}{one.target:g}"
        made |= {stem: topics_text(one.topics)}
        made |= {f"{stem}Low": topics_text(one.low), f"{stem}High": topics_text(one.high)}
        if place == 0:
            made |= {"Target": f"{one.target:g}", "TopicsNeeded": made[stem]}
            made |= {"NeededLow": made[f"{stem}Low"], "NeededHigh": made[f"{stem}High"]}
    return made


def _sentence(plan: Plan) -> str:
    s = plan.settings
    pilot = f"{plan.pilot_topics:,}"
    basis = f"a pilot of {pilot} {words.units(plan)}" if plan.pilot_topics else "past collections"
    systems = f"{plan.systems:,} systems{_of_measure(plan)}"
    return (
        f"We planned the number of {words.units(plan)} for {systems} from {basis}. It follows from the "
        "posterior of an empirical-Bayes model [@bavdaz-2018], by truerank "
        f"{s.version} [@truerank] "
        f"({s.draws:,} draws, seed {s.seed})."
    )


def _subject(plan: Plan) -> str:
    """What was planned for: ``AP · 74 systems · a pilot of 50 topics``."""
    pilot = {
        "pilot": f"a pilot of {plan.pilot_topics:,} {words.units(plan)}",
        "model": "a simulation model",
        "effect": "a given effect size",
        "collections": "no scores yet",
    }[plan.settings.basis]
    return subject(plan.measure, f"{plan.systems} systems", pilot)


def _of_measure(plan: Plan) -> str:
    """Whose plan it is, where several may stand below each other."""
    return f" ({printable(plan.measure)})" if plan.measure else ""


def _made(plan: Plan) -> str:
    return made(plan.settings.version, seed=plan.settings.seed)


def _own(plan: Plan) -> str:
    """Why the expected coefficient of the pilot's own ranking is another one."""
    if plan.now is None or plan.extend:
        return ""
    own = (
        f"The pilot’s own ranking is expected at {symbol(plan.coefficient)} = {number(plan.now, 2)} "
        f"({doing('assess')})"
    )
    if plan.levels:
        return f"{own}: its levels are known. A new collection draws {words.at_levels(plan)} anew."
    more = f" {either('extend=True', '--extend')} plans for {plan.counted.many} added to the pilot."
    return f"{own}; a new collection ranks anew.{more if plan.unit != 'topic per data set' else ''}"


def _curve(plan: Plan) -> Section:
    level, units = level_text(plan.settings.level), plan.counted.many
    whose = f"{units}, the pilot’s included" if plan.extend else f"new {units}"
    columns = [Column(units.capitalize(), Count(), "topics")]
    columns += [
        Column(
            f"{symbol(name)} ({level} interval)",
            Bounded(digits=2, low=f"{name}_low", high=f"{name}_high"),
            name,
        )
        for name in plan.curves
    ]
    points = list(zip(*plan.curves.values(), strict=True))
    rows = [[row[0].topics, *((p.estimate, p.low, p.high) for p in row)] for row in points]
    first = points[0][0].topics
    shown = [row for row in rows if row[0] in SHOWN or (plan.extend and row[0] == first)]
    title = f"What to expect by number of {whose}{_of_measure(plan)}"
    lies = f"where one such collection will lie with {level} probability."
    caption = f"Line: expected. Band: {lies}"
    if plan.needed:
        caption += " Dashed: the target. Dot: reached by the expectation. Diamond: by the low end."
    figure = Figure(
        "plan",
        caption + (" Hollow: the pilot’s own ranking." if plan.now is not None else ""),
        f"{symbol(plan.coefficient)} by number of {units}: expectation and band.",
        lambda size: charts.plan_chart(plan, size),
        subject=f"{title}, {plan.systems} systems.",
    )
    tables = [
        Table("curve", title, tuple(columns), shown, f"Intervals: {lies}", _made(plan), advice=_own(plan)),
        Table("all_points", title, tuple(columns), rows, files_only=True),
    ]
    beside = plan.asked and not any(one.what in ("width", *plan.curves) for one in plan.needed)
    return Section("curve", "Curve", figures=[figure], tables=tables, details=beside)


def _needed(plan: Plan) -> Section | None:
    needed = list(plan.needed)
    if plan.pair is not None and plan.unit != "topic per data set":  # a gate counts topics in all
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
    rows = [
        [words.target_text(one), words.criterion_text(plan, one), one.topics, one.low, one.high]
        for one in needed
    ]
    note = f"From and to: {level_text(plan.settings.level)} interval over what the pilot leaves open."
    table = Table("needed", f"{topics} needed{_of_measure(plan)}", columns, rows, note, _made(plan))
    return Section("needed", "Targets", tables=[table], details=True)


def _generalizability(plan: Plan) -> Section | None:
    g = plan.generalizability
    if g is None:
        return None
    topic, topics = plan.sampled.one, plan.sampled.many
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
    text = [
        f"A G-study splits the variance of a score; a D-study says what other numbers of {topics} give. "
        f"{_indices_meaning(plan)}",
        "Neither index is a rank correlation. Published maps turn them into some, and miss τ by up to "
        f"{TAU_MISS:g}; the curve above does not use them.",
    ]
    tables = [components, _indices(plan, g), _study(plan, g)]
    return Section("generalizability", "Generalizability", text, tables=tables, details=True)


def _indices_meaning(plan: Plan) -> str:
    topics = plan.sampled.many
    return (
        f"Eρ²: share of the variance of systems’ means that other {topics} would show again. Φ: the same, "
        f"with the {topics}’ own difficulty counted as error."
    )


def _indices(plan: Plan, g: Generalizability) -> Table:
    unit = plan.counted.many
    names = {"Eρ², differences": g.relative, "Φ, scores": g.absolute}
    columns = (
        Column("Index", Text(), "index"),
        Column("Now", Bounded(low="low", high="high"), "estimate"),
        Column(f"{unit.capitalize()} for {g.stability:g}", Count(), "topics"),
        Column("From", Count(), "topics_low"),
        Column("To", Count(), "topics_high"),
    )
    rows = [
        [name, (one.estimate, one.low, one.high), one.topics, one.topics_low, one.topics_high]
        for name, one in names.items()
    ]
    return Table(
        "stability",
        f"Stability of the means, and {unit} for {g.stability:g}",
        columns,
        rows,
        _indices_meaning(plan),
    )


def _study(plan: Plan, g: Generalizability) -> Table:
    shown = ["tau", "tau_ap", "power", "minor_conflicts", "major_conflicts"]
    shown += ["absolute_sensitivity", "relative_sensitivity", "rmse"]
    taus = {p.topics: p.estimate for p in plan.curves["tau"]}
    columns = [
        Column(plan.counted.many.capitalize(), Count(), "topics"),
        Column("Eρ²", Number(), "relative"),
        Column("Φ", Number(), "absolute"),
        Column("τ by the curve", Number(), "posterior"),
    ]
    columns += [
        Column(MAPS[name][0], Number(), name, "by the published map", details=name != "tau") for name in shown
    ]
    rows = [
        [p.topics, p.relative, p.absolute, taus.get(p.topics, math.nan), *(p.mapped[n] for n in shown)]
        for p in g.study
    ]
    note = (
        f"A D-study predicts the stability of the means for other numbers of {plan.sampled.many}. “τ by the "
        "curve” is this plan’s expected τ; Kendall’s τ is what a published map makes of Eρ², and may be "
        f"{TAU_MISS:g} off."
    )
    caption = f"Stability by number of {plan.sampled.many} (D-study), and two values of τ"
    return Table("study", caption, tuple(columns), rows, note)


def _facts(plan: Plan) -> dict[str, str]:
    s = plan.settings
    found = facts(s.version, s.seed) | {"Draws": f"{s.draws:,}", "Level": level_text(s.level)}
    return found | ({"Dropped": f"the bottom {percent(s.drop_bottom)}"} if s.drop_bottom else {})


register(
    Plan,
    view,
    tables="curve all_points needed components stability study purchases spending runs",
)
