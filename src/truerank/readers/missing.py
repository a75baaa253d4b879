"""What to do about a score that is not there: refuse, count it as zero, or leave its topic out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from truerank.errors import InputError, unknown_name
from truerank.readers.wording import count

Missing = Literal["error", "zero", "drop-topic"]

POLICIES = ("error", "zero", "drop-topic")


def check_policy(missing: str) -> None:
    """Refuse a policy that does not exist.

    Raises:
        UnknownNameError: not one of :data:`POLICIES`.
    """
    if missing not in POLICIES:
        raise unknown_name("way to treat missing scores", missing, POLICIES)


def treat_missing(
    values: NDArray[np.float64],
    topics: Sequence[str],
    systems: Sequence[str],
    missing: Missing,
    place: Callable[[int, int], str],
    source: str,
) -> tuple[NDArray[np.float64], list[str], list[str]]:
    """Treat the missing scores (NaN) of a topics × systems array as the policy says.

    Args:
        values: n × m scores; changed in place.
        topics: n names.
        systems: m names.
        missing: the policy.
        place: where the score of topic t and system s should be, as the start of a message.
        source: where the scores come from, as the start of a message.

    Returns:
        The scores without NaN, the topics that are left, and notes on what was done.

    Raises:
        InputError: a score is missing and the policy is ``error``; or nothing can be compared.
    """
    check_policy(missing)
    absent = np.isnan(values)
    number = int(absent.sum())
    if number == 0:
        return values, list(topics), []
    n, m = values.shape
    if m > 1 and (~absent).sum(axis=1).max() < 2:
        raise InputError(f"{source}no topic has scores of two systems; give systems that share topics")
    if missing == "error":
        t, s = np.argwhere(absent)[0]
        more = f" ({number} scores are missing in all)" if number > 1 else ""
        raise InputError(
            f"{place(int(t), int(s))}system {systems[s]!r} has no score on topic {topics[t]!r}{more}; "
            "add it, or use --missing zero or --missing drop-topic of truerank assess"
        )
    if missing == "zero":
        values[absent] = 0.0
        return values, list(topics), [f"{number} of {count(n * m, 'score')} missing, counted as zero"]
    kept = np.flatnonzero(~absent.any(axis=1))
    if len(kept) == 0:
        raise InputError(
            f"{source}every topic lacks the score of some system, so --missing drop-topic leaves none; "
            "use --missing zero or leave out the incomplete systems"
        )
    note = f"{n - len(kept)} of {count(n, 'topic')} left out, for want of {count(number, 'score')}"
    return values[kept], [topics[t] for t in kept.tolist()], [note]
