"""A paper item by item: its experiments with its settings, and its numbers beside ours."""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.display import Shown
from truerank._support.files import PathLike
from truerank._support.plain import Written
from truerank._support.types import Unwritten
from truerank._support.wording import joined, listed
from truerank.coefficients import COEFFICIENTS
from truerank.errors import InputError, unknown_name
from truerank.experiments import execution
from truerank.experiments.store import MANIFEST, Results, named
from truerank.readers import as_scores, evaluate
from truerank.readers.formats.format import recognized
from truerank.readers.formats.source import Source
from truerank.scores import ScoreMatrix
from truerank.simulation import load_embedded

if TYPE_CHECKING:
    from pandas import DataFrame

PAPERS = ("urbano-marrero-2016", "bavdaz-2018", "carterette-2009", "yang-2018")
"""The papers, each with its declarations in a file of its name."""

RUNS = "runs"
"""The folder, in that of a paper, with a folder for each of its runs."""

Declared = Mapping[str, Any]

# How notes begin: of numbers that agree, of claims of an order, of numbers that do not agree (of no declared
# reason, or among many means of estimates), of rows that are not there, and of numbers of other data.
NEAR = ("as printed", "within 2 SE")
CLAIMED, OPPOSITE, OPEN = "as claimed", "the opposite here", "not decided: within 2 SE of none"
UNEXPLAINED, BEYOND = "differs, for a reason not known", "beyond 2 SE, as some are by chance"
NOT_HERE = "not among these data"
OTHER_DATA = ("of other ", "of another ")

SIGNS = {1: "above 0", -1: "below 0"}  # what a claim of an order says of the difference that is shown
EMBEDDED_TOPICS = 150  # of collections drawn from embedded models, where an experiment needs score tables


def declarations(name: str) -> Declared:
    """What is declared of a paper: its runs, items and printed numbers, each with all that it inherits.

    An item may be `like` an earlier one. What `each` says holds for all its values. A value that names {down}
    or {across} stands for one number in each row or column of a printed table.
    """
    if name not in PAPERS:
        raise unknown_name("paper", name, PAPERS)
    text = files("truerank.experiments").joinpath("papers", f"{name}.toml").read_text("utf-8")
    declared = tomllib.loads(text)
    items: dict[str, dict[str, Any]] = {}
    for item in declared["items"]:
        items[item["name"]] = _merged(items.get(item.get("like"), {}), item)
    expanded = [item | {"values": list(_values(item))} for item in items.values()]
    return declared | {"items": expanded}


def _merged(*parts: Declared) -> dict[str, Any]:
    """The later over the earlier; conditions and what holds for each value are merged themselves."""
    result: dict[str, Any] = {}
    for part in parts:
        inner = {key: _merged(result.get(key, {}), part[key]) for key in ("where", "each") if key in part}
        result |= {**part, **inner}
    return result


def _values(item: Declared) -> Iterator[Declared]:
    for value in item.get("values", ()):
        named = [axis if f"{{{axis}}}" in value["what"] else "" for axis in ("down", "across")]
        axes = [enumerate(item.get(axis, {"": {}}).items()) for axis in named]
        for (row, (down, left)), (column, (across, top)) in product(*axes):
            what = value["what"].format(down=down, across=across)
            one = _merged(item.get("each", {}), left, top, value, {"what": what})
            for axis, place in zip(named, (row, column), strict=True):
                if axis and isinstance(one.get("published"), list):
                    one["published"] = one["published"][place]
            if one.get("published") != "":
                yield one


@dataclass(frozen=True)
class PaperItem:
    """One number of a paper beside ours.

    Attributes:
        item: where it stands: Figure 1, Table 2 …
        what: what it measures.
        printed: the number as the paper prints it; of a claim, the sign of the difference by it. Empty where
            it cannot be had.
        published: the same as a number, of a range the middle; null where there is none.
        here: ours; null where it cannot be computed.
        se: the standard error of the difference; null where nothing is random.
        z: distance to the numbers that round to the printed one, in standard errors; null without one.
        note: how to read it, or what is missing.
    """

    item: str
    what: str
    printed: str = ""
    published: float | None = None
    here: float | None = None
    se: float | None = None
    z: float | None = None
    note: str = ""

    @property
    def difference(self) -> float | None:
        return None if self.published is None or self.here is None else self.here - self.published


@dataclass(frozen=True)
class Paper(Written, Shown):
    """The items of a paper.

    Attributes:
        paper: its name.
        items: every number, in the paper's order; several have the same item.
        notes: what to know of all of them, a sentence each.
    """

    paper: str
    items: tuple[PaperItem, ...]
    notes: tuple[str, ...]
    declared: Unwritten[Declared] = field(repr=False)
    runs: Unwritten[Mapping[str, Results]] = field(repr=False)  # behind the items
    parts: Unwritten[Mapping[str, Results]] = field(repr=False)  # by item, of its data alone


def goes_on(name: str, folder: PathLike) -> bool:
    """Whether a command of that paper, ended or stopped at any moment, left the folder."""
    root = Path(folder) / RUNS
    if not root.is_dir():
        return False
    names = {one.name for one in root.iterdir()}
    only_runs = [one.name for one in Path(folder).iterdir()] == [RUNS]
    return names <= declarations(name)["runs"].keys() and (
        only_runs or any((root / one / MANIFEST).is_file() for one in names)
    )


def run_paper(
    name: str,
    sources: Sequence[str],
    folder: PathLike,
    *,
    qrels: str | None = None,
    published: str | None = None,
    read: Callable[[str], ScoreMatrix] = as_scores,
    quick: bool = False,
    **engine: Any,
) -> Paper:
    """Run all experiments of a paper, or what is missing of them, and set its numbers beside ours."""
    declared = declarations(name)
    given = Given.read(sources, qrels, read)
    estimates = _published_moments(published) if published else {}
    root = Path(folder) / RUNS
    if root.is_dir() and (others := {one.name for one in root.iterdir()} - declared["runs"].keys()):
        raise InputError(
            f"{folder}: has runs of another paper ({', '.join(sorted(others))}); name another folder"
        )
    runs: dict[str, Results] = {}
    missing: dict[str, str] = {}
    used: set[str] = set()
    for key, wanted in declared["runs"].items():
        options = wanted.get("options", {}) | (wanted["quick"] if quick else {})
        try:
            data, more = given.of(wanted, declared)
            used |= set(data)
            runs[key] = execution.run(wanted["experiment"], data, root / key, **engine, **options, **more)
        except InputError as error:
            if given.runs and wanted["needs"] == "runs":
                raise
            missing[key] = str(error)
    if not any(declared["runs"][key]["needs"] != "nothing" for key in runs):
        raise InputError(f"{name}: {next(iter(missing.values()))}")
    notes = list(declared["embedded"]) if not sources else []
    for key, why in missing.items():
        items_of = [one["name"] for one in declared["items"] if one["run"] == key]
        notes.append(f"Missing ({why}): {joined(items_of)}.")
    if unused := [one for one in given.tables if one not in used]:
        notes.append(f"Not used, as no experiment that ran takes it: {listed(unused)}.")
    if quick:
        notes.append("A tenth of the paper's trials: standard errors are about three times as large.")
    items: list[PaperItem] = []
    parts: dict[str, Results] = {}
    for item in declared["items"]:
        if item["run"] in missing:
            items.append(PaperItem(item["name"], item["what"], note=missing[item["run"]]))
            continue
        parts[item["name"]] = part = replace(runs[item["run"]], only=item.get("only", ""))
        note = given.of_others(declared["runs"][item["run"]]["needs"])
        items += [_item(item["name"], {**value, **note}, part) for value in item["values"]]
        if "estimates" in item:
            items += _estimates(item, part, published, estimates)
    return Paper(name, tuple(items), tuple(notes), declared, runs, parts)


@dataclass(frozen=True)
class Given:
    """What the command names: score tables, and runs with their judgments."""

    tables: Mapping[str, ScoreMatrix | str]
    runs: Sequence[str]
    qrels: str | None

    @classmethod
    def read(
        cls, sources: Sequence[str], qrels: str | None, read: Callable[[str], ScoreMatrix] = as_scores
    ) -> Given:
        if qrels is not None and not Path(qrels).is_file():
            raise InputError(f"{qrels}: no such file; name the judgments")
        runs = [one for one in sources if qrels and not _is_table(one)]
        if qrels and not runs:
            raise InputError(
                f"{qrels}: judgments without runs; name the runs as sources, or leave --qrels out"
            )
        tables = [(Path(one).name.split(".")[0], as_scores(read(one))) for one in sources if one not in runs]
        if twice := [name for name, count in Counter(name for name, _ in tables).items() if count > 1]:
            raise InputError(f"two sources are named {twice[0]!r}; rename one")
        return cls(dict(tables), runs, qrels)

    def of_others(self, needs: str) -> dict[str, str]:
        """The note of all numbers of a run that stands in for score tables; none where there are such."""
        if self.tables or needs in ("nothing", "runs"):
            return {}
        return {"note": "of other runs" if self.runs else "of another collection"}

    def of(self, wanted: Declared, declared: Declared) -> tuple[Any, dict[str, Any]]:
        needs = wanted["needs"]
        if needs == "nothing":
            return [], {}
        if needs == "runs" or (needs == "tables" and not self.tables and self.runs):
            if not self.runs:
                raise InputError("needs runs and their judgments: name the runs as sources, and --qrels FILE")
            return list(self.runs), {"qrels": self.qrels}
        tables: Mapping[str, Any] = self.tables
        if not tables and self.runs:
            tables = evaluate(str(self.qrels), list(self.runs), ["AP"])
        elif not tables:
            tables = {one: one for one in declared["models"]}
            if needs == "tables" or wanted.get("sampled"):
                tables = {one: load_embedded(one).sample(EMBEDDED_TOPICS, 1) for one in tables}
        chosen = {name: table for name, table in tables.items() if named(wanted.get("only", ""), name)}
        if wanted.get("alike"):
            last = set(list(chosen.values())[-1].systems)
            chosen = {name: table for name, table in chosen.items() if set(table.systems) == last}
        if len(chosen) < wanted.get("least", 1):
            raise InputError(wanted["otherwise"])
        return dict(list(chosen.items())[:1]) if wanted.get("first") else chosen, {}


def _is_table(source: str) -> bool:
    found = None if Path(source).is_dir() else recognized(Source(source))
    return found is not None and found.tabular


def _rows(results: Results, name: str, where: Declared) -> DataFrame:
    import pandas as pd

    chosen = next(item for item in results.findings.tables if item.name == name)
    frame = pd.DataFrame(chosen.values(), columns=list(chosen.keys))

    def fits(value: Any, wanted: Any) -> bool:
        if isinstance(wanted, list):
            return any(fits(value, one) for one in wanted)
        return named(wanted, value) if isinstance(wanted, str) else math.isclose(value, wanted, abs_tol=1e-9)

    for key, wanted in where.items():
        frame = frame[[fits(value, wanted) for value in frame[key]]]
    return frame


def _mean(rows: DataFrame, value: Declared) -> tuple[float, float]:
    """The mean of a column and the most that its standard error can be: as if all rows moved together."""
    mean = float(rows[value["column"]].to_numpy(dtype=float).mean())
    if value.get("se") == "binomial":
        return mean, math.sqrt(max(mean * (1 - mean), 0.0) / rows["trials"].mean())
    if value.get("se") == "interval":  # of 95%, by resampling
        return mean, float((rows["high"] - rows["low"]).mean()) / (2 * 1.96)
    return mean, float(rows[value["se"]].to_numpy(dtype=float).mean()) if "se" in value else 0.0


def _item(item: str, value: Declared, results: Results) -> PaperItem:
    """A printed number, or the sign that a claim gives a difference, beside ours."""
    where, minus, printed = value.get("where", {}), value.get("minus", 0.0), value.get("published")
    low, high, half = _range(printed) if printed else (0.0, 0.0, 0.0)
    middle = (low + high) / 2 if printed else None
    result = PaperItem(item, value["what"], printed or SIGNS[value["sign"]], middle)
    rows = _rows(results, value["table"], where)
    others = rows if isinstance(minus, float) else _rows(results, value["table"], where | minus)
    if not len(rows) or not len(others):
        return replace(result, note=NOT_HERE)
    here, error = _mean(rows, value)
    other, more = (minus, 0.0) if isinstance(minus, float) else _mean(others, value)
    here, error = here - other, math.hypot(error, more)
    if math.isnan(here):
        return replace(result, note="has no value here")
    error = math.hypot(error, value.get("published_se", 0.0)) if error else 0.0
    off = max(low - half - here, here - high - half, 0.0) * (1 if here > high else -1)
    z = (off if printed else here) / error if error else None
    note: str = value.get("note", "")
    if printed:
        near = off == 0 if z is None else abs(z) <= 2
        if not note or (near and not note.startswith(OTHER_DATA)):
            note = NEAR[off != 0] if near else UNEXPLAINED
        return replace(result, here=here, se=error or None, z=z, note=note)
    verdict = OPEN if abs(here) <= 2 * error else CLAIMED if value["sign"] * here > 0 else OPPOSITE
    parts = [verdict]
    if "count" in value:  # the claim is of every row, not of their mean alone
        each = rows[value["column"]].to_numpy(dtype=float) - others[value["column"]].to_numpy(dtype=float)
        parts.append(f"as claimed in {(value['sign'] * each > 0).sum()} of {len(each)} {value['count']}")
    parts += [note] if note and verdict != CLAIMED else []
    return replace(result, here=here, se=error or None, z=z, note="; ".join(parts))


def _range(printed: str) -> tuple[float, float, float]:
    """The ends of ``0.02 to 0.03``; a number by itself is both, and those within half a digit round to it."""
    ends = printed.split(" to ")
    half = 0.5 * 10.0 ** -len(ends[0].partition(".")[2]) if "." in printed and len(ends) == 1 else 0.0
    return float(Fraction(ends[0])), float(Fraction(ends[-1])), half + 1e-9


# Mean and SE of error or bias over published estimates, by file, column, topics and estimator.
Moments = Mapping[tuple[str, str, int, str], tuple[float, float]]


def _estimates(item: Declared, results: Results, folder: str | None, moments: Moments) -> Iterator[PaperItem]:
    column = item["estimates"]
    what = f"mean {column} over the published estimates"
    if folder is None:
        yield PaperItem(item["name"], what, note="needs the published estimates: --published DIR")
        return
    for row in _rows(results, "estimates", {}).to_dict("records"):
        stem = re.split("[^a-z0-9]", str(row["data"]).lower())[0]
        file = f"{stem}_{row['coefficient'].replace('_ap', 'AP')}.csv"
        label = COEFFICIENTS[row["coefficient"]].label
        cell = f"{column}, {row['data']}, {label}, {row['topics']} topics, {row['estimator']}"
        found = moments.get((file, column, row["topics"], row["estimator"].replace("-", "")))
        if found is None:
            yield PaperItem(item["name"], cell, note=f"not among the published estimates in {folder}")
            continue
        mean, error = found
        total = math.hypot(error, row[f"{column}_se"])
        z = (row[column] - mean) / total
        note = NEAR[1] if abs(z) <= 2 else BEYOND
        yield PaperItem(item["name"], cell, f"{mean:.4f}", mean, row[column], total, z, note)


def _published_moments(folder: str) -> Moments:
    """All published estimates in a folder, read before any work."""
    import pandas as pd

    if not Path(folder).is_dir():
        raise InputError(f"{folder}: no such folder; name the folder of the published estimates")
    result: dict[tuple[str, str, int, str], tuple[float, float]] = {}
    for path in sorted(Path(folder).glob("*_tau*.csv*")):
        try:
            frame = pd.read_csv(path)
            names = [name for name in frame.columns if name not in ("collection", "n_t", "trial", "actual")]
            off = frame[names].astype(float).sub(frame["actual"].astype(float), axis=0)
            groups = {"error": off.abs().groupby(frame["n_t"]), "bias": off.groupby(frame["n_t"])}
        except (ValueError, KeyError, OSError, EOFError) as error:
            what = "needs columns n_t, actual and one per estimator"
            raise InputError(f"{path}: not published estimates ({error}); {what}") from None
        for column, group in groups.items():
            moments = group.agg(["mean", "sem"])
            for n, name in product(moments.index, names):
                key = path.name.removesuffix(".gz"), column, int(n), name.lower()
                result[key] = moments.loc[n, (name, "mean")], moments.loc[n, (name, "sem")]
    if not result:
        raise InputError(f"{folder}: no published estimates; they are in files such as adhoc6_tau.csv")
    return result
