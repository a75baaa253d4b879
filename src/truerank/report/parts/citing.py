"""References, and how to cite: one list for every page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from truerank._support.references import bibtex, reference
from truerank.report.page import Section
from truerank.report.templating import fill

_LINK = re.compile(r'href="#ref-([^"]+)"')


def citing(sections: Iterable[Section | None], lead: Sequence[str], whom: str) -> Section:
    """Every reference that the sections link to, in the order in which they first do.

    Args:
        sections: of the page, from top to bottom; their links come from
            :func:`truerank.report.formulas.cite`.
        lead: keys of the publications to cite beside truerank; they come first.
        whom: what these are, for the sentence "To cite this page, name truerank with its version, and …".

    Raises:
        UnknownNameError: a key in `lead` that no reference has.
    """
    linked = [key for section in sections if section for key in _LINK.findall(section.body)]
    body = fill(
        "citing.html",
        whom=whom,
        bibtex=bibtex(dict.fromkeys(["truerank", *lead])),
        references=[reference(key) for key in dict.fromkeys([*lead, *linked])],
    )
    return Section("citing", "Citing", "References and how to cite", body)
