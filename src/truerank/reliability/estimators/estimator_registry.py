"""The estimators by name; the first leads wherever it was asked for."""

from __future__ import annotations

from truerank._support.registry import Registry
from truerank.reliability.estimators.eb import EB
from truerank.reliability.estimators.estimator import Estimator
from truerank.reliability.estimators.kd import KD
from truerank.reliability.estimators.ml import ML
from truerank.reliability.estimators.msqd import MSQD
from truerank.reliability.estimators.res import RES
from truerank.reliability.estimators.split_half import SH, SH_W, SH_WO

ESTIMATORS: Registry[Estimator] = Registry("estimator")
register = ESTIMATORS.register

for _estimator in (EB, ML, MSQD, RES, KD, SH_W, SH_WO, SH):
    register(_estimator)
