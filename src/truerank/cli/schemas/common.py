"""What several documents have alike: explanations, warnings, the ends of an interval."""

from __future__ import annotations

from truerank.cli.schemas.building import Schema, array, given, number, record, text

EXPLAINED: dict[str, Schema] = {
    "label": text("what readers see, a few words"),
    "explanation": text(
        "what it is and how it is computed; formulas in LaTeX between dollar signs, publications as [@key]"
    ),
    "formula": text("its main formula in LaTeX; empty where there is none"),
    "references": array(text("a key, e.g. kendall-1938"), "publications it comes from"),
}

EXPLANATION = record(
    "Explanation", "what an estimator, a coefficient or the like says of itself", None, **EXPLAINED
)

WARNINGS = array(text("a sentence"), "what to know before quoting a number")

VERSION, SEED = text("of truerank"), {"description": "Of everything random.", "type": "integer", "minimum": 0}


def ends(about: str) -> Schema:
    """An interval whose level stands elsewhere; its ends may be null."""
    return given(
        record(
            "Ends",
            "the two ends of an interval",
            low=number("lower end; NaN where it has no value"),
            high=number("upper end; NaN where it has no value"),
        ),
        about,
    )
