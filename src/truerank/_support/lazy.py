"""Modules of others that are imported by accident: kept for when somebody uses them."""

from __future__ import annotations

import sys
from importlib.util import LazyLoader, find_spec, module_from_spec


def postpone(name: str) -> None:
    """Import a module of a package at its first use, unless it is imported already.

    `scipy.special` copies every name of NumPy's and so imports the compiler of Fortran wrappers, which takes
    longer than an assessment.
    """
    package, _, short = name.rpartition(".")
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    loader = LazyLoader(spec.loader)
    spec.loader = loader
    module = module_from_spec(spec)
    sys.modules[name] = module
    setattr(sys.modules[package], short, module)
    loader.exec_module(module)
