"""How a document analysis was computed, what to know of its data, and whom to cite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truerank._support.references import Reference, reference
from truerank.documents.models import MODELS
from truerank.report.page import Section
from truerank.report.templating import fill
from truerank.report.words import level_text, printable, sentence

if TYPE_CHECKING:
    from truerank.documents.analysis import DocumentAnalysis

EXPLAINED = ("bst", "kde", "normexp")
"""Models that the template knows; any other is named by its label."""

CITED = (
    reference("yang-2018"),
    Reference(
        "robertson-kanoulas-2012",
        "Stephen E. Robertson and Evangelos Kanoulas",
        2012,
        "On Per-Topic Variance in IR Evaluation",
        "Proceedings of the 35th International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval (SIGIR ’12), pp. 891–900",
        "https://doi.org/10.1145/2348283.2348402",
    ),
    Reference(
        "cormack-lynam-2006",
        "Gordon V. Cormack and Thomas R. Lynam",
        2006,
        "Statistical Precision of Information Retrieval Evaluation",
        "Proceedings of the 29th Annual International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval (SIGIR ’06), pp. 533–540",
        "https://doi.org/10.1145/1148170.1148262",
    ),
    Reference(
        "arampatzis-2001",
        "Avi Arampatzis and André van Hameren",
        2001,
        "The Score-Distributional Threshold Optimization for Adaptive Binary Classification Tasks",
        "Proceedings of the 24th Annual International ACM SIGIR Conference on Research and Development in "
        "Information Retrieval (SIGIR ’01), pp. 285–293",
        "https://doi.org/10.1145/383952.384009",
    ),
    Reference(
        "searle-1992",
        "Shayle R. Searle, George Casella and Charles E. McCulloch",
        1992,
        "Variance Components",
        "Wiley",
        "https://doi.org/10.1002/9780470316856",
    ),
    reference("kendall-1938"),
)


def methods(analyses: Sequence[DocumentAnalysis]) -> Section:
    """The formulas behind these analyses, and only these."""
    names = [a.model for a in analyses]
    body = fill(
        "documents-methods.html",
        names=names,
        others=[
            (printable(n), printable(MODELS[n].label) if n in MODELS else "")
            for n in names
            if n not in EXPLAINED
        ],
        settings=analyses[0].settings,
        level=level_text(analyses[0].settings.level),
        decomposed=analyses[0].decomposition is not None,
    )
    return Section("methods", "Methods", "How it was computed", body)


def warnings(found: Sequence[str]) -> Section:
    """What to know before quoting a number."""
    body = fill("documents-warnings.html", warnings=[sentence(warning) for warning in found])
    return Section("warnings", "Warnings", "Before you quote a number", body)


def citing(analyses: Sequence[DocumentAnalysis]) -> Section:
    """The references of what was used, and how to cite."""
    unused = set() if any(a.model == "normexp" for a in analyses) else {"arampatzis-2001"}
    if analyses[0].decomposition is None:
        unused |= {"cormack-lynam-2006", "searle-1992"}
    body = fill(
        "documents-citing.html",
        version=analyses[0].settings.version,
        references=[r for r in CITED if r.key not in unused],
    )
    return Section("citing", "Citing", "References and how to cite", body)
