"""The model that scores new systems by the kept topics, and its file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truerank._support.files import PathLike, read_text
from truerank._support.outputs import write_file
from truerank._support.plain import Written
from truerank._support.saved import SavedModel
from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.scores import ScoreMatrix

Purpose = Literal["better", "like"]
"""Which new systems a reduction is for: better ones than all known, or ones like them.

Example:
    >>> from typing import get_args
    >>> from truerank.reducing import Purpose
    >>> get_args(Purpose)
    ('better', 'like')
"""

SAVED = SavedModel("truerank-reduction", 1, "model of a reduction", "truerank reduce choose")


def row_names(scores: ScoreMatrix) -> Sequence[str]:
    """What the rows are called: data sets where each has one topic."""
    return scores.data_set_of_each or scores.topics


@dataclass(frozen=True)
class KnownSystem:
    """A system of the full board.

    Attributes:
        system: its name.
        mean: its score there.
        variance: over topics: of its score, for ``better``; of its differences from the other systems, on
            average, for ``like``.

    Example:
        >>> KnownSystem("bm25", mean=0.31, variance=0.04).mean
        0.31
    """

    system: str
    mean: float
    variance: float


@dataclass(frozen=True, eq=False)
class Model(Written):
    """The kept topics as a scale for new systems.

    Attributes:
        measure: its name; empty when unknown.
        noun: what a topic is called.
        direction: which scores are better, where that was read.
        for_: ``better`` or ``like``.
        topics: k names, in the order chosen.
        weights: k.
        intercept: what is added to the weighted sum.
        all_topics: n.
        families: F, groups of near-copies among the known systems.
        error: s_e, root mean square of the errors of systems held out; 0 for ``better``.
        spread: variance of a system's scores over topics, on average over the known systems.
        binary: whether all scores are 0 or 1.
        known: the systems of the full board.

    Example:
        >>> import numpy as np, truerank
        >>> known = np.random.default_rng(1).normal(np.linspace(0.3, 0.7, 15), 0.2, (50, 15))
        >>> model = truerank.reduce(known, keep=10, repeats=1).model
        >>> len(model.topics), len(model.known), model.intercept
        (10, 15, 0.0)
    """

    measure: str
    noun: str
    direction: str
    for_: Purpose
    topics: tuple[str, ...]
    weights: tuple[float, ...]
    intercept: float
    all_topics: int
    families: int
    error: float
    spread: float
    binary: bool
    known: tuple[KnownSystem, ...]

    @property
    def means(self) -> Vector:
        """Scores of the known systems."""
        return np.array([one.mean for one in self.known])

    def text(self) -> str:
        """The file's text: format, version, checksum and model."""
        document = SAVED.document(self.to_dict())
        return json.dumps(document, allow_nan=False, ensure_ascii=False, indent=1) + "\n"

    def save(self, path: PathLike) -> None:
        """Write the model to a JSON file; an older one of that name is replaced.

        Raises:
            InputError: a folder that is missing or not writable.
        """
        write_file(path, self.text())


def load(path: PathLike) -> Model:
    """A model that :meth:`Reduction.save` or ``truerank reduce choose`` wrote.

    Args:
        path: the file, ``model.json``.

    Returns:
        The model.

    Raises:
        InputError: another file, a damaged one, or one of a newer truerank.

    Example:
        >>> import tempfile, numpy as np, truerank
        >>> known = np.random.default_rng(1).random((40, 12))
        >>> path = tempfile.mkdtemp() + "/model.json"
        >>> truerank.reduce(known, keep=10).save(path)
        >>> len(load(path).topics)
        10
    """
    model = SAVED.read(read_text(path), str(path))
    try:
        known = tuple(KnownSystem(**one) for one in model["known"])
        lists = {"topics": tuple(model["topics"]), "weights": tuple(model["weights"]), "known": known}
        return Model(**(model | lists))
    except (KeyError, TypeError):
        raise InputError(f"{path}: a broken {SAVED.what}; run '{SAVED.command}' again") from None
