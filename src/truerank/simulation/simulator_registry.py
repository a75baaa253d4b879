"""The simulators by name: fitting any of them, and loading whatever one of them saved."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from truerank._support.files import PathLike, read_text
from truerank._support.registry import Registry
from truerank._support.resources import one_blas_thread
from truerank.errors import InputError, TruerankError, unknown_name
from truerank.readers import as_scores
from truerank.simulation import checks
from truerank.simulation.copula import COPULA_SIMULATOR
from truerank.simulation.effects import EFFECTS_SIMULATOR
from truerank.simulation.model import SAVED, SimulationModel, Simulator

SIMULATORS: Registry[Simulator] = Registry("simulator", COPULA_SIMULATOR, EFFECTS_SIMULATOR)
"""The kinds of simulation models by name.

Example:
    >>> from truerank.simulation import SIMULATORS
    >>> list(SIMULATORS)
    ['copula', 'effects']
"""

REHEARSED = 32  # topics drawn to test a loaded model: a broken margin may fail on some only


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
    return _rehearsed(_read(read_text(path), str(path)), str(path))


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
        checks.common(model)
        return SIMULATORS.find(str(model["simulator"])).read(model)
    except TruerankError as error:
        raise type(error)(f"{source}: {error}") from None
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError) as error:
        raise _broken(source, error) from None


def _rehearsed(model: SimulationModel, source: str) -> SimulationModel:
    """The model, after a test that it draws finite scores."""
    try:
        with np.errstate(all="ignore"), one_blas_thread():
            means, scores = model.true_means, model.draw(REHEARSED, np.random.default_rng(0))
        if not (
            np.isfinite(means).all() and np.isfinite(scores).all() and scores.shape == (REHEARSED, len(means))
        ):
            raise InputError("its scores are not finite")
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RuntimeError) as error:
        raise _broken(source, error) from None
    return model


def _broken(source: str, error: Exception) -> InputError:
    reason = str(error) if isinstance(error, TruerankError) else repr(error)
    return InputError(f"{source}: a broken simulation model ({reason}); fit it again")
