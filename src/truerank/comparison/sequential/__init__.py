"""Verdicts that may be looked at more than once: after every topic, or at planned looks."""

from truerank.comparison.sequential.course import Course
from truerank.comparison.sequential.monitor import Monitor

__all__ = ["Course", "Monitor"]
