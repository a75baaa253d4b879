"""Rank correlation coefficients: between two given rankings, and as weights of pairs of ranks."""

from truerank.coefficients.between_rankings import (
    kendall_interval,
    rbo,
    tau,
    tau_a,
    tau_ap,
    tau_ap_a,
    tau_ap_b,
    tau_b,
    tied_ranks,
)
from truerank.coefficients.pair_weights import COEFFICIENTS, TAU, TAU_AP, Coefficient, register

__all__ = [
    "COEFFICIENTS",
    "TAU",
    "TAU_AP",
    "Coefficient",
    "kendall_interval",
    "rbo",
    "register",
    "tau",
    "tau_a",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_b",
    "tied_ranks",
]
