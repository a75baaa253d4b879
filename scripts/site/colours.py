"""The site's colours are the reports': a style sheet made from the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mkdocs.structure.files import File

from truerank.report.palette import ROLES

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

VARIABLES = {
    "--md-default-bg-color": "paper",
    "--md-default-fg-color": "ink",
    "--md-default-fg-color--light": "muted",
    "--md-default-fg-color--lighter": "line",
    "--md-default-fg-color--lightest": "line",
    "--md-primary-fg-color": "surface",
    "--md-primary-bg-color": "ink",
    "--md-primary-bg-color--light": "muted",
    "--md-accent-fg-color": "doubt",
    "--md-typeset-color": "ink",
    "--md-typeset-a-color": "accent",
    "--md-code-bg-color": "surface",
    "--md-code-fg-color": "ink",
    "--md-footer-bg-color": "surface",
    "--md-footer-bg-color--dark": "band",
    "--md-footer-fg-color": "ink",
    "--md-footer-fg-color--light": "muted",
    "--md-footer-fg-color--lighter": "muted",
}
"""The theme's variables and the roles whose colours they take."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the style sheet."""
    files.append(File.generated(config, "assets/colours.css", content=rules()))
    return files


def rules() -> str:
    """Every role as a variable, in both schemes, and the theme's own variables bound to them."""
    schemes = []
    for place, scheme in enumerate(("default", "slate")):
        colours = "".join(f"--{role}:{pair[place]};" for role, pair in ROLES.items())
        bound = "".join(f"{variable}:var(--{role});" for variable, role in VARIABLES.items())
        schemes.append(f'[data-md-color-scheme="{scheme}"]{{{colours}{bound}}}')
    return "\n".join(schemes) + "\n"
