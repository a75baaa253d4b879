"""The papers' experiments, and the engine that runs them: resumable, on one machine or a cluster.

An experiment is a grid of small independent tasks, each with its own seed. An executor runs them, finished
chunks are stored, and a summary turns the stored rows into tables and figures. One experiment is one file;
:func:`register` adds another.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from truerank._support.rooms import no_function

if TYPE_CHECKING:
    from truerank.experiments.engine.execution import run, show
    from truerank.experiments.engine.experiment import Experiment, Grid, option, table
    from truerank.experiments.experiment_registry import EXPERIMENTS, register

_HOME_OF = {
    "EXPERIMENTS": "experiment_registry",
    "Experiment": "engine.experiment",
    "Grid": "engine.experiment",
    "option": "engine.experiment",
    "register": "experiment_registry",
    "run": "engine.execution",
    "show": "engine.execution",
    "table": "engine.experiment",
}

__all__ = ["EXPERIMENTS", "Experiment", "Grid", "option", "register", "run", "show", "table"]


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


no_function(__name__, "experiments.run(name, sources, folder)")
