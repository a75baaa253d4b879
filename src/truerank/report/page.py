"""The shell of every page: head, theme, menu, answer, sections, foot. One file, and no network.

Any command's page is a :class:`Page` made of sections; `truerank.report.parts` has the sections
that an assessment's page is made of.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from markupsafe import Markup

from truerank._support.files import PathLike
from truerank._support.outputs import write_file
from truerank.report.palette import style_rules
from truerank.report.templating import fill, static


@dataclass(frozen=True)
class Section:
    """One part of a page.

    Attributes:
        anchor: its id, for links.
        menu: what the menu calls it, a word or two.
        title: its heading.
        body: its content, escaped already.
    """

    anchor: str
    menu: str
    title: str
    body: Markup


@dataclass(frozen=True)
class Page:
    """A whole page.

    Attributes:
        title: of the document and the first heading.
        subject: what it is about, one line below the title: measure, systems, topics.
        answer: what most readers came for, escaped already.
        sections: from top to bottom.
        data: what the script reads, as JSON-ready data, e.g. the names behind a heat map.
        name: what a switch between several calls it, e.g. the measure.
    """

    title: str
    subject: str
    answer: Markup
    sections: Sequence[Section]
    data: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""


def html(pages: Page | Sequence[Page]) -> str:
    """A page as one HTML document that loads nothing and runs nothing but its own script.

    Several pages, such as those of several measures, become one document with a switch between them;
    without scripts, and on paper, all of them stand one below the other.
    """
    pages = [pages] if isinstance(pages, Page) else list(pages)
    script = static("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    style = Markup(style_rules() + static("page.css"))
    return str(
        fill(
            "page.html",
            pages=[_apart(page, f"v{place}-" if place > 1 else "") for place, page in enumerate(pages, 1)],
            policy=policy,
            style=style,
            script=Markup(script),
            data=[page.data for page in pages],
        )
    )


_TAG = re.compile(r"<[a-z][^<>]*>")
_NAMED = re.compile(r'(?<= )(id|for|aria-labelledby)="([^"]*)"')
_LINKED = re.compile(r'(href="#|url\(#)')


def _apart(page: Page, prefix: str) -> Page:
    """The page with a prefix before every id and every use of one, because those of two pages would meet.

    Names from files are no matter: they are escaped, so that none of them can look like a tag.
    """
    if not prefix:
        return page

    def tag(found: re.Match[str]) -> str:
        text = _NAMED.sub(
            lambda one: f'{one[1]}="{" ".join(prefix + name for name in one[2].split())}"', found[0]
        )
        return _LINKED.sub(lambda one: one[1] + prefix, text)

    def changed(body: Markup) -> Markup:
        return Markup(_TAG.sub(tag, body))

    sections = [
        replace(section, anchor=prefix + section.anchor, body=changed(section.body))
        for section in page.sections
    ]
    return replace(page, answer=changed(page.answer), sections=sections)


def write(pages: Page | Sequence[Page], path: PathLike) -> None:
    """Pages to a file, whole or not at all; an older one is replaced.

    Raises:
        InputError: the file cannot be written there.
    """
    write_file(path, html(pages))
