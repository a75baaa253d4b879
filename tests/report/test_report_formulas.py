"""Formulas, explanations and references: what plug-ins say of themselves, on the page and in the terminal."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import quick, scores
from scipy.stats import kendalltau

import truerank.report
from truerank._support.references import REFERENCES, Reference, bibtex
from truerank.coefficients import COEFFICIENTS, Coefficient, register
from truerank.errors import InputError
from truerank.reliability.estimators import ESTIMATORS, PairEstimator
from truerank.reliability.estimators.estimator import Learned
from truerank.reliability.truth import true_coefficients
from truerank.report import Asked, page
from truerank.report.formulas import explained, math, math_block
from truerank.report.outputs.terminal import explain, show
from truerank.report.views import view

TEMPLATES = Path(truerank.report.__file__).parent / "templates"
FORMULA = r"\$\$(.+?)\$\$|\$([^$]+)\$"
SEPARATE = {"mfrac": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}


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
        ("(-1 - 2)", ["prefix", None]),
        ("a = -b", ["prefix"]),
        ("a - b", [None]),
        ("(a) - b", [None]),
        (r"|a| - |b|", [None]),
        (r"E\left[x\right] - x", [None]),
        (r"f(x, -x)", ["prefix"]),
    ],
)
def test_a_sign_behind_a_bracket_or_a_relation_belongs_to_what_follows(latex, forms):
    signs = [e for e in ElementTree.fromstring(str(math(latex))).iter("mo") if e.text in ("−", "-")]
    assert [sign.get("form") for sign in signs] == forms


def test_is_distributed_as_is_a_relation():
    assert structure(r"X \sim F") == "mrow(mi(X) mo(∼) mi(F))"


@pytest.mark.parametrize(
    "broken",
    [r"\frac{1", r"\left( x", "}", r"\nosuch{x}", "a & b", r"\begin{matrix", "", "x^", r"\href{x", "a_"],
)
def test_broken_latex_is_shown_as_text(broken):
    assert str(math(broken)).startswith("<code>")
    assert "<math" not in str(math_block(broken))


@pytest.mark.parametrize(
    "hostile",
    [
        r"\text{<img src=x onerror=alert(1)>}",
        r"\text{</math><script>alert(2)</script>}",
        r"\href{javascript:alert(3)}{x}",
        r'\class{x" onclick="alert(4)}{x}',
        r"\style{position:fixed}{x}",
        r"<script>alert(5)</script>",
        r"\mathrm{&lt;script&gt;}",
        "\x00\x1b \ud800",
    ],
)
def test_hostile_latex_stays_text(hostile):
    class Tags(HTMLParser):
        found: list[str]

        def handle_starttag(self, tag, attrs):
            found.append(tag)
            assert not {name for name, _ in attrs} & {"href", "style", "class", "onclick", "onerror"} or (
                tag == "div"
            )

    found: list[str] = []
    Tags().feed(str(math_block(hostile)))
    assert not {"img", "script", "a"} & set(found)
    str(math_block(hostile)).encode("utf-8")


@given(st.text(alphabet=r"\{}_^&$#%<>|()[]abx12 \n", max_size=30) | st.text(max_size=20))
def test_whatever_is_written_the_page_stays_well_formed(text):
    for html in (math(text), math_block(text), explained(text)):
        root = ElementTree.fromstring(f"<div>{html}</div>")
        for element in root.iter():
            assert len(element) == SEPARATE.get(element.tag, len(element))


def test_every_formula_of_the_project_is_formula_and_not_text():
    things = [*ESTIMATORS.values(), *COEFFICIENTS.values()]
    for thing in things:
        assert "<code>" not in explained(thing.explanation), thing.name
        if thing.formula:
            assert "<math" in math_block(thing.formula), thing.name
        assert set(thing.references) <= set(REFERENCES), thing.name


def test_explanations_hold_formulas_and_references_and_else_text():
    html = explained("For $n$ topics\n  <b> [@kendall-1938], [@no-such<i>] cost $5: $$x_i$$ so.")
    assert "&lt;b&gt;" in html
    assert '(<a href="#ref-kendall-1938">Kendall 1938</a>)' in html
    assert "[no-such&lt;i&gt;]" in html
    assert html.count("<math") == 3  # the lone dollar pairs with the next one, and nothing is lost
    assert '<div class="formula"' in explained("$$x_i$$")


HOSTILE = "</dd><script>alert(1)</script> {{ 7*7 }} $\\frac{1$ and $p < \\text{<b>}$ [@made-up-2026]"


@pytest.fixture
def made_up(monkeypatch):
    """An estimator and a reference that a plug-in registers, hostile in its words."""
    monkeypatch.setattr(ESTIMATORS, "_things", dict(ESTIMATORS))
    monkeypatch.setattr(REFERENCES, "_things", dict(REFERENCES))
    REFERENCES.register(
        Reference("made-up-2026", "article", ("Ada & Bob <i>",), 2026, "A 50% <u>Title</u>", "A Journal")
    )
    return ESTIMATORS.register(
        PairEstimator(
            "coin",
            "a <i>coin</i> toss",
            lambda sample: np.triu(np.full((sample.values.shape[1],) * 2, 0.25), 1),
            explanation=HOSTILE,
            formula=r"p_{ij} = \frac{1}{4}",
            references=("made-up-2026",),
            reading="is <i>no</i> help.",
        )
    )


def test_a_made_up_estimator_explains_itself_on_the_page(made_up):
    html = quick(scores(4), "coin", "ml").to_html()
    assert "<dt>coin: a &lt;i&gt;coin&lt;/i&gt; toss</dt>" in html
    assert "&lt;/dd&gt;&lt;script&gt;alert(1)&lt;/script&gt; {{ 7*7 }} <code>\\frac{1</code>" in html
    assert "<mtext>&lt;b&gt;</mtext>" in html
    assert str(math_block(made_up.formula)) in html
    assert '<a href="#ref-made-up-2026">&lt;i&gt; 2026</a>' in html
    assert re.search(r'<li id="ref-made-up-2026">Ada &amp; Bob &lt;i&gt; \(2026\)', html)
    assert "@article{made-up-2026," in html
    assert "A 50\\% &lt;u&gt;Title&lt;/u&gt;" in html
    assert html.count("<script") == 2  # the page's own script and its data


def test_a_made_up_estimator_is_explained_in_the_terminal(made_up, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    seen = view(quick(scores(4), "coin", "ml"), Asked(all_estimators=True))
    show([seen])
    explain(seen.explained)
    printed = capsys.readouterr().out
    assert "a <i>coin</i> toss (coin)" in printed
    assert "coin: a <i>coin</i> toss\n" in printed
    assert made_up.formula in printed
    assert "Ada & Bob <i> (2026)" in printed
    assert "ml: maximum likelihood\n" in printed
    assert "Julián Urbano and Mónica Marrero (2016)" in printed


def test_an_estimator_that_was_never_registered_is_shown_by_its_name(made_up):
    stranger = replace(made_up, name="stranger<i>", label="forgotten")
    html = quick(scores(4), stranger).to_html()
    assert "<dt>stranger&lt;i&gt;</dt>" in html
    assert "Registered by a user without an explanation" in html


def test_what_an_estimator_learnt_is_shown(made_up):
    learned = {"coin": (Learned("bias", r"\beta", -0.1234, "<b>bias</b> of $n$ coins"),)}
    html = replace(quick(scores(4), "coin"), learned=learned).to_html()
    assert f"Here {math(chr(92) + 'beta = -0.12')} (&lt;b&gt;bias&lt;/b&gt; of {math('n')} coins)." in html


def test_bibtex_has_the_fields_of_the_text():
    entry = bibtex(["urbano-marrero-2016"])
    assert re.search(r"pages +=\s\{1033--1036\}", entry)
    assert max(map(len, entry.splitlines())) <= 88
    for key, reference in REFERENCES.items():
        made = " ".join(bibtex([key]).split())
        kind = "misc" if reference.kind == "software" else reference.kind
        assert made.startswith(f"@{kind}{{{key},")
        assert made.count("{") == made.count("}")
        assert " and ".join(reference.authors) in made
        assert str(reference.year or "") in made
        assert reference.doi in made


def test_templates_hold_latex_and_no_mathml():
    sources = [path.read_text(encoding="utf-8") for path in TEMPLATES.iterdir() if path.suffix == ".html"]
    assert sources
    for source in sources:
        assert "<math" not in source
        assert "<mi>" not in source
    formulas = [block or inline for s in sources for block, inline in re.findall(FORMULA, s, re.DOTALL)]
    assert len(formulas) > 15
    for latex in formulas:
        assert "<code>" not in math(latex), latex


def test_a_made_up_coefficient_explains_itself_on_the_page(monkeypatch):
    monkeypatch.setattr(COEFFICIENTS, "_things", dict(COEFFICIENTS))
    flat = register(
        Coefficient(
            "flat",
            "φ_<i>",
            lambda m: np.full((m, m), 4.0 / (m * (m - 1))),
            explanation="As $\\tau$ <b>[@kendall-1938].",
            formula=r"\phi = 1",
            references=("kendall-1938",),
            reading="is read as τ.",
        )
    )
    result = quick(scores(4), "ml", coefficients=["flat", "tau"])
    truth = {s.system: mean for s, mean in zip(result.ranking, (3.0, 4.0, 1.0, 2.0), strict=True)}
    html = page(result, Asked(truth=truth))
    assert "<dt>φ<sub>&lt;i&gt;</sub></dt>" in html
    assert f"As {math(chr(92) + 'tau')} &lt;b&gt;(<a" in html
    assert str(math_block(flat.formula)) in html
    assert "φ<sub>&lt;i&gt;</sub> is read as τ." in html
    assert true_coefficients(result, truth)["flat"] == pytest.approx(true_coefficients(result, truth)["tau"])
    assert "agrees with it at φ<sub>&lt;i&gt;</sub> = 0.33 and τ = 0.33" in html


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
