"""`truerank gate`: a verdict on A against B, for a person or a script."""

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
    MissingScores,
    Qrels,
    Sources,
    Transpose,
    score_tables,
)
from truerank.cli.options import (
    Html,
    Json,
    Quiet,
    RelevanceLevel,
    RunNames,
    Seed,
    add_json,
    command_line,
    progress_bar,
    writing,
)

if TYPE_CHECKING:
    from rich.console import Console

    from truerank._support.outputs import Outputs
    from truerank.comparison.gate import Gate

PASSED, STOPPED = 0, 1
"""Exit codes; unusable input is 2, as everywhere."""


def gate(
    sources: Sources,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="SYSTEM", help="What is there now; of two systems the first by default."),
    ] = None,
    candidates: Annotated[
        list[str] | None,
        typer.Option(
            "--candidate", metavar="SYSTEM", help="What is to replace it; repeatable. All others by default."
        ),
    ] = None,
    margin: Annotated[
        float, typer.Option(metavar="D", help="How much worse still passes, in units of the score.")
    ] = 0.0,
    level: Annotated[float, typer.Option(metavar="L", help="Confidence of each one-sided bound.")] = 0.95,
    undecided: Annotated[
        Literal["fail", "pass"],
        typer.Option(metavar="fail|pass", help="Whether an undecided comparison stops the pipeline."),
    ] = "fail",
    data_sets: Annotated[
        Literal["fixed", "random"] | None,
        typer.Option(
            metavar="fixed|random",
            help="Several data sets: is the verdict to hold on new topics of them, or on new data sets?",
        ),
    ] = None,
    qrels: Qrels = None,
    measures: Measures = None,
    missing: MissingScores = "error",
    cluster: Cluster = None,
    family: Family = None,
    format: Format = None,
    transpose: Transpose = None,
    machine: Machine = None,
    machine_qrels: MachineQrels = None,
    relevance_level: RelevanceLevel = None,
    names: RunNames = "tag",
    markdown: Annotated[
        str | None,
        typer.Option("--markdown", metavar="FILE", help="Write a table for a pull request or a job summary."),
    ] = None,
    latex: Annotated[
        str | None, typer.Option("--latex", metavar="FILE", help="Write a table for a paper.")
    ] = None,
    junit: Annotated[
        str | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit report for a pipeline.")
    ] = None,
    html: Html = None,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> int:
    """Is B better than A, or at least not worse by a margin?

    Exit code 0: better or pass; 1: fail or undecided; 2: unusable input.
    """
    from truerank.comparison.gate import gate as decide
    from truerank.comparison.gate.missing_scores import before_arms
    from truerank.readers.two_tables import two_tables

    with writing("gate", [*sources, qrels, *(machine or []), machine_qrels], quiet) as outputs:
        outputs.file(json, "--json")
        outputs.file(markdown, "--markdown")
        outputs.file(latex, "--latex")
        outputs.file(junit, "--junit")
        outputs.file(html, "--html")
        with progress_bar(quiet) as progress:
            judged = bool(machine or machine_qrels)
            reading = missing if qrels is not None or judged else before_arms(missing)
            tables = (
                two_tables(sources, measures, reading, cluster, family, format, transpose)
                if not (qrels or judged)
                else None
            )
            tables = tables or score_tables(
                sources,
                qrels,
                measures,
                reading,
                relevance_level,
                names,
                progress,
                cluster,
                family,
                format,
                transpose,
                machine,
                machine_qrels,
            )
        found = decide(
            tables,
            baseline,
            candidates,
            margin=margin,
            level=level,
            data_sets=data_sets,
            missing=missing,
            seed=seed,
        )
        add_files(outputs, found, markdown, latex, junit, html, undecided == "pass")
        if json:
            add_json(outputs, found.to_dict(), json)
    if json != "-":
        from truerank.cli.terminal import console

        show_gate(found, console())
    stopping = ("fail",) if undecided == "pass" else ("fail", "undecided")
    return STOPPED if found.verdict in stopping else PASSED


def add_files(
    outputs: Outputs,
    found: Gate,
    markdown: str | None,
    latex: str | None,
    junit: str | None,
    html: str | None,
    undecided_passes: bool,
) -> None:
    """The files of a gate."""
    if markdown is not None or latex is not None or junit is not None:
        from truerank.report.tables.gate import junit_text, latex_text, markdown_text

        if markdown is not None:
            outputs.add(markdown, markdown_text(found))
        if latex is not None:
            outputs.add(latex, latex_text(found))
        if junit is not None:
            outputs.add(junit, junit_text(found, undecided_passes))
    if html is not None:
        from truerank.report.pages.gate import gate_html

        outputs.add(html, gate_html(found, command=command_line()))


def show_gate(found: Gate, out: Console) -> None:
    """Print the decisions: one in sentences, several in a table with a sentence each."""
    from rich.text import Text

    from truerank.cli.terminal import printable
    from truerank.report.parts import gate_words as words

    if len(found) > 1:
        _show_table(found, out)
    for one in found.overall:
        out.print(Text(printable(words.heading(found, one)), style="bold"))
        said = (words.said(one), words.fails_on(found, one), words.measured(one), words.tested(one))
        for text in (*said, words.lost(one)):
            if text:
                out.print(Text(printable(text)))
        out.print()
    for warning in words.warnings(found):
        out.print(Text(printable(f"! {warning}")))
    if any(one.warnings for one in found):
        out.print()
    if len(found) > 1:
        out.print(Text(printable(words.together(found))))
    out.print(Text(printable(words.how(found))))


def _show_table(found: Gate, out: Console) -> None:
    from truerank.cli.terminal import number, printable, show_table, table
    from truerank.report.parts import gate_words as words
    from truerank.report.words import p_text

    measures = any(one.measure for one in found)
    sets = any(one.data_set is not None for one in found)
    made = table(
        ("candidate", "name"),
        *[("measure", "name")] * measures,
        *[("data set", "name")] * sets,
        ("difference", "right"),
        ("bounds", "right"),
        ("verdict", "left"),
        ("p", "right"),
    )
    for one in found:
        made.add_row(
            printable(one.candidate),
            *[printable(one.measure) or "–"] * measures,
            *["all" if one.data_set is None else printable(one.data_set)] * sets,
            number(one.difference, words.DIGITS, sign=True),
            words.bounds(one).removeprefix("from "),
            words.verdict(one),
            p_text(one.p_adjusted),
        )
    show_table(
        out,
        f"Against {words.name(found.decisions[0].baseline)}",
        made,
        f"p: {words.ADJUSTED.partition(': ')[2]}",
    )
