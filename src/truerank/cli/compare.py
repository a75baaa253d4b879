"""`truerank compare`: do rankings of the same systems really differ?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import typer

from truerank.cli.files import Files
from truerank.cli.options import Group, Seed, grouped, naming_gate, progress_bar
from truerank.cli.rankings import Rankings

if TYPE_CHECKING:
    from truerank.comparison import Comparison, MachineAlone
    from truerank.comparison.distance import BootstrapDistribution


@dataclass(kw_only=True)
class Method(Group):
    """How rankings are compared."""

    heading: ClassVar[str] = "Comparison"

    resamples: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, show_default="10000", help="Bootstrap resamples behind p."),
    ] = None
    ridge: Annotated[
        float | None,
        typer.Option(metavar="λ", min=0.0, show_default="by rule", help="Ridge term λ of the rank distance."),
    ] = None
    regularize: Annotated[
        Literal["differences", "scores"],
        typer.Option(metavar="WHAT", help="Target of λ: differences or scores."),
    ] = "differences"
    rbo_p: Annotated[float, typer.Option("--rbo-p", metavar="P", help="Persistence of RBO.")] = 0.9
    swaps: Annotated[int, typer.Option(metavar="N", min=0, help="Number of wrong pairs to name.")] = 10
    resamples_file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Saved resamples of REFERENCE: a file, a folder, web2010-ap or web2010-p10."
        ),
    ] = None
    save_resamples: Annotated[
        str | None, typer.Option(metavar="FILE", help="Save the resamples for other rankings.")
    ] = None
    seed: Seed = 0

    def check(self, alone: bool) -> None:
        """Refuse options that do not go together, or that a machine's ranking has no use for."""
        if self.resamples_file and self.resamples is not None:
            raise typer.BadParameter("--resamples is for new resamples; saved ones have their own number")
        for item in fields(self):
            if alone and item.name not in ("swaps", "seed") and getattr(self, item.name) != item.default:
                option = item.name.replace("_", "-")
                raise typer.BadParameter(f"--{option} is for other rankings, not for --machine")


@grouped
def compare(rankings: Rankings, method: Method, files: Files) -> None:
    """How close are other rankings to reference scores, and is the difference more than chance?"""
    from truerank.comparison import Comparison, MachineAlone
    from truerank.comparison.against_reference import short_names

    rankings.check()
    method.check(alone=bool(rankings.machine))
    saved = method.resamples_file if Path(method.resamples_file or "").is_file() else None
    kind = MachineAlone if rankings.machine else Comparison
    with files.opened(
        "compare", [*rankings.files, saved], kind, short_names(rankings.others or [])
    ) as outputs:
        outputs.file(method.save_resamples, "--save-resamples")
        with naming_gate(rankings.gate_command):
            results = (
                _alone(rankings, method) if rankings.machine else _compared(rankings, method, files.quiet)
            )
        if method.save_resamples is not None:
            outputs.add(method.save_resamples, _one_distribution(results).to_json())
        seen = files.seen(results)
        files.write(outputs, seen)
    files.show(seen)


def _alone(rankings: Rankings, method: Method) -> list[MachineAlone]:
    from truerank.comparison import machine_alone

    return [machine_alone(rankings.beside_machine(), named=method.swaps, seed=method.seed)]


def _compared(rankings: Rankings, method: Method, quiet: bool) -> list[Comparison]:
    from truerank.comparison import compare
    from truerank.comparison.distance.bootstrap import RESAMPLES

    with progress_bar(quiet) as progress:
        table, others = rankings.read(progress)
    with progress_bar(quiet) as progress:
        result: Comparison | list[Comparison] = compare(
            table,
            *others,
            labels=rankings.others,
            resamples=method.resamples or RESAMPLES,
            seed=method.seed,
            ridge=method.ridge,
            regularize=method.regularize,
            distribution=method.resamples_file,
            rbo_p=method.rbo_p,
            swaps=method.swaps,
            progress=progress,
        )
    return result if isinstance(result, list) else [result]


def _one_distribution(results: Sequence[Comparison | MachineAlone]) -> BootstrapDistribution:
    """The bootstrap distribution of all comparisons."""
    from truerank.comparison import Comparison

    made = {
        item.distance.distribution.fingerprint: item.distance.distribution
        for item in results
        if isinstance(item, Comparison)
    }
    if len(made) > 1:
        raise typer.BadParameter("the rankings lack different systems; save the resamples of one at a time")
    return next(iter(made.values()))
