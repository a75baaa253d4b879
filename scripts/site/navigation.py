"""The navigation: patterns in mkdocs.yml become the pages that they stand for; anchors are GitHub’s."""

from __future__ import annotations

import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any

from pymdownx.slugs import slugify

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Keep letters such as λ in the anchors of headings."""
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Fill in the navigation."""
    titles = {
        file.src_uri: title_of(file.content_string, file.src_uri) for file in files.documentation_pages()
    }
    config.nav = filled(config.nav or [], titles)
    return files


on_files.mkdocs_priority = -50  # type: ignore[attr-defined] # after the hooks that make pages


def title_of(markdown: str, otherwise: str) -> str:
    """A page's first heading."""
    found = re.search(r"^# +(.+?)\s*$", markdown, re.MULTILINE)
    return found[1] if found else otherwise


def filled(nav: list[Any], titles: dict[str, str]) -> list[Any]:
    """The navigation with pages in place of patterns; what stands for no page is left out.

    Args:
        nav: of entries: a page, a pattern of pages that no other entry names, or a section with entries.
        titles: of all pages, by their paths.
    """
    named = set(entries(nav))

    def pages(pattern: str) -> list[str]:
        if pattern in titles:
            return [pattern]
        depth = pattern.count("/")  # a star stays within its folder
        found = [page for page in titles if fnmatch(page, pattern) and page.count("/") == depth]
        return sorted(set(found) - named, key=lambda page: titles[page].casefold())

    def within(section: list[Any]) -> list[Any]:
        made: list[Any] = []
        for entry in section:
            if isinstance(entry, str):
                made += pages(entry)
            else:
                made += [{name: found} for name, inner in entry.items() if (found := within(inner))]
        return made

    return within(nav)


def entries(nav: list[Any]) -> list[str]:
    """All pages and patterns in a navigation."""
    found: list[str] = []
    for entry in nav:
        if isinstance(entry, str):
            found.append(entry)
        else:
            for inner in entry.values():
                found += entries(inner)
    return found
