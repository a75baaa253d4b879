"""The first page of the API: every public name, page by page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from mkdocs.structure.pages import Page

if TYPE_CHECKING:
    from mkdocs.structure.files import Files

FOLDER = "api"
HERE = "<!-- names -->"
"""Where the first page lists the names."""

DIRECTIVE = re.compile(r"^::: (\S+)$", re.MULTILINE)


def on_page_markdown(markdown: str, *, page: Page, files: Files, **_: Any) -> str:
    """List the names, in the order of the navigation."""
    if HERE not in markdown:
        return markdown
    beside = page.parent.children if page.parent else []
    others = [one for one in beside if isinstance(one, Page) and one is not page]
    return markdown.replace(HERE, "\n".join(listed(one) for one in others))


def listed(page: Page) -> str:
    """A page and its names, with links."""
    source = page.file.content_string
    title = source.split("\n", 1)[0].removeprefix("# ")
    links = [f"[`{name.removeprefix('truerank.')}`][{name}]" for name in names(source)]
    return f"- [{title}]({page.file.src_uri.removeprefix(f'{FOLDER}/')}): {', '.join(links)}"


def names(source: str) -> list[str]:
    """What a page documents, but for what is private."""
    return [name for name in DIRECTIVE.findall(source) if "._" not in name or name.endswith("__")]
