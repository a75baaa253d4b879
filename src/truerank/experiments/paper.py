"""A paper item by item: its experiments with its settings, and its printed numbers beside ours."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.display import Shown
from truerank._support.files import PathLike
from truerank._support.notes import Note
from truerank._support.outputs import write_inside
from truerank._support.plain import plain
from truerank._support.tables import Column, Number, Table, Text
from truerank._support.version import __version__
from truerank.errors import InputError, unknown_name
from truerank.experiments.engine import execution
from truerank.experiments.engine.rows import SOLE_TABLE
from truerank.experiments.engine.run_results import Results
from truerank.experiments.shared.view import run_command
from truerank.readers import evaluate
from truerank.report.view import Asked, Figure, Section, View
from truerank.report.views import register
from truerank.simulation import load_embedded

if TYPE_CHECKING:
    from pandas import DataFrame

PAPERS = ("urbano-marrero-2016", "bavdaz-2018", "carterette-2009", "yang-2018")
"""The papers, each with its declarations in a file of its name."""

NEAR = ("as printed", "within 2 standard errors")
"""Notes of numbers that agree."""

OTHER_DATA = ("of other ", "of another ")
"""How a note begins whose published number is of other runs or collections than ours."""

EMBEDDED_TOPICS = 150
"""Topics of the collections drawn from embedded models, where an experiment needs score tables."""

Declared = Mapping[str, Any]


@dataclass(frozen=True)
class PaperItem:
    """One number of a paper beside ours.

    Attributes:
        item: where it stands: Figure 1, Table 2 …
        what: what it measures.
        published: the printed number; null for a claim in words, or where it cannot be had.
        here: ours; null where it cannot be computed.
        se: the standard error of the difference; null where nothing is random.
        z: distance to the numbers that round to the printed one, in standard errors; null without one.
        note: how to read it, or what is missing.
    """

    item: str
    what: str
    published: float | None
    here: float | None
    se: float | None
    z: float | None
    note: str


@dataclass(frozen=True)
class PaperDocument:
    """The items of a paper.

    Attributes:
        paper: its name.
        items: every number, in the paper's order; several have the same item.
        notes: what to know of all of them, a sentence each.
    """

    paper: str
    items: tuple[PaperItem, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Paper(Shown):
    """What the command finds: all items of a paper, and the runs behind them."""

    paper: str
    items: tuple[PaperItem, ...]
    declared: Declared = field(repr=False)
    runs: Mapping[str, Results] = field(repr=False)
    parts: Mapping[str, Results] = field(repr=False)
    missing: Mapping[str, str] = field(repr=False)
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The items as JSON-ready data."""
        found: dict[str, Any] = plain(PaperDocument(self.paper, self.items, self.notes))
        return found


@dataclass(frozen=True)
class Part(Results):
    """The results of some of the data of a run: those whose names end in the words of a pattern."""

    only: str = ""

    @classmethod
    def of(cls, results: Results, only: str) -> Results:
        """The part; the results themselves without a pattern."""
        return (
            cls(**{one.name: getattr(results, one.name) for one in fields(results)}, only=only)
            if only
            else results
        )

    @property
    def data(self) -> tuple[str, ...]:
        """Names of its data."""
        return tuple(name for name in super().data if _is(self.only, name))

    def frames(self, table: str = SOLE_TABLE) -> Iterator[DataFrame]:
        """Rows of its data, as those of a run."""
        for frame in super().frames(table):
            rows = frame[[_is(self.only, name) for name in frame["data"]]]
            if len(rows):
                yield rows


def declarations(name: str) -> Declared:
    """What is declared of a paper: its runs, its items and its printed numbers."""
    if name not in PAPERS:
        raise unknown_name("paper", name, PAPERS)
    return tomllib.loads(files("truerank.experiments").joinpath("papers", f"{name}.toml").read_text("utf-8"))


def run_paper(
    name: str,
    sources: Sequence[str],
    folder: PathLike,
    *,
    qrels: str | None = None,
    published: str | None = None,
    quick: bool = False,
    **engine: Any,
) -> Paper:
    """Run all experiments of a paper, or what is missing of them, and set its numbers beside ours."""
    declared = declarations(name)
    runs: dict[str, Results] = {}
    missing: dict[str, str] = {}
    for key, wanted in declared["runs"].items():
        options = wanted.get("options", {}) | (wanted["quick"] if quick else {})
        try:
            given, more = _sources(wanted, declared, sources, qrels)
            place = Path(folder) / "runs" / key
            runs[key] = execution.run(wanted["experiment"], given, place, **engine, **options, **more)
        except InputError as error:
            missing[key] = str(error)
    if not any(declared["runs"][key]["needs"] != "nothing" for key in runs):
        raise InputError(next(iter(missing.values())))
    notes = list(declared["embedded"]) if not sources else []
    if quick:
        notes.append("A tenth of the paper's trials: standard errors are about three times as large.")
    items: list[PaperItem] = []
    parts: dict[str, Results] = {}
    for item in declared["items"]:
        if item.get("run") in missing:
            items.append(PaperItem(item["name"], item["what"], None, None, None, None, missing[item["run"]]))
            continue
        if "run" in item:
            parts[item["name"]] = Part.of(runs[item["run"]], item.get("only", ""))
        items += [_item(item["name"], value, parts[item["name"]]) for value in item.get("values", ())]
        if "estimates" in item:
            items += _estimates(item, parts[item["name"]], published)
        elif not item.get("values"):
            items.append(
                PaperItem(item["name"], item["what"], None, None, None, None, item.get("missing", ""))
            )
    return Paper(name, tuple(items), declared, runs, parts, missing, tuple(notes))


def _sources(
    wanted: Declared, declared: Declared, sources: Sequence[str], qrels: str | None
) -> tuple[Any, dict[str, Any]]:
    """The sources of a run, and options that go with them."""
    needs = wanted["needs"]
    if needs == "nothing":
        return [], {}
    if qrels and needs in ("runs", "tables"):
        return list(sources), {"qrels": qrels}
    if needs == "runs":
        raise InputError("needs runs and their judgments: name the runs as sources, and --qrels FILE")
    if qrels:
        return dict(evaluate(qrels, list(sources), ["AP"])), {}
    chosen = [one for one in sources or declared["models"] if _is(wanted.get("only", ""), Path(one).stem)]
    if len(chosen) < wanted.get("least", 1):
        raise InputError(wanted["otherwise"])
    if wanted.get("first"):
        chosen = chosen[:1]
    if not sources and (needs == "tables" or wanted.get("sampled")):
        return {one: load_embedded(one).sample(EMBEDDED_TOPICS, 1) for one in chosen}, {}
    return chosen, {}


def _is(pattern: str, name: object) -> bool:
    """Whether a name ends in the words of a pattern, as ``ap`` in ``web2010_ap``."""
    return re.search(rf"(^|[^a-z0-9])({pattern or '.*'})$", str(name).lower()) is not None


def _rows(results: Results, name: str, where: Declared) -> DataFrame:
    """The rows of a table that a declaration means."""
    import pandas as pd

    chosen = next(item for item in results.findings.tables if item.name == name)
    frame = pd.DataFrame(chosen.values(), columns=list(chosen.keys))
    for key, wanted in where.items():
        values = wanted if isinstance(wanted, list) else [wanted]
        fits = [any(_is(one, v) if isinstance(one, str) else v == one for one in values) for v in frame[key]]
        frame = frame[fits]
    return frame


def _mean(rows: DataFrame, value: Declared) -> tuple[float, float]:
    """The mean of a column and the most that its standard error can be: as if all rows moved together."""
    mean = float(rows[value["column"]].to_numpy(dtype=float).mean())
    if value.get("se") == "binomial":
        return mean, math.sqrt(max(mean * (1 - mean), 0.0) / rows["trials"].mean())
    return mean, float(rows[value["se"]].to_numpy(dtype=float).mean()) if "se" in value else 0.0


def _item(item: str, value: Declared, results: Results) -> PaperItem:
    """A printed number, or the sign that a claim gives a difference, beside ours."""
    rows = _rows(results, value["table"], value.get("where", {}))
    printed = value.get("published")
    minus = value.get("minus", 0.0)
    others = rows if isinstance(minus, float) else _rows(results, value["table"], minus)
    if not len(rows) or not len(others):
        return PaperItem(item, value["what"], _middle(printed), None, None, None, "not among these data")
    here, error = _mean(rows, value)
    if isinstance(minus, float):
        here -= minus
    else:
        other, more = _mean(others, value)
        here, error = here - other, math.hypot(error, more)
    if printed is None:
        sign = value["sign"] * here
        z = here / error if error else None
        sure = abs(here) > 2 * error
        note = ("as claimed" if sign > 0 else "the opposite here") if sure else "not decided here"
        return PaperItem(item, value["what"], None, here, error or None, z, value.get("note", note))
    low, high = _range(printed)
    off = max(low - here, here - high, 0.0) * (1 if here > high else -1)
    z = off / error if error else None
    near = off == 0 if z is None else abs(z) <= 2
    note = NEAR[0] if off == 0 else NEAR[1] if near else "differs"
    note = note if near else value.get("note", note)
    return PaperItem(item, value["what"], _middle(printed), here, error or None, z, note)


def _range(printed: str) -> tuple[float, float]:
    """The numbers that are rounded to the printed one; of ``0.02 to 0.03`` all between."""
    ends = printed.split(" to ")
    half = 0.5 * 10.0 ** -len(ends[0].partition(".")[2]) if len(ends) == 1 else 0.0
    return float(ends[0]) - half - 1e-9, float(ends[-1]) + half + 1e-9


def _middle(printed: str | None) -> float | None:
    """The printed number; the middle of a range."""
    return None if printed is None else sum(map(float, (ends := printed.split(" to ")))) / len(ends)


def _estimates(item: Declared, results: Results, folder: str | None) -> Iterator[PaperItem]:
    """Means over the published estimates of a folder beside ours, cell by cell."""
    column = item["estimates"]
    what = f"mean {column} over the published estimates"
    if folder is None:
        note = "needs the published estimates: --published DIR"
        yield PaperItem(item["name"], what, None, None, None, None, note)
        return
    ours = _rows(results, "estimates", {})
    for (name, coefficient), some in ours.groupby(["data", "coefficient"], sort=False):
        path = _published_file(Path(folder), str(name), str(coefficient))
        if path is None:
            note = f"no published estimates of {name} in {folder}"
            yield PaperItem(item["name"], f"{what}: {name}", None, None, None, None, note)
            continue
        moments = _published_moments(path, column)
        for row in some.to_dict("records"):
            mean, error = moments[row["topics"], row["estimator"].replace("-", "")]
            total = math.hypot(error, row[f"{column}_se"])
            z = (row[column] - mean) / total
            cell = f"{column}, {name}, {coefficient}, {row['topics']} topics, {row['estimator']}"
            note = NEAR[1] if abs(z) <= 2 else "beyond 2 standard errors"
            yield PaperItem(item["name"], cell, mean, row[column], total, z, note)


def _published_file(folder: Path, name: str, coefficient: str) -> Path | None:
    stem = f"{re.split('[^a-z0-9]', name.lower())[0]}_{coefficient.replace('_ap', 'AP')}.csv"
    return next((path for path in (folder / stem, folder / f"{stem}.gz") if path.is_file()), None)


def _published_moments(path: Path, column: str) -> dict[tuple[int, str], tuple[float, float]]:
    """Mean and standard error of the error or bias, by topics and estimator."""
    import pandas as pd

    frame = pd.read_csv(path)
    names = [name for name in frame.columns if name not in ("collection", "n_t", "trial", "actual")]
    off = frame[names].sub(frame["actual"], axis=0)
    moments = (off.abs() if column == "error" else off).groupby(frame["n_t"]).agg(["mean", "sem"])
    return {
        (n, name.lower()): (moments.loc[n, (name, "mean")], moments.loc[n, (name, "sem")])
        for n in moments.index
        for name in names
    }


def view(found: Paper, asked: Asked) -> View:
    """The paper's items in its order: what it claims, what we find, figures and tables."""
    declared = found.declared
    facts = {"Command": asked.command} if asked.command else {}
    facts |= {f"Run {key}": run_command(results) for key, results in found.runs.items()}
    numbers = [one for one in found.items if one.published is not None and one.here is not None]
    elsewhere = sum(one.note.startswith(OTHER_DATA) for one in numbers)
    numbers = [one for one in numbers if not one.note.startswith(OTHER_DATA)]
    scored = [one for one in numbers if one.z is not None]
    near = sum(one.note in NEAR for one in numbers)
    answer = [f"{near} of {len(numbers)} published numbers are found as printed or within 2 standard errors."]
    if elsewhere:
        answer = answer if numbers else []
        answer.append(f"{elsewhere} published numbers are of other data; ours stand beside them.")
    if scored:
        far = sum(abs(one.z or 0.0) > 2 for one in scored)
        most = max(scored, key=lambda one: abs(one.z or 0.0))
        answer.append(f"{far} of {len(scored)} z-scores are beyond 2 ({far / len(scored):.1%}).")
        answer.append(f"The largest is {most.z:+.1f}: {most.item}, {most.what}.".replace("-", "−"))
    return View(
        command="experiment paper",
        title=declared["title"],
        subject=declared["reference"],
        answer=answer,
        sections=[_section(found, item) for item in declared["items"]],
        notes=[Note("paper", text) for text in found.notes],
        how=f"truerank {__version__}; every run has its manifest in runs/.",
        facts=facts,
        references=[found.paper],
        unit="",
    )


def _section(found: Paper, item: Declared) -> Section:
    """One item under its number in the paper."""
    name, slug = item["name"], re.sub("[^a-z0-9.]+", "-", item["name"].lower())
    own = [one for one in found.items if one.item == name]
    text = [f"{item['page']}. {item['what']}."]
    text += [f"The paper: {item['claim']}"] if "claim" in item else []
    text += [item["here"]] if "here" in item else []
    text += [f"Missing: {one.note}." for one in own if one.here is None and one.note]
    made = (
        [_published_table(slug, name, numbers)]
        if (numbers := [one for one in own if one.here is not None])
        else []
    )
    figures: list[Figure] = []
    if (results := found.parts.get(name)) is not None and results.data:
        shown = {one.name: one for one in results.findings.tables}
        made += [replace(shown[one], name=f"{slug}-{one}") for one in item.get("tables", ()) if one in shown]
        figures = [
            Figure(f"{slug}-{key}", f"{item['what']}.", f"{name}. The tables have its numbers.", draw)
            for wanted in item.get("figures", ())
            for key, draw in results.findings.figures.items()
            if key == wanted or key.startswith(f"{wanted}-")
        ]
    return Section(slug, name, text, figures, made)


def _published_table(slug: str, name: str, numbers: Sequence[PaperItem]) -> Table:
    """Published numbers beside ours; a column that is empty everywhere is left out."""
    number = Number(digits=4)
    columns: list[tuple[Column, list[Any]]] = [
        (Column("What", Text(), "what"), [one.what for one in numbers]),
        (Column("Published", Text(), "published"), [_printed(one.published) for one in numbers]),
        (Column("Here", number, "here"), [one.here for one in numbers]),
        (Column("Difference", number, "difference"), [_difference(one) for one in numbers]),
        (Column("SE", number, "se"), [one.se for one in numbers]),
        (Column("z", Number(digits=1), "z"), [one.z for one in numbers]),
        (Column("Note", Text(), "note"), [one.note for one in numbers]),
    ]
    kept = [
        (column, values) for column, values in columns if any(value not in (None, "") for value in values)
    ]
    return Table(
        f"{slug}-published",
        f"{name}: published numbers beside ours",
        tuple(column for column, _ in kept),
        list(zip(*(values for _, values in kept), strict=True)),
        "SE: of the difference, at most. z: distance to the numbers that round to the printed one, in SE.",
    )


def _printed(published: float | None) -> str:
    return "" if published is None else f"{published:.4g}".replace("-", "−")


def _difference(one: PaperItem) -> float | None:
    return None if one.published is None or one.here is None else one.here - one.published


def write(found: Paper, folder: PathLike, page: Callable[[], str]) -> list[Path]:
    """The page, the figures and the tables into the folder of the runs."""
    from truerank.report.outputs.files import csv_files, figure_files

    shown = view(found, Asked())
    texts: dict[str, str | bytes] = {f"tables/{name}": text for name, text in csv_files(shown).items()}
    texts |= {f"figures/{name}": data for name, data in figure_files(shown.figures).items()}
    return write_inside(Path(folder), texts | {"index.html": page()})


register(Paper, view)
