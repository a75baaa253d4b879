"""The view of a plan: how many topics, and what each number of them brings."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from truerank._support.arguments import doing, either
from truerank._support.escaping import printable
from truerank._support.tables import Bounded, Column, Count, Kind, Number, Percent, Table, Text
from truerank._support.wording import level_text, number, percent, topics_text
from truerank.planning import Plan
from truerank.planning.generalizability import MAPS, TAU_MISS
from truerank.planning.plan_results import Generalizability
from truerank.report import charts
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import plan_words as words
from truerank.report.views import register
from truerank.report.views.plan_buying import more_runs_section, spending_section
from truerank.report.words import named, symbol

if TYPE_CHECKING:
    from markupsafe import Markup

SHOWN = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 1_000)
"""Numbers of topics that the curve's table has rows for; its file has all."""

SOURCES = {
    "system": "systems",
    "data_set": "data sets",
    "system_data_set": "system × data set",
}


def view(plan: Plan, asked: Asked) -> View:
    """What there is to see of a plan."""
    s = plan.settings
    sections = [
        _curve(plan),
        _needed(plan),
        spending_section(plan),
        more_runs_section(plan),
        _generalizability(plan),
        _designs(plan),
    ]
    return View(
        command="plan",
        title=f"How many {words.units(plan)}?",
        subject=_subject(plan),
        answer=list(words.sentences(plan)),
        sections=[section for section in sections if section],
        notes=plan.notes,
        how=f"{s.draws:,} draws; seed {s.seed}; truerank {s.version}.",
        measure=plan.measure,
        methods=partial(_methods, plan),
        facts=_facts(plan, asked.command),
        numbers=_numbers(plan),
        sentence=_sentence(plan),
        references=("bavdaz-2018",),
        unit=words.units(plan),
    )


def _numbers(plan: Plan) -> dict[str, str]:
    """What a paper quotes of a plan: its first target."""
    found = {"Systems": str(plan.systems), "PilotTopics": f"{plan.pilot_topics:,}"}
    if plan.needed:
        one = plan.needed[0]
        found |= {"Target": f"{one.target:g}", "TopicsNeeded": topics_text(one.topics)}
        found |= {"NeededLow": topics_text(one.low), "NeededHigh": topics_text(one.high)}
    return found


def _sentence(plan: Plan) -> str:
    s = plan.settings
    pilot = named("PilotTopics", plan.pilot_topics)
    basis = f"a pilot of {pilot} {words.units(plan)}" if plan.pilot_topics else "past collections"
    systems = f"{named('Systems', plan.systems)} systems{_of_measure(plan)}"
    return (
        f"We planned the number of {words.units(plan)} for {systems} from {basis}. It follows from the "
        "posterior of an empirical-Bayes model [@bavdaz-2018], by truerank "
        f"{named('Version', s.version)} [@truerank] "
        f"({named('Draws', s.draws)} draws, seed {named('Seed', str(s.seed))})."
    )


def _subject(plan: Plan) -> str:
    """What was planned for: ``AP · 74 systems · a pilot of 50 topics``."""
    pilot = {
        "pilot": f"a pilot of {plan.pilot_topics:,} {words.units(plan)}",
        "model": "a simulation model",
        "effect": "a given effect size",
        "collections": "no scores yet",
    }[plan.settings.basis]
    return " · ".join([*([plan.measure] if plan.measure else []), f"{plan.systems} systems", pilot])


def _of_measure(plan: Plan) -> str:
    """Whose plan it is, where several may stand below each other."""
    return f" ({printable(plan.measure)})" if plan.measure else ""


def _made(plan: Plan) -> str:
    return f"(truerank {plan.settings.version}, seed {plan.settings.seed}.)"


def _own(plan: Plan) -> str:
    """Why the expected coefficient of the pilot's own ranking is another one."""
    if plan.now is None or plan.extend:
        return ""
    own = (
        f"The pilot’s own ranking is expected at {symbol(plan.coefficient)} = {number(plan.now, 2)} "
        f"({doing('assess')}); a new collection ranks anew"
    )
    if plan.levels:
        return f"{own}, with {words.at_levels(plan)} like today’s."
    return f"{own}. {either('extend=True', '--extend')} plans for {plan.counted.many} added to the pilot."


def _curve(plan: Plan) -> Section:
    level = level_text(plan.settings.level)
    whose = f"{plan.counted.many}, the pilot’s included" if plan.extend else f"new {plan.counted.many}"
    columns = [Column(plan.counted.many.capitalize(), Count(), "topics")]
    columns += [
        Column(
            f"{symbol(name)} ({level} interval)",
            Bounded(digits=2, low=f"{name}_low", high=f"{name}_high"),
            name,
            "expected, with the interval that one such collection will lie in",
        )
        for name in plan.curves
    ]
    points = list(zip(*plan.curves.values(), strict=True))
    rows = [[row[0].topics, *((p.estimate, p.low, p.high) for p in row)] for row in points]
    first = points[0][0].topics
    shown = [row for row in rows if row[0] in SHOWN or (plan.extend and row[0] == first)]
    title = f"What to expect by number of {whose}{_of_measure(plan)}"
    note = f"Intervals: where one such collection will lie with {level} probability."
    reduced = f"{doing('reduce')} says which {plan.counted.many} to keep where all cost too much."
    reducible = plan.settings.basis == "pilot" and not (plan.machine or plan.arena)
    advice = f"{_own(plan)} {reduced if reducible else ''}".strip()
    figure = Figure(
        "plan",
        f"Line: expected. Band: where one such collection will lie with {level} probability."
        + (
            " Dashed: the target. Dot: reached by the expectation. Diamond: by the low end."
            if plan.needed
            else ""
        )
        + (" Hollow: the pilot’s own ranking." if plan.now is not None else ""),
        f"{symbol(plan.coefficient)} by number of {plan.counted.many}: expectation and band.",
        lambda size: charts.plan_chart(plan, size),
        subject=f"{title}, {plan.systems} systems.",
    )
    tables = [
        Table("curve", title, tuple(columns), shown, note, _made(plan), advice=advice),
        Table("all_points", title, tuple(columns), rows, files_only=True),
    ]
    beside = plan.asked and not any(one.what in ("width", *plan.curves) for one in plan.needed)
    return Section("curve", "Curve", figures=[figure], tables=tables, details=beside)


def _needed(plan: Plan) -> Section | None:
    needed = [*plan.needed, *([plan.pair.needed] if plan.pair is not None else [])]
    if not needed:
        return None
    columns = (
        Column("Target", Text(), "target"),
        Column("Reached by", Text(), "criterion"),
        Column(f"{plan.counted.many.capitalize()}", Count(), "topics"),
        Column("From", Count(), "low", "lower end of the interval of that number"),
        Column("To", Count(), "high", "upper end"),
    )
    rows = [
        [words.target_text(one), words.criterion_text(plan, one), one.topics, one.low, one.high]
        for one in needed
    ]
    note = f"From and to: {level_text(plan.settings.level)} interval over what the pilot leaves open."
    caption = f"{plan.counted.many.capitalize()} needed{_of_measure(plan)}"
    return Section(
        "needed", "Targets", tables=[Table("needed", caption, columns, rows, note, _made(plan))], details=True
    )


def _generalizability(plan: Plan) -> Section | None:
    g = plan.generalizability
    if g is None:
        return None
    topic, topics = plan.sampled.one, plan.sampled.many
    sources = SOURCES | {"topic": topics, "residual": f"system × {topic}, and the rest"}
    parts = g.variance.to_dict() if g.nested is None else g.nested.to_dict()
    total = sum(parts.values())
    components = Table(
        "components",
        "Generalizability theory: sources of the variance of a score",
        (Column("Source", Text(), "source"), Column("Variance", Number(digits=5), "variance"), _share()),
        [[sources[name], value, value / total if total else 0.0] for name, value in parts.items()],
    )
    return Section(
        "generalizability",
        "Generalizability",
        [
            f"A G-study splits the variance of a score; a D-study says what other numbers of {topics} give. "
            f"{_indices_meaning(plan)}",
            "Neither index is a rank correlation. Published maps turn them into some, and miss τ by up to "
            f"{TAU_MISS:g}; the curve above does not use them.",
        ],
        tables=[components, _indices(plan, g), _study(plan, g)],
        details=True,
    )


def _indices_meaning(plan: Plan) -> str:
    topics = plan.sampled.many
    return (
        f"Eρ²: share of the variance of systems’ means that other {topics} would show again. Φ: the same, "
        f"with the {topics}’ own difficulty counted as error."
    )


def _share() -> Column:
    return Column("Share", Percent(), "share")


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
    rows = []
    for name, index in names.items():
        ends = (index.interval.low, index.interval.high) if g.crossed else (None, None)
        more = (index.topics_low, index.topics_high) if g.crossed else (None, None)
        rows.append([name, (index.estimate, *ends), index.topics, *more])
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
    by_posterior = {p.topics: p.estimate for p in plan.curves["tau"]}
    columns = (
        Column(plan.counted.many.capitalize(), Count(), "topics"),
        Column("Eρ²", Number(), "relative"),
        Column("Φ", Number(), "absolute"),
        Column("τ by the curve", Number(), "posterior"),
        *(
            Column(MAPS[name][0], Number(), name, "by the published map", details=name != "tau")
            for name in shown
        ),
    )
    rows = [
        [
            p.topics,
            p.relative,
            p.absolute,
            by_posterior.get(p.topics, math.nan),
            *(p.mapped[n] for n in shown),
        ]
        for p in g.study
    ]
    note = (
        f"A D-study predicts the stability of the means for other numbers of {plan.sampled.many}. “τ by the "
        "curve” is this plan’s expected τ; Kendall’s τ is what a published map makes of Eρ², and may be "
        f"{TAU_MISS:g} off."
    )
    caption = f"Stability by number of {plan.sampled.many} (D-study), and two values of τ"
    return Table("study", caption, columns, rows, note)


def _designs(plan: Plan) -> Section | None:
    """Classical designs, data sets against topics, a budget of judgments."""
    topic, topics = plan.sampled.one, plan.sampled.many
    tables = [
        _records(
            "classical",
            "Classical designs, one for each purpose",
            {
                "design": ("Design", Text()),
                "topics": (topics.capitalize(), Count()),
                "question": ("What it answers", Text()),
            },
            plan.classical,
        ),
        _records(
            "data_sets",
            f"More data sets, or more {topics} of each",
            {
                "data_sets": ("Data sets", Count()),
                "topics": (f"{topics.capitalize()} of each", Count()),
                "estimate": ("τ", Number()),
                "relative": ("Eρ²", Number()),
            },
            plan.designs,
        ),
        _records(
            "budget",
            "Ways to spend the budget of judgments",
            {
                "documents": (f"Documents of a {topic}", Number(digits=2)),
                "topics": (topics.capitalize(), Count()),
                "judgments": ("Judgments", Count()),
                "estimate": ("τ", Number()),
            },
            plan.budget,
        ),
    ]
    found = [*_arena(plan), *(table for table in tables if table.rows)]
    asked_for = bool(plan.designs or plan.budget or plan.arena)
    return Section("designs", "Other designs", tables=found, details=not asked_for) if found else None


def _arena(plan: Plan) -> list[Table]:
    """Prompts against battles on each."""
    arena = plan.arena
    if arena is None:
        return []
    units = plan.counted.many
    about: dict[str, tuple[str, Kind]] = {
        "battles_each": (f"Battles per {plan.unit}", Count()),
        "estimate": (f"τ with {plan.pilot_topics:,} {units}", Number()),
    }
    target = plan.arena_target
    if target is not None:
        goal = f"{target.target:g}" if target.what == "tau" else words.target_text(target)
        about |= {
            "prompts": (f"{units.capitalize()} for {goal}", Count(rough=True)),
            "battles": ("Battles", Count(rough=True)),
        }
        about |= {"voters": ("Voters", Count(rough=True))} if arena.designs[0].voters is not None else {}
        about |= {} if math.isnan(arena.designs[0].cost) else {"cost": ("Cost", Count())}
    if arena.budget is not None:
        about |= {
            "bought": (f"{units.capitalize()} for {arena.budget:,g}", Count()),
            "reached": ("Their τ", Number()),
        }
    marked = (
        [] if arena.best is None else [f" (best for the budget: {arena.best.battles_each:,} battles each)"]
    )
    caption = "".join([f"More {units}, or more battles on each", *marked])
    made = _records("arena", caption, about, arena.designs)
    return [made]


def _records(name: str, caption: str, about: dict[str, tuple[str, Kind]], rows: Any) -> Table:
    """A table of objects by the names of their attributes."""
    columns = tuple(Column(heading, kind, key) for key, (heading, kind) in about.items())
    return Table(name, caption, columns, [[getattr(row, key) for key in about] for row in rows])


def _facts(plan: Plan, command: str | None) -> dict[str, str]:
    s = plan.settings
    found = {"Command": command} if command else {}
    found |= {
        "truerank": f"version {s.version}",
        "Seed": str(s.seed),
        "Draws": f"{s.draws:,}",
        "Level": level_text(s.level),
    }
    if s.drop_bottom:
        found["Dropped"] = f"the bottom {percent(s.drop_bottom)}"
    return {name: printable(text) for name, text in found.items()}


def _methods(plan: Plan) -> Markup:
    from truerank.report.templating import fill

    return fill("plan-methods.html", plan=plan, topic=plan.sampled.one, topics=plan.sampled.many)


register(
    Plan,
    view,
    tables=(
        "curve",
        "all_points",
        "needed",
        "components",
        "stability",
        "study",
        "classical",
        "data_sets",
        "budget",
        "arena",
        "purchases",
        "spending",
        "runs",
    ),
    figures=("plan", "spending"),
)
