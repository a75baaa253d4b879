"""Models that draw new topics for the same systems and know the truth: fitting, saving and loading them."""

from __future__ import annotations

import inspect
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from importlib import resources
from typing import Any, ClassVar, Self

import numpy as np
from numpy.random import Generator

from truerank._support.files import PathLike, read_text
from truerank._support.outputs import write_file
from truerank._support.registry import Entry, Registry, explained_from
from truerank._support.resources import one_blas_thread
from truerank._support.saved import SavedModel
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError, TruerankError, unknown_name
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
        """The origin of a model that is fitted to these scores."""
        return cls(scores.n, scores.fingerprint(), seed, options)

    def changed(self, what: str) -> Origin:
        """The origin of the model with one more change."""
        return replace(self, changes=(*self.changes, what))

    def with_means(self, means: Mapping[str, float]) -> Origin:
        """The origin of the model with other true means."""
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

        Example:
            >>> from truerank.simulation import load_embedded
            >>> model = load_embedded("web2010-ap")
            >>> scores = model.sample(topics=50, seed=1)
            >>> scores.values.shape
            (50, 88)
        """
        for what, value, least in (("topics", topics, 1), ("the collection's number", collection, 0)):
            whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if not whole or value < least:
                raise InputError(f"{what} must be a whole number, {least} or more, not {value!r}")
        values = self.draw(int(topics), stream(seed, "collection", int(collection)))
        return ScoreMatrix.build(values, None, self.systems, self.measure)

    def with_means(self, means: Mapping[str, float]) -> Self:
        """The model with other true means for some systems.

        Raises:
            UnknownNameError: no such system.
            InputError: a mean out of reach.
        """
        raise InputError(f"the {self.simulator} simulator cannot change means; fit a copula model")

    def with_margin(self, system: str, margin: Margin | str) -> Self:
        """The model with another margin for a system, or with that of another system by its name.

        Raises:
            UnknownNameError: no such system.
            InputError: a simulator without margins.
        """
        raise InputError(f"the {self.simulator} simulator has no margins; fit a copula model")

    def index(self, system: str) -> int:
        """The column of a system.

        Raises:
            UnknownNameError: there is none of that name.
        """
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
    """What all models have of a document, as arguments of a model's class."""
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
