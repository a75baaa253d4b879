"""Formulas of the documentation, references, and the true coefficients."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from report_samples import quick, scores
from scipy.stats import kendalltau

from scripts.site.mathml import math, math_block
from truerank._support.references import REFERENCES
from truerank.coefficients import COEFFICIENTS
from truerank.errors import InputError
from truerank.reliability.estimators import ESTIMATORS
from truerank.reliability.results import true_coefficients


def structure(latex: str) -> str:
    """The formula as nested lists of tags and texts, rows of one left out."""

    def told(element: ElementTree.Element) -> str:
        inside = [told(child) for child in element]
        if element.tag in ("math", "mrow") and len(inside) == 1:
            return inside[0]
        return f"{element.tag}({' '.join(inside) or element.text or ''})"

    return told(ElementTree.fromstring(str(math(latex))))


def test_latex_becomes_the_mathml_that_it_means():
    assert structure(r"\tau") == "mi(τ)"
    assert structure(r"\frac{a}{b+1}") == "mfrac(mi(a) mrow(mi(b) mo(+) mn(1)))"
    assert structure(r"x_i^2") == "msubsup(mi(x) mi(i) mn(2))"
    assert structure(r"\sqrt{n}") == "msqrt(mi(n))"
    assert structure(r"a < b") == "mrow(mi(a) mo(<) mi(b))"


@pytest.mark.parametrize(
    ("latex", "forms"),
    [
        (r"\left(-\frac{1}{2}\right)", ["prefix"]),
        ("a = -b", ["prefix"]),
        ("(a) - b", [None]),
        (r"|a| - |b|", [None]),
    ],
)
def test_a_sign_behind_a_bracket_or_a_relation_belongs_to_what_follows(latex, forms):
    signs = [e for e in ElementTree.fromstring(str(math(latex))).iter("mo") if e.text in ("−", "-")]
    assert [sign.get("form") for sign in signs] == forms


def test_every_formula_of_the_project_is_formula_and_not_text():
    things = [*ESTIMATORS.values(), *COEFFICIENTS.values()]
    for thing in things:
        if thing.formula:
            assert "<math" in math_block(thing.formula), thing.name
        assert set(thing.references) <= set(REFERENCES), thing.name


def test_true_coefficients_are_those_between_the_two_rankings():
    result = quick(scores(9), "ml")
    rng = np.random.default_rng(3)
    truth = {s.system: float(value) for s, value in zip(result.ranking, rng.permutation(9), strict=True)}
    observed = [s.mean for s in result.ranking]
    expected = kendalltau(observed, [truth[s.system] for s in result.ranking]).statistic
    found = true_coefficients(result, truth)
    assert list(found) == ["tau", "tau_ap"]
    assert found["tau"] == pytest.approx(expected)
    order = [truth[s.system] for s in result.ranking]
    above = [sum(order[i] > order[j] for i in range(j)) / j for j in range(1, 9)]
    assert found["tau_ap"] == pytest.approx(2 * sum(above) / 8 - 1)
    with pytest.raises(InputError, match="no mean for system"):
        true_coefficients(result, {"sys1": 1.0})
