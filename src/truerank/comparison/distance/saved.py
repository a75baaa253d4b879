"""Saved bootstrap distributions to choose from: a file, a folder of them, or one that comes along by name."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path

from truerank._support.arguments import either
from truerank._support.files import PathLike
from truerank.comparison.distance.bootstrap import BootstrapDistribution
from truerank.comparison.distance.reference import Reference
from truerank.errors import InputError, unknown_name

SUFFIXES = (".json", ".json.gz")  # of the files of a folder that are looked into
LISTED = 8  # distributions of a folder that a message names


def embedded_distributions() -> tuple[str, ...]:
    """The names of the bootstrap distributions that come with the package.

    Each is of a collection that you can draw yourself: ``truerank simulate sample NAME --topics 150 --seed 1
    -o DIR``. NAME is the embedded simulation model of the same name.
    """
    names = (file.name for file in (resources.files(__package__) / "embedded").iterdir())
    return tuple(sorted(name.removesuffix(".json.gz") for name in names if name.endswith(".json.gz")))


@cache
def load_embedded_distribution(name: str) -> BootstrapDistribution:
    """A bootstrap distribution that comes with the package: 10,000 resamples, seed 0, λ by the rule.

    Origin and license are in ``embedded/ORIGIN.md`` beside the files.
    """
    if name not in embedded_distributions():
        raise unknown_name("embedded bootstrap distribution", name, embedded_distributions())
    with resources.as_file(resources.files(__package__) / "embedded" / f"{name}.json.gz") as path:
        return replace(BootstrapDistribution.load(path), source=name)


def find_distribution(where: PathLike, reference: Reference) -> BootstrapDistribution:
    """The saved bootstrap distribution of a reference.

    Args:
        where: a saved file, the name of an embedded distribution, or a folder. From a folder comes the
            distribution that fits the reference; of several, the one with the most resamples. A folder called
            like an embedded distribution is ``./NAME``.
        reference: the scores, with their λ.

    Returns:
        The distribution, made from these very scores and λ.

    Raises:
        InputError: there is no such thing, it is damaged, or it is of other scores or another λ; of a folder
            the message lists what there is.

    Example:
        >>> from truerank.simulation import load_embedded
        >>> reference = Reference.of(load_embedded("web2010-p10").sample(topics=150, seed=1))
        >>> round(find_distribution("web2010-p10", reference).critical_value(0.05), 2)
        5.78
    """
    path = Path(where)
    if path.is_file() or str(where) == "-":
        return _checked(BootstrapDistribution.load(where), reference, str(where))
    if str(where) in embedded_distributions():
        found = load_embedded_distribution(str(where))
        drawn = f"truerank simulate sample {where} --topics {found.topics} --seed 1 -o DIR"
        return _checked(found, reference, f"{where} (of what `{drawn}` draws)")
    if path.is_dir() and str(where):
        return _fitting(path, reference)
    known = ", ".join(embedded_distributions())
    raise InputError(
        f"{where}: no such file or folder, nor a bootstrap distribution that comes along ({known}); "
        "check the path"
    )


def _checked(found: BootstrapDistribution, reference: Reference, what: str) -> BootstrapDistribution:
    try:
        found.check(reference)
    except InputError as error:
        raise InputError(f"{what}: {error}") from None
    return found


def _fitting(folder: Path, reference: Reference) -> BootstrapDistribution:
    """The distribution of a folder that fits; unreadable files are reported only if none fits."""
    loaded: dict[str, BootstrapDistribution] = {}
    unread = 0
    for path in sorted(folder.iterdir()):
        if path.name.endswith(SUFFIXES) and not path.name.startswith(".") and path.is_file():
            try:
                loaded[path.name] = BootstrapDistribution.load(path)
            except InputError:
                unread += 1
    fitting = [found for found in loaded.values() if found.fits(reference)]
    if fitting:
        return max(fitting, key=lambda found: found.resamples)
    others = f"; {unread} more .json files are not saved bootstrap distributions" if unread else ""
    remedy = either(
        "make one with bootstrap_distribution(scores).save(path)",
        "make one with truerank compare REFERENCE OTHER --save-resamples FILE",
    )
    if not loaded:
        raise InputError(f"{folder}: no saved bootstrap distribution in this folder{others}; {remedy}")
    own = reference.scores
    wanted = _described(own.measure, own.n, own.m, reference.ridge, reference.regularize)
    listed = [
        f"{name} ({_described(d.measure, d.topics, d.systems, d.ridge, d.regularize)})"
        for name, d in loaded.items()
    ]
    more = f" and {len(listed) - LISTED} more" if len(listed) > LISTED else ""
    raise InputError(
        f"{folder}: none of its bootstrap distributions is of these scores ({wanted}); "
        f"there are {', '.join(listed[:LISTED])}{more}{others}; {remedy}"
    )


def _described(measure: str, topics: int, systems: int, ridge: float, regularize: str) -> str:
    what = f"{measure}, " if measure else ""
    return f"{what}{topics} topics, {systems} systems, ridge {ridge:g} on {regularize}"
