"""The verdict: what the bounds of a difference say against a margin."""

from __future__ import annotations

from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["better", "pass", "undecided", "fail"]
"""What a gate says of a candidate.

Example:
    >>> from typing import get_args
    >>> from truerank.comparison.gate import Verdict
    >>> get_args(Verdict)
    ('better', 'pass', 'undecided', 'fail')
"""

VERDICTS: tuple[Verdict, ...] = ("better", "pass", "undecided", "fail")
"""From the best to the worst.

Example:
    >>> from truerank.comparison.gate import VERDICTS
    >>> VERDICTS.index("better") < VERDICTS.index("fail")
    True
"""


def verdict_of(better: bool, within: bool, beyond: bool) -> Verdict:
    """The first that is sure at the level: *better*, *pass*, *fail*; else *undecided*.

    >>> verdict_of(False, True, False), verdict_of(False, False, False)
    ('pass', 'undecided')
    """
    if better:
        return "better"
    if within:
        return "pass"
    return "fail" if beyond else "undecided"
