"""The experiments by name."""

from __future__ import annotations

from truerank._support.registry import Registry
from truerank.experiments.engine.experiment import Experiment
from truerank.experiments.studies.allowed_ranks import ALLOWED_RANKS_EXPERIMENT
from truerank.experiments.studies.boards import BOARDS_EXPERIMENT
from truerank.experiments.studies.calibration import CALIBRATION_EXPERIMENT
from truerank.experiments.studies.documents import DOCUMENTS_EXPERIMENT
from truerank.experiments.studies.estimators import ESTIMATORS_EXPERIMENT
from truerank.experiments.studies.gate import GATE_EXPERIMENT
from truerank.experiments.studies.incomplete import INCOMPLETE_EXPERIMENT
from truerank.experiments.studies.intervals import INTERVALS_EXPERIMENT
from truerank.experiments.studies.joint_ranks import JOINT_RANKS_EXPERIMENT
from truerank.experiments.studies.machine_judges import MACHINE_EXPERIMENT
from truerank.experiments.studies.measures import MEASURES_EXPERIMENT
from truerank.experiments.studies.planning import PLANNING_EXPERIMENT
from truerank.experiments.studies.pools import POOLS_EXPERIMENT
from truerank.experiments.studies.pseudo_qrels import PSEUDO_QRELS_EXPERIMENT
from truerank.experiments.studies.random_rankings import RANDOM_RANKINGS_EXPERIMENT
from truerank.experiments.studies.sample_size import SAMPLE_SIZE_EXPERIMENT

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

for _experiment in (
    ESTIMATORS_EXPERIMENT,
    INTERVALS_EXPERIMENT,
    CALIBRATION_EXPERIMENT,
    JOINT_RANKS_EXPERIMENT,
    BOARDS_EXPERIMENT,
    MACHINE_EXPERIMENT,
    SAMPLE_SIZE_EXPERIMENT,
    PLANNING_EXPERIMENT,
    MEASURES_EXPERIMENT,
    POOLS_EXPERIMENT,
    INCOMPLETE_EXPERIMENT,
    PSEUDO_QRELS_EXPERIMENT,
    ALLOWED_RANKS_EXPERIMENT,
    RANDOM_RANKINGS_EXPERIMENT,
    DOCUMENTS_EXPERIMENT,
    GATE_EXPERIMENT,
):
    register(_experiment)
