"""The exact command, version and seed: all it takes to get the same digits again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from truerank.report.page import Section
from truerank.report.templating import fill
from truerank.report.units import units
from truerank.report.words import level_text, listed, percent, printable

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


def provenance(command: str | None, facts: Mapping[str, str]) -> Section:
    """A command (or none, for pages made in Python) and what else it takes to repeat the work."""
    body = fill("provenance.html", command=printable(command) if command else "", facts=facts)
    return Section("again", "Repeat", "Get the same digits again", body)


def assessment_facts(assessment: Assessment) -> dict[str, str]:
    """The settings of an assessment, and a fingerprint of the scores."""
    s = assessment.settings
    dependence = next((e.dependence for e in assessment.estimates if e.dependence), "none")
    facts = {
        "truerank": f"version {s.version}",
        "Seed": str(s.seed),
        "Headline estimator": printable(assessment.headline_estimator),
        "Dependence": dependence,
        "Draws": f"{s.draws:,}",
        "Levels": ", ".join(level_text(level) for level in s.levels),
    }
    if s.resamples:
        error = f" (Monte Carlo error {s.resampling_error:.4f})" if s.resampling_error is not None else ""
        facts["Resamples"] = (
            f"{s.resamples:,} of the {units(assessment)}, for the resampling estimators{error}"
        )
    if s.baseline is not None:
        facts["Baseline"] = printable(s.baseline)
    if s.identical:
        copies = [name for group in s.identical for name in group[1:]]
        facts["Identical"] = (
            f"{len(copies)} with the same scores as another system left out: {listed(copies, 12)}"
        )
    if s.dropped:
        facts["Dropped"] = (
            f"the bottom {percent(s.drop_bottom)}, {len(s.dropped)} systems: {listed(s.dropped, 12)}"
        )
    if assessment.scores.source:
        facts["Scores"] = printable(Path(assessment.scores.source).name)
    facts["Fingerprint"] = (
        f"{assessment.scores.fingerprint()[:16]} (of names, measure and scores, in ranking order)"
    )
    return facts
