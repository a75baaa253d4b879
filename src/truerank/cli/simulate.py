"""`truerank simulate`: fit a model with a known truth, draw collections from it, look at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from truerank._support.plain import plain
from truerank._support.version import __version__
from truerank._support.wording import count
from truerank.cli.command import Group, argument, command, commands, option, switch
from truerank.cli.files import Document
from truerank.cli.options import DropBottom, MeasureOption, Overwrite, Seed
from truerank.cli.score_input import TableOptions
from truerank.errors import InputError

if TYPE_CHECKING:
    from truerank._support.tables import Table
    from truerank.scores import ScoreMatrix
    from truerank.simulation import Diagnostics, SimulationModel


@dataclass(frozen=True, kw_only=True)
class RealScores(TableOptions, heading="Scores"):
    """The scores that a model is fitted to."""

    scores: Annotated[str, argument("SCORES", "A score table.")]
    measure: MeasureOption = None
    drop_bottom: DropBottom = 0.0
    family: str | None = None  # here the option of that name is a copula's


@dataclass(kw_only=True)
class Fitted(Group, heading="Model"):
    """The model to fit."""

    output: Annotated[str, option("MODEL", "File to write (JSON).", "--output", "-o")]
    simulator: Annotated[str, option("NAME", "copula or effects.")] = "copula"
    seed: Seed = 0


@dataclass(kw_only=True)
class CopulaOptions(Group, heading="Simulator copula"):
    """Options of the simulator copula."""

    copula: Annotated[str | None, option("NAME", "gaussian or vine.", default="gaussian")] = None
    margins: Annotated[
        list[str] | None,
        option("NAME", "Margin family to choose from; repeatable.", "--margin", default="all"),
    ] = None
    criterion: Annotated[str | None, option("NAME", "aic, bic or loglik.", default="aic")] = None
    shapes: Annotated[
        str | None,
        option("WHICH", "Of beta and beta-binomial margins: bounded (1 or more) or free.", default="free"),
    ] = None
    support: Annotated[
        str | None, option("WHAT", "auto, continuous, or a measure: P@10, RR@20.", default="auto")
    ] = None
    families: Annotated[list[str] | None, option("NAME", "A vine's pair copula; repeatable.", "--family")] = (
        None
    )
    truncation: Annotated[int | None, option("T", "Trees of a vine.", default="all")] = None
    threads: Annotated[int | None, option("N", "Threads of a vine.")] = None


@dataclass(kw_only=True)
class EffectsOptions(Group, heading="Simulator effects"):
    """Options of the simulator effects."""

    normal: Annotated[bool, switch("Normal residuals, no logit.")] = False
    homoscedastic: Annotated[bool, switch("Equal variances.")] = False
    uncorrelated: Annotated[bool, switch("Independent residuals.")] = False
    biased: Annotated[bool, switch("Topics not at random.", "--biased-topics")] = False
    truth: Annotated[
        str | None, option("NAME", "Means that are true: original or model.", default="original")
    ] = None


@dataclass(kw_only=True)
class Printed(Document):
    """The JSON of a model, and how much of it is printed."""

    all_rows: Annotated[bool, switch("Print all rows of tables.")] = False


ModelArgument = Annotated[
    str, argument("MODEL", "A saved model, or an embedded one: web2010-ap, web2010-p10.")
]


@dataclass(kw_only=True)
class Collections(Group, heading="Collections"):
    """The collections to draw."""

    model: ModelArgument
    topics: Annotated[int, option("N", "Topics of a collection.", "--topics", "-n", min=1)]
    output: Annotated[str, option("DIR", "Folder for 0001.csv, 0002.csv …", "--output", "-o")]
    collections: Annotated[int, option("K", "Number of collections.", "--collections", "-k", min=1)] = 1
    first: Annotated[int, option("I", "Number of the first; each can be drawn alone.", min=1)] = 1
    overwrite: Overwrite = False
    seed: Seed = 0


@dataclass(frozen=True, kw_only=True)
class Compared(TableOptions, heading="Comparison"):
    """A model, and the real scores that it is compared with."""

    model: ModelArgument
    against: Annotated[str | None, option("SCORES", "Real scores to compare with.")] = None
    measure: MeasureOption = None
    simulated: Annotated[int, option("N", "Topics to simulate for that.", "--topics", "-n", min=2)] = 20_000
    seed: Seed = 0


@command("simulate fit", "scores.csv -o model.json")
def fit(
    real: RealScores, fitted: Fitted, copula: CopulaOptions, effects: EffectsOptions, printed: Printed
) -> None:
    """Fit a model to real scores; its true means are known."""
    from json import dumps

    from truerank.simulation import fit as fit_model

    options = asdict(copula) | asdict(effects)
    options["topics"] = "biased" if options.pop("biased") else None
    # Only what was given, so that an option of the other simulator is refused by its name.
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    with printed.opened([real.scores]) as outputs:
        outputs.file(fitted.output, "-o")
        table = _table(real, real.scores).drop_bottom(real.drop_bottom)
        model = fit_model(table, fitted.simulator, seed=fitted.seed, **given)
        outputs.add(fitted.output, dumps(model.to_json(), allow_nan=False, ensure_ascii=False))
        document = _about(model) | {"file": fitted.output}
        printed.add(outputs, document)
    _print(document, printed, f"{fitted.output}: ")


def _table(reading: TableOptions, path: str) -> ScoreMatrix:
    from truerank.readers import as_scores
    from truerank.readers.score_reading import read_with

    return as_scores(read_with(path, reading.options, ()), one_table="")


@command("simulate sample", "model.json --topics 50 --collections 10 -o drawn")
def sample(drawn: Collections, document: Document) -> None:
    """Draw test collections: one table each, a topic column and then the systems."""
    from truerank.readers.writing import table_text

    model = find_model(drawn.model)
    numbers = range(drawn.first, drawn.first + drawn.collections)
    files = {number: Path(drawn.output) / f"{number:04}.csv" for number in numbers}
    written = [str(path) for path in files.values()]
    inputs = [drawn.model if Path(drawn.model).exists() else None]
    with document.opened(inputs, overwrite=drawn.overwrite) as outputs:
        outputs.folder(drawn.output, "-o")
        with document.progress() as progress:
            for done, (number, path) in enumerate(files.items()):
                if progress:
                    progress(done, len(files), path.name)
                scores = model.sample(drawn.topics, drawn.seed, number)
                outputs.put(drawn.output, {path.name: table_text(scores, path)})
        about = {"model": drawn.model, "seed": drawn.seed, "topics": drawn.topics, "files": written}
        document.add(outputs, about | {"true_means": true_means_of(model), "version": __version__})
    what = written[0] if len(written) == 1 else f"{written[0]} to {Path(written[-1]).name}"
    document.say(
        [f"{what}: {count(drawn.topics, 'topic')} × {len(model.systems)} systems each, seed {drawn.seed}"]
    )


@command("simulate show", "model.json --against scores.csv")
def show(compared: Compared, printed: Printed) -> None:
    """Show a model: its truth, its margins and, against real scores, how like them it is."""
    from truerank.simulation import diagnose

    with printed.opened(
        [compared.model if Path(compared.model).exists() else None, compared.against]
    ) as outputs:
        model, diagnostics = find_model(compared.model), None
        if compared.against is not None:
            real = _table(compared, compared.against)
            diagnostics = diagnose(model, real, compared.simulated, compared.seed)
        document = _about(model)
        fit = {} if diagnostics is None else {"diagnostics": plain(diagnostics)}
        printed.add(outputs, document | fit)
    _print(document, printed, diagnostics=diagnostics)


def find_model(model: str) -> SimulationModel:
    """A saved model or, if the file does not exist, an embedded one."""
    from truerank.simulation import embedded_models, load, load_embedded

    if Path(model).exists():
        return load(model)
    if model in embedded_models():
        return load_embedded(model)
    known = ", ".join(embedded_models())
    raise InputError(f"{model}: no such file, and no embedded model ({known}). Check the path.")


def true_means_of(model: SimulationModel) -> dict[str, float]:
    return dict(zip(model.systems, model.true_means.tolist(), strict=True))


def _about(model: SimulationModel) -> dict[str, Any]:
    copula = getattr(model, "copula", None)
    families = [margin.family for margin in getattr(model, "margins", ())] or [None] * len(model.systems)
    systems = zip(true_means_of(model).items(), families, strict=True)
    return {
        "simulator": model.simulator,
        "measure": model.measure,
        "copula": copula.family if copula else None,
        "shapes": model.origin.options.get("shapes"),
        "fitted_to_topics": model.origin.topics,
        "changes": list(model.origin.changes),
        "systems": [
            {"system": name, "true_mean": mean, "margin": family} for (name, mean), family in systems
        ],
        "version": __version__,
    }


def _print(
    model: dict[str, Any], printed: Printed, first: str = "", diagnostics: Diagnostics | None = None
) -> None:
    """Print the model, unless standard output holds the JSON."""
    from truerank._support.tables import Column, Count, Name, Number, Table, Text
    from truerank.report.outputs.terminal import Terminal, show_tables

    of = f" of {model['measure']}" if model["measure"] else ""
    copula = f", {model['copula']} copula" if model["copula"] else ""
    whole = f"{first}{model['simulator']} model{of}{copula}: {len(model['systems'])} systems"
    text = [f"{whole}, fitted to {model['fitted_to_topics']} topics"]
    text += [f"! changed: {change}" for change in model["changes"]]
    families = Counter(item["margin"] for item in model["systems"] if item["margin"] is not None)
    if families:
        kind = f" ({model['shapes']} shapes)" if model["shapes"] else ""
        text.append(f"margins: {', '.join(f'{n} {family}' for family, n in families.most_common())}{kind}")
    printed.say(text)
    if printed.json == "-":
        return
    columns = [Column("Rank", Count()), Column("System", Name()), Column("True mean", Number(digits=4))]
    columns += [Column("Margin", Text())] if families else []
    ranked = sorted(model["systems"], key=lambda item: -item["true_mean"])
    rows = [(rank, *item.values())[: len(columns)] for rank, item in enumerate(ranked, start=1)]
    tables = [Table("truth", "True ranking", tuple(columns), rows)]
    out = Terminal()
    out.line()
    show_tables(tables + ([] if diagnostics is None else [_misfits(diagnostics)]), out, printed.all_rows)
    if diagnostics is not None:
        printed.say(_likeness(diagnostics))


def _misfits(d: Diagnostics) -> Table:
    """The systems whose simulated scores are least like the real ones."""
    from truerank._support.tables import Table
    from truerank.simulation.likeness import SystemFit

    count = sum(s.misfit for s in d.systems)
    return Table.of(
        "misfits",
        f"Largest misfits ({count} of {len(d.systems)} systems beyond chance)",
        SystemFit,
        d.worst(),
        note="sd: standard deviation over topics. Distance: Kolmogorov’s distance between real and simulated "
        "scores, from 0 to 1. Chance: what samples of the model itself exceed once in twenty times.",
    )


def _likeness(d: Diagnostics) -> Iterator[str]:
    """How like the real scores the model is, beyond single systems."""
    from truerank._support.wording import number, span

    yield (
        f"τ_b between systems: mean error {number(d.tau_b.error)}, bias {number(d.tau_b.bias)}; "
        f"sampling noise of the real one {number(d.tau_b.noise)}."
    )
    real, simulated = (
        f"{number(item[2])} ({span(item[0], item[-1])})"
        for item in (d.difficulty.real, d.difficulty.simulated)
    )
    yield f"Topic difficulty, median and 90% range: real {real}, simulated {simulated}."


COMMANDS = commands("simulate", "Simulated test collections whose true ranking is known.", fit, sample, show)
