"""The shell of every page: head, theme, menu, answer, sections, foot. One file, and no network.

Any command's page is a :class:`Page` made of sections; `truerank.report.parts` has the sections
that an assessment's page is made of.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    """

    title: str
    subject: str
    answer: Markup
    sections: Sequence[Section]
    data: Mapping[str, Any] = field(default_factory=dict)


def html(page: Page) -> str:
    """The page as one HTML document that loads nothing and runs nothing but its own script."""
    script = static("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    style = Markup(style_rules() + static("page.css"))
    return str(fill("page.html", page=page, policy=policy, style=style, script=Markup(script)))


def write(page: Page, path: PathLike, command: str) -> None:
    """The page to a file, whole or not at all; over an older one only of the same command.

    Raises:
        InputError: the file cannot be written there, or something else is in its place.
    """
    write_file(path, html(page), command)
