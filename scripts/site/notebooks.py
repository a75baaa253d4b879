"""A page for each notebook, made from its file: text, code, and what the code showed when it was run."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from mkdocs.structure.files import File

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

FOLDER = "notebooks"

OPENED = '<div class="notebook-output" role="group" aria-label="Output" tabindex="0">'
"""What is wider than a screen is moved by keys, too."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the notebooks' pages; the notebooks themselves stay, to be taken away."""
    for file in [file for file in files if file.src_uri.endswith(".ipynb")]:
        name = str(PurePosixPath(file.src_uri).with_suffix(".md"))
        files.append(File.generated(config, name, content=page_of(file.content_string, file.name)))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: Any) -> str:
    """On the site, the list of notebooks links to their pages."""
    return markdown.replace(".ipynb)", ".md)") if page.file.src_uri == f"{FOLDER}/index.md" else markdown


def page_of(text: str, name: str) -> str:
    """A notebook as a page.

    Args:
        text: of the notebook's file.
        name: of that file, without its suffix.

    Returns:
        Markdown, in which what truerank's results show is HTML.
    """
    parts = []
    for cell in json.loads(text)["cells"]:
        source = _joined(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        parts += [_shown(output) for output in cell["outputs"]]
    parts.append(f"[This page as a notebook]({name}.ipynb), to run and to change.")
    return "\n\n".join(parts) + "\n"


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def _shown(output: dict[str, Any]) -> str:
    """Tables of pandas are taken as text, for their HTML has a style sheet of its own."""
    data = output.get("data", {})
    html = _joined(data.get("text/html", ""))
    if html and "dataframe" not in html:
        lines = [line for line in html.splitlines() if line.strip()]
        return "\n".join([OPENED, *lines, "</div>"])
    text = _joined(output.get("text", data.get("text/plain", "")))
    return "```text\n" + re.sub(r"[ ]+$", "", text.rstrip(), flags=re.MULTILINE) + "\n```"
