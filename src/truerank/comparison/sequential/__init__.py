"""Verdicts that may be looked at more than once: after every topic, or at planned looks."""

from truerank.comparison.sequential.course import Course
from truerank.comparison.sequential.deciding import sequential_gate
from truerank.comparison.sequential.monitor import Monitor
from truerank.comparison.sequential.results import Sequential, SequentialDecision, SequentialGate

__all__ = [
    "Course",
    "Monitor",
    "Sequential",
    "SequentialDecision",
    "SequentialGate",
    "sequential_gate",
]
