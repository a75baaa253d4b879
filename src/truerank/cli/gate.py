"""`truerank gate`: a verdict on A against B, for a person or a script."""

from __future__ import annotations

import shlex
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from truerank._support.notes import Note
from truerank.cli.command import BATTLES, Group, Needs, UsageError, command, given_of, option, switch
from truerank.cli.files import Files
from truerank.cli.options import (
    Arena,
    GeneralizeTo,
    Looks,
    Seed,
    SpendingOption,
    numbers,
)
from truerank.cli.score_input import FilledScores
from truerank.errors import InputError, unknown_name
from truerank.readers.options import ReadOptions

if TYPE_CHECKING:
    from truerank.readers.means_with_errors import Means
    from truerank.scores import ScoreMatrix

# Exit codes; unusable input is 2 and an internal error 3, as everywhere.
PASSED, FAILED, INCONCLUSIVE = 0, 1, 4

OF_MEANS = ("--baseline", "--candidate", "--margin", "--level", "--undecided", "--seed")
"""Options that a gate on means with standard errors takes."""
OF_FILES = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".txt", ".gz", ".xlsx", ".npy", ".npz", ".zip")
"""How names end that are paths of files, rather than systems."""
OF_ONE_LOOK = ("--generalize-to", "--each-data-set", "--guarantee", "--shared-seeds")
"""Options that a gate with several looks does not take, beside those of battles."""


@dataclass(kw_only=True)
class Claim(Group, heading="Verdict"):
    """What is to be decided."""

    baseline: Annotated[
        str | None, option("SYSTEM", "System to compare with.", default="the first of two")
    ] = None
    candidate: Annotated[
        list[str] | None, option("SYSTEM", "Candidates; repeatable.", default="all others")
    ] = None
    margin: Annotated[
        list[str] | None,
        option("[NAME=]D", "Largest loss that passes; NAME=D, repeatable.", default=0),
    ] = None
    level: Annotated[float, option("L", "Confidence level of intervals.")] = 0.95
    undecided: Annotated[
        Literal["fail", "pass"] | None, option("fail|pass", "Exit code 1 or 0 if inconclusive, instead of 4.")
    ] = None
    power: Annotated[float, option("P", "Chance of a verdict to plan for.")] = 0.8
    guarantee: Annotated[bool, switch("Decide by the exact bound alone.")] = False
    range: Annotated[
        list[float] | None,
        option(
            "LOW,HIGH",
            "Range of possible scores.",
            default="by measure",
            kind=str,
            check=numbers("--range", float),
        ),
    ] = None
    generalize_to: GeneralizeTo = None
    each_data_set: Annotated[bool, switch("Verdicts on each data set too.")] = False
    shared_seeds: Annotated[bool, switch("Runs with the same label share a seed.")] = False
    seed: Seed = 0

    @property
    def margins(self) -> float | dict[str, float]:
        """One margin, or one of each measure that was named."""
        margins: dict[str, float] = {}
        for text in self.margin or ["0"]:
            name, _, number = text.rpartition("=")
            try:
                margins[name] = float(number)
            except ValueError:
                write = f"; write {text.replace(',', '.')}" if text.count(",") == 1 else ""
                raise UsageError(f"--margin {text!r} is not a number D or NAME=D{write}") from None
        if "" in margins and len(self.margin or []) > 1:
            raise UsageError("give --margin once, or as NAME=D for each measure")
        return margins.get("", margins)


@dataclass(kw_only=True)
class Looking(Group, heading="Looking more than once"):
    """A verdict at more than one look."""

    sequential: Annotated[bool, switch("Verdict that holds at any time, after every topic.")] = False
    state: Annotated[
        str | None,
        option("FILE", "Topics of earlier looks; read, and written anew."),
        Needs("sequential", "looks"),
    ] = None
    looks: Looks = None
    spending: SpendingOption = "pocock"
    anchor: Annotated[str | None, option("FILE", "Scores of a release; --baseline names it there.")] = None

    @property
    def repeated(self) -> bool:
        return self.sequential or self.looks is not None

    def check(self) -> None:
        if self.looks is not None and self.sequential:
            raise UsageError("--sequential looks at any time, --looks at planned ones; give one")
        if self.repeated and self.anchor is not None:
            raise UsageError(
                "--anchor is for one look at the same topics; leave it out, or --sequential and --looks"
            )


@dataclass(kw_only=True)
class GateFiles(Files):
    """The files of a gate."""

    junit: Annotated[str | None, option("FILE", "JUnit report for a pipeline.")] = None


@dataclass(kw_only=True)
class Deciding(Arena, heading=BATTLES):
    """How a pair of an arena is compared."""

    direct: Annotated[bool, switch("Decide by the battles of the two alone.")] = False


@command("gate", "scores.csv --baseline bm25 --candidate dense")
def gate(scores: FilledScores, claim: Claim, looking: Looking, deciding: Deciding, files: GateFiles) -> int:
    """Is B better than A, or at least not worse by a margin?

    Exit 0: better, pass; 1: fail; 4: inconclusive; 2, 3: an error.
    """
    looking.check()
    with files.opened([*scores.files, looking.anchor]) as outputs:
        outputs.state(looking.state, "--state")
        if (means := _means(scores)) is not None:
            result = _unpaired(means, claim, looking, deciding)
        else:
            with files.progress() as progress:
                tables = _tables(scores, claim, progress)
            decide = _repeatedly if looking.repeated else _at_once
            result = decide(tables, scores, claim, looking, deciding)
        if looking.state is not None:
            outputs.add(looking.state, result.monitor.to_json())
        seen = files.write(outputs, [result])
        if files.junit is not None:
            from truerank.report.outputs.junit import junit

            outputs.add(files.junit, junit(result, claim.undecided == "pass"))
    files.show(seen)
    if result.verdict == "undecided":
        return {"pass": PASSED, "fail": FAILED, None: INCONCLUSIVE}[claim.undecided]
    return PASSED if result.passed else FAILED


def _at_once(
    tables: list[ScoreMatrix], scores: FilledScores, claim: Claim, looking: Looking, deciding: Deciding
) -> Any:
    from truerank.comparison.gate import gate as decide

    settings = asdict(claim) | asdict(deciding) | {"margin": claim.margins, "missing": scores.missing}
    del settings["undecided"]
    if looking.anchor is None:
        return decide(tables, **settings)
    released = [_with_release(table, looking.anchor, claim.baseline, scores.options) for table in tables]
    result = decide([table for table, _ in released], **(settings | {"baseline": released[0][1]}))
    note = Note("repeated-looks", {"case": "chain", "unit": result.sampled.one})
    decisions = (replace(item, notes=(*item.notes, note)) for item in result.decisions)
    return replace(result, decisions=tuple(decisions))


def _repeatedly(
    tables: list[ScoreMatrix], scores: FilledScores, claim: Claim, looking: Looking, deciding: Deciding
) -> Any:
    """The verdict that holds at every look."""
    from truerank.comparison.sequential import Monitor, sequential_gate
    from truerank.reliability.pair.comparing import margins_of

    given = [*given_of(claim, Claim), *given_of(deciding, Deciding)]
    for name in [name for name in OF_ONE_LOOK if name in given] + given_of(deciding, Deciding):
        if (name, claim.generalize_to) != ("--generalize-to", "topics"):
            raise UsageError(f"{name} is for one look; leave out {name}, or --sequential and --looks")
    if len(tables) > 1:
        raise UsageError("--sequential and --looks decide by one measure; give one -m")
    return sequential_gate(
        tables[0],
        claim.baseline,
        looks=looking.looks,
        spending=looking.spending,
        state=Monitor.load(looking.state) if looking.state and Path(looking.state).exists() else None,
        candidate=claim.candidate,
        margin=margins_of(tables, claim.margins)[0],
        level=claim.level,
        range=claim.range,
        missing=scores.missing,
    )


def _means(scores: FilledScores) -> Means | None:
    """Means with standard errors, where the only file holds nothing else."""
    from truerank.readers.means_with_errors import read_means

    measure, *others = scores.measures or (None,)
    if len(scores.sources) > 1 or others or scores.qrels is not None or scores.judged_by_machine:
        return None
    if not Path(scores.sources[0]).is_file():
        return None
    return read_means(scores.sources[0], replace(scores.options, measure=measure))


def _unpaired(means: Means, claim: Claim, looking: Looking, deciding: Deciding) -> Any:
    from truerank.comparison.gate.deciding import unpaired_gate

    for name in [*given_of(claim, Claim), *given_of(looking, Looking), *given_of(deciding, Deciding)]:
        if name not in OF_MEANS:
            raise InputError(
                f"{means.scores.where}means with standard errors hold no topics; leave {name} out"
            )
    return unpaired_gate(means, claim.baseline, claim.candidate, margin=claim.margins, level=claim.level)


def _tables(scores: FilledScores, claim: Claim, progress: Any) -> list[ScoreMatrix]:
    """The scores, with empty cells left to the arms."""
    from truerank.reliability.pair.comparing import before_arms

    if scores.qrels is not None or scores.judged_by_machine:
        return scores.read(progress, battles=True)
    files = [source for source in scores.sources if source == "-" or Path(source).exists()]
    names = [source for source in scores.sources if source not in files]
    if files and names:
        for name in names:
            folder = Path(name).parent
            if name.lower().endswith(OF_FILES) or (folder != Path() and folder.is_dir()):
                raise InputError(f"{name}: no such file; check the path")
        named = [] if claim.baseline is None else ["--baseline", claim.baseline]
        for wanted in claim.candidate or ():
            named += ["--candidate", wanted]
        for name in names:
            named += ["--candidate" if "--baseline" in named else "--baseline", name]
        use = shlex.join(["truerank", "gate", *files, *named])
        raise InputError(f"{names[0]}: no such file, and systems are named by options. Use: {use}")
    kept: Any = before_arms(scores.missing)  # the arms fill the cells, so here they may stay empty
    return replace(scores, missing=kept).read(progress, battles=True)


def _with_release(
    table: ScoreMatrix, path: str, baseline: str | None, options: ReadOptions
) -> tuple[ScoreMatrix, str]:
    """The table with a release's scores as its first system, and the name of the release there."""
    import numpy as np

    from truerank.readers.joining import check_topics
    from truerank.readers.score_reading import read_with

    measure = table.measure.removeprefix("−") or None
    own = [text for text in options.direction if text.startswith(f"{measure}=")]
    release = read_with(path, replace(options, measure=measure, missing="model", direction=own))
    if baseline is None and release.m > 1:
        raise InputError(f"{path}: {release.m} systems; --baseline says which of them is the release")
    name = release.systems[0] if baseline is None else baseline
    if name not in release.systems:
        raise unknown_name("system of the release", name, release.systems)
    check_topics([table.source or "the scores", path], [table, release])
    rows = {key: t for t, key in enumerate(release.keys)}
    places = [rows.get(key) for key in table.keys]
    scores = release.values[:, release.systems.index(name)]
    column = np.array([np.nan if place is None else scores[place] for place in places])
    shown = name if name not in table.systems else f"{name} ({Path(path).name})"
    values = np.column_stack([column, table.values])
    values.setflags(write=False)
    return replace(table, values=values, systems=(shown, *table.systems)), shown
