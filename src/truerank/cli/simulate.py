"""`truerank simulate`: fit a model with a known truth, draw collections from it, look at it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truerank._support.progress import Progress
from truerank.cli.inputs import reads_tables
from truerank.cli.options import Json, Overwrite, Quiet, Seed, add_json, drawn, progress_bar, writing
from truerank.cli.parsing import App

if TYPE_CHECKING:
    from truerank.scores import ScoreMatrix
    from truerank.simulation import Diagnostics, SimulationModel

app = App(
    name="simulate",
    help="Simulated test collections whose true ranking is known.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A saved model, or one that comes along: web2010-ap, web2010-p10.",
        show_default=False,
    ),
]


@app.command()
@reads_tables
def fit(
    scores: Annotated[str, typer.Argument(metavar="SCORES", help="A score table.", show_default=False)],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="The file to write (JSON).")],
    measure: Annotated[
        str | None,
        typer.Option("--measure", "-m", metavar="NAME", help="Which measure, where there are several."),
    ] = None,
    drop_bottom: Annotated[
        float,
        typer.Option("--drop-bottom", metavar="Q", help="Leave out systems below this quantile of means."),
    ] = 0.0,
    simulator: Annotated[
        str, typer.Option("--simulator", metavar="NAME", help="copula or effects.")
    ] = "copula",
    copula: Annotated[
        str | None, typer.Option("--copula", metavar="NAME", help="gaussian (default) or vine.")
    ] = None,
    margins: Annotated[
        list[str] | None,
        typer.Option(
            "--margin", metavar="NAME", help="Margin family to choose from; repeatable. All by default."
        ),
    ] = None,
    criterion: Annotated[
        str | None, typer.Option("--criterion", metavar="NAME", help="aic (default), bic or loglik.")
    ] = None,
    shapes: Annotated[
        str | None,
        typer.Option(
            "--shapes",
            metavar="WHICH",
            help="Of beta and beta-binomial margins: bounded (1 or more) or free (default).",
        ),
    ] = None,
    support: Annotated[
        str | None,
        typer.Option(
            "--support", metavar="WHAT", help="auto (default), continuous, or a measure: P@10, RR@20."
        ),
    ] = None,
    families: Annotated[
        list[str] | None, typer.Option("--family", metavar="NAME", help="A vine's pair copula; repeatable.")
    ] = None,
    truncation: Annotated[
        int | None, typer.Option("--truncation", metavar="T", help="Trees of a vine; all by default.")
    ] = None,
    threads: Annotated[int | None, typer.Option("--threads", metavar="N", help="For vines.")] = None,
    normal: Annotated[bool, typer.Option("--normal", help="Effects: normal residuals, no logit.")] = False,
    homoscedastic: Annotated[bool, typer.Option("--homoscedastic", help="Effects: equal variances.")] = False,
    uncorrelated: Annotated[bool, typer.Option("--uncorrelated", help="Effects: independent.")] = False,
    biased: Annotated[bool, typer.Option("--biased-topics", help="Effects: topics not at random.")] = False,
    truth: Annotated[
        str | None,
        typer.Option("--truth", metavar="NAME", help="Effects: original (default) or model means are true."),
    ] = None,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Fit a model to real scores; its true means are known."""
    from json import dumps

    from truerank.readers import as_scores
    from truerank.simulation import fit as fit_model

    # Only what was given goes on, so that an option of another simulator is refused by its name.
    options: dict[str, Any] = {
        "copula": copula,
        "margins": margins or None,
        "criterion": criterion,
        "shapes": shapes,
        "support": support,
        "families": families or None,
        "truncation": truncation,
        "threads": threads,
        "normal": normal or None,
        "homoscedastic": homoscedastic or None,
        "uncorrelated": uncorrelated or None,
        "topics": "biased" if biased else None,
        "truth": truth,
    }
    given = {name: value for name, value in options.items() if value is not None}
    with writing("simulate fit", [scores], quiet) as outputs:
        outputs.file(output, "-o")
        outputs.file(json, "--json")
        table = as_scores(scores, measure, one_table="").drop_bottom(drop_bottom)
        with progress_bar(quiet) as progress:
            if progress and simulator == "copula":
                given["progress"] = progress
            model = fit_model(table, simulator, seed=seed, **given)
        outputs.add(output, dumps(model.to_json(), allow_nan=False, ensure_ascii=False))
        if json:
            add_json(outputs, _document(model, {"file": output}), json)
    if json != "-":
        _print(model, f"{output}: ")


@app.command()
def sample(
    model: ModelArgument,
    topics: Annotated[int, typer.Option("--topics", "-n", min=1, metavar="N", help="Topics a collection.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="DIR", help="Where 0001.csv, 0002.csv … go.")
    ],
    collections: Annotated[
        int, typer.Option("--collections", "-k", min=1, metavar="K", help="How many collections.")
    ] = 1,
    first: Annotated[
        int, typer.Option("--first", min=1, metavar="I", help="Number of the first; each can be drawn alone.")
    ] = 1,
    overwrite: Overwrite = False,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Draw test collections: one table each, a topic column and then the systems."""
    from truerank.readers.writing import table_text

    found = find_model(model)
    names = [f"{number:04}.csv" for number in range(first, first + collections)]
    files = [Path(output) / name for name in names]
    with writing(
        "simulate sample", [model if Path(model).exists() else None], quiet, overwrite=overwrite
    ) as outputs:
        outputs.folder(output, names, "-o")
        outputs.file(json, "--json")
        for number, path in enumerate(files, start=first):
            if not overwrite and path.is_file() and path.stat().st_size:
                _refuse_other(path, found.sample(topics, seed, number))
                break  # the others of a folder that this command wrote are like this one
        with progress_bar(quiet) as progress:
            for done, path in enumerate(files):
                _tell(progress, done, len(files), path.name)
                drawn = found.sample(topics, seed, first + done)
                outputs.put(output, {path.name: table_text(drawn, path)}, "-o")
        if json:
            document = {
                "model": model,
                "seed": seed,
                "topics": topics,
                "files": [str(path) for path in files],
                "true_means": true_means_of(found),
            }
            add_json(outputs, document, json)
    if json != "-":
        from truerank.cli.terminal import console, printable

        what = f"{files[0]}" if len(files) == 1 else f"{files[0]} to {files[-1].name}"
        out = console()
        out.print(printable(f"{what}: {topics} topics × {len(found.systems)} systems each, seed {seed}"))


@app.command()
def show(
    model: ModelArgument,
    against: Annotated[
        str | None, typer.Option("--against", metavar="SCORES", help="Compare with these real scores.")
    ] = None,
    measure: Annotated[
        str | None, typer.Option("--measure", "-m", metavar="NAME", help="Which measure of SCORES.")
    ] = None,
    topics: Annotated[
        int, typer.Option("--topics", "-n", min=2, metavar="N", help="Topics to simulate for that.")
    ] = 20_000,
    figures: Annotated[
        str | None,
        typer.Option(
            "--figures",
            metavar="FILE",
            callback=drawn,
            help="A page of figures, .svg, .pdf or .png; needs --against.",
        ),
    ] = None,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Show a model: its truth, its margins and, against real scores, how like them it is."""
    from truerank.errors import InputError

    if figures and not against:
        raise InputError("figures compare the model with real scores; name them with --against SCORES")
    with writing("simulate show", [model if Path(model).exists() else None, against], quiet) as outputs:
        outputs.file(figures, "--figures")
        outputs.file(json, "--json")
        if figures:
            from truerank.report.charts.simulation import check_suffix

            check_suffix(figures)
        found = find_model(model)
        extra: dict[str, Any] = {}
        diagnostics = None
        if against:
            from truerank.readers import as_scores
            from truerank.simulation import diagnose

            diagnostics = diagnose(found, as_scores(against, measure, one_table=""), topics, seed)
            extra["diagnostics"] = diagnostics.to_json()
        if figures and diagnostics:
            from truerank.report.charts.simulation import page_file

            outputs.add(figures, page_file(diagnostics, figures))
        if json:
            add_json(outputs, _document(found, extra), json)
    if json != "-":
        _print(found, diagnostics=diagnostics)


def _refuse_other(path: Path, drawn: ScoreMatrix) -> None:
    """A collection may be written again, but not over scores from elsewhere."""
    from truerank._support.files import read_bytes
    from truerank.errors import InputError
    from truerank.readers.writing import table_text

    if read_bytes(path) != table_text(drawn, path).encode():
        raise InputError(
            f"{path}: holds other scores (another model, seed or number of topics); "
            "give --overwrite, or name another folder"
        )


def find_model(model: str) -> SimulationModel:
    """A saved model or, where there is no such file, an embedded one."""
    from truerank.errors import InputError
    from truerank.simulation import embedded_models, load, load_embedded

    if Path(model).exists():
        return load(model)
    if model in embedded_models():
        return load_embedded(model)
    known = ", ".join(embedded_models())
    raise InputError(f"{model}: no such file, nor a model that comes along ({known}); check the path")


def true_means_of(model: SimulationModel) -> dict[str, float]:
    """The true mean of every system of a model, by name."""
    return dict(zip(model.systems, model.true_means.tolist(), strict=True))


def _tell(progress: Progress | None, done: int, total: int, label: str) -> None:
    if progress:
        progress(done, total, label)


def _families(model: SimulationModel) -> list[str]:
    """The margin family of each system; none where the simulator has no margins."""
    return [margin.family for margin in getattr(model, "margins", ())]


def _document(model: SimulationModel, extra: dict[str, Any]) -> dict[str, Any]:
    """The model as JSON-ready data."""
    families = _families(model)
    copula = getattr(model, "copula", None)
    document = {
        "simulator": model.simulator,
        "measure": model.measure,
        "copula": copula.family if copula else None,
        "shapes": model.origin.options.get("shapes"),
        "fitted_to_topics": model.origin.topics,
        "changes": list(model.origin.changes),
        "systems": [
            {"system": name, "true_mean": mean, "margin": families[s] if families else None}
            for s, (name, mean) in enumerate(true_means_of(model).items())
        ],
    }
    return {**document, **extra}


def _print(model: SimulationModel, first: str = "", diagnostics: Diagnostics | None = None) -> None:
    from truerank.cli.terminal import SHOWN, console, number, printable, show_table, table

    families = _families(model)
    out = console()
    measure = f" of {model.measure}" if model.measure else ""
    copula = getattr(model, "copula", None)
    joined = f", {copula.family} copula" if copula else ""
    out.print(
        printable(
            f"{first}{model.simulator} model{measure}{joined}: {len(model.systems)} systems, "
            f"fitted to {model.origin.topics} topics"
        )
    )
    for change in model.origin.changes:
        out.print(printable(f"! changed: {change}"))
    if families:
        counted = ", ".join(f"{count} {family}" for family, count in Counter(families).most_common())
        shapes = model.origin.options.get("shapes")
        kind = f" ({shapes} shapes)" if isinstance(shapes, str) else ""
        out.print(printable(f"margins: {counted}{kind}"))
    out.print()
    margins = [("margin", "left")] * bool(families)
    made = table(("rank", "right"), ("system", "name"), ("true mean", "right"), *margins)
    order = (-model.true_means).argsort(kind="stable")
    for rank, s in enumerate(order[:SHOWN], start=1):
        family = [families[s]] if families else []
        made.add_row(str(rank), printable(model.systems[s]), number(float(model.true_means[s]), 4), *family)
    show_table(out, "True ranking", made)
    if len(order) > SHOWN:
        out.print(f"… and {len(order) - SHOWN} more (--json FILE has all)\n")
    if diagnostics:
        _print_diagnostics(diagnostics)


def _print_diagnostics(d: Diagnostics) -> None:
    from truerank.cli.terminal import console, number, printable, show_table, table

    out = console()
    made = table(
        ("system", "name"),
        ("mean", "right"),
        ("simulated", "right"),
        ("sd", "right"),
        ("simulated", "right"),
        ("distance", "right"),
        ("chance", "right"),
    )
    for s in d.worst():
        cells = (s.mean, s.simulated_mean, s.sd, s.simulated_sd)
        made.add_row(
            printable(s.system), *(number(c, 4) for c in cells), number(s.distance, 2), number(s.chance, 2)
        )
    misfits = sum(s.misfit for s in d.systems)
    title = f"Largest misfits ({misfits} of {len(d.systems)} systems beyond chance)"
    note = (
        "sd: standard deviation over topics. Distance: of real scores from simulated ones, between 0 and 1 "
        "(Kolmogorov’s). Chance: what it exceeds once in twenty samples of the model itself."
    )
    show_table(out, title, made, note)
    out.print(
        f"τ_b between systems: mean error {number(d.tau_b_error)}, bias {number(d.tau_b_bias)}; "
        f"the sampling noise of the real one is {number(d.tau_b_noise)}."
    )
    out.print(
        f"Topic difficulty, median and 90% range: real {number(d.difficulty[2])} "
        f"({number(d.difficulty[0])} to {number(d.difficulty[-1])}), simulated "
        f"{number(d.simulated_difficulty[2])} ({number(d.simulated_difficulty[0])} to "
        f"{number(d.simulated_difficulty[-1])})."
    )
