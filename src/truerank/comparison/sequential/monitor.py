"""`Monitor`: a verdict that may be looked at after every topic, and goes on where it stopped."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truerank._support.arguments import either, setting
from truerank._support.display import Shown
from truerank._support.files import PathLike, checksum, read_text
from truerank.comparison.sequential.rules import Course, Method, rule_of
from truerank.errors import InputError, TruerankError, unknown_name
from truerank.numerics.error_spending import SPENDING, Spending, check_looks
from truerank.reliability.pair.comparing import check_level, check_margin, checked_range
from truerank.reliability.pair.contrast import VERDICTS, Verdict

FORMAT = "truerank monitor 1"

RENAME = (
    "If these are new {topics}, give them new names, for instance with the day; a file without names needs a "
    "column of them"
)
"""What to do about new topics that are called like those of earlier looks."""

Scores = float | Sequence[float | None] | Mapping[str, float | None]
Row = tuple[float, tuple[float | None, ...]]  # the scores of the baseline and of each candidate


class Monitor(Shown):
    """Is the candidate better than the baseline, or not worse by a margin? Asked after every topic.

    The verdict holds however often and why one looks: the chance of ever giving a false one is at most
    1 − level, for all candidates together. Topics must come in an order that was fixed before they were
    scored.

    Args:
        margin: how much worse still passes, in units of the score.
        level: of the interval over all looks, above ½ and below 1.
        range: the lowest and the highest score that there can be: then the verdict is exact at any number of
            topics. ``None``, where they are not known, needs `looks`.
        looks: numbers of topics at which alone there are verdicts, the last the largest: fewer topics for
            those who plan. With data sets: topics of each.
        spending: of planned looks: ``pocock`` or ``obrien-fleming``.
        candidates: their names, where there are several.
        data_sets: their names, or their weights by name, where there are several: a round is a topic of each.
        baseline: name of the system that is compared with; a state goes on only with the same one.
        measure: name of the measure; a state goes on only with the same one.

    Raises:
        InputError: a margin, level, range or looks that there cannot be.

    Example:
        >>> import truerank
        >>> monitor = truerank.Monitor(margin=0.1)
        >>> for topic in range(60):
        ...     state = monitor.update(f"q{topic}", 0.5 + 0.01 * (topic % 7), 0.55)
        >>> state.verdict, state.topics, round(state.low, 3), round(state.high, 3)
        ('pass', 60, -0.066, 0.105)
    """

    def __init__(
        self,
        margin: float = 0.0,
        level: float = 0.95,
        range: Sequence[float] | None = (0.0, 1.0),
        *,
        looks: Sequence[int] | None = None,
        spending: Spending = "pocock",
        candidates: Sequence[str] = (),
        data_sets: Sequence[str] | Mapping[str, float] = (),
        baseline: str = "",
        measure: str = "",
    ) -> None:
        check_level(level)
        self.range = None if range is None else checked_range(range)
        check_margin(margin)
        if self.range is not None and margin >= self.range[1] - self.range[0]:
            other = "range=(LOW, HIGH)" if looks is None else "range=(LOW, HIGH), or range=None"
            raise InputError(
                f"the margin {margin:g} is as wide as the range of scores ({self.range[0]:g} to "
                f"{self.range[1]:g}), so nothing could fail; for other scores give {other}"
            )
        if spending not in SPENDING:
            raise unknown_name("way to spend the error", spending, SPENDING)
        self.baseline, self.measure = str(baseline), str(measure)
        self.margin, self.level = float(margin), float(level)
        self.looks = None if looks is None else check_looks(looks)
        self.spending: Spending = spending
        self.source: str | None = None
        self._stored: str | None = None
        self.candidates = (candidates,) if isinstance(candidates, str) else tuple(candidates)
        if len(set(self.candidates)) < len(self.candidates):
            raise InputError(f"a candidate is named twice: {', '.join(self.candidates)}")
        self._given = dict(data_sets) if isinstance(data_sets, Mapping) else dict.fromkeys(data_sets, 1.0)
        weights = self._given or {"": 1.0}
        numbers = [weight if isinstance(weight, (int, float)) else -1.0 for weight in weights.values()]
        total = math.fsum(numbers)
        if not (min(numbers) >= 0 and 0 < total < math.inf):
            raise InputError("weights of data sets must be numbers of 0 or more, one of them above 0")
        self._weights = {name: weight / total for name, weight in weights.items()}
        rule = rule_of(self.range, self.looks, spending)
        self.method: Method = rule.method
        names = self.candidates or ("",)
        alpha = (1 - self.level) / 2 / len(names)  # of each end of the interval
        self._courses = {name: Course(rule, self.margin, alpha) for name in names}
        # Of each candidate the scores of the baseline and its own on topics that have both, by data set.
        self._pairs: dict[str, dict[str, list[tuple[float, float]]]]
        self._pairs = {name: {each: [] for each in weights} for name in names}
        self._topics: dict[tuple[str, str], Row] = {}

    def __repr__(self) -> str:
        return f"<Monitor: {self.verdict} after {self.topics} topics>"

    def update(self, topic: str, a: float, b: Scores, data_set: str | None = None) -> Monitor:
        """Take in the scores of one more topic.

        A topic that is known already, with the same scores, changes nothing.

        Args:
            topic: its name.
            a: the baseline's score.
            b: the candidate's; of several one each, in their order or by name, ``None`` where it has none.
            data_set: where there are several, the one that the topic is of.

        Returns:
            The monitor itself, for its verdict and bounds.

        Raises:
            InputError: a score outside the range, or a known topic with other scores.
            UnknownNameError: no such candidate or data set.
        """
        scores = self._scores(topic, a, b)
        if (data_set is None) == bool(self._given):
            raise InputError(f"topic {topic!r}: {'no data set' if self._given else 'no data sets are known'}")
        if data_set is not None and data_set not in self._given:
            raise unknown_name("data set", data_set, self._given)
        key = (data_set or "", str(topic))
        if self._topics.setdefault(key, scores) is not scores:
            if self._topics[key] != scores:
                raise InputError(
                    f"topic {topic!r} came with the scores {_listed(self._topics[key])} and now has "
                    f"{_listed(scores)}. "
                    + either(
                        "Give new topics new names; if known ones were scored anew, use a new Monitor",
                        RENAME.format(topics="topics")
                        + ". If known topics were scored anew, start a new state",
                    )
                )
            return self
        for (name, course), score in zip(self._courses.items(), scores[1], strict=True):
            pairs, rounds = self._pairs[name], len(course)
            if score is not None:
                pairs[key[0]].append((scores[0], score))
            if all(len(rows) > rounds for rows in pairs.values()):
                each = ((self._weights[k], *rows[rounds]) for k, rows in pairs.items())
                course.add(math.fsum(weight * (b - a) for weight, a, b in each))
        return self

    def _scores(self, topic: str, a: float, b: Scores) -> Row:
        if isinstance(b, Mapping):
            if unknown := [str(name) for name in b if name not in self.candidates]:
                raise unknown_name("candidate", unknown[0], self.candidates)
            each: list[Any] = [b.get(name) for name in self.candidates]
        else:
            each = list(b) if isinstance(b, Sequence | np.ndarray) else [b]
        if len(each) != len(self._courses):
            raise InputError(f"topic {topic!r}: {len(each)} scores for {len(self._courses)} candidates")
        own = self._score(topic, a)
        return own, tuple(None if one is None else self._score(topic, one) for one in each)

    def _score(self, topic: str, score: Any) -> float:
        try:
            found = float(score)
        except (TypeError, ValueError):
            found = math.nan
        if not math.isfinite(found):
            raise InputError(f"topic {topic!r}: {score!r} is not a finite number")
        if self.range is not None and not self.range[0] <= found <= self.range[1]:
            sign = -1 if self.measure.startswith("−") else 1  # as they are in the file
            low, high = sorted(sign * bound for bound in self.range)
            raise InputError(
                f"topic {topic!r}: the score {sign * found:g} is outside of {low:g} to {high:g}. "
                f"Give the range that scores can have with {setting('range')}"
            )
        return found

    @property
    def topics(self) -> int:
        """How many topics came."""
        return len(self._topics)

    @property
    def verdict(self) -> Verdict:
        """``better``, ``pass``, ``fail`` or ``undecided``; of several candidates the worst of these."""
        return max(self.verdicts.values(), key=VERDICTS.index)

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict on each candidate, by name."""
        return {name: course.verdict for name, course in self._courses.items()}

    @property
    def low(self) -> float:
        """The lower end of the interval, whenever one looks; −∞ where nothing bounds it."""
        return self.course().low

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.course().high

    @property
    def difference(self) -> float:
        """The mean difference at the last look, candidate minus baseline."""
        return self.course().difference

    def counted(self, candidate: str = "") -> int:
        """How many topics with a score of the candidate its difference, means and bounds are of."""
        return self._courses[candidate].counted * len(self._weights)

    def waiting(self, candidate: str = "") -> int:
        """How many more came: they wait for a topic of every other data set, or for the next look."""
        return sum(map(len, self._pairs[candidate].values())) - self.counted(candidate)

    def means(self, candidate: str = "") -> tuple[float, float]:
        """The mean scores of the baseline and the candidate on the counted topics, over data sets."""
        counted = self._courses[candidate].counted
        if not counted:
            return math.nan, math.nan
        means = [np.mean(rows[:counted], axis=0) for rows in self._pairs[candidate].values()]
        first, second = (list(self._weights.values()) @ np.array(means)).tolist()
        return first, second

    def course(self, candidate: str | None = None) -> Course:
        """What is known of one candidate: its verdict, difference and bounds.

        Raises:
            InputError: there are several, and none is named.
            UnknownNameError: no such candidate.
        """
        if candidate is None and len(self._courses) > 1:
            raise InputError("several candidates have bounds each; ask course(name)")
        name = next(iter(self._courses)) if candidate is None else candidate
        if name not in self._courses:
            raise unknown_name("candidate", name, self.candidates)
        return self._courses[name]

    @property
    def settings(self) -> dict[str, Any]:
        """What it was started with, as JSON-ready data."""
        return {
            "baseline": self.baseline,
            "measure": self.measure,
            "margin": self.margin,
            "level": self.level,
            "range": None if self.range is None else list(self.range),
            "looks": None if self.looks is None else list(self.looks),
            "spending": self.spending,
            "candidates": list(self.candidates),
            "data_sets": self._given,
        }

    def to_dict(self) -> dict[str, Any]:
        """All that it takes to go on, as JSON-ready data: the settings, and the scores in their order."""
        document = {
            "format": FORMAT,
            "settings": self.settings,
            "topics": [[name, *key, a, list(b)] for (*key, name), (a, b) in self._topics.items()],
        }
        return document | {"checksum": checksum(document)}

    @classmethod
    def from_dict(cls, document: Any, source: str = "the state") -> Monitor:
        """The monitor of :meth:`to_dict`.

        Raises:
            InputError: it is not a state, lacks a setting, or was changed.
        """
        if not isinstance(document, Mapping) or document.get("format") != FORMAT:
            raise InputError(f"{source}: not a state of a monitor; name another file, or one to be made")
        rest = {key: value for key, value in document.items() if key != "checksum"}
        try:
            if checksum(rest) != document.get("checksum"):
                raise InputError("damaged or edited (its checksum is wrong); start a new one")
            monitor = cls(**document["settings"])
            if missing := sorted(monitor.settings.keys() - document["settings"].keys()):
                raise InputError(f"the state does not say its {' and '.join(missing)}; start a new one")
            for name, data_set, a, b in document["topics"]:
                monitor.update(name, a, b, data_set or None)
        except TruerankError as error:
            raise InputError(f"{source}: {error}") from None
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            raise InputError(f"{source}: not a complete state of a monitor; start a new one") from None
        return monitor

    def to_json(self) -> str:
        """:meth:`to_dict` as text: the same topics give the same bytes."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=None) + "\n"

    def save(self, path: PathLike) -> None:
        """Write the state, whole or not at all; an older file is replaced.

        Raises:
            InputError: the file cannot be written there; or it is the one that was loaded, or saved last, and
                another process has written it since.
        """
        from truerank._support.outputs import write_file

        text = self.to_json()
        write_file(path, text, self._stored if str(path) == self.source else None)
        self.source, self._stored = str(path), text

    @classmethod
    def load(cls, path: PathLike) -> Monitor:
        """The monitor that was saved to a file.

        Raises:
            InputError: there is no such file, it is not a state, or it was changed.
        """
        text = read_text(path)
        try:
            document = json.loads(text)
        except (ValueError, RecursionError):
            document = None
        monitor = cls.from_dict(document, str(path))
        monitor.source, monitor._stored = str(path), text
        return monitor

    def __reduce__(self) -> tuple[Any, ...]:
        return (Monitor.from_dict, (self.to_dict(),))


def _listed(scores: Row) -> str:
    return " and ".join("none" if one is None else f"{one:g}" for one in (scores[0], *scores[1]))
