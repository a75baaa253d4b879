"""`truerank significance`: which systems differ significantly?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from truerank.cli.inputs import Format, Measures, MissingScores, Qrels, Sources, score_tables
from truerank.cli.options import (
    Json,
    Overwrite,
    Quiet,
    RelevanceLevel,
    RunNames,
    Seed,
    add_json,
    drawn,
    progress_bar,
    writing,
)

if TYPE_CHECKING:
    from rich.console import Console

    from truerank.comparison.significance import Significance

FIGURE = "discriminative-power"


def significance(
    sources: Sources,
    qrels: Qrels = None,
    measures: Measures = None,
    test: Annotated[
        str,
        typer.Option(metavar="NAME", help="t, wilcoxon, sign, randomisation, f, tukey, randomised-tukey."),
    ] = "t",
    correction: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default="holm, none for Tukey's",
            help="none, bonferroni, holm, bh; max-t with t and randomisation.",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(metavar="A", help="A p-value below it is significant.")] = 0.05,
    baseline: Annotated[
        str | None, typer.Option(metavar="SYSTEM", help="Compare every other system with this one.")
    ] = None,
    missing: MissingScores = "error",
    relevance_level: RelevanceLevel = None,
    names: RunNames = "tag",
    format: Format = None,
    permutations: Annotated[int, typer.Option(min=1, help="Of the randomised tests, and of max-t.")] = 10_000,
    latex: Annotated[
        str | None, typer.Option("--latex", metavar="FILE", help="Write the table for a paper.")
    ] = None,
    markdown: Annotated[
        str | None, typer.Option("--markdown", metavar="FILE", help="Write the table as Markdown.")
    ] = None,
    figures: Annotated[
        str | None,
        typer.Option(
            "--figures", metavar="DIR", callback=drawn, help="Write the discriminative power curves."
        ),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say what test and correction are, with formula and source.")
    ] = False,
    overwrite: Overwrite = False,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Which systems differ significantly, and who is better than whom?"""
    from truerank.comparison.significance import analyse

    with writing("significance", [*sources, qrels], quiet, overwrite=overwrite) as outputs:
        from truerank.report.render import file_names

        outputs.file(json, "--json")
        outputs.file(latex, "--latex")
        outputs.file(markdown, "--markdown")
        outputs.folder(figures, file_names([FIGURE]), "--figures")
        with progress_bar(quiet) as progress:
            tables = score_tables(
                sources, qrels, measures, missing, relevance_level, names, progress, format=format
            )
            found = []
            for done, scores in enumerate(tables):
                if progress:
                    progress(done, len(tables), scores.measure or "testing pairs")
                found.append(
                    analyse(
                        scores,
                        test,
                        correction,
                        alpha=alpha,
                        baseline=baseline,
                        permutations=permutations,
                        seed=seed,
                    )
                )
        if latex is not None or markdown is not None:
            from truerank.report.tables.significance import latex_text, markdown_text

            if latex is not None:
                outputs.add(latex, latex_text(found))
            if markdown is not None:
                outputs.add(markdown, markdown_text(found))
        if figures is not None:
            outputs.put(figures, _figure_files(found), "--figures")
        if json:
            documents = [one.to_dict() for one in found]
            add_json(outputs, documents[0] if len(documents) == 1 else documents, json)
    if json != "-":
        _show(found)
        if explain:
            _explain(found[0])


def _figure_files(found: list[Significance]) -> dict[str, bytes]:
    from truerank.report import render
    from truerank.report.charts.power import power_chart
    from truerank.report.charts.style import COLUMN

    return render.column_files({FIGURE: power_chart(found)}, COLUMN.width)


def _explain(found: Significance) -> None:
    from truerank.cli.terminal import console, show_explained
    from truerank.comparison.significance import CORRECTIONS, TESTS
    from truerank.report.words import described

    things = [*described(TESTS, [found.tests.test]), *described(CORRECTIONS, [found.tests.correction])]
    show_explained(things, console())


def _show(found: list[Significance]) -> None:
    from rich.text import Text

    from truerank.cli.terminal import console, printable, shared
    from truerank.report.parts.significance import explained, sentences

    out = console()
    for one in found:
        for sentence in sentences(one):
            out.print(Text(printable(sentence)))
        out.print()
    _show_systems(found, out)
    for one in found:
        title = f"{one.measure}: " if len(found) > 1 else ""
        if one.against:
            _show_baseline(one, title, out)
        if one.tests.test in ("f", "tukey"):
            _show_anova(one, title, out)
    warnings = shared([(one.measure, one.warnings) for one in found])
    for warning, which in warnings:
        out.print(Text(printable(f"! {which}{warning}")))
    if warnings:
        out.print()
    for text in explained(found[0]):
        out.print(Text(printable(text)))
    out.print()
    out.print(Text(printable(_how(found[0]))))


def _show_systems(found: list[Significance], out: Console) -> None:
    """The systems with superscripts of those that each is significantly better than."""
    import sys

    from rich.text import Text

    from truerank.cli.terminal import SHOWN, show_table, table
    from truerank.report.tables.significance import raised, systems_frame

    frame = systems_frame(found)
    able = (sys.stdout.encoding or "").casefold().replace("-", "") in ("utf8", "utf16")
    first, second, *measures = frame.columns
    made = table((first, "left"), (second, "name"), *((column, "left") for column in measures))
    for row in frame.head(SHOWN).itertuples(index=False):
        label, system, *cells = row
        texts = [one.text + raised(one.marks) if able else str(one) for one in cells]
        made.add_row(label, system, *texts)
    note = "Superscripts: the systems that one is significantly better than."
    show_table(out, "Systems by mean", made, note, keys=2)
    if len(frame) > SHOWN:
        more = f"… and {len(frame) - SHOWN} more (--markdown FILE or --json FILE has all)"
        out.print(Text(more))
        out.print()


def _show_baseline(one: Significance, title: str, out: Console) -> None:
    from rich.text import Text

    from truerank.cli.terminal import SHOWN, number, printable, show_table, table
    from truerank.report.parts.significance import adjusted, verdict
    from truerank.report.words import p_text

    made = table(
        ("system", "name"), ("difference", "right"), ("p", "right"), ("p, adjusted", "right"), ("", "left")
    )
    for other in one.against[:SHOWN]:
        made.add_row(
            printable(other.system),
            number(other.difference, 4, sign=True),
            p_text(other.unadjusted),
            p_text(other.p_value),
            verdict(one, other),
        )
    show_table(out, f"{title}Against the baseline {one.baseline}", made, adjusted(one))
    if len(one.against) > SHOWN:
        out.print(Text(f"… and {len(one.against) - SHOWN} more (--json FILE has all)"))
        out.print()


def _show_anova(one: Significance, title: str, out: Console) -> None:
    from truerank.cli.terminal import number, show_table, table
    from truerank.report.words import p_text

    a = one.anova
    components = a.variance_components
    made = table(
        ("source", "left"),
        ("sum of squares", "right"),
        ("df", "right"),
        ("mean square", "right"),
        ("F", "right"),
        ("p", "right"),
        ("variance", "right"),
    )
    f = "∞" if a.f == float("inf") else number(a.f, 2)
    made.add_row(
        "systems",
        number(a.ss_systems, 4),
        str(a.df_systems),
        number(a.ms_systems, 5),
        f,
        p_text(a.p_value),
        number(components["systems"], 5),
    )
    made.add_row(
        "topics",
        number(a.ss_topics, 4),
        str(a.df_topics),
        number(a.ms_topics, 5),
        "",
        "",
        number(components["topics"], 5),
    )
    made.add_row(
        "error",
        number(a.ss_error, 4),
        str(a.df_error),
        number(a.ms_error, 5),
        "",
        "",
        number(components["error"], 5),
    )
    show_table(out, f"{title}Two-way analysis of variance, with variance components", made)


def _how(one: Significance) -> str:
    from truerank._support.version import __version__
    from truerank.report.parts.significance import drawn

    splits = f"{one.sensitivity.splits:,} splits behind the sensitivity"
    return f"{drawn(one)}{splits}; seed {one.seed}; truerank {__version__}."
