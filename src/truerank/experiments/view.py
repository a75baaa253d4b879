"""The view of an experiment's results: what it did, its figures and tables, and how to repeat it."""

from __future__ import annotations

import dataclasses
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import Any

from truerank._support.notes import Note
from truerank._support.outputs import write_folder
from truerank._support.references import REFERENCES
from truerank._support.version import __version__
from truerank._support.wording import listed, sentence
from truerank.experiments.experiment import as_text
from truerank.experiments.store import Results
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import register
from truerank.report.words import symbol


def view(results: Results, asked: Asked) -> View:
    experiment, result = results.experiment, results.findings
    name, done, total = experiment.name, results.done, results.total
    state = f"{name}: {done:,} of {total:,} tasks are done, so the numbers will still change."
    if done == total:
        state = f"{name}: {'the one task is' if total == 1 else f'all {total:,} tasks are'} done."
    return View(
        command="experiment",
        title=sentence(experiment.label).removesuffix("."),
        subject=f"experiment {experiment.name} on {listed(results.data)}",
        answer=[state],
        sections=[
            Section("figures", "Figures", figures=list(_figures(results))),
            Section("tables", "Tables", tables=list(result.tables)),
        ],
        notes=[Note("experiment", {"text": text}) for text in results.notes],
        how=f"Source: {experiment.source}; seed {results.manifest['seed']}; truerank {__version__}.",
        facts=_facts(results),
        references=[key for key in experiment.references if key in REFERENCES],
        unit="",
    )


def _figures(results: Results) -> Iterator[Figure]:
    captions = {item.name: item.caption for item in results.findings.tables}
    for name, draw in results.findings.figures.items():
        yield Figure(name, sentence(_caption(name, captions)), draw)


def _caption(name: str, captions: Mapping[str, str]) -> str:
    """What stands below a figure: its table's caption, and of what: ``coverage-tau_ap-normal``."""
    what, *of = name.split("-")
    if name in captions or what not in captions:
        return captions.get(name, name.replace("_", " ").replace("-", " "))
    return f"{captions[what]}: {', '.join(symbol(part) for part in of)}"


def _facts(results: Results) -> dict[str, str]:
    """What it takes to repeat the run: commands, versions, seed, all parameters, the data's fingerprints."""
    manifest = results.manifest
    result = {"The run again": run_command(results)}
    result["Versions"] = ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())
    result["Seed"] = str(manifest["seed"])
    for field in dataclasses.fields(results.parameters):
        value = _setting(getattr(results.parameters, field.name))
        result[field.name.replace("_", " ").capitalize()] = value or "none"
    for item in manifest["data"]:
        result[f"Data {item['name']}"] = f"fingerprint {item['fingerprint'][:16]}"
    for name, code in manifest.get("plugins", {}).items():
        result[f"Plug-in {name}"] = f"checksum {code[:16]}"
    return result


def run_command(results: Results) -> str:
    """The command that computes the results anew, from what the folder says; files by their names alone."""
    manifest = results.manifest
    # With several simulators one table stands for several data. Runs that are judged again are one
    # collection, which does not know the files it was read from.
    given = list(dict.fromkeys(str(item["source"] or item["name"]) for item in manifest["data"]))
    sources = ["RUNS"] if "qrels" in manifest["parameters"] else given
    words = ["truerank", "experiment", "run", manifest["experiment"], *sources]
    for field in dataclasses.fields(results.parameters):
        value = getattr(results.parameters, field.name)
        if value != field.default:
            words += [f"--{field.name.replace('_', '-')}", _setting(value)]
    for plugin in manifest.get("plugins", {}):
        words += ["--plugin", plugin]
    return shlex.join([*words, "--seed", str(manifest["seed"]), "-o", results.store.folder.name])


def _setting(value: Any) -> str:
    """A parameter as users type it; of a file its name alone, for a page is read on other machines."""
    text = as_text(value)
    path = PurePath(text)
    return path.name if path.is_absolute() else text


def files_of(shown: View) -> dict[str, str | bytes]:
    from truerank.report.outputs.data import csv_files
    from truerank.report.render import figure_files

    texts: dict[str, str | bytes] = {f"tables/{name}": text for name, text in csv_files(shown).items()}
    return texts | {f"figures/{name}": data for name, data in figure_files(shown.figures).items()}


def write(results: Results) -> list[Path]:
    from truerank.report.outputs.latex import latex_file
    from truerank.report.outputs.markdown import markdown_file

    shown = view(results, Asked())
    texts = {"tables/tables.md": markdown_file([shown]), "tables/tables.tex": latex_file([shown])}
    return write_folder(results.store.folder, files_of(shown) | texts, overwrite=True)


register(Results, view)
