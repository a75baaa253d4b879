"""Verdicts that may be looked at more than once: after every topic, or at planned looks."""

from typing import TYPE_CHECKING

from truerank._support.imports import opened_when_used

if TYPE_CHECKING:
    from truerank.comparison.sequential.deciding import SequentialDecision, SequentialGate, sequential_gate
    from truerank.comparison.sequential.monitor import Monitor
    from truerank.comparison.sequential.rules import Course

__all__ = ["Course", "Monitor", "SequentialDecision", "SequentialGate", "sequential_gate"]

__getattr__, __dir__ = opened_when_used(
    __name__,
    {
        "comparison.sequential.deciding": "SequentialDecision SequentialGate sequential_gate",
        "comparison.sequential.monitor": "Monitor",
        "comparison.sequential.rules": "Course",
    },
)
