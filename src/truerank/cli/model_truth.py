"""The model that scores were simulated from: the true means beside what was assessed."""

from __future__ import annotations

from collections.abc import Sequence


def true_means(model: str | None, systems: Sequence[Sequence[str]]) -> dict[str, float] | None:
    """The true mean of every system assessed, where a model is given."""
    if model is None:
        return None
    from truerank.cli.simulate import find_model, true_means_of
    from truerank.errors import InputError

    truth = true_means_of(find_model(model))
    for names in systems:
        strangers = [s for s in names if s not in truth]
        if strangers:
            raise InputError(
                f"{model}: this model has no system {strangers[0]!r}; give the one the scores are from"
            )
    return truth
