"""The version that pages, notebooks and the README name is the package's own."""

from __future__ import annotations

import re

from written import DOCS, ROOT

import truerank

NAMED = re.compile(
    r"truerank[ -](?:version )?(?P<said>\d+\.\d+\.\d+)|(?:version *= *|trVersion\}){(?P<entry>\d+\.\d+\.\d+)}"
)


def named(text: str) -> set[str]:
    """The versions of truerank that a text names, also where a line ends in between."""
    return {match["said"] or match["entry"] for match in NAMED.finditer(" ".join(text.split()))}


def test_pages_name_the_present_version() -> None:
    pages = [ROOT / "README.md", *DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")]
    wrong = {
        page.relative_to(ROOT).as_posix(): others
        for page in pages
        if (others := named(page.read_text(encoding="utf-8")) - {truerank.__version__})
    }
    assert not wrong
