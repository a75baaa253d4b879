"""`truerank assess`: the reliability of a ranking, from scores or from runs and qrels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from truerank.cli.inputs import Cluster, Family, Format, Measures, MissingCells, Qrels, Sources, score_tables
from truerank.cli.model_truth import true_means
from truerank.cli.options import (
    Json,
    Quiet,
    RelevanceLevel,
    RunNames,
    Seed,
    add_json,
    command_line,
    inside,
    named,
    progress_bar,
    writing,
)
from truerank.cli.pair import PairOutcome, two_systems

if TYPE_CHECKING:
    from truerank._support.outputs import Outputs
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
    relevance_level: RelevanceLevel = None,
    names: RunNames = "tag",
    draws: Annotated[int, typer.Option(min=2, help="Joint draws behind variances and intervals.")] = 10_000,
    resamples: Annotated[
        int | None,
        typer.Option(min=2, show_default="error < 0.0005", help="Topic resamples T for res."),
    ] = None,
    csv: Annotated[
        str | None, typer.Option("--csv", metavar="DIR", help="Write tables as CSV files.")
    ] = None,
    latex: Annotated[
        str | None, typer.Option("--latex", metavar="FILE", help="Write tables for a paper.")
    ] = None,
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", help="Write a page to share.")] = None,
    figures: Annotated[
        str | None, typer.Option("--figures", metavar="DIR", help="Write figures as SVG, PDF and PNG.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="The model that the scores were simulated from: show its truth beside."
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Say what estimators and coefficients are, with formula and source."),
    ] = False,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """How close is the observed ranking to the true one?"""
    from truerank.reliability.assessment import assess as assess_scores

    def plan(names: list[str] | None) -> None:
        """Everything that will be written, with a folder or a file for each of several measures."""
        from truerank.report.figures import figure_names
        from truerank.report.tables.assessment import csv_names

        outputs.file(json, "--json")
        for name in names if names and len(names) > 1 else [None]:
            outputs.folder(
                inside(csv, name), csv_names(estimators, baseline is not None), "--csv", complete=True
            )
            outputs.file(named(latex, name), "--latex")
            outputs.file(named(html, name), "--html")
            outputs.folder(
                inside(figures, name), figure_names(baseline is not None), "--figures", complete=True
            )

    with writing("assess", [*sources, qrels, model], quiet) as outputs:
        if qrels is not None:
            from truerank.readers.evaluation import measure_names

            plan(measure_names(measures, relevance_level) if measures else None)
        elif len(measures or []) < 2:
            plan(None)
        with progress_bar(quiet) as progress:
            tables = score_tables(
                sources, qrels, measures, missing, relevance_level, names, progress, cluster, family, format
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
            outcome.add_files(outputs, csv, latex, html, figures, json)
        truth = true_means(model, [result.scores.systems for result in results])
        for result in results:
            name = result.measure if len(results) > 1 else None
            places = (inside(csv, name), named(latex, name), named(html, name), inside(figures, name))
            _add_files(outputs, result, *places, truth)
        if json and not pairs:
            documents = [result.to_dict() | _truth(result, truth) for result in results]
            add_json(outputs, documents[0] if len(documents) == 1 else documents, json)
    if json == "-":
        return
    if outcome is not None:
        unused = [("--estimator", estimators), ("--coefficient", coefficients), ("--explain", explain)]
        unused += [("--aggregate", aggregate != "mean"), ("--best", best != 1), ("--guarantee", guarantee)]
        outcome.show([option for option, given in unused if given])
    else:
        _show(results, truth)
        if explain:
            from truerank.cli.terminal import console, explanations, show_explained

            show_explained(explanations(results[0]), console())


def _truth(result: Assessment, true_means: dict[str, float] | None) -> dict[str, object]:
    from truerank._support.plain import plain
    from truerank.reliability.truth import true_coefficients

    return {} if true_means is None else {"truth": plain(true_coefficients(result, true_means))}


def _add_files(
    outputs: Outputs,
    result: Assessment,
    csv: str | None,
    latex: str | None,
    html: str | None,
    figures: str | None,
    true_means: dict[str, float] | None,
) -> None:
    """The files of one assessment."""
    from truerank.report.tables.assessment import csv_files, latex_text

    if csv is not None:
        outputs.put(csv, csv_files(result), "--csv")
    if latex is not None:
        outputs.add(latex, latex_text(result))
    if html is not None:
        from truerank.report import page_html

        outputs.add(html, page_html(result, command=command_line(), truth=true_means))
    if figures is not None:
        from truerank.report.figures import figure_files

        outputs.put(figures, figure_files(result), "--figures")


def _show(results: list[Assessment], true_means: dict[str, float] | None) -> None:
    from truerank.cli.terminal import console, show_assessment, show_truth

    out = console()
    for position, result in enumerate(results):
        if position:
            out.rule()
        show_assessment(result, out)
        if true_means is not None:
            show_truth(result, true_means, out)
