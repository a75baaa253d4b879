"""Imports at first use, and packages that may be missing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import LazyLoader, find_spec, module_from_spec
from typing import Any

from truerank.errors import MissingPackagesError


def postpone(*names: str) -> None:
    """Import modules of a package at their first use, except those that are imported already.

    `scipy.special` copies every name of NumPy’s, which would import its Fortran compiler and test modules and
    take longer than an assessment.
    """
    for name in names:
        package, _, short = name.rpartition(".")
        spec = None if name in sys.modules else find_spec(name)
        if spec is None or spec.loader is None:
            continue
        loader = LazyLoader(spec.loader)
        spec.loader = loader
        module = module_from_spec(spec)
        sys.modules[name] = module
        setattr(sys.modules[package], short, module)
        loader.exec_module(module)


def opened_when_used(
    package: str, homes: Mapping[str, str], modules: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package."""
    home_of = {name: f"truerank.{home}" for home, names in homes.items() for name in names.split()}

    def opened(name: str) -> Any:
        if name in home_of:
            return getattr(import_module(home_of[name]), name)
        if name in modules.split():
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return opened, lambda: sorted([*sys.modules[package].__all__, *modules.split()])


@dataclass(frozen=True)
class Extra:
    """Packages that are installed together, by ``pip install 'truerank[NAME]'``."""

    name: str  # in pyproject.toml
    use: str  # what needs them, in the plural
    modules: tuple[str, ...]  # imported; the packages have the same names, with `-` for `_`


PLOTS = Extra("plots", "figures", ("altair", "vl_convert"))
FRAMES = Extra("frames", "data frames", ("pandas",))
PARQUET = Extra("parquet", "Parquet files", ("pyarrow",))
COPULAS = Extra("copulas", "vine copulas", ("pyvinecopulib",))
EXPERIMENTS = Extra("experiments", "experiments", ("pyarrow", *PLOTS.modules, "cloudpickle"))
CLUSTER = Extra("cluster", "Dask clusters", ("dask", "distributed"))


def require(extra: Extra, use: str = "") -> None:
    """Check for required packages before starting; nothing is imported."""
    absent = [module.replace("_", "-") for module in extra.modules if not _is_there(module)]
    if absent:
        *others, last = absent
        named = f"{', '.join(others)} and {last}" if others else last
        raise MissingPackagesError(f"{use or extra.use} need {named}: pip install 'truerank[{extra.name}]'")


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None
    try:
        return find_spec(module) is not None
    except ImportError:  # an import hook refuses this module
        return False
