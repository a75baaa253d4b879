"""`truerank plan`: how many topics, so that a ranking can be relied on?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truerank.cli.inputs import (
    Format,
    Machine,
    MachineQrels,
    Measures,
    MissingScores,
    Qrels,
    Transpose,
    score_tables,
)
from truerank.cli.options import (
    FigureWidth,
    Html,
    Json,
    Latex,
    Markdown,
    Quiet,
    RelevanceLevel,
    RunNames,
    Seed,
    add_json,
    command_line,
    drawn,
    inside,
    millimetres,
    progress_bar,
    writing,
)

if TYPE_CHECKING:
    from rich.console import Console

    from truerank._support.outputs import Outputs
    from truerank._support.progress import Progress
    from truerank.planning import Judging, Plan
    from truerank.scores import ScoreMatrix


def plan(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[SCORES|RUN]",
            help="Scores of a pilot: a table, trec_eval -q files, or, with --qrels, runs. "
            "None with --systems or --model.",
            show_default=False,
        ),
    ] = None,
    qrels: Qrels = None,
    measures: Measures = None,
    tau: Annotated[
        float | None,
        typer.Option(metavar="T", show_default="0.9 without any target", help="τ to be reached."),
    ] = None,
    tau_ap: Annotated[float | None, typer.Option(metavar="T", help="τ_AP to be reached.")] = None,
    width: Annotated[
        float | None, typer.Option(metavar="W", help="Greatest width of the coefficient's interval.")
    ] = None,
    winner: Annotated[
        float | None,
        typer.Option(metavar="P", help="Probability that the truly best system comes out first."),
    ] = None,
    pair: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="Two systems to be told apart.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(metavar="D", help="Difference to be found: of the pair, and by the classical designs."),
    ] = None,
    power: Annotated[float, typer.Option(metavar="P", help="Probability of finding it.")] = 0.8,
    stability: Annotated[
        float | None, typer.Option(metavar="S", help="Eρ² and Φ to be reached (generalizability theory).")
    ] = None,
    extend: Annotated[
        bool,
        typer.Option(
            "--extend", help="Keep the pilot's topics and add to them, instead of a new collection."
        ),
    ] = False,
    systems: Annotated[
        int | None, typer.Option(metavar="M", min=2, help="Without scores: that many systems.")
    ] = None,
    effect: Annotated[
        float | None,
        typer.Option(metavar="C", help="With --systems: squared effect size of a pair on one topic."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Without scores: a simulation model, saved or embedded."),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(metavar="J", help="With --qrels: judgments that can be paid; topics against documents."),
    ] = None,
    data_sets: Annotated[
        Literal["fixed", "random"] | None,
        typer.Option(
            metavar="fixed|random", help="New topics of these data sets, or new data sets like them."
        ),
    ] = None,
    level: Annotated[float, typer.Option(metavar="L", help="Level of all intervals.")] = 0.95,
    alpha: Annotated[float, typer.Option(metavar="A", help="Significance level of tests.")] = 0.05,
    drop_bottom: Annotated[
        float, typer.Option(metavar="Q", help="Keep systems whose mean is at least this quantile.")
    ] = 0.0,
    missing: MissingScores = "error",
    format: Format = None,
    transpose: Transpose = None,
    machine: Machine = None,
    machine_qrels: MachineQrels = None,
    machine_topics: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=2,
            show_default="the pilot's",
            help="With --machine: topics that the machine is to judge, those by people among them.",
        ),
    ] = None,
    relevance_level: RelevanceLevel = None,
    names: RunNames = "tag",
    draws: Annotated[
        int | None, typer.Option(min=2, show_default="by systems", help="Joint draws behind the intervals.")
    ] = None,
    html: Html = None,
    figures: Annotated[
        str | None,
        typer.Option(
            "--figures", metavar="DIR", callback=drawn, help="Write the figure as SVG, PDF and PNG."
        ),
    ] = None,
    figure_width: FigureWidth = None,
    latex: Latex = None,
    markdown: Markdown = None,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """How many topics, so that the ranking can be relied on?"""
    from truerank.planning import plan as make_plan

    column = millimetres(figure_width, figures)
    given = sources or []
    if not given and (qrels or measures):
        raise typer.BadParameter("--qrels and -m go with runs and scores; name some")
    if not given and (machine or machine_qrels):
        raise typer.BadParameter("--machine goes with human scores of a pilot; name them")
    if budget is not None and qrels is None:
        raise typer.BadParameter("--budget goes with --qrels and runs, which say what judgments are worth")
    settings: dict[str, Any] = {
        "tau": tau,
        "tau_ap": tau_ap,
        "width": width,
        "winner": winner,
        "pair": pair,
        "margin": margin,
        "power": power,
        "stability": stability,
        "extend": extend,
        "level": level,
        "alpha": alpha,
        "drop_bottom": drop_bottom,
        "data_sets": data_sets,
        "machine_topics": machine_topics,
        "draws": draws,
        "seed": seed,
    }

    def declare(measures_found: list[str | None]) -> None:
        """Everything that will be written, with a folder of figures for each of several measures."""
        from truerank.report.charts.plan import NAMES
        from truerank.report.render import file_names

        outputs.file(json, "--json")
        outputs.file(html, "--html")
        outputs.file(latex, "--latex")
        outputs.file(markdown, "--markdown")
        for name in measures_found if len(measures_found) > 1 else [None]:
            outputs.folder(inside(figures, name), file_names(NAMES), "--figures", complete=True)

    with writing("plan", [*given, qrels, model, *(machine or []), machine_qrels], quiet) as outputs:
        if len(measures or []) < 2:
            declare([None])
        with progress_bar(quiet) as progress:
            if given:
                if systems is not None or model is not None:
                    raise typer.BadParameter("--systems and --model stand for scores; give one of them")
                tables = score_tables(
                    given,
                    qrels,
                    measures,
                    missing,
                    relevance_level,
                    names,
                    progress,
                    format=format,
                    transpose=transpose,
                    machine=machine,
                    machine_qrels=machine_qrels,
                )
                if len(tables) > 1:
                    declare([scores.measure for scores in tables])
                results = [
                    make_plan(
                        scores,
                        judging=_judging(
                            scores, given, qrels, names, relevance_level, budget, seed, progress
                        ),
                        effect=effect,
                        **settings,
                    )
                    for scores in tables
                ]
            elif model is not None:
                from truerank.cli.simulate import find_model

                results = [make_plan(model=find_model(model), systems=systems, effect=effect, **settings)]
            else:
                results = [make_plan(systems=systems, effect=effect, **settings)]
        for one in results:
            name = one.measure if len(results) > 1 else None
            if (folder := inside(figures, name)) is not None:
                from truerank.report.charts.plan import figure_files
                from truerank.report.figures import size_of

                outputs.put(folder, figure_files(one, size_of(column)), "--figures")
        _add_tables(outputs, results, latex, markdown)
        if html is not None:
            from truerank.report.pages.plan import page_html

            outputs.add(html, page_html(results, command=command_line()))
        if json:
            documents = [one.to_dict() for one in results]
            add_json(outputs, documents[0] if len(documents) == 1 else documents, json)
    if json != "-":
        _show(results)


def _add_tables(outputs: Outputs, results: list[Plan], latex: str | None, markdown: str | None) -> None:
    """The tables of all plans, in one file of each kind."""
    from truerank.report.tables.paper import together
    from truerank.report.tables.plan import latex_text, markdown_text

    if latex is not None:
        outputs.add(latex, together([latex_text(one) for one in results]))
    if markdown is not None:
        outputs.add(markdown, together([markdown_text(one) for one in results]))


def _judging(
    scores: ScoreMatrix,
    runs: list[str],
    qrels: str | None,
    names: Literal["tag", "file"],
    relevance_level: int | None,
    budget: float | None,
    seed: int,
    progress: Progress | None,
) -> Judging | None:
    """What judgments cost and gain, from the decomposition over sampled documents."""
    if budget is None or qrels is None:
        return None
    from truerank.documents import decompose, place_measure, read_collection
    from truerank.planning import Judging
    from truerank.readers.judgments import judgments

    collection = read_collection(qrels, runs, names=names, progress=progress)
    measure = place_measure(scores.measure, relevance_level)
    parts = {
        one.source: one.variance
        for one in decompose(collection, measure, seed=seed, progress=progress).components
    }
    judged = [len(documents) for topic, documents in judgments(qrels).items() if topic in set(scores.topics)]
    per_topic = sum(judged) / max(len(judged), 1)
    return Judging(budget, per_topic, parts["system × topic"], parts["system × documents"])


def _show(results: list[Plan]) -> None:
    from truerank.cli.terminal import console

    out = console()
    for position, one in enumerate(results):
        if position:
            out.rule()
        _show_plan(one, out)


def _show_plan(one: Plan, out: Console) -> None:
    from rich.text import Text

    from truerank._support.wording import plural, topics_text
    from truerank.cli.terminal import level_text, number, printable, show_table, span, symbol, table
    from truerank.planning.answer import sentences
    from truerank.report.parts.plan import EFFECT, curve_title, needed_rows, points_shown
    from truerank.report.tables.plan import SHOWN

    for sentence in sentences(one):
        out.print(Text(printable(sentence)))
    out.print()
    if one.needed:
        made = table(
            ("target", "left"),
            ("reached by", "left"),
            (f"{plural(one.unit)}", "right"),
            ("from", "right"),
            ("to", "right"),
        )
        for row in needed_rows(one):
            made.add_row(*row)
        note = f"From and to: {level_text(one.settings.level)} interval, over what is not known of the truth."
        show_table(out, "Needed", made, note)
    made = table(
        (f"{plural(one.unit)}", "right"),
        *(column for name in one.curves for column in ((symbol(name), "right"), ("interval", "right"))),
    )
    for at, points in points_shown(one, SHOWN):
        made.add_row(
            f"{at:,}", *(cell for p in points for cell in (number(p.estimate), span(p.low, p.high, 2)))
        )
    show_table(out, curve_title(one), made)
    if one.generalizability is not None:
        _show_generalizability(one, out)
    if one.classical:
        made = table(("design", "left"), (f"{plural(one.unit)}", "right"), ("what it answers", "left"))
        for design in one.classical:
            made.add_row(design.design, topics_text(design.topics), printable(design.question))
        show_table(out, "Classical designs, each for a question of its own", made)
    if one.designs:
        made = table(("data sets", "right"), ("topics of each", "right"), ("τ", "right"), ("Eρ²", "right"))
        for d in one.designs:
            made.add_row(f"{d.data_sets:,}", f"{d.topics:,}", number(d.estimate), number(d.relative))
        show_table(out, "More data sets, or more topics of each", made)
    if one.budget:
        made = table(("documents", "right"), ("topics", "right"), ("judgments", "right"), ("τ", "right"))
        for b in one.budget:
            made.add_row(f"× {b.documents:g}", f"{b.topics:,}", f"{b.judgments:,}", number(b.estimate))
        show_table(out, "Ways to spend the budget of judgments", made)
    for warning in one.warnings:
        out.print(Text(printable(f"! {warning}")))
    if one.warnings:
        out.print()
    s = one.settings
    if s.effect is not None:
        out.print(Text(f"Effect size c = {s.effect:.3g}: {EFFECT}"))
    out.print(Text(printable(f"{s.draws:,} draws; seed {s.seed}; truerank {s.version}.")))


def _show_generalizability(one: Plan, out: Console) -> None:
    from truerank._support.wording import plural, topics_text
    from truerank.cli.terminal import number, show_table, span, table
    from truerank.report.parts.plan import INDICES, component_rows
    from truerank.report.words import percent

    g = one.generalizability
    assert g is not None
    made = table(("source", "left"), ("variance", "right"), ("share", "right"))
    for name, variance, share in component_rows(g):
        made.add_row(name, number(variance, 5), percent(share))
    show_table(out, "Generalizability theory: where the variance of a score comes from", made)
    made = table(
        ("index", "left"),
        ("now", "right"),
        ("interval", "right"),
        (f"for {g.stability:g}", "right"),
        ("from", "right"),
        ("to", "right"),
    )
    for name, index in (("Eρ², differences", g.relative), ("Φ, scores", g.absolute)):
        known = g.crossed
        made.add_row(
            name,
            number(index.estimate),
            span(index.interval.low, index.interval.high, 2) if known else "–",
            topics_text(index.topics),
            topics_text(index.topics_low) if known else "–",
            topics_text(index.topics_high) if known else "–",
        )
    show_table(out, f"Stability of the means, and {plural(one.unit)} for {g.stability:g}", made, INDICES)
