"""What scores new systems by the kept topics, and its file."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from truerank._support.files import PathLike, read_text
from truerank._support.outputs import write_file
from truerank._support.plain import Written, checksum
from truerank._support.types import Vector
from truerank.errors import InputError

FORMAT = "truerank-reduction"
VERSION = 1


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
    for_: str
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
        model = self.to_dict()
        document = {"format": FORMAT, "version": VERSION, "checksum": checksum(model), "model": model}
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
    document: Any = None
    with suppress(ValueError, RecursionError):
        document = json.loads(read_text(path))
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(
            f"{path}: this is not a model of a reduction. Write one with 'truerank reduce choose'."
        )
    if document.get("version") != VERSION:
        raise InputError(
            f"{path}: written by another version of truerank. Run 'truerank reduce choose' again."
        )
    model, whole = document.get("model"), False
    with suppress(ValueError):
        whole = document.get("checksum") == checksum(model)
    if not whole or not isinstance(model, dict) or model.keys() != {item.name for item in fields(Model)}:
        raise InputError(
            f"{path}: the model was changed or damaged after it was written. "
            "Run 'truerank reduce choose' again."
        )
    known = tuple(KnownSystem(**one) for one in model["known"])
    lists: dict[str, Any] = {
        "topics": tuple(model["topics"]),
        "weights": tuple(model["weights"]),
        "known": known,
    }
    return Model(**(model | lists))
