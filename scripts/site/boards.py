"""The gallery's pages and its overview, from the stored results; `make gallery` computes these anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

FOLDER = "gallery"
HERE = "<!-- boards -->"
"""Where the folder's first page has the overview."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each board."""
    sys.path.append(str(Path(__file__).parents[2]))  # the gallery lies beside the package, not in it
    from gallery.pages import pages

    for name, text in pages():
        files.append(File.generated(config, f"{FOLDER}/{name}", content=text))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """Put the overview on the folder's first page."""
    if page.file.src_uri != f"{FOLDER}/index.md":
        return markdown
    from gallery.pages import overview

    return markdown.replace(HERE, overview())
