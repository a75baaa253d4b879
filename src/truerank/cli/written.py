"""What commands write as JSON where no result does: files that they made, models, experiments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, TypeAlias

from truerank._support.notes import Noted, Notes
from truerank._support.registry import Explanation
from truerank._support.types import Inlined, LeftOut, Whole
from truerank._support.version import __version__
from truerank.reading import Reading
from truerank.simulation.likeness import Diagnostics

Scalar: TypeAlias = str | float | bool | None


@dataclass(frozen=True)
class EvaluatedTable(Noted):
    """One measure's table.

    Attributes:
        measure: its name.
        file: where it is.
        topics: how many.
        systems: how many.
        notes: what was met on the way.
    """

    measure: str
    file: str
    topics: Whole
    systems: Whole
    notes: Notes


@dataclass(frozen=True)
class Evaluation:
    """The tables that truerank evaluate wrote.

    Attributes:
        tables: one a measure.
        version: of truerank.
    """

    tables: tuple[EvaluatedTable, ...]
    version: str = __version__


@dataclass(frozen=True)
class ImportedTable(Noted):
    """The scores of one measure.

    Attributes:
        measure: its name; empty when unknown.
        topics: how many.
        systems: how many.
        data_sets: how many; 0 where there are none.
        missing: empty cells.
        notes: what was met on the way.
        reading: what was taken for topics, systems and scores, and which scores are better; of tables.
    """

    measure: str
    topics: Whole
    systems: Whole
    data_sets: Whole
    missing: Whole
    notes: Notes
    reading: LeftOut[Reading] = None


@dataclass(frozen=True)
class Imported:
    """The table that truerank import wrote.

    Attributes:
        file: where it is.
        long: whether it has one row per score.
        tables: one a measure.
        version: of truerank.
    """

    file: str
    long: bool
    tables: tuple[ImportedTable, ...]
    version: str = __version__


@dataclass(frozen=True)
class ModelSystem:
    """One system.

    Attributes:
        system: its name.
        true_mean: its mean under the model.
        margin: family of its margin; ``None`` of a simulator without.
    """

    system: str
    true_mean: float
    margin: str | None


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model with a known truth.

    Attributes:
        simulator: copula, effects, or one of a plug-in.
        measure: its name; empty when unknown.
        copula: family of the copula; ``None`` of a simulator without.
        shapes: what shapes margins may have, bounded or free; ``None`` where nothing was said.
        fitted_to_topics: topics of the real scores.
        changes: what was changed in the model since, a sentence each.
        systems: in the order of the scores.
        version: of truerank.
    """

    simulator: str
    measure: str
    copula: str | None
    shapes: str | None
    fitted_to_topics: Whole
    changes: tuple[str, ...]
    systems: tuple[ModelSystem, ...]
    version: str = __version__


@dataclass(frozen=True, kw_only=True)
class FittedModel(Model):
    """A model with a known truth, fitted to real scores.

    Attributes:
        file: where the model was written.
    """

    file: str


@dataclass(frozen=True, kw_only=True)
class ShownModel(Model):
    """A model with a known truth, beside real scores where there are any.

    Attributes:
        diagnostics: how like real scores it is; with --against.
    """

    diagnostics: LeftOut[Diagnostics] = None


@dataclass(frozen=True)
class Sample:
    """The collections that truerank simulate sample drew.

    Attributes:
        model: as it was given.
        seed: of everything random.
        topics: of each collection.
        files: one a collection.
        true_means: by system, its true mean under the model.
        version: of truerank.
    """

    model: str
    seed: Whole
    topics: Whole
    files: tuple[str, ...]
    true_means: dict[str, float]
    version: str = __version__


@dataclass(frozen=True)
class Parameter:
    """One parameter of an experiment.

    Attributes:
        name: as an option of the command line, without the dashes.
        default: as it would be typed.
        help: what it does.
    """

    name: str
    default: str
    help: str


@dataclass(frozen=True)
class Experiment:
    """An experiment.

    Attributes:
        name: its name.
        source: the publication's part that it repeats or extends.
        about: what it says of itself.
        parameters: all of them.
        version: of truerank.
    """

    name: str
    source: str
    about: Annotated[Explanation, Inlined()]
    parameters: tuple[Parameter, ...]
    version: str = __version__


@dataclass(frozen=True)
class ExperimentData:
    """One source of an experiment's data.

    Attributes:
        name: its name.
        source: the file or the embedded model.
        fingerprint: checksum of its content.
    """

    name: str
    source: str
    fingerprint: str


@dataclass(frozen=True)
class Run:
    """The results of an experiment so far; besides these, a key for each kind of thing it compares.

    Attributes:
        experiment: its name.
        parameters: by name, as truerank experiment list shows them.
        seed: of everything random.
        data: what it was run on.
        notes: what to know of the results, a sentence each.
        versions: of Python and of the packages that compute.
        done: tasks that are finished.
        total: tasks in all.
        tables: by name, the tables, each a list of rows by column; null where a cell is empty.
        things: what the things of one kind (estimators, coefficients, simulators …) say of themselves, by
            name.
    """

    experiment: str
    parameters: dict[str, Scalar | list[Scalar]]
    seed: Whole
    data: tuple[ExperimentData, ...]
    notes: tuple[str, ...]
    versions: dict[str, str]
    done: Whole
    total: Whole
    tables: dict[str, list[dict[str, Scalar]]]
    things: Annotated[dict[str, dict[str, Explanation]], Inlined()]
