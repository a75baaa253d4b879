"""A against B: a verdict against a margin, for people and for pipelines."""

from truerank.comparison.gate.deciding import gate
from truerank.comparison.gate.decision import Decision, Gate
from truerank.reliability.pair.contrast import VERDICTS, Verdict

__all__ = ["VERDICTS", "Decision", "Gate", "Verdict", "gate"]
