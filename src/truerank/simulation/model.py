"""Models that draw new topics for the same systems and know the truth: fitting, saving and loading them."""

from __future__ import annotations

import inspect
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator

from truerank._support.files import PathLike, SavedModel, read_text
from truerank._support.outputs import write_file
from truerank._support.registry import Entry, Registry, explained_from
from truerank._support.resources import one_blas_thread
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError, TruerankError, at, unknown_name
from truerank.readers import as_scores
from truerank.scores import ScoreMatrix
from truerank.simulation.margins import Margin

SAVED = SavedModel("truerank-simulation", 1, "simulation model", "truerank simulate fit")


@dataclass(frozen=True)
class Origin:
    """Where a model comes from."""

    topics: int = 0
    fingerprint: str = ""
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    changes: tuple[str, ...] = ()

    @classmethod
    def of(cls, scores: ScoreMatrix, seed: int, options: dict[str, Any]) -> Origin:
        return cls(scores.n, scores.fingerprint(), seed, options)

    def changed(self, what: str) -> Origin:
        return replace(self, changes=(*self.changes, what))

    def with_means(self, means: Mapping[str, float]) -> Origin:
        return self.changed("means of " + ", ".join(f"{system} = {mean:g}" for system, mean in means.items()))


class SimulationModel(ABC):
    """Draws test collections whose true means are known. Immutable. See docs/methods/simulation.md.

    Attributes:
        simulator: the name under which the simulator is registered.
        systems: m names.
        measure: what the scores are.
        origin: the fit that it comes from.

    Example:
        How close a ranking from 50 topics comes to the true one, in a world where that is known:

        >>> import truerank
        >>> from truerank.simulation import load_embedded
        >>> model = load_embedded("web2010-ap")
        >>> scores = model.sample(topics=50, seed=1)
        >>> scores.values.shape, model.true_means.shape
        ((50, 88), (88,))
        >>> 0.7 < truerank.tau(scores.means, model.true_means) < 1
        True
    """

    simulator: ClassVar[str]
    systems: tuple[str, ...]
    measure: str
    origin: Origin

    @property
    @abstractmethod
    def true_means(self) -> Vector:
        """The expected score of each system on a random topic; m, in the order of `systems`."""

    @abstractmethod
    def draw(self, topics: int, rng: Generator) -> Matrix:
        """Scores on that many new topics, topics × m."""

    @abstractmethod
    def body(self) -> dict[str, Any]:
        """What rebuilds the model, fit for JSON, besides what all models have."""

    def sample(self, topics: int, seed: int = 0, collection: int = 1) -> ScoreMatrix:
        """A new test collection: all systems on that many new random topics.

        Each (seed, collection) has a random stream of its own, so any subset of a series of
        collections can be drawn again, in any order and anywhere.

        Args:
            topics: how many, at least 1; named ``1 … topics``.
            seed: the same seed gives the same digits.
            collection: number in a series, from 1.

        Raises:
            InputError: fewer than one topic, or a seed or number that is none.
        """
        for what, value, least in (("topics", topics, 1), ("the collection's number", collection, 0)):
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if not whole or value < least:
                raise InputError(f"{what} must be a whole number, {least} or more, not {value!r}")
        values = self.draw(int(topics), stream(seed, "collection", int(collection)))
        return ScoreMatrix.build(values, None, self.systems, self.measure)

    def with_means(self, means: Mapping[str, float]) -> Self:
        """The model with other true means for some systems; a mean out of reach is an InputError."""
        raise InputError(f"the {self.simulator} simulator cannot change means; fit a copula model")

    def with_margin(self, system: str, margin: Margin | str) -> Self:
        """The model with another margin for a system, or with that of another system by its name."""
        raise InputError(f"the {self.simulator} simulator has no margins; fit a copula model")

    def index(self, system: str) -> int:
        """The column of a system."""
        try:
            return self.systems.index(system)
        except ValueError:
            raise unknown_name("system", system, self.systems) from None

    def to_json(self) -> dict[str, Any]:
        """The document that :meth:`save` writes: format, version, checksum and model."""
        model = {
            "simulator": self.simulator,
            "measure": self.measure,
            "systems": list(self.systems),
            "origin": asdict(self.origin) | {"changes": list(self.origin.changes)},
            **self.body(),
        }
        return SAVED.document(model)

    def save(self, path: PathLike) -> None:
        """Write the model to a JSON file, whole or not at all; an older one of that name is replaced.

        Kernel margins hold the scores that they were fitted to; parametric ones do not.

        Raises:
            InputError: a folder that is missing or not writable.
        """
        text = json.dumps(self.to_json(), allow_nan=False, separators=(",", ":"), ensure_ascii=False)
        write_file(path, text + "\n")


def common(model: Mapping[str, Any]) -> dict[str, Any]:
    origin = Origin(**{**model["origin"], "changes": tuple(model["origin"].get("changes", ()))})
    return {"systems": tuple(model["systems"]), "measure": model["measure"], "origin": origin}


ABOUT = explained_from(__file__)  # texts of the simulators, by name


@dataclass(frozen=True)
class Simulator(Entry):
    """A way of fitting a model to scores.

    Attributes:
        fit: from a ScoreMatrix, a keyword ``seed`` and its own keyword options to a model.
        read: from the document that the model's `body` wrote to the model.

    Example:
        >>> from truerank.scores import ScoreMatrix
        >>> from truerank.simulation import SIMULATORS
        >>> simulator = SIMULATORS["effects"]
        >>> scores = ScoreMatrix.build([[0.5, 0.1], [0.3, 0.2], [0.9, 0.4], [0.4, 0.1]])
        >>> simulator.fit(scores, seed=1, truth="original").true_means
        array([0.525, 0.2  ])
        >>> simulator.options
        ('normal', 'homoscedastic', 'uncorrelated', 'topics', 'truth')
    """

    fit: Callable[..., SimulationModel]
    read: Callable[[dict[str, Any]], SimulationModel]

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options that its fit takes, besides scores and seed."""
        names = inspect.signature(self.fit).parameters
        return tuple(name for name in names if name not in ("scores", "seed"))


SIMULATORS: Registry[Simulator] = Registry(
    "simulator", homes={"simulation.copula": "copula", "simulation.effects": "effects"}
)
"""The kinds of simulation models by name.

Example:
    >>> from truerank.simulation import SIMULATORS
    >>> list(SIMULATORS)
    ['copula', 'effects']
"""


def fit(scores: Any, simulator: str = "copula", *, seed: int = 0, **options: Any) -> SimulationModel:
    """Fit a model whose true means are known and that draws new topics for the same systems.

    Args:
        scores: a ScoreMatrix, a pandas data frame, an n × m array, or a path to a score table; scores
            in [0, 1].
        simulator: ``copula`` or ``effects``.
        seed: the same seed gives the same digits.
        **options: see :func:`~truerank.simulation.copula.fit_copula` and
            :func:`~truerank.simulation.effects.fit_effects`.

    Returns:
        The model, its m systems in the order of the scores.

    Raises:
        InputError: scores that cannot be simulated, or an option out of range.
        UnknownNameError: an unknown simulator, option, family …

    Example:
        >>> import numpy as np
        >>> scores = np.random.default_rng(1).beta(1, 3, (40, 1)) * [0.9, 0.7, 0.8]
        >>> model = fit(scores)
        >>> bool(np.allclose(model.true_means, scores.mean(axis=0)))
        True
        >>> model.sample(topics=100, seed=7).means.shape
        (3,)
    """
    chosen = SIMULATORS.find(simulator)
    for option in options:
        if option not in chosen.options:
            raise unknown_name(f"option of the {chosen.name} simulator", option, chosen.options)
    # For many small products, more BLAS threads are slower and might change a last digit.
    with one_blas_thread():
        return chosen.fit(as_scores(scores), seed=seed, **options)


def load(path: PathLike) -> SimulationModel:
    """The model that :meth:`SimulationModel.save` wrote.

    Args:
        path: of the file; it may be gzipped.

    Returns:
        The model, which draws the same digits as the one that was saved.

    Raises:
        InputError: no model, a newer version, or a file that was changed since it was written.
        UnknownNameError: a simulator or margin family that is not registered here.

    Example:
        >>> import tempfile
        >>> from pathlib import Path
        >>> model = load_embedded("web2010-p10")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(Path(folder) / "model.json")
        ...     again = load(Path(folder) / "model.json")
        >>> bool((again.sample(20, seed=1).values == model.sample(20, seed=1).values).all())
        True
    """
    return _read(read_text(path), str(path))


def embedded_models() -> tuple[str, ...]:
    """The names of the models that come with the package.

    Returns:
        Names for :func:`load_embedded`, in alphabetical order.

    Example:
        >>> embedded_models()
        ('web2010-ap', 'web2010-p10')
    """
    folder = resources.files("truerank.simulation") / "embedded"
    return tuple(
        sorted(file.name.removesuffix(".json") for file in folder.iterdir() if file.name.endswith(".json"))
    )


@cache
def load_embedded(name: str) -> SimulationModel:
    """A model that comes with the package: ``web2010-ap`` (continuous) or ``web2010-p10`` (discrete).

    Their origin and license are in ``embedded/ORIGIN.md`` beside them.

    Args:
        name: one of :func:`embedded_models`.

    Returns:
        The model; the same object at each call.

    Raises:
        UnknownNameError: there is none of that name.

    Example:
        >>> len(load_embedded("web2010-ap").systems)
        88
    """
    if name not in embedded_models():
        raise unknown_name("embedded model", name, embedded_models())
    file = resources.files("truerank.simulation") / "embedded" / f"{name}.json"
    return _read(file.read_text(encoding="utf-8"), name)


def _read(text: str, source: str) -> SimulationModel:
    model = SAVED.read(text, source)
    try:
        found = SIMULATORS.find(str(model["simulator"])).read(model)
        with np.errstate(all="ignore"):
            found.sample(2)  # parts that do not belong together show in a draw only
        return found
    except TruerankError as error:
        raise type(error)(f"{source}: {error}") from None
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RuntimeError) as error:
        raise InputError(f"{source}: a broken simulation model ({error!r}); fit it again") from None


DEEPEST = 100  # largest cutoff at which scores that are all multiples of 1/k are taken for P@k
FEWEST_PER_VALUE = 10  # a support found in the data needs this many scores a value
_AT_K = re.compile(r"(?:P|Precision|Success)[@_](\d+)", re.IGNORECASE)
_RR = re.compile(r"(?:M?RR|recip_rank)(?:[@_](\d+))?", re.IGNORECASE)


def check_unit_range(scores: ScoreMatrix) -> None:
    outside = np.argwhere((scores.values < 0) | (scores.values > 1))
    if len(outside) and scores.measure.startswith("−"):
        name = scores.measure[1:]
        raise InputError(
            f"{at(scores.source)}lower is better by {name!r}, and simulation needs scores in [0, 1] by which "
            f"higher is better: write 1 − {name} in its place, called so"
        )
    if len(outside):
        t, s = outside[0]
        raise InputError(
            f"{at(scores.source)}the score of system {scores.systems[s]!r} on topic {scores.topics[t]!r} is "
            f"{scores.values[t, s]:g}; simulation needs scores in [0, 1]: rescale the measure by its range"
        )


def choose_support(scores: ScoreMatrix, support: str | Sequence[float] | None) -> Vector | None:
    """The support to use, increasing, or ``None`` for a continuous measure."""
    if support is None or (isinstance(support, str) and support == "continuous"):
        return None
    if isinstance(support, str):
        if support == "auto":
            return find_support(scores)
        result = support_of_measure(support)
        if result is None:
            raise InputError(
                f"unknown support {support!r}; use auto, continuous, a measure (P@10, RR@20), or the scores"
            )
        return result
    points = np.unique(np.asarray(support, dtype=np.float64))
    if len(points) == 0 or points[0] < 0 or points[-1] > 1:
        raise InputError("a support is one or more scores in [0, 1]")
    return points


def support_of_measure(name: str) -> Vector | None:
    """The support of a measure with a cutoff by its name: 0, 1/k … 1 for P@k, 0 and 1/rank for RR@k."""
    if (match := _AT_K.fullmatch(name)) and 0 < int(match[1]) <= 1000:
        k = 1 if name.lower().startswith("success") else int(match[1])
        return np.arange(k + 1) / k
    if (match := _RR.fullmatch(name)) and match[1] and 0 < int(match[1]) <= 1000:
        return _reciprocal_ranks(int(match[1]))
    return None


def find_support(scores: ScoreMatrix) -> Vector | None:
    """The support by the measure's name, else by the scores (P@k, RR, few values); ``None`` if continuous."""
    values = np.unique(scores.values)
    named = support_of_measure(scores.measure)
    if named is not None and _all_on(values, named):
        return named
    if scores.values.size < FEWEST_PER_VALUE * len(values):
        return None
    positive = values[values > 0]
    deepest = round(1 / float(positive[0])) if len(positive) and positive[0] >= 1e-3 else 1
    multiples = (np.arange(k + 1) / k for k in range(1, DEEPEST + 1))
    fitting = [points for points in (*multiples, _reciprocal_ranks(deepest)) if _all_on(values, points)]
    if fitting:
        return min(fitting, key=len)  # ranks 1 to 5 are multiples of 1/60, too
    return values if len(values) <= DEEPEST else None


def _reciprocal_ranks(deepest: int) -> Vector:
    return np.append(0.0, 1 / np.arange(deepest, 0, -1))


def _all_on(values: Vector, support: Vector) -> bool:
    from truerank.simulation.margins import positions

    return bool(positions(values, support)[1].all())
