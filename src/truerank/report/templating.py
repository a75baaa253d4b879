"""The Jinja templates: everything put into them is escaped unless a part made it as markup."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from truerank._support import escaping, wording
from truerank._support.imports import PLOTS, require
from truerank.report import formulas, words

if TYPE_CHECKING:
    from jinja2 import Environment

_COMMAND = re.compile(r"\btruerank[ .][a-z]+(?: --[a-z-]+|\(scores[^)]*\))*")

_BEFORE_A_SIGN = re.compile(r"(?<!<span class=whole>)<math>(?:(?!</math>).)*</math>[,;:.)]+", re.DOTALL)
"""A formula in a line and the signs right behind it, which must not begin the next line."""


@cache
def _environment() -> Environment:
    require(PLOTS)
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from jinja2.ext import Extension

    class Formulas(Extension):
        """Lets templates hold formulas as explanations do: LaTeX between dollar signs, two for a block."""

        def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
            """The template with MathML in place of LaTeX."""
            return formulas.with_mathml(source)

    environment = Environment(
        loader=PackageLoader("truerank.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[Formulas],
    )
    shown = (wording.number, wording.percent, wording.level_text, escaping.printable, wording.sentence)
    for use in (*shown, formulas.symbol_html, formulas.symbols_html):
        environment.filters[use.__name__] = use
    for make in (formulas.math, formulas.math_block, formulas.explained):
        environment.filters[make.__name__] = make
    environment.filters["commands_and_symbols"] = commands_and_symbols
    environment.globals |= {
        "span": wording.span,
        "ranks": wording.ranks,
        "cite": formulas.cite,
    }
    return environment


def fill(template: str, **context: Any) -> Markup:
    """A template of this package with its blanks filled in, and nothing in it that HTML may not hold."""
    made = escaping.printable_lines(_environment().get_template(template).render(context))
    if "<math>" in made:
        made = _BEFORE_A_SIGN.sub(r"<span class=whole>\g<0></span>", made)
    return Markup(made)


def commands_and_symbols(text: str) -> Markup:
    """A sentence in which truerank's commands look like something to type, and indices are set low."""
    return Markup(_COMMAND.sub(r"<code>\g<0></code>", str(formulas.symbols_html(text))))


@cache
def static(name: str) -> str:
    """The text of a style sheet or script of this package."""
    return files("truerank.report").joinpath("static", name).read_text(encoding="utf-8")


def sources(thing: words.Described | dict[str, Any]) -> Markup:
    """Links to the publications that a thing comes from; nothing where it names none."""
    keys = thing["references"] if isinstance(thing, dict) else thing.references
    return fill("sources.html", links=[formulas.cite(key) for key in keys]) if keys else Markup("")
