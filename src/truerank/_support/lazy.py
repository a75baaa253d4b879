"""Modules of others that are imported by accident: kept for when somebody uses them."""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec


def postpone(*names: str) -> None:
    """Import modules of a package at their first use, except those that are imported already.

    `scipy.special` copies every name of NumPy’s. That imports a compiler of Fortran wrappers and what tests
    are written with, which takes longer than an assessment.
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
