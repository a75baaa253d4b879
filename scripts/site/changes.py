"""The page of changes shows the project's CHANGELOG.md."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Put the changes below the page's own text."""
    if page.file.src_uri != "changes.md":
        return markdown
    changelog = Path(config.config_file_path).parent / "CHANGELOG.md"
    if not changelog.exists():
        return markdown
    return f"{markdown}\n{shown(changelog.read_text(encoding='utf-8'))}"


def shown(changelog: str) -> str:
    """The text below its title, with links as they are in the folder of the documentation."""
    _, _, text = changelog.partition("\n")
    return re.sub(r"\]\(docs/", "](", text)
