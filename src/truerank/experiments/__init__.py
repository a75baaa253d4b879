"""The papers' experiments, and the engine that runs them: resumable, on one machine or a cluster.

An experiment is a grid of small independent tasks, each with its own seed. An executor runs them, finished
chunks are stored, and a summary turns the stored rows into tables and figures. :func:`register` adds another.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truerank._support.imports import opened_when_used

if TYPE_CHECKING:
    from truerank.experiments.execution import EXPERIMENTS, register, run, show
    from truerank.experiments.experiment import Experiment, Grid, Summary, option, table

__all__ = ["EXPERIMENTS", "Experiment", "Grid", "Summary", "option", "register", "run", "show", "table"]

__getattr__, __dir__ = opened_when_used(
    __name__,
    {
        "experiments.execution": "EXPERIMENTS register run show",
        "experiments.experiment": "Experiment Grid Summary option table",
    },
)
