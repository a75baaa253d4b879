"""`truerank simulate`: fit a model with a known truth, draw collections from it, look at it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from truerank._support.plain import plain
from truerank._support.wording import count
from truerank.cli.files import Document
from truerank.cli.options import (
    DropBottom,
    Group,
    MeasureOption,
    Overwrite,
    Seed,
    argument,
    grouped,
    option,
    progress_bar,
    switch,
)
from truerank.cli.parsing import App
from truerank.cli.score_input import TableOptions

if TYPE_CHECKING:
    from truerank._support.tables import Table
    from truerank.scores import ScoreMatrix
    from truerank.simulation import Diagnostics, SimulationModel

app = App(name="simulate", help="Simulated test collections whose true ranking is known.")


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


@app.command(epilog="Example: truerank simulate fit scores.csv -o model.json")
@grouped
def fit(
    real: RealScores, fitted: Fitted, copula: CopulaOptions, effects: EffectsOptions, printed: Printed
) -> None:
    """Fit a model to real scores; its true means are known."""
    from json import dumps

    from truerank.cli.written import FittedModel
    from truerank.simulation import fit as fit_model

    given = _given(copula, effects)
    with printed.opened([real.scores]) as outputs:
        outputs.file(fitted.output, "-o")
        table = _table(real, real.scores).drop_bottom(real.drop_bottom)
        with progress_bar(printed.quiet) as progress:
            if progress and fitted.simulator == "copula":
                given["progress"] = progress
            model = fit_model(table, fitted.simulator, seed=fitted.seed, **given)
        outputs.add(fitted.output, dumps(model.to_json(), allow_nan=False, ensure_ascii=False))
        printed.write(outputs, plain(FittedModel(file=fitted.output, **_about(model))))
    _print(model, printed, f"{fitted.output}: ")


def _table(reading: TableOptions, path: str) -> ScoreMatrix:
    """Real scores from a file."""
    from truerank.readers import as_scores
    from truerank.readers.score_reading import read_with

    return as_scores(read_with(path, reading.options, ()), one_table="")


def _given(copula: CopulaOptions, effects: EffectsOptions) -> dict[str, Any]:
    """Only what was given, so that an option of the other simulator is refused by its name."""
    options = asdict(copula) | asdict(effects)
    options["margins"], options["families"] = copula.margins or None, copula.families or None
    options["topics"] = "biased" if options.pop("biased") else None
    return {name: value for name, value in options.items() if value is not None and value is not False}


@app.command(epilog="Example: truerank simulate sample model.json --topics 50 --collections 10 -o drawn")
@grouped
def sample(drawn: Collections, document: Document) -> None:
    """Draw test collections: one table each, a topic column and then the systems."""
    from truerank.cli.written import Sample
    from truerank.readers.writing import table_text

    model = find_model(drawn.model)
    numbers = range(drawn.first, drawn.first + drawn.collections)
    files = {number: Path(drawn.output) / f"{number:04}.csv" for number in numbers}
    inputs = [drawn.model if Path(drawn.model).exists() else None]
    with document.opened(inputs, overwrite=drawn.overwrite) as outputs:
        outputs.folder(drawn.output, "-o")
        with progress_bar(document.quiet) as progress:
            for done, (number, path) in enumerate(files.items()):
                if progress:
                    progress(done, len(files), path.name)
                scores = model.sample(drawn.topics, drawn.seed, number)
                outputs.put(drawn.output, {path.name: table_text(scores, path)})
        written = [str(path) for path in files.values()]
        about = (drawn.model, drawn.seed, drawn.topics, tuple(written), true_means_of(model))
        document.write(outputs, plain(Sample(*about)))
    what = written[0] if len(written) == 1 else f"{written[0]} to {Path(written[-1]).name}"
    document.show(
        [f"{what}: {count(drawn.topics, 'topic')} × {len(model.systems)} systems each, seed {drawn.seed}"]
    )


@app.command(epilog="Example: truerank simulate show model.json --against scores.csv")
@grouped
def show(compared: Compared, printed: Printed) -> None:
    """Show a model: its truth, its margins and, against real scores, how like them it is."""
    from truerank.cli.written import ShownModel

    inputs = [compared.model if Path(compared.model).exists() else None, compared.against]
    with printed.opened(inputs) as outputs:
        model = find_model(compared.model)
        diagnostics = _diagnosed(model, compared)
        result = None if diagnostics is None else diagnostics.document()
        printed.write(outputs, plain(ShownModel(diagnostics=result, **_about(model))))
    _print(model, printed, diagnostics=diagnostics)


def _diagnosed(model: SimulationModel, compared: Compared) -> Diagnostics | None:
    """The model beside the real scores, where there are any."""
    if compared.against is None:
        return None
    from truerank.simulation import diagnose

    real = _table(compared, compared.against)
    return diagnose(model, real, compared.simulated, compared.seed)


def find_model(model: str) -> SimulationModel:
    """A saved model or, if the file does not exist, an embedded one."""
    from truerank.errors import InputError
    from truerank.simulation import embedded_models, load, load_embedded

    if Path(model).exists():
        return load(model)
    if model in embedded_models():
        return load_embedded(model)
    known = ", ".join(embedded_models())
    raise InputError(f"{model}: no such file, and no embedded model ({known}). Check the path.")


def true_means_of(model: SimulationModel) -> dict[str, float]:
    """The true mean of every system of a model, by name."""
    return dict(zip(model.systems, model.true_means.tolist(), strict=True))


def _families(model: SimulationModel) -> list[str]:
    """The margin family of each system; none where the simulator has no margins."""
    return [margin.family for margin in getattr(model, "margins", ())]


def _about(model: SimulationModel) -> dict[str, Any]:
    """What is written of every model."""
    from truerank.cli.written import ModelSystem

    families = _families(model)
    copula = getattr(model, "copula", None)
    return {
        "simulator": model.simulator,
        "measure": model.measure,
        "copula": copula.family if copula else None,
        "shapes": model.origin.options.get("shapes"),
        "fitted_to_topics": model.origin.topics,
        "changes": list(model.origin.changes),
        "systems": [
            ModelSystem(name, mean, families[s] if families else None)
            for s, (name, mean) in enumerate(true_means_of(model).items())
        ],
    }


def _print(
    model: SimulationModel, printed: Printed, first: str = "", diagnostics: Diagnostics | None = None
) -> None:
    """Print the model, unless standard output holds the JSON."""
    if printed.json == "-":
        return
    from truerank.report.outputs.terminal import Terminal, show_tables

    out = Terminal()
    copula = getattr(model, "copula", None)
    about = (
        f"{' of ' + model.measure if model.measure else ''}{f', {copula.family} copula' if copula else ''}"
    )
    out.say(
        f"{first}{model.simulator} model{about}: {len(model.systems)} systems, "
        f"fitted to {model.origin.topics} topics"
    )
    for change in model.origin.changes:
        out.say(f"! changed: {change}")
    if families := Counter(_families(model)).most_common():
        shapes = model.origin.options.get("shapes")
        kind = f" ({shapes} shapes)" if isinstance(shapes, str) else ""
        out.say(f"margins: {', '.join(f'{count} {family}' for family, count in families)}{kind}")
    out.line()
    show_tables([_truth(model)], out, printed.all_rows)
    if diagnostics is not None:
        show_tables([_misfits(diagnostics)], out, printed.all_rows)
        for line in _likeness(diagnostics):
            out.say(line)


def _truth(model: SimulationModel) -> Table:
    """The true ranking, with the family of each margin where there are margins."""
    from truerank._support.tables import Column, Count, Name, Number, Table, Text

    columns = [Column("Rank", Count()), Column("System", Name()), Column("True mean", Number(digits=4))]
    families = _families(model)
    if families:
        columns.append(Column("Margin", Text()))
    rows = [
        (rank, model.systems[s], float(model.true_means[s]), *families[s : s + 1])
        for rank, s in enumerate((-model.true_means).argsort(kind="stable").tolist(), start=1)
    ]
    return Table("truth", "True ranking", tuple(columns), rows)


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
        f"τ_b between systems: mean error {number(d.tau_b_error)}, bias {number(d.tau_b_bias)}; "
        f"sampling noise of the real one {number(d.tau_b_noise)}."
    )
    real, simulated = (
        f"{number(item[2])} ({span(item[0], item[-1])})" for item in (d.difficulty, d.simulated_difficulty)
    )
    yield f"Topic difficulty, median and 90% range: real {real}, simulated {simulated}."
