"""The experiments by name."""

from __future__ import annotations

from importlib import import_module

from truerank._support.registry import Registry
from truerank.experiments.engine.experiment import Experiment

STUDIES = (
    "estimators",
    "intervals",
    "sample_size",
    "measures",
    "pools",
    "incomplete",
    "pseudo_qrels",
    "three_systems",
    "allowed_ranks",
    "random_rankings",
    "documents",
)
"""Modules of the package's own experiments, each with its ``EXPERIMENT``."""

EXPERIMENTS: Registry[Experiment] = Registry("experiment")
"""The experiments by name.

Example:
    >>> from truerank.experiments import EXPERIMENTS
    >>> "estimators" in EXPERIMENTS
    True
"""
register = EXPERIMENTS.register
"""Make an experiment known by its name, to :func:`truerank.experiments.run` and the command line.

Example:
    >>> from truerank.experiments import EXPERIMENTS, register
    >>> register(EXPERIMENTS["estimators"])
    Traceback (most recent call last):
    truerank.errors.InputError: experiment 'estimators' exists already; choose another name
"""

for _study in STUDIES:
    register(import_module(f"truerank.experiments.studies.{_study}").EXPERIMENT)
