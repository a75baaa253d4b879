"""`truerank documents`: what another document collection would do to a comparison of systems."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from truerank.cli.inputs import Format
from truerank.cli.options import (
    Csv,
    FigureWidth,
    Html,
    Json,
    Latex,
    Markdown,
    Overwrite,
    Quiet,
    RelevanceLevel,
    RunNames,
    Seed,
    add_json,
    command_line,
    drawn,
    millimetres,
    progress_bar,
    writing,
)

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from truerank._support.outputs import Outputs
    from truerank.documents import Decomposition, DocumentAnalysis, SummaryNumber


def documents(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Run files, gzipped or not, or folders of them.")
    ],
    qrels: Annotated[str, typer.Option("--qrels", metavar="FILE", help="Relevance judgments.")],
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="NAME",
            help="AP (the default), P@10, Rprec, RR, nDCG@20 …; repeatable.",
        ),
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="NAME", help="bst (the default), kde, normexp; repeatable."),
    ] = None,
    samples: Annotated[int, typer.Option(min=2, help="B of error rate, ASL and ED.")] = 10_000,
    rank_samples: Annotated[int, typer.Option(min=2, help="B of KRCC.")] = 1_000,
    alpha: Annotated[
        float, typer.Option(metavar="A", help="Significance level of the t tests, and ED's.")
    ] = 0.05,
    level: Annotated[float, typer.Option(metavar="L", help="Level of intervals.")] = 0.95,
    decomposition: Annotated[
        int, typer.Option(metavar="B", min=0, help="Samples behind the decomposition; 0 leaves it out.")
    ] = 500,
    csv: Csv = None,
    latex: Latex = None,
    markdown: Markdown = None,
    html: Html = None,
    figures: Annotated[
        str | None, typer.Option(metavar="DIR", callback=drawn, help="Write the figures as SVG, PDF and PNG.")
    ] = None,
    system: Annotated[
        str | None, typer.Option(metavar="SYSTEM", help="Whose topics the figure shows; the best one's.")
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what each model and summary is, with formula and source.")
    ] = False,
    relevance_level: RelevanceLevel = None,
    names: RunNames = "tag",
    figure_width: FigureWidth = None,
    format: Format = None,
    overwrite: Overwrite = False,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """How much do ranking and significance move in another document collection?"""
    from dataclasses import replace

    from truerank.documents import (
        analyze_collection,
        decompose,
        document_model,
        place_measure,
        read_collection,
    )
    from truerank.report.charts.documents import NAMES
    from truerank.report.render import file_names
    from truerank.report.tables.documents import csv_names

    column = millimetres(figure_width, figures)
    wanted = [place_measure(name, relevance_level) for name in dict.fromkeys(measures or ["AP"])]
    drawn = [document_model(name) for name in dict.fromkeys(models or ["bst"])]
    several = len(wanted) > 1
    results: list[list[DocumentAnalysis]] = []
    with writing("documents", [*runs, qrels], quiet, overwrite=overwrite) as outputs:
        outputs.file(json, "--json")
        outputs.file(html, "--html")
        outputs.file(latex, "--latex")
        outputs.file(markdown, "--markdown")
        for measure in wanted:
            name = measure.name if several else None
            outputs.folder(figures, file_names(NAMES), "--figures", name)
            outputs.folder(csv, csv_names(), "--csv", name)
        with progress_bar(quiet) as progress:
            collection = read_collection(qrels, runs, names=names, format=format, progress=progress)
            for measure in wanted:
                of_models = [
                    analyze_collection(
                        collection,
                        measure,
                        model,
                        samples=samples,
                        rank_samples=rank_samples,
                        alpha=alpha,
                        level=level,
                        seed=seed,
                        progress=progress,
                    )
                    for model in drawn
                ]
                if decomposition:
                    parts = decompose(
                        collection, measure, samples=decomposition, level=level, seed=seed, progress=progress
                    )
                    of_models = [replace(analysis, decomposition=parts) for analysis in of_models]
                results.append(of_models)
        for of_models in results:
            name = of_models[0].measure if several else None
            _add_figures(outputs, of_models, figures, name, system, column)
            if csv is not None:
                from truerank.report.tables.documents import csv_files

                outputs.put(csv, csv_files(of_models), "--csv", name)
        _add_tables(outputs, results, latex, markdown)
        if html is not None:
            from truerank.report.pages.documents import pages_html

            outputs.add(html, pages_html(results, command=command_line(), system=system))
        if json:
            found = [analysis.to_dict() for of_models in results for analysis in of_models]
            add_json(outputs, found[0] if len(found) == 1 else found, json)
    if json != "-":
        _show(results)
        if explain:
            _explain(results[0])


def _add_figures(
    outputs: Outputs,
    of_models: list[DocumentAnalysis],
    figures: str | None,
    measure: str | None,
    system: str | None,
    column: int,
) -> None:
    """The figures of one measure."""
    if figures is not None:
        from truerank.report.charts.documents import figure_files
        from truerank.report.figures import size_of

        outputs.put(figures, figure_files(of_models, system, size_of(column)), "--figures", measure)


def _add_tables(
    outputs: Outputs, results: list[list[DocumentAnalysis]], latex: str | None, markdown: str | None
) -> None:
    """The tables for a paper, of all measures in one file."""
    if latex is None and markdown is None:
        return
    from truerank.report.tables.documents import latex_text, markdown_text
    from truerank.report.tables.paper import together

    if latex is not None:
        outputs.add(latex, together([latex_text(of_models) for of_models in results]))
    if markdown is not None:
        outputs.add(markdown, together([markdown_text(of_models) for of_models in results]))


def _show(results: list[list[DocumentAnalysis]]) -> None:
    from truerank.cli.terminal import console

    out = console()
    for position, of_models in enumerate(results):
        if position:
            out.rule()
        _show_measure(of_models, out)


def _show_measure(of_models: list[DocumentAnalysis], out: Console) -> None:
    from rich.text import Text

    from truerank.cli.terminal import printable, show_table
    from truerank.report.parts.document_answer import advice_sentence
    from truerank.report.parts.document_samples import briefs_text

    first = of_models[0]
    settings = first.settings
    title = f"{first.measure}, {first.scores.n} topics, {first.scores.m} systems; documents sampled"
    out.print(Text(printable(title), style="bold"))
    out.print()
    for analysis in of_models:
        out.print(Text(printable(_answer(analysis))))
    out.print()
    brackets = f" (in brackets: {settings.level:.0%} of samples)" if len(of_models) < 3 else ""
    show_table(out, f"Summaries{brackets}", _summaries(of_models), briefs_text(first))
    show_table(out, "Error rate by the sampled difference of two means", _error_rates(of_models))
    if first.decomposition is not None:
        show_table(out, "Where the variance of a score comes from", _components(first.decomposition))
        out.print(Text(printable(advice_sentence(first))))
        out.print()
    warnings = dict.fromkeys(warning for analysis in of_models for warning in analysis.warnings)
    for warning in warnings:
        out.print(Text(printable(f"! {warning}")))
    if warnings:
        out.print()
    out.print(
        Text(
            f"B = {settings.samples:,} samples ({settings.rank_samples:,} for KRCC), α = {settings.alpha:g}; "
            f"seed {settings.seed}; truerank {settings.version}. "
            "What each model and summary is: --explain."
        )
    )


def _explain(of_models: list[DocumentAnalysis]) -> None:
    """What models and summaries say of themselves."""
    from truerank.cli.terminal import console, show_explained
    from truerank.documents import MODELS, SUMMARIES
    from truerank.report.words import described

    models = described(MODELS, (a.model for a in of_models))
    show_explained([*models, *described(SUMMARIES, of_models[0].summaries)], console())


def _answer(a: DocumentAnalysis) -> str:
    """The page's first sentences, as plain text."""
    from truerank.report.parts.document_answer import ranking_sentence, significance_sentence

    return f"{ranking_sentence(a).striptags()} {significance_sentence(a)}"


def _summaries(of_models: list[DocumentAnalysis]) -> Table:
    """A row a number of a summary, a column a model."""
    from truerank.cli.terminal import printable, table

    made = table(("", "left"), *((a.model, "right") for a in of_models))
    for numbers in zip(*(a.numbers for a in of_models), strict=True):
        made.add_row(printable(numbers[0].label), *(_cell(n, room=len(of_models) < 3) for n in numbers))
    return made


def _cell(shown: SummaryNumber, room: bool) -> str:
    """A summary's number and, where 80 columns have room for it, where a sample's value falls."""
    from truerank.cli.terminal import number

    text = number(shown.value, shown.digits)
    if shown.spread is None or not room:
        return text
    interval = shown.spread.interval
    return f"{text} ({number(interval.low, 2)} to {number(interval.high, 2)})"


def _error_rates(of_models: list[DocumentAnalysis]) -> Table:
    from truerank.cli.terminal import table

    made = table(
        ("difference", "left"),
        *(column for a in of_models for column in ((f"{a.model}: pairs", "right"), ("error rate", "right"))),
    )
    bins = list(zip(*(a.error_rate for a in of_models), strict=True))
    last = max((i for i, row in enumerate(bins) if any(b.errors for b in row)), default=0)
    for row in bins[: last + 1]:
        cells = [cell for b in row for cell in (f"{b.count:,}", _rate(b.error_rate))]
        made.add_row(f"{row[0].low:.2f} to {row[0].high:.2f}", *cells)
    if last + 1 < len(bins):
        rest = [sum(b.count for b in column[last + 1 :]) for column in (a.error_rate for a in of_models)]
        cells = [cell for count in rest for cell in (f"{count:,}", _rate(0.0 if count else None))]
        made.add_row(f"{bins[last + 1][0].low:.2f} and more", *cells)
    return made


def _rate(value: float | None) -> str:
    """An error rate as the page has it; a dash where no two means are so far apart."""
    from truerank.cli.terminal import percent

    return percent(math.nan if value is None else value, 1)


def _components(decomposition: Decomposition) -> Table:
    from truerank.cli.terminal import number, percent, table

    made = table(("source", "left"), ("variance", "right"), ("share", "right"))
    for component in decomposition.components:
        made.add_row(component.source, number(component.variance, 5), percent(component.share))
    return made
