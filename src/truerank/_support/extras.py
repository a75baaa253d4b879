"""Packages that only some need, and the one line that says what to install where they are missing."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.util import find_spec

from truerank.errors import MissingPackagesError


@dataclass(frozen=True)
class Extra:
    """Packages that are installed together, by ``pip install 'truerank[NAME]'``.

    Attributes:
        name: in pyproject.toml.
        use: what is done with them, in the plural.
        modules: that are imported; the packages are called the same, with ``-`` for ``_``.
    """

    name: str
    use: str
    modules: tuple[str, ...]


PLOTS = Extra("plots", "pages and figures", ("altair", "vl_convert", "latex2mathml"))
FRAMES = Extra("frames", "data frames", ("pandas",))
PARQUET = Extra("parquet", "Parquet files", ("pyarrow",))
COPULAS = Extra("copulas", "vine copulas", ("pyvinecopulib",))
EXPERIMENTS = Extra("experiments", "experiments", ("pyarrow", *PLOTS.modules, "cloudpickle"))
CLUSTER = Extra("cluster", "Dask clusters", ("dask", "distributed"))


def missing(extra: Extra) -> str:
    """What to install for an extra, without a full stop; empty where all is there. Nothing is imported."""
    return _told(extra, extra.use)


def require(extra: Extra, use: str = "") -> None:
    """Refuse to begin what cannot be ended for want of packages."""
    if told := _told(extra, use or extra.use):
        raise MissingPackagesError(told)


def _told(extra: Extra, use: str) -> str:
    absent = [module.replace("_", "-") for module in extra.modules if not _is_there(module)]
    if not absent:
        return ""
    *others, last = absent
    named = f"{', '.join(others)} and {last}" if others else last
    return f"{use} need {named}: pip install 'truerank[{extra.name}]'"


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None
    try:
        return find_spec(module) is not None
    except ImportError:  # somebody looks for modules before Python does, and refuses this one
        return False
