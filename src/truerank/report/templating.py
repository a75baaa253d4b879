"""The Jinja templates: everything put into them is escaped unless a part made it as markup."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup

from truerank.report import formulas, words


class Formulas(Extension):
    """Lets templates hold formulas as explanations do: LaTeX between dollar signs, two for a block."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """The template with MathML in place of LaTeX."""
        return formulas.with_mathml(source)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("truerank.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[Formulas],
    )
    shown = (words.number, words.percent, words.level_text, words.printable)
    for use in (*shown, words.symbol_html, words.symbols_html):
        environment.filters[use.__name__] = use
    for make in (formulas.math, formulas.math_block, formulas.explained):
        environment.filters[make.__name__] = make
    environment.globals |= {
        "span": words.span,
        "ranks": words.ranks,
        "letter_runs": words.letter_runs,
        "cite": formulas.cite,
    }
    return environment


def fill(template: str, **context: Any) -> Markup:
    """A template of this package with its blanks filled in, and nothing in it that HTML may not hold."""
    return Markup(words.printable_lines(_environment().get_template(template).render(context)))


@cache
def static(name: str) -> str:
    """The text of a style sheet or script of this package."""
    return files("truerank.report").joinpath("static", name).read_text(encoding="utf-8")
