"""What a run compares, in the words of the things themselves: for its JSON, and as a page in its folder."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from truerank._support.references import REFERENCES
from truerank._support.registry import Explained, explained
from truerank.experiments.engine.run_results import Results

_CITED = re.compile(r"\[@([^\s\[\]]+)\]")


def methods(results: Results) -> Mapping[str, Sequence[Explained]]:
    """The estimators, coefficients, simulators … of a run, by kind; of a user's own as of any other."""
    return results.experiment.methods(results.parameters)


def document(results: Results) -> dict[str, Any]:
    """For each kind what the things of each name say of themselves, JSON-ready."""
    return {
        kind: {thing.name: explained(thing) for thing in things} for kind, things in methods(results).items()
    }


def markdown(results: Results) -> str:
    """The experiment, what it compares, and the publications they come from, as Markdown."""
    experiment = results.experiment
    keys: list[str] = []
    parts = [f"# {experiment.name}: {experiment.label}", f"Source: {experiment.source}"]
    parts += _about(experiment, keys)
    for kind, things in methods(results).items():
        parts.append(f"## {kind.capitalize()}")
        for thing in things:
            parts.append(f"### {thing.name}: {thing.label}" if thing.label else f"### {thing.name}")
            parts += _about(thing, keys)
    known = [REFERENCES[key] for key in dict.fromkeys(keys) if key in REFERENCES]
    if known:
        listed = "\n".join(f"- {one.text} {one.address}".rstrip() for one in known)
        parts += ["## References", listed]
    return "\n\n".join(parts) + "\n"


def _about(thing: Explained, keys: list[str]) -> list[str]:
    """Explanation, formula and sources of a thing; the keys of the latter are added to `keys`."""

    def shown(match: re.Match[str]) -> str:
        return _cited(match[1])

    text = " ".join(thing.explanation.split())
    found = [*_CITED.findall(text), *thing.references]
    keys += found
    parts = [_CITED.sub(shown, text), f"$${thing.formula}$$" if thing.formula else ""]
    if thing.references:
        parts.append("Source: " + "; ".join(map(_cited, thing.references)))
    return [part for part in parts if part]


def _cited(key: str) -> str:
    """A publication in a text; its bare key where it is not known."""
    return f"({REFERENCES[key].short})" if key in REFERENCES else f"[{key}]"
