"""The compiled functions of `scipy.special`, without the rest of it, which is slow to import.

What `scipy.special` has in Python alone is imported with all of it, at first use.
"""

from __future__ import annotations

import sys
import threading
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def __getattr__(name: str) -> Any:
    if name.startswith("_"):  # Python asks for __path__ at every import
        raise AttributeError(name)
    found = getattr(_compiled(), name, None)
    return getattr(import_module("scipy.special"), name) if found is None else found


@cache
def _compiled() -> ModuleType:
    """The module of compiled functions: its package is unexecuted for a moment, so no thread may see it."""
    package = "scipy.special"
    spec = find_spec(package)
    if package in sys.modules or spec is None or threading.active_count() > 1:
        return import_module(package)
    sys.modules[package] = module_from_spec(spec)
    try:
        return import_module(f"{package}._ufuncs")
    except ImportError:
        return ModuleType("none")
    finally:
        del sys.modules[package]
