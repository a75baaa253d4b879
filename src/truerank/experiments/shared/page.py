"""The page of an experiment: what it does, its figures and tables, and how to repeat it."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from truerank._support.references import REFERENCES
from truerank.experiments.engine.experiment import Summary, Table
from truerank.experiments.engine.parameters import as_text
from truerank.experiments.engine.run_results import Results
from truerank.experiments.shared import methods as compared
from truerank.experiments.shared.report import notes
from truerank.report import render
from truerank.report.charts.style import any_font
from truerank.report.formulas import cite, symbol_html, symbols_html
from truerank.report.page import Page, Section, html
from truerank.report.parts.citing import citing
from truerank.report.parts.figure import sheet
from truerank.report.parts.provenance import provenance
from truerank.report.parts.table import Cell, Column, Row, name_cell, table
from truerank.report.tables.table import cell
from truerank.report.templating import fill, sources
from truerank.report.words import (
    described,
    listed,
    printable,
    sentence,
    symbol,
)

if TYPE_CHECKING:
    from altair import TopLevelMixin

ROWS = 500
"""Rows of a table that the page shows."""


def page_html(results: Results, summary: Summary, command: str | None = None) -> str:
    """The page of a run as one self-contained HTML document; the same results give the same bytes.

    Some tenths of a second a figure, about one more for starting vl-convert.

    Args:
        results: what the run's folder holds.
        summary: of them.
        command: the command line that made it, to show; none for work done in Python.
    """
    return html(page(results, summary, command))


def page(results: Results, summary: Summary, command: str | None = None) -> Page:
    """The parts of the page, put together."""
    experiment = results.experiment
    found = notes(results, summary)
    sections = (_figures(summary), _tables(summary), _warnings(found), _methods(results))
    there = [section for section in sections if section]
    cited = [key for key in experiment.references if key in REFERENCES]
    answer = fill(
        "experiment-answer.html",
        explanation=experiment.explanation or sentence(experiment.label),
        done=results.done,
        total=results.total,
        notes=len(found),
    )
    whom = "what the experiment comes from" if cited else f"the experiment {printable(experiment.name)}"
    return Page(
        title=sentence(experiment.label).removesuffix("."),
        subject=f"experiment {printable(experiment.name)} on {listed(results.data)}",
        answer=answer,
        sections=[*there, citing([_lead(answer), *there], cited, whom), provenance(command, facts(results))],
        name=experiment.name,
    )


def _lead(answer: Markup) -> Section:
    """The answer as a section, for what it cites."""
    return Section("", "", "", answer)


def run_command(results: Results) -> str:
    """The command that computes the results anew, from what the folder says; files by their names alone.

    Example:
        >>> import tempfile
        >>> from truerank.experiments import run
        >>> options = {"trials": 2, "topics": 10, "estimators": "ml", "workers": 1}
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run_command(run("estimators", "web2010-ap", f"{folder}/new", **options))
        'truerank experiment run estimators web2010-ap --trials 2 --topics 10 --estimators ml --seed 0 -o new'
    """
    manifest = results.manifest
    # Runs that are judged again are one collection, which does not know the files it was read from.
    given = ["RUNS"] if "qrels" in manifest["parameters"] else _given(manifest)
    words = ["truerank", "experiment", "run", manifest["experiment"], *given]
    for field in dataclasses.fields(results.parameters):
        value = getattr(results.parameters, field.name)
        if value != field.default:
            words += [f"--{field.name.replace('_', '-')}", _setting(value)]
    for plugin in manifest.get("plugins", {}):
        words += ["--plugin", plugin]
    return shlex.join([*words, "--seed", str(manifest["seed"]), "-o", results.store.folder.name])


def _given(manifest: Mapping[str, Any]) -> list[str]:
    """The sources, each once: with several simulators one table stands for several data."""
    return list(dict.fromkeys(str(one["source"] or one["name"]) for one in manifest["data"]))


def _setting(value: Any) -> str:
    """A parameter as users type it; of a file its name alone, for a page is read on other machines."""
    text = as_text(value)
    path = PurePath(text)
    return path.name if path.is_absolute() else text


def facts(results: Results) -> dict[str, str]:
    """What it takes to repeat the run: versions, seed, all parameters, and the data's fingerprints."""
    manifest = results.manifest
    versions = ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())
    found = {"Versions": printable(versions), "Seed": str(manifest["seed"])}
    for field in dataclasses.fields(results.parameters):
        value = _setting(getattr(results.parameters, field.name))
        found[field.name.replace("_", " ").capitalize()] = printable(value) or "none"
    for one in manifest["data"]:
        found[f"Data {printable(one['name'])}"] = f"fingerprint {one['fingerprint'][:16]}"
    for name, code in manifest.get("plugins", {}).items():
        found[f"Plug-in {printable(name)}"] = f"checksum {code[:16]}"
    return found


def _figures(summary: Summary) -> Section | None:
    if not summary.figures:
        return None
    captions = {one.name: one.caption for one in summary.tables}
    drawn = [_figure(name, draw(), _caption(name, captions)) for name, draw in summary.figures.items()]
    return Section("figures", "Figures", "In pictures", Markup("\n").join(drawn))


def _figure(name: str, drawn: TopLevelMixin, caption: str) -> Markup:
    label = f"Figure: {_words(name)}. The tables below have its numbers."
    shown = symbols_html(sentence(caption))
    return sheet(render.svg(any_font(drawn)), f"figure-{_anchor(name)}", label, shown)


def _tables(summary: Summary) -> Section | None:
    if not summary.tables:
        return None
    made = [_table(one) for one in summary.tables]
    return Section("tables", "Tables", "In numbers", Markup("\n").join(made))


def _table(one: Table) -> Markup:
    numeric = [kind.kind in "fiu" for kind in one.frame.dtypes]
    columns = [
        Column(_words(str(name)), number) for name, number in zip(one.frame.columns, numeric, strict=True)
    ]
    fields = [str(name) for name in one.frame.columns]
    rows = [
        Row([_cell(value, field, one.digits) for value, field in zip(values, fields, strict=True)])
        for values in one.frame.head(ROWS).itertuples(index=False)
    ]
    caption = printable(one.caption)
    if len(one.frame) > ROWS:
        caption += f" (the first {ROWS:,} of {len(one.frame):,} rows; {printable(one.name)}.csv has all)"
    return table(f"table-{_anchor(one.name)}", caption, columns, rows)


def _cell(value: Any, field: str, digits: int) -> Cell:
    """A value as the terminal shows it, with a true minus, sorted by all of its digits."""
    if isinstance(value, str):
        return Cell(symbol_html(value), value) if field == "coefficient" else name_cell(value)
    text = printable(cell(value, digits))
    if text == "–" or isinstance(value, bool) or not hasattr(value, "__float__"):
        return Cell(text, None if text == "–" else text)
    return Cell(text.replace("-", "−"), float(value))


def _warnings(found: tuple[str, ...]) -> Section:
    nothing = "Nothing is left out of the data, and the experiment has no remarks on its tables."
    body = fill("warning-list.html", warnings=[sentence(note) for note in found], nothing=nothing)
    return Section("warnings", "Warnings", "Before you quote a number", body)


def _methods(results: Results) -> Section:
    experiment = results.experiment
    body = fill(
        "experiment-methods.html",
        source=_source(experiment.source),
        formula=experiment.formula,
        references=experiment.references,
        kinds={
            kind: described({one.name: one for one in things}, [one.name for one in things])
            for kind, things in compared.methods(results).items()
        },
        sources=sources,
    )
    return Section("methods", "Methods", "How it was computed", body)


def _source(text: str) -> Markup:
    """Where the experiment comes from; the reference that it begins with as authors and year."""
    key, space, place = printable(text).partition(" ")
    return Markup("{}{}{}").format(cite(key) if key in REFERENCES else key, space, place)


def _caption(name: str, captions: Mapping[str, str]) -> str:
    """What stands below a figure: its table's caption, and of what: ``coverage-tau_ap-normal``."""
    what, *of = printable(name).split("-")
    parts = ", ".join(symbol(part) for part in of)
    if name in captions or what not in captions:
        return captions.get(name, _words(name))
    return f"{captions[what]}: {parts}"


def _words(name: str) -> str:
    """The name of a figure, a table or a column in words."""
    return printable(name).replace("_", " ").replace("-", " ").strip()


def _anchor(name: str) -> str:
    """A name as an id: no spaces, nothing that means something in an address."""
    return "".join(letter if letter.isalnum() else "-" for letter in name)
