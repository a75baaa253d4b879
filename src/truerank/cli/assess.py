"""`truerank assess`: the reliability of a ranking, from scores or from runs and qrels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from truerank.cli.inputs import (
    Cluster,
    Family,
    Format,
    Machine,
    MachineQrels,
    Measures,
    MissingCells,
    Qrels,
    Sources,
    Transpose,
    score_tables,
)
from truerank.cli.model_truth import true_means
from truerank.cli.options import (
    Csv,
    FigureWidth,
    Html,
    Json,
    Latex,
    Markdown,
    Plugins,
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
from truerank.cli.pair import PairOutcome, two_systems

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


def assess(
    sources: Sources,
    qrels: Qrels = None,
    measures: Measures = None,
    estimators: Annotated[
        list[str] | None,
        typer.Option(
            "--estimator",
            metavar="NAME",
            help="eb, ml, msqd, res, kd, sh-w, sh-wo, sh; repeatable. All by default, with eb in the lead.",
        ),
    ] = None,
    coefficients: Annotated[
        list[str] | None,
        typer.Option("--coefficient", metavar="NAME", help="tau, tau_ap; repeatable. Both by default."),
    ] = None,
    levels: Annotated[
        list[float] | None,
        typer.Option("--level", metavar="L", help="Confidence level of intervals, 0.95; repeatable."),
    ] = None,
    dependence: Annotated[
        str,
        typer.Option(metavar="shrunk|sample|own", help="How swaps go together; 'own': res's replicates."),
    ] = "shrunk",
    drop_bottom: Annotated[
        float, typer.Option(metavar="Q", help="Keep systems whose mean is at least this quantile.")
    ] = 0.0,
    drop_identical: Annotated[
        bool, typer.Option("--drop-identical", help="Keep systems with the same scores everywhere once.")
    ] = False,
    baseline: Annotated[
        str | None, typer.Option(metavar="SYSTEM", help="Compare every other system with this one.")
    ] = None,
    data_sets: Annotated[
        Literal["fixed", "random"] | None,
        typer.Option(
            metavar="fixed|random",
            help="Several data sets: is the ranking to hold on new topics of them, or on new data sets?",
        ),
    ] = None,
    aggregate: Annotated[
        str, typer.Option(metavar="mean|borda|win-rate", help="How data sets (or topics) make one score.")
    ] = "mean",
    best: Annotated[
        int,
        typer.Option(
            metavar="K", min=1, help="Which systems hold the truly best K, with the level's probability."
        ),
    ] = 1,
    guarantee: Annotated[
        bool,
        typer.Option(
            "--guarantee",
            help="Tell systems apart only where no pair at all is in the wrong order, with the level's "
            "confidence, whatever the truth is, also if all are equal.",
        ),
    ] = False,
    missing: MissingCells = "error",
    cluster: Cluster = None,
    family: Family = None,
    format: Format = None,
    transpose: Transpose = None,
    machine: Machine = None,
    machine_qrels: MachineQrels = None,
    relevance_level: RelevanceLevel = None,
    names: RunNames = "tag",
    draws: Annotated[
        int | None,
        typer.Option(
            min=2,
            help="Joint draws behind variances and intervals. Default: 10,000; fewer above 447 systems.",
        ),
    ] = None,
    resamples: Annotated[
        int | None,
        typer.Option(min=2, show_default="error < 0.0005", help="Topic resamples T for res."),
    ] = None,
    csv: Csv = None,
    latex: Latex = None,
    markdown: Markdown = None,
    html: Html = None,
    figures: Annotated[
        str | None,
        typer.Option("--figures", metavar="DIR", callback=drawn, help="Write figures as SVG, PDF and PNG."),
    ] = None,
    figure_width: FigureWidth = None,
    top: Annotated[
        int | None, typer.Option(metavar="K", min=1, help="The best K systems alone, in the figures.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SYSTEM", help="In the figures this system alone, or beside those of --top; repeatable."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="The model that the scores were simulated from: show its truth beside."
        ),
    ] = None,
    all_estimators: Annotated[
        bool,
        typer.Option("--all-estimators", help="Print what all estimators say, not the headline one alone."),
    ] = False,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Say what estimators and coefficients are, with formula and source."),
    ] = False,
    plugins: Plugins = None,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """How close is the observed ranking to the true one?"""
    from truerank.reliability.assessment import assess as assess_scores

    column = millimetres(figure_width, figures)
    if (top or only) and figures is None:
        raise typer.BadParameter("--top and --only choose the systems of the figures; give --figures DIR too")

    def plan(names: list[str] | None) -> None:
        """Everything that will be written, with a folder for each of several measures."""
        from truerank.report.figures import MEASURES, figure_names
        from truerank.report.render import file_names
        from truerank.report.tables.assessment import csv_names

        judged = bool(machine or machine_qrels)
        outputs.file(json, "--json")
        outputs.file(html, "--html")
        outputs.file(latex, "--latex")
        outputs.file(markdown, "--markdown")
        several = names is not None and len(names) > 1
        if several:
            outputs.folder(figures, file_names([MEASURES]), "--figures", complete=True)
        for name in names if names and several else [None]:
            outputs.folder(
                inside(csv, name), csv_names(estimators, baseline is not None, judged), "--csv", complete=True
            )
            outputs.folder(
                inside(figures, name), figure_names(baseline is not None, judged), "--figures", complete=True
            )

    if plugins:
        from truerank.experiments.engine.plugins import load

        load(plugins)
    inputs = [*sources, qrels, model, *(machine or []), machine_qrels, *(plugins or [])]
    with writing("assess", inputs, quiet) as outputs:
        if qrels is not None:
            from truerank.readers.evaluation import measure_names

            plan(measure_names(measures, relevance_level) if measures else None)
        elif len(measures or []) < 2:
            plan(None)
        with progress_bar(quiet) as progress:
            tables = score_tables(
                sources,
                qrels,
                measures,
                missing,
                relevance_level,
                names,
                progress,
                cluster,
                family,
                format,
                transpose,
                machine,
                machine_qrels,
                holes=True,
            )
            if qrels is None and len(tables) > 1:
                plan([scores.measure for scores in tables])  # as the file spells them
            pairs = two_systems(tables, drop_bottom, drop_identical)
            results = [
                assess_scores(
                    scores,
                    estimators,
                    coefficients,
                    levels=levels or [0.95],
                    dependence=dependence,
                    drop_bottom=drop_bottom,
                    drop_identical=drop_identical,
                    baseline=baseline,
                    best=best,
                    guarantee=guarantee,
                    data_sets=data_sets,
                    aggregate=aggregate,
                    draws=draws,
                    resamples=resamples,
                    seed=seed,
                    progress=progress,
                )
                for scores in tables
                if not pairs
            ]
        outcome = PairOutcome.of(pairs, baseline, levels or [0.95], data_sets, seed, model) if pairs else None
        if outcome is not None:
            outcome.add_files(outputs, csv, latex, markdown, html, figures, json, column)
        truth = true_means(model, [result.scores.systems for result in results])
        from truerank.report.parts.estimates import is_split_half
        from truerank.report.tables.assessment import csv_files, latex_text, markdown_text
        from truerank.report.tables.paper import together

        tex: list[str] = []
        texts: list[str] = []
        halves = all_estimators or bool(estimators and any(map(is_split_half, estimators)))
        for result in results:
            name = result.measure if len(results) > 1 else None
            if csv is not None:
                outputs.put(inside(csv, name) or csv, csv_files(result), "--csv")
            if latex is not None:
                tex.append(latex_text(result, halves))
            if markdown is not None:
                texts.append(markdown_text(result, halves))
            if figures is not None:
                from truerank.report.figures import chosen, figure_files, size_of

                made = figure_files(result, size_of(column), chosen(result, top, only or ()), halves)
                outputs.put(inside(figures, name) or figures, made, "--figures")
        if figures is not None and results:
            from truerank.report.figures import chosen, size_of, too_thin

            drawn = chosen(results[0], top, only or ()) or results[0].ranking
            if (advice := too_thin(len(drawn), size_of(column))) and not quiet:
                typer.echo(f"truerank: {advice}", err=True)
        if latex is not None and results:
            outputs.add(latex, together(tex))
        if markdown is not None and results:
            outputs.add(markdown, together(texts))
        if figures is not None and len(results) > 1:
            from truerank.report.figures import chosen, measure_files, size_of

            shown = chosen(results[0], top, only or ())
            outputs.put(figures, measure_files(results, size_of(column), shown), "--figures")
        if html is not None and results:
            from truerank.report import page_html

            page = page_html(results, command=command_line(), truth=truth, split_half=halves)
            outputs.add(html, page)
        if json and not pairs:
            documents = [result.to_dict() | _truth(result, truth) for result in results]
            add_json(outputs, documents[0] if len(documents) == 1 else documents, json)
    if json == "-":
        return
    if outcome is not None:
        unused = [("--estimator", estimators), ("--coefficient", coefficients), ("--explain", explain)]
        unused += [("--aggregate", aggregate != "mean"), ("--best", best != 1), ("--guarantee", guarantee)]
        unused += [("--top", top is not None), ("--only", only)]
        outcome.show([option for option, given in unused if given])
    else:
        _show(results, truth, all_estimators or bool(estimators and len(estimators) > 1))
        if explain:
            from truerank.cli.terminal import console, explanations, show_explained

            show_explained(explanations(results[0]), console())


def _truth(result: Assessment, true_means: dict[str, float] | None) -> dict[str, object]:
    from truerank._support.plain import plain
    from truerank.reliability.truth import true_coefficients

    return {} if true_means is None else {"truth": plain(true_coefficients(result, true_means))}


def _show(results: list[Assessment], true_means: dict[str, float] | None, all_estimators: bool) -> None:
    from truerank.cli.terminal import console, show_assessments, show_truth

    out = console()
    show_assessments(results, out, all_estimators)
    if true_means is not None:
        for result in results:
            show_truth(result, true_means, out)
