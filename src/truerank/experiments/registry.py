"""The experiments by name."""

from __future__ import annotations

from truerank.experiments.allowed_ranks import ALLOWED_RANKS_EXPERIMENT
from truerank.experiments.calibration import CALIBRATION_EXPERIMENT
from truerank.experiments.documents import DOCUMENTS_EXPERIMENT
from truerank.experiments.estimators import ESTIMATORS_EXPERIMENT
from truerank.experiments.experiment import Experiment
from truerank.experiments.incomplete import INCOMPLETE_EXPERIMENT
from truerank.experiments.intervals import INTERVALS_EXPERIMENT
from truerank.experiments.measures import MEASURES_EXPERIMENT
from truerank.experiments.pools import POOLS_EXPERIMENT
from truerank.experiments.pseudo_qrels import PSEUDO_QRELS_EXPERIMENT
from truerank.experiments.sample_size import SAMPLE_SIZE_EXPERIMENT
from truerank.registry import Registry

EXPERIMENTS: Registry[Experiment] = Registry("experiment")
register = EXPERIMENTS.register

for _experiment in (
    ESTIMATORS_EXPERIMENT,
    INTERVALS_EXPERIMENT,
    CALIBRATION_EXPERIMENT,
    SAMPLE_SIZE_EXPERIMENT,
    MEASURES_EXPERIMENT,
    POOLS_EXPERIMENT,
    INCOMPLETE_EXPERIMENT,
    PSEUDO_QRELS_EXPERIMENT,
    ALLOWED_RANKS_EXPERIMENT,
    DOCUMENTS_EXPERIMENT,
):
    register(_experiment)
