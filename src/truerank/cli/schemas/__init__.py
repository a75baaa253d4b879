"""The JSON that commands write, as schemas: strict, for pipelines that check what they are given."""

from __future__ import annotations

from collections.abc import Callable

from truerank.cli.schemas import assessing, comparing, others, planning
from truerank.cli.schemas.building import Schema, document

WRITTEN: dict[str, Callable[[], Schema]] = {
    "assess": assessing.assess,
    "board": assessing.board,
    "compare": comparing.compare,
    "demo": assessing.demo,
    "documents": others.documents,
    "evaluate": others.evaluate,
    "experiment": others.experiment,
    "experiment-list": others.experiment_list,
    "gate": comparing.gate,
    "import": others.import_,
    "plan": planning.plan,
    "significance": comparing.significance,
    "simulate-fit": others.simulate_fit,
    "simulate-sample": others.simulate_sample,
    "simulate-show": others.simulate_show,
    "topics": assessing.topics,
}
"""By command: ``experiment`` is of ``run`` and ``show``."""


def schema(name: str) -> Schema:
    """The schema of what a command writes.

    Args:
        name: the words of the command with hyphens between them, one of :data:`WRITTEN`.

    Returns:
        JSON Schema, draft 2020-12.

    Raises:
        InputError: Python runs without docstrings, which hold the descriptions.
        UnknownNameError: no such command.
    """
    from truerank.errors import unknown_name

    if name not in WRITTEN:
        raise unknown_name("schema", name, WRITTEN)
    return document(name, WRITTEN[name]())
