"""Views as a page: one file that loads nothing, and runs nothing but its own script."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from truerank._support.escaping import printable
from truerank._support.imports import PLOTS, require
from truerank._support.references import bibtex, reference
from truerank._support.tables import Table
from truerank._support.wording import sentence
from truerank.report import render
from truerank.report.charts.style import PAGE, PHONE
from truerank.report.formulas import symbols_html
from truerank.report.palette import style_rules
from truerank.report.templating import fill, sources, static
from truerank.report.view import MOST_ON_PAGE, Figure, Section, View
from truerank.report.writers.html import html


@dataclass(frozen=True)
class _Part:
    """A section as it stands on a page.

    Attributes:
        name: its id, for links.
        title: its heading, and what the menu calls it.
        body: its content, escaped already.
        details: behind a click.
    """

    name: str
    title: str
    body: Markup
    details: bool = False


def page(views: Sequence[View], joint: Section | None = None) -> str:
    """Views as one HTML document; several have a switch between them, and all stand below each other on
    paper.
    """
    require(PLOTS)
    script = static("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    made = []
    for place, view in enumerate(views, 1):
        prefix = f"v{place}-" if place > 1 else ""
        parts = _parts(view, joint if place == 1 else None)
        body = fill("view.html", view=view, sections=parts)
        made.append((view, prefix, parts, _apart(body, prefix)))
    return str(
        fill(
            "page.html",
            title=views[0].title,
            subject="; ".join(printable(view.subject) for view in views),
            pages=[
                {"name": printable(view.name), "prefix": prefix, "parts": parts, "body": body}
                for view, prefix, parts, body in made
            ],
            policy=policy,
            style=Markup(style_rules() + static("page.css")),
            script=Markup(script),
            data=[dict(view.data()) for view in views],
        )
    )


def _parts(view: View, joint: Section | None) -> list[_Part]:
    sections = [*([joint] if joint else []), *view.beside(joint)]
    shown = [one for one in sections if one.figures or one.html or one.text or _shown_tables(one)]
    first = [_Part(one.name, one.title, _body(one)) for one in shown if not one.details]
    behind = [_Part(one.name, one.title, _body(one), True) for one in shown if one.details]
    said, held = _methods(view), Markup('<p class="quiet">{}</p>').format(HELD.get(view.command, ""))
    methods = [_Part("methods", "Methods", said + held, True)] if said else []
    parts = [*first, _warnings(view), *behind, *methods]
    return [*parts, _citing(parts, view.references), _reproduce(view)]


_RANKING = (
    "Where the truth was known, τ was 0.03 too high on average. Its 95% interval held in 95%, all rank "
    "ranges together in 94%."
)
HELD = {
    "assess": _RANKING,
    "board": _RANKING,
    "gate": "Where the truth was known, BETTER and PASS were wrong in 4.1%, and 90% intervals held in 92%.",
    "plan": "Where the truth was known, the planned τ was 0.04 too high on average, and its 95% intervals "
    "held in 93%.",
}
"""How often statements held, by command: the averages of docs/how-right.md."""


def _methods(view: View) -> Markup | None:
    """What the view says of its methods; else what these say of themselves."""
    if view.methods is not None:
        return view.methods()
    return fill("explained.html", things=view.explained, sources=sources) if view.explained else None


def _shown_tables(section: Section) -> bool:
    return any(not table.files_only and table.rows for table in section.tables)


def _body(section: Section) -> Markup:
    made = [Markup("<p>{}</p>").format(symbols_html(printable(text))) for text in section.text]
    made += [_figure(figure) for figure in section.figures]
    made += [section.html()] if section.html else []
    made += [_table(table) for table in section.tables if not table.files_only and table.rows]
    return Markup("\n").join(made)


def _table(table: Table) -> Markup:
    if len(table.rows) <= MOST_ON_PAGE:
        return html(table)
    first = f"The first {MOST_ON_PAGE:,} of {len(table.rows):,} rows; the CSV file has all."
    return html(replace(table, advice=f"{table.advice} {first}".strip()), MOST_ON_PAGE)


def _figure(figure: Figure) -> Markup:
    """A chart drawn twice: as wide as the page's text, and for a narrow screen."""
    name = f"{figure.name}-figure"
    wide = render.inline(render.svg(figure.draw(PAGE)), name, figure.label)
    narrow = render.inline(render.svg(figure.draw(PHONE)), f"{name}-narrow", figure.label)
    caption = symbols_html(printable(figure.caption))
    return fill("figure.html", name=name, label=figure.label, caption=caption, wide=wide, narrow=narrow)


def _notes(view: View) -> list[str]:
    return [sentence(note) for note in view.infos]


def _warnings(view: View) -> _Part:
    found = [sentence(warning) for warning in view.warnings]
    body = fill(
        "warnings.html", view=view, units=view.unit, outside=view.outside, warnings=found, notes=_notes(view)
    )
    return _Part("warnings", "Warnings", body)


_LINK = re.compile(r'href="#ref-([^"]+)"')


def _citing(parts: Sequence[_Part], lead: Sequence[str]) -> _Part:
    """Every reference that the page links to, in the order in which it first does, and how to cite."""
    linked = [key for part in parts for key in _LINK.findall(part.body)]
    body = fill(
        "citing.html",
        bibtex=bibtex(dict.fromkeys(["truerank", *lead])),
        references=[reference(key) for key in dict.fromkeys([*lead, *linked])],
    )
    return _Part("citing", "How to cite", body, True)


def _reproduce(view: View) -> _Part:
    facts: Mapping[str, str] = {name: printable(text) for name, text in view.facts.items()}
    body = fill("provenance.html", facts=facts)
    return _Part("reproduce", "Reproduce", body, True)


_TAG = re.compile(r"<[a-z][^<>]*>")
_NAMED = re.compile(r'(?<= )(id|for|aria-labelledby)="([^"]*)"')
_LINKED = re.compile(r'(href="#|url\(#)')


def _apart(body: Markup, prefix: str) -> Markup:
    """HTML with a prefix before every id and every use of one, because those of two views would meet.

    Names from files are no matter: they are escaped, so that none of them can look like a tag.
    """
    if not prefix:
        return body

    def tag(found: re.Match[str]) -> str:
        text = _NAMED.sub(
            lambda one: f'{one[1]}="{" ".join(prefix + name for name in one[2].split())}"', found[0]
        )
        return _LINKED.sub(lambda one: one[1] + prefix, text)

    return Markup(_TAG.sub(tag, body))
