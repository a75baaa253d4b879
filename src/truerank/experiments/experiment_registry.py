"""The experiments by name."""

from __future__ import annotations

from truerank._support.registry import Registry
from truerank.experiments.experiment import Experiment
from truerank.experiments.studies import (
    documents,
    intervals,
    judged,
    measures,
    reorderings,
    sample_size,
    three_systems,
)

EXPERIMENTS: Registry[Experiment] = Registry(
    "experiment",
    intervals.ESTIMATION,
    intervals.EXPERIMENT,
    sample_size.EXPERIMENT,
    measures.EXPERIMENT,
    judged.POOLS,
    judged.INCOMPLETE,
    judged.PSEUDO_QRELS,
    three_systems.EXPERIMENT,
    reorderings.ALLOWED_RANKS,
    reorderings.RANDOM_RANKINGS,
    documents.EXPERIMENT,
)
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
